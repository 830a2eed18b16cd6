//! Every golden value that needs an encoder, in process.
//!
//! The values are of the encoder all-MiniLM-L6-v2, which `.ci/fetch-encoder` fetches; without it
//! the test says so and checks nothing.

use std::io::Read as _;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use super::EncoderLibrary;
use super::tests::mini_lm;

/// `tools/check-golden` asks for 2e-4; both sides compute in 32 bits and agree much better.
const TOLERANCE: f64 = 2e-6;

fn golden(name: &str) -> Vec<Value> {
    // Asked when the test runs: clones that share a target folder share its binary too.
    let folder = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let path = folder.join("../../tests/golden/encoders").join(name);
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The greatest difference of numbers; different shapes differ by infinity.
fn difference(want: &Value, got: &Value) -> f64 {
    match (want, got) {
        (Value::Number(want), Value::Number(got)) => {
            (want.as_f64().unwrap() - got.as_f64().unwrap()).abs()
        }
        (Value::Array(want), Value::Array(got)) if want.len() == got.len() => want
            .iter()
            .zip(got)
            .map(|(want, got)| difference(want, got))
            .fold(0.0, f64::max),
        (Value::Object(want), Value::Object(_)) => want
            .iter()
            .map(|(key, want)| difference(want, &got[key]))
            .fold(0.0, f64::max),
        _ if want == got => 0.0,
        _ => f64::INFINITY,
    }
}

#[test]
fn values_equal_the_reference() {
    let library = EncoderLibrary::default();
    if mini_lm(&library).is_none() {
        return;
    }
    let mut failures = Vec::new();
    let mut worst = 0.0_f64;
    for row in golden("bertscore.jsonl.gz") {
        let metric = row["metric"].as_str().unwrap();
        let got = library
            .evaluate(metric, &row["params"], &row["inputs"])
            .unwrap();
        let difference = difference(&row["expected"], &got);
        if difference > TOLERANCE {
            failures.push(format!("{} {}: {difference:e}", row["id"], row["tag"]));
        } else {
            worst = worst.max(difference);
        }
    }
    println!("greatest difference {worst:e}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn questions_that_cannot_be_answered_are_told() {
    let library = EncoderLibrary::default();
    let inputs = json!({"hyp": "a", "refs": ["b"]});
    let ask = |metric: &str, params: &Value, inputs: &Value| {
        let error = library.evaluate(metric, params, inputs).unwrap_err();
        let source = std::error::Error::source(&error).map(ToString::to_string);
        format!("{error}: {}", source.unwrap_or_default())
    };
    assert!(ask("bert", &json!({}), &inputs).contains("find the metric"));
    assert!(ask("bert_score", &json!({}), &inputs).contains("model"));
    let absent = ask("bert_score", &json!({"model": "no-such-encoder"}), &inputs);
    assert!(absent.contains("hint"), "{absent}");
    if mini_lm(&library).is_none() {
        return;
    }
    let with = |key: &str, value: Value| json!({"model": "all-MiniLM-L6-v2", key: value});
    for (params, inputs, word) in [
        (with("num_layers", json!(7)), &inputs, "layers 0"),
        (with("num_layers", json!("some")), &inputs, "parameters"),
        (with("safetensors_sha256", json!("00")), &inputs, "sha256"),
        (
            with("rescale_with_baseline", json!(true)),
            &inputs,
            "baseline_path",
        ),
        (
            with("num_layers", json!(6)),
            &json!({"hyp": 1, "refs": []}),
            "inputs",
        ),
    ] {
        let told = ask("bert_score", &params, inputs);
        assert!(told.contains(word), "{told}");
    }
    let uneven = json!({"hyps": ["a"], "refs": []});
    assert!(
        ask("bert_score.batch", &with("num_layers", json!(6)), &uneven)
            .contains("1 hyps but 0 refs")
    );
}
