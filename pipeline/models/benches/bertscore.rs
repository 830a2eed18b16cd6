//! Pairs of 150 words that `BERTScore` does in a second, on one and on two threads.
//!
//! `CONSILIUM_PAIRS` names a file of `{"hypothesis", "reference"}` lines to take in place of
//! seeded ones. Says so and ends when the encoder is not there.

#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]
#![expect(clippy::print_stderr, reason = "a skipped benchmark says so")]
#![expect(missing_docs, reason = "criterion's macros document nothing")]

use std::time::Duration;

use consilium_models::{BertScoreOptions, Encoder};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use serde_json::Value;

const ENCODER: &str = "all-MiniLM-L6-v2";
const PAIRS: usize = 40;

fn pairs() -> Vec<(String, String)> {
    let Some(path) = std::env::var_os("CONSILIUM_PAIRS") else {
        return (0..PAIRS as u64)
            .map(|pair| (text(2 * pair), text(2 * pair + 1)))
            .collect();
    };
    std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .take(PAIRS)
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let text = |side: &str| line[side].as_str().unwrap().to_owned();
            (text("hypothesis"), text("reference"))
        })
        .collect()
}

/// 150 pseudo-words, of which the vocabulary makes about 380 pieces.
fn text(seed: u64) -> String {
    const SYLLABLES: [&str; 12] = [
        "car", "di", "neph", "ro", "pul", "mo", "he", "pa", "ti", "gas", "itis", "emia",
    ];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |bound: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % bound).unwrap()
    };
    let words: Vec<String> = (0..150)
        .map(|_| (0..=next(2)).map(|_| SYLLABLES[next(12)]).collect())
        .collect();
    words.join(" ")
}

fn bertscore(criterion: &mut Criterion) {
    // Opened anew each time: what is kept from before would be no work.
    if let Err(error) = Encoder::open(ENCODER) {
        eprintln!("skipped: failed to {error}");
        return;
    }
    let pairs = pairs();
    let references: Vec<[&str; 1]> = pairs.iter().map(|pair| [pair.1.as_str()]).collect();
    let pairs: Vec<(&str, &[&str])> = pairs
        .iter()
        .zip(&references)
        .map(|(pair, references)| (pair.0.as_str(), references.as_slice()))
        .collect();
    let encoder = Encoder::open(ENCODER).unwrap();
    let tokens: usize = pairs
        .iter()
        .map(|pair| encoder.tokenize(pair.0).unwrap().ids().len())
        .sum();
    eprintln!("{} tokens a text", tokens / pairs.len());
    let options = BertScoreOptions::of_layer(6);
    let mut group = criterion.benchmark_group("bertscore_150_words");
    group
        .sample_size(10)
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(Duration::from_millis(1))
        .measurement_time(Duration::from_secs(1))
        .throughput(Throughput::Elements(pairs.len() as u64));
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        group.bench_function(format!("{threads} threads"), |bencher| {
            bencher.iter_batched(
                || Encoder::open(ENCODER).unwrap(),
                |encoder| pool.install(|| encoder.bert_scores(&pairs, &options).unwrap()),
                criterion::BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, bertscore);
criterion_main!(benches);
