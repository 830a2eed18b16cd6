//! How many pairs of texts `BERTScore` does in a second, of wall and of processor time.
//!
//!     bertscore_speed [THREADS] [PAIRS] [FILE]
//!
//! FILE has `{"hypothesis", "reference"}` lines, so that another implementation can be timed on
//! the same texts; without it the texts are made up, 150 words each. Nothing is kept from one pair
//! for another unless texts are equal.

#![expect(clippy::unwrap_used, reason = "a measurement may panic")]
#![expect(clippy::print_stdout, reason = "it prints what it measures")]

use std::time::Instant;

use consilium_models::{BertScoreOptions, Encoder};
use serde_json::{Value, json};

const WORDS: [&str; 48] = [
    "the",
    "patient",
    "was",
    "given",
    "aspirin",
    "for",
    "chest",
    "pain",
    "and",
    "a",
    "chronic",
    "cough",
    "with",
    "fever",
    "of",
    "three",
    "days",
    "renal",
    "failure",
    "on",
    "examination",
    "there",
    "is",
    "no",
    "focal",
    "consolidation",
    "or",
    "pneumothorax",
    "blood",
    "pressure",
    "remained",
    "stable",
    "after",
    "treatment",
    "history",
    "hypertension",
    "denies",
    "dizziness",
    "mild",
    "cardiomegaly",
    "acute",
    "infection",
    "she",
    "he",
    "improved",
    "daily",
    "dose",
    "metformin",
];

fn made_up(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::new();
    for place in 1..=150 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text.push_str(WORDS[usize::try_from(state % 48).unwrap()]);
        text.push_str(if place % 14 == 0 { ". " } else { " " });
    }
    text
}

fn pairs(count: usize, file: Option<&String>) -> Vec<(String, String)> {
    match file {
        None => (0..count as u64)
            .map(|pair| (made_up(2 * pair), made_up(2 * pair + 1)))
            .collect(),
        Some(file) => std::fs::read_to_string(file)
            .unwrap()
            .lines()
            .take(count)
            .map(|line| {
                let line: Value = serde_json::from_str(line).unwrap();
                let text = |side: &str| line[side].as_str().unwrap().to_owned();
                (text("hypothesis"), text("reference"))
            })
            .collect(),
    }
}

/// Processor time of this process so far, where the system tells it, in seconds.
fn processor_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let after_name = stat.rsplit_once(')')?.1;
    let ticks: Vec<f64> = after_name
        .split_whitespace()
        .skip(11)
        .take(2)
        .map_while(|field| field.parse().ok())
        .collect();
    Some(ticks.iter().sum::<f64>() / 100.0)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, default: usize| {
        arguments
            .get(place)
            .map_or(default, |given| given.parse().unwrap())
    };
    let threads = number(0, 1);
    let texts = pairs(number(1, 200), arguments.get(2));
    let references: Vec<[&str; 1]> = texts.iter().map(|pair| [pair.1.as_str()]).collect();
    let pairs: Vec<(&str, &[&str])> = texts
        .iter()
        .zip(&references)
        .map(|(pair, references)| (pair.0.as_str(), references.as_slice()))
        .collect();
    let encoder = Encoder::open("all-MiniLM-L6-v2").unwrap();
    let tokens: usize = texts
        .iter()
        .map(|pair| encoder.tokenize(&pair.0).unwrap().ids().len())
        .sum();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    let (wall, processor) = (Instant::now(), processor_seconds());
    let scored = pool.install(|| {
        let options = BertScoreOptions::of_layer(6);
        encoder.bert_scores(&pairs, &options).unwrap()
    });
    let wall = wall.elapsed().as_secs_f64();
    let processor = processor_seconds()
        .zip(processor)
        .map(|(now, then)| now - then);
    let mean = scored.scores.iter().map(|score| score.f1).sum::<f64>() / pairs.len() as f64;
    println!(
        "{}",
        json!({
            "threads": threads,
            "pairs": pairs.len(),
            "tokens_a_text": tokens / pairs.len(),
            "mean_f1": mean,
            "pairs_per_second": pairs.len() as f64 / wall,
            "pairs_per_processor_second": processor.map(|seconds| pairs.len() as f64 / seconds),
        })
    );
}
