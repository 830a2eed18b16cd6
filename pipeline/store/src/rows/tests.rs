use std::collections::BTreeMap;

use arrow::compute::cast;
use arrow::datatypes::Field;
use consilium_core::{AnswerForm, ChoiceOption, ErrorKind, Outcome, ParseStatus};
use proptest::prelude::*;
use proptest::{collection, option};

use super::*;
use crate::fixtures::{call, event, sample, score};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("\0 nul \0".to_owned()),
        Just("患者发热三天，\u{1f912}".to_owned()),
        Just("twelve bytes".to_owned()),
        "\\PC{0,40}",
        "[\\x00-\\x1f\"\\\\\n]{0,20}",
    ]
}

fn maybe() -> impl Strategy<Value = Option<String>> {
    option::of(text())
}

fn tokens() -> impl Strategy<Value = Option<u64>> {
    option::of(prop_oneof![
        0_u64..5000,
        Just(i64::MAX.cast_unsigned()),
        Just((1 << 53) + 1)
    ])
}

fn amount() -> impl Strategy<Value = Option<f64>> {
    option::of(prop_oneof![Just(0.1 + 0.2), Just(-0.0), -1e300..1e300_f64])
}

prop_compose! {
    fn samples()(
        (dataset, answer, payload, error) in (text(), maybe(), maybe(), maybe()),
        outcome in proptest::sample::select(Outcome::ALL.to_vec()),
        rounds in option::of(0..=i32::MAX.cast_unsigned()),
        (prompt_tokens, completion_tokens, cost_usd) in (tokens(), tokens(), amount()),
        started_at in any::<i64>(),
        error_kind in option::of(Just(ErrorKind::RateLimit)),
    ) -> SampleRow {
        SampleRow {
            dataset, outcome, answer, payload, rounds, prompt_tokens, completion_tokens, cost_usd,
            started_at, error_kind, error, ..sample("c", 1, 2)
        }
    }
}

prop_compose! {
    fn calls()(
        (case_id, scorer, agent, messages) in (text(), maybe(), text(), text()),
        (response, reasoning, raw) in (maybe(), maybe(), maybe()),
        parse_status in option::of(proptest::sample::select(vec![
            ParseStatus::Text, ParseStatus::Schema, ParseStatus::JsonMode, ParseStatus::Extracted,
            ParseStatus::Repaired, ParseStatus::Failed, ParseStatus::Lossy,
        ])),
        (http_status, latency_ms) in (option::of(any::<u16>()), amount()),
        (prompt_tokens, cached_tokens, completion_tokens) in (tokens(), tokens(), tokens()),
        (tries, cache_hit) in (any::<u32>(), any::<bool>()),
        seq in 0..=i32::MAX.cast_unsigned(),
    ) -> CallRow {
        CallRow {
            case_id, scorer, agent, messages, response, reasoning, raw, parse_status, http_status,
            latency_ms, prompt_tokens, cached_tokens, completion_tokens, tries, cache_hit, seq,
            ..call("c", 1, 0)
        }
    }
}

prop_compose! {
    fn scores()(
        (metric, predicted, reason) in (text(), maybe(), maybe()),
        value in amount(),
        stats in option::of(collection::vec(any::<i64>(), 0..4)),
    ) -> ScoreRow {
        ScoreRow { metric, predicted, reason, value, stats, ..score("s", "m", "c", 0.0) }
    }
}

prop_compose! {
    fn cases()(
        (dataset, input, sha256) in (text(), text(), text()),
        (specialty, prevalence, reference) in (maybe(), maybe(), maybe()),
        labels in collection::btree_map(text(), text(), 0..3),
        options in collection::vec((text(), text()), 0..3),
        gold in collection::vec(text(), 0..3),
    ) -> CaseRow {
        let options =
            options.into_iter().map(|(label, text)| ChoiceOption { label, text }).collect();
        CaseRow {
            dataset, input, sha256, specialty, prevalence, reference, labels, options, gold,
            case_id: "1".to_owned(), source: "s".to_owned(), language: "zh".to_owned(),
            answer_form: AnswerForm::Diagnosis,
        }
    }
}

