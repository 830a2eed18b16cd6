//! Encoders as scorers use them.

use serde_json::json;

use super::*;

/// The encoder of the golden files; says so when it is absent.
pub(crate) fn mini_lm(library: &EncoderLibrary) -> Option<Arc<LocalEncoder>> {
    match library.open("all-MiniLM-L6-v2") {
        Ok(encoder) => Some(encoder),
        Err(error) => {
            eprintln!("skipped: failed to {error}");
            None
        }
    }
}

#[tokio::test]
async fn a_local_encoder_knows_what_is_alike() {
    let library = EncoderLibrary::default();
    let Some(local) = mini_lm(&library) else {
        return;
    };
    let encoder = Encoder::Local(Arc::clone(&local));
    let texts = [
        "The patient has chronic kidney disease.",
        "He suffers from long-standing renal failure.",
        "The weather was fine on Sunday.",
        "The patient has chronic kidney disease.",
    ];
    let cancel = CancellationToken::new();
    let embedded = encoder.embed(&texts, &cancel).await.unwrap();
    let vector = |index: usize| embedded.vectors[index].as_deref().unwrap();
    let length: f32 = vector(0).iter().map(|value| value * value).sum();
    assert!((length - 1.0).abs() < 1e-5 && vector(0).len() == 384);
    assert_eq!(vector(0), vector(3));
    let near = cosine(vector(0), vector(1)).unwrap();
    let far = cosine(vector(0), vector(2)).unwrap();
    assert!(near > 0.5 && far < 0.2, "{near} {far}");
    assert_eq!(embedded.reading.refusal(), None);
    assert!(encoder.signature().contains("weights:53aa5117"));
    assert!(
        encoder
            .signature()
            .ends_with("pool:mean|norm:yes|tokens:256")
    );
}

#[tokio::test]
async fn chinese_on_an_english_vocabulary_is_no_headline() {
    let library = EncoderLibrary::default();
    let Some(local) = mini_lm(&library) else {
        return;
    };
    let encoder = Encoder::Local(local);
    let options = BertScoreOptions::of_layer(6);
    let pairs: &[(&str, &[&str])] = &[("痰湿蕴肺", &["痰热壅肺"])];
    let scored = encoder.bert_scores(pairs, &options).await.unwrap();
    // Different syndromes, the same ids.
    assert!((scored.scores[0].f1 - 1.0).abs() < 1e-6);
    assert!(scored.reading.unknown_share() > 0.5);
    assert!(scored.reading.refusal().unwrap().contains("of 2 texts 2"));
}

#[tokio::test]
async fn values_do_not_depend_on_company_order_or_repetition() {
    let library = EncoderLibrary::default();
    let Some(local) = mini_lm(&library) else {
        return;
    };
    let references: Vec<String> = (0..40)
        .map(|number| format!("Dose {number} was given. ").repeat(number % 9))
        .collect();
    let references: Vec<[&str; 1]> = references.iter().map(|text| [text.as_str()]).collect();
    let pairs: Vec<(&str, &[&str])> = references
        .iter()
        .map(|reference| ("Dose 7 was given at noon.", reference.as_slice()))
        .collect();
    let options = BertScoreOptions::of_layer(3);
    let together = local.bert_scores(&pairs, &options).unwrap();
    let fresh = LocalEncoder::open("all-MiniLM-L6-v2").unwrap();
    for place in [39, 8, 0] {
        let alone = fresh.bert_scores(&pairs[place..=place], &options).unwrap();
        assert_eq!(alone.scores[0], together.scores[place]);
    }
    assert_eq!(
        together.scores,
        local.bert_scores(&pairs, &options).unwrap().scores
    );
    assert_eq!(together.reading.texts, 80);
}

#[tokio::test]
async fn a_server_compares_no_tokens() {
    let spec = json!({"name": "far", "kind": "openai", "base_url": "http://127.0.0.1:1/v1"});
    let backend = EmbeddingBackend::new(&serde_json::from_value(spec).unwrap(), 1).unwrap();
    let encoder = Encoder::Remote(Arc::new(backend));
    let options = BertScoreOptions::of_layer(1);
    let error = encoder.bert_scores(&[], &options).await.unwrap_err();
    assert!(error.to_string().contains("hint"), "{error}");
}
