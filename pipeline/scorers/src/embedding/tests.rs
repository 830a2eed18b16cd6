//! The embedding scorer on a real encoder, and on a server's embeddings.

use consilium_core::Outcome;
use consilium_core::study::ScorerKind;
use serde_json::{Value, json};

use super::*;
use crate::encoder::{Idf, mini_lm};
use crate::tests::{case, sample};
use consilium_mock_server::{LocalServer, MockServerOptions};

const ENGLISH: &str = "The patient has chronic kidney disease.";
const ALIKE: &str = "He suffers from long-standing renal failure.";
const UNLIKE: &str = "The weather was fine on Sunday.";

fn spec(more: &Value) -> ScorerSpec {
    let mut spec = json!({"kind": "embedding"});
    for (key, value) in more.as_object().unwrap() {
        spec[key] = value.clone();
    }
    serde_json::from_value(spec).unwrap()
}

fn local(more: &Value) -> Option<EmbeddingScorer> {
    let library = EncoderLibrary::default();
    mini_lm(&library)?;
    let mut spec = spec(more);
    spec.encoder = Some("all-MiniLM-L6-v2".to_owned());
    Some(EmbeddingScorer::local(&spec, Path::new("/"), &library).unwrap())
}

fn with_reference(reference: &str) -> Case {
    Case {
        reference: Some(reference.to_owned()),
        ..case(AnswerForm::Text, "", &[])
    }
}

async fn compared(scorer: &mut EmbeddingScorer, pairs: &[(SampleRow, Case)]) -> Vec<ScoreRow> {
    for (_, case) in pairs {
        scorer.read_references(case).unwrap();
    }
    scorer.finish_references().unwrap();
    let found = scorer.compare(pairs, &CancellationToken::new()).await;
    found.unwrap().rows
}

fn answered(answer: &str, reference: &str) -> (SampleRow, Case) {
    (sample(Outcome::Ok, Some(answer)), with_reference(reference))
}

fn of<'rows>(rows: &'rows [ScoreRow], metric: &str) -> Vec<&'rows ScoreRow> {
    rows.iter().filter(|row| row.metric == metric).collect()
}

#[tokio::test]
async fn likeness_is_what_the_encoder_says() {
    let Some(mut scorer) = local(&json!({})) else {
        return;
    };
    let pairs = [answered(ALIKE, ENGLISH), answered(UNLIKE, ENGLISH)];
    let rows = compared(&mut scorer, &pairs).await;
    assert_eq!(rows.len(), 8);
    let cosines = of(&rows, "cosine");
    let value = |row: &ScoreRow| row.value.unwrap();
    assert!(value(cosines[0]) > 0.5 && value(cosines[1]) < 0.2);
    let signature = &cosines[0].signature;
    assert!(signature.starts_with("cosine|rev:1|model:all-MiniLM-L6-v2|weights:53aa5117"));
    assert!(signature.ends_with("|against:reference"));

    let options = BertScoreOptions::of_layer(6);
    let references: &[&str] = &[ENGLISH];
    let pair: &[(&str, &[&str])] = &[(ALIKE, references)];
    let direct = scorer.encoder.bert_scores(pair, &options).await;
    let direct = direct.unwrap().scores[0];
    for (metric, expected) in [
        ("bertscore_precision", direct.precision),
        ("bertscore_recall", direct.recall),
        ("bertscore_f1", direct.f1),
    ] {
        let row = of(&rows, metric)[0];
        assert_eq!(row.value, Some(expected), "{metric}");
        assert!(row.signature.contains("|layer:6|idf:no|rescale:no|"));
        assert_eq!(row.reason, None);
    }
}

#[tokio::test]
async fn the_best_of_many_golds_counts() {
    let Some(mut scorer) = local(&json!({"against": "gold", "metrics": ["cosine"]})) else {
        return;
    };
    let case = case(AnswerForm::Text, "", &["gout", "renal failure"]);
    let pairs = [(sample(Outcome::Ok, Some("Renal failure")), case)];
    let rows = compared(&mut scorer, &pairs).await;
    // The vocabulary has no capital letters.
    assert!((rows[0].value.unwrap() - 1.0).abs() < 1e-6);
}

#[tokio::test]
async fn an_answer_that_is_none_counts_as_nothing_alike() {
    let Some(mut scorer) = local(&json!({})) else {
        return;
    };
    let outcomes = [
        (Outcome::Refused, Some(0.0), "refused"),
        (Outcome::Timeout, None, "timeout"),
    ];
    for (outcome, value, reason) in outcomes {
        let pairs = [(sample(outcome, Some(ENGLISH)), with_reference(ENGLISH))];
        for row in compared(&mut scorer, &pairs).await {
            assert_eq!((row.value, row.reason.as_deref()), (value, Some(reason)));
        }
    }
    let thought = answered("<think>kidney?</think> \n", ENGLISH);
    let rows = compared(&mut scorer, &[thought]).await;
    assert_eq!(rows[3].value, Some(0.0));
    assert_eq!(rows[3].reason.as_deref(), Some("empty"));
    let nothing = (
        sample(Outcome::Ok, Some("x")),
        case(AnswerForm::Text, "", &[]),
    );
    let rows = compared(&mut scorer, &[nothing]).await;
    assert_eq!(rows[0].reason.as_deref(), Some("no_gold"));
}