/// The batch with the text layout other engines hand out.
fn with_plain_text(batch: &RecordBatch) -> RecordBatch {
    let mut fields = Vec::new();
    let mut columns = Vec::new();
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        if *field.data_type() == DataType::Utf8View {
            fields.push(Field::new(
                field.name(),
                DataType::Utf8,
                field.is_nullable(),
            ));
            columns.push(cast(column, &DataType::Utf8).unwrap());
        } else {
            fields.push(field.as_ref().clone());
            columns.push(Arc::clone(column));
        }
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
}

fn assert_round_trip<R: TableRow + PartialEq + std::fmt::Debug>(rows: &[R]) {
    let batch = encode(R::TABLE, rows).unwrap();
    assert_eq!(batch.schema(), R::TABLE.schema());
    assert_eq!(R::batch(rows.iter()).unwrap(), batch);
    assert_eq!(R::decode(&batch).unwrap(), rows);
    assert_eq!(R::decode(&with_plain_text(&batch)).unwrap(), rows);
}

proptest! {
    #[test]
    fn samples_read_back(rows in collection::vec(samples(), 0..4)) {
        assert_round_trip(&rows);
    }

    #[test]
    fn calls_read_back(rows in collection::vec(calls(), 0..4)) {
        assert_round_trip(&rows);
    }

    #[test]
    fn scores_read_back(rows in collection::vec(scores(), 0..4)) {
        assert_round_trip(&rows);
    }

    #[test]
    fn cases_read_back(rows in collection::vec(cases(), 0..4)) {
        assert_round_trip(&rows);
    }
}

#[test]
fn events_read_back_with_none_and_with_five_megabytes() {
    let long = EventRow {
        content: Some("热\0".repeat(1_250_000)),
        ..event("c", 1, 0)
    };
    let bare = EventRow {
        content: None,
        payload: None,
        round: None,
        ..event("c", 1, 1)
    };
    assert_round_trip(&[long, bare]);
}

#[test]
fn nothing_at_all_is_null_in_every_optional_column() {
    let row = CallRow {
        response: None,
        finish_reason: None,
        http_status: None,
        latency_ms: None,
        prompt_tokens: None,
        completion_tokens: None,
        cost_usd: None,
        ..call("c", 1, 0)
    };
    let batch = encode(RunTable::Calls, &[row]).unwrap();
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        assert_eq!(
            column.null_count() == 1,
            field.is_nullable(),
            "{}",
            field.name()
        );
    }
}

#[test]
fn a_count_that_does_not_fit_is_an_error_and_not_another_number() {
    let row = CallRow {
        prompt_tokens: Some(u64::MAX),
        ..call("c", 1, 0)
    };
    let error = encode(RunTable::Calls, &[&row]).unwrap_err();
    assert_eq!(error.to_string(), "encode rows of table 'calls'");
    let error = CallRow::batch([row].iter()).unwrap_err().with_causes();
    assert!(
        error.contains("18446744073709551615 does not fit column 'prompt_tokens'"),
        "{error}"
    );
}

#[test]
fn rows_of_another_table_are_refused() {
    encode(RunTable::Events, &[sample("c", 1, 0)]).unwrap_err();
    let batch = encode(RunTable::Samples, &[sample("c", 1, 0)]).unwrap();
    let error = decode_calls(&batch).unwrap_err().with_causes();
    assert_eq!(error, "decode rows of table 'calls': find column 'scorer'");
}

#[test]
fn a_value_outside_its_enumeration_is_named() {
    let mut row = serde_json::to_value(sample("c", 1, 0)).unwrap();
    row["outcome"] = "splendid".into();
    let batch = encode(RunTable::Samples, &[row]).unwrap();
    let error = decode_samples(&batch).unwrap_err().with_causes();
    assert!(
        error.ends_with("column 'outcome', row 0: 'splendid' is not allowed there"),
        "{error}"
    );
}

#[test]
fn labels_keep_their_keys() {
    let labels = BTreeMap::from([
        ("b".to_owned(), "2".to_owned()),
        ("a".to_owned(), String::new()),
    ]);
    let row = CaseRow {
        labels,
        dataset: "d".to_owned(),
        case_id: "1".to_owned(),
        source: String::new(),
        language: "en".to_owned(),
        answer_form: AnswerForm::Text,
        specialty: None,
        prevalence: None,
        input: "{}".to_owned(),
        options: Vec::new(),
        gold: Vec::new(),
        reference: None,
        sha256: String::new(),
    };
    assert_round_trip(&[row]);
}
