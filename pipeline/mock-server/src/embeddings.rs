//! The vectors of one request for embeddings.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use serde_json::{Value, json};

use consilium_core::seed::derive_seed;

use super::MockServerOptions;
use consilium_backends::text_tokens;

/// Numbers of a vector.
const DIMENSIONS: usize = 64;

#[derive(Deserialize)]
struct Request {
    #[serde(default)]
    model: String,
    input: Input,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Input {
    One(String),
    Many(Vec<String>),
}

/// Writes the reply to a request; a text always gets the same vector, and texts that share words
/// get vectors that are alike.
pub(super) fn reply(
    options: &MockServerOptions,
    body: &[u8],
    _seed: u64,
) -> Result<String, String> {
    let request: Request = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let texts = match request.input {
        Input::One(text) => vec![text],
        Input::Many(texts) => texts,
    };
    if texts.len() > options.most_inputs {
        return Err(format!("batch size is limited to {}", options.most_inputs));
    }
    if texts.is_empty() || texts.iter().any(|text| text.trim().is_empty()) {
        return Err("input cannot be an empty string".to_owned());
    }
    let data: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| {
            let vector = vector(text, options.seed);
            json!({"object": "embedding", "index": index, "embedding": vector})
        })
        .collect();
    let tokens: u64 = texts.iter().map(|text| text_tokens(text)).sum();
    let usage = json!({"prompt_tokens": tokens, "total_tokens": tokens});
    let reply = json!({"object": "list", "data": data, "model": request.model, "usage": usage});
    Ok(reply.to_string())
}

fn vector(text: &str, seed: u64) -> Vec<f64> {
    let mut sum = vec![0.0; DIMENSIONS];
    for word in text.split_whitespace() {
        let mut random = ChaCha8Rng::seed_from_u64(derive_seed(seed, &["embedding", word]));
        for value in &mut sum {
            *value += random.random::<f64>() - 0.5;
        }
    }
    let length = sum.iter().map(|value| value * value).sum::<f64>().sqrt();
    if length > 0.0 {
        for value in &mut sum {
            *value /= length;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(input: &Value) -> Result<Vec<Vec<f64>>, String> {
        let options = MockServerOptions {
            most_inputs: 3,
            ..Default::default()
        };
        let body = json!({"model": "m", "input": input}).to_string();
        let reply: Value = serde_json::from_str(&reply(&options, body.as_bytes(), 0)?).unwrap();
        let rows = reply["data"].as_array().unwrap();
        let vector = |row: &Value| serde_json::from_value(row["embedding"].clone()).unwrap();
        Ok(rows.iter().map(vector).collect())
    }

    #[test]
    fn texts_that_share_words_are_alike() {
        let given = json!(["acute renal failure", "renal failure", "yes"]);
        let vectors = ask(&given).unwrap();
        let cosine = |a: usize, b: usize| -> f64 {
            vectors[a].iter().zip(&vectors[b]).map(|(a, b)| a * b).sum()
        };
        assert!((cosine(0, 0) - 1.0).abs() < 1e-9);
        assert!(cosine(0, 1) > 0.5 && cosine(0, 1) > cosine(0, 2) + 0.3);
        assert_eq!(ask(&json!("renal failure")).unwrap()[0], vectors[1]);
    }

    #[test]
    fn too_many_and_empty_texts_are_refused() {
        assert!(ask(&json!(["a", "b", "c", "d"])).is_err());
        assert!(ask(&json!(["a", " "])).is_err() && ask(&json!([])).is_err());
        assert!(ask(&json!(7)).is_err());
    }
}