#[tokio::test]
async fn a_dataset_in_another_language_has_no_values() {
    let Some(mut scorer) = local(&json!({})) else {
        return;
    };
    // Different syndromes, which the vocabulary turns into the same ids.
    let chinese = answered("痰湿蕴肺", "痰热壅肺");
    let rows = compared(&mut scorer, &[chinese]).await;
    assert!(rows.iter().all(|row| row.value.is_none()));
    assert_eq!(rows[0].reason.as_deref(), Some("unreadable_references"));
    let refused = scorer.finish_references().unwrap();
    assert_eq!(&*refused[0].0, "d");
    assert!(refused[0].1.contains("hint"), "{}", refused[0].1);

    // One answer in another language does not take its case out of the mean.
    let Some(mut scorer) = local(&json!({})) else {
        return;
    };
    let rows = compared(&mut scorer, &[answered("痰湿蕴肺", ENGLISH)]).await;
    assert!(rows.iter().all(|row| row.value.is_some()));
    assert_eq!(rows[0].reason.as_deref(), Some("unreadable_answer"));
}

#[tokio::test]
async fn tokens_are_weighted_by_the_references_of_their_dataset() {
    let more = json!({"idf": true, "layer": 4, "metrics": ["bertscore"]});
    let Some(mut scorer) = local(&more) else {
        return;
    };
    let pairs = [answered(ALIKE, ENGLISH), answered(UNLIKE, UNLIKE)];
    let rows = compared(&mut scorer, &pairs).await;
    let Encoder::Local(encoder) = &scorer.encoder else {
        panic!("a local encoder");
    };
    let idf = Idf::of_texts(encoder, &[ENGLISH, UNLIKE]).unwrap();
    let options = BertScoreOptions {
        idf: Some(Arc::new(idf)),
        ..BertScoreOptions::of_layer(4)
    };
    let references: &[&str] = &[ENGLISH];
    let direct = encoder.bert_scores(&[(ALIKE, references)], &options);
    let f1 = of(&rows, "bertscore_f1")[0];
    assert_eq!(f1.value, Some(direct.unwrap().scores[0].f1));
    assert!(f1.signature.contains("|layer:4|idf:2-"), "{}", f1.signature);
}

#[tokio::test]
async fn what_is_undefined_is_missing_and_not_nothing_alike() {
    let more = json!({"idf": true, "metrics": ["bertscore"]});
    let Some(mut scorer) = local(&more) else {
        return;
    };
    // Tokens that every reference has weigh nothing.
    let pairs = [answered(ENGLISH, ENGLISH), answered(ENGLISH, ENGLISH)];
    for row in compared(&mut scorer, &pairs).await {
        let reason = row.reason.as_deref();
        assert_eq!((row.value, reason), (None, Some("undefined")), "{row:?}");
    }
}

#[tokio::test]
async fn a_server_can_embed() {
    let server = LocalServer::start(MockServerOptions::default())
        .await
        .unwrap();
    let backend = serde_json::from_value(json!({"name": "vectors", "kind": "openai",
        "model": "m", "base_url": format!("{}/v1", server.address)}));
    let backend = EmbeddingBackend::new(&backend.unwrap(), 1).unwrap();
    let spec = spec(&json!({"backend": "vectors"}));
    let mut scorer = EmbeddingScorer::remote(&spec, Path::new("/"), backend).unwrap();
    let rows = compared(
        &mut scorer,
        &[answered(ENGLISH, ENGLISH), answered("gout", ENGLISH)],
    )
    .await;
    assert_eq!(rows.len(), 2);
    assert!((rows[0].value.unwrap() - 1.0).abs() < 1e-6);
    assert!(rows[1].value.unwrap() < 0.999);
    assert!(
        rows[0]
            .signature
            .starts_with("cosine|rev:1|model:m|endpoint:")
    );
}

#[test]
fn entries_that_make_no_sense_are_refused() {
    for (more, words) in [
        (json!({}), "needs `encoder`"),
        (
            json!({"backend": "b", "metrics": ["bertscore"]}),
            "needs `encoder`",
        ),
        (json!({"backend": "b", "layer": 3}), "no use for `layer`"),
        (json!({"backend": "b", "idf": true}), "no use for `idf`"),
        (
            json!({"backend": "b", "encoder": "e"}),
            "no use for `backend`",
        ),
        (
            json!({"backend": "b", "policy": "p"}),
            "no use for `policy`",
        ),
        (
            json!({"backend": "b", "metrics": ["cosin"]}),
            "set up scorer",
        ),
        (json!({"encoder": "no-such-encoder"}), "set up scorer"),
    ] {
        let error = crate::answer_forms(&spec(&more), Path::new("/")).unwrap_err();
        assert!(error.to_string().contains(words), "{more}: {error}");
    }
    let text = ScorerSpec {
        encoder: Some("e".to_owned()),
        ..ScorerSpec::of_kind(ScorerKind::Text)
    };
    let error = crate::answer_forms(&text, Path::new("/")).unwrap_err();
    assert!(
        error.to_string().contains("no use for `encoder`"),
        "{error}"
    );
}
