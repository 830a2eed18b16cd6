//! Statistics of one pair of 150 tokens for each metric that has a speed goal.
//!
//! The text is drawn as `reference_throughput.py` draws it: pseudo-words of a few syllables by
//! Zipf's law, a sixth of them changed or dropped, half of the hypotheses turned around. For the
//! very same text as the references see `.ci/bench/metrics`.

use std::hint::black_box;

use consilium_metrics::{Confusion, MetricSet};
use criterion::{Criterion, Throughput};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

const SYLLABLES: [&str; 25] = [
    "car", "di", "neph", "ro", "pul", "mo", "he", "pa", "ti", "gas", "tro", "der", "ma", "os",
    "te", "my", "al", "gia", "itis", "osis", "emia", "oma", "py", "le", "in",
];
const TOKENS: usize = 150;
const PAIRS: usize = 64;

/// Draws words, the frequent ones more often.
struct Writer {
    generator: ChaCha8Rng,
    words: Vec<String>,
    /// Sums of the weights up to each word.
    weights: Vec<f64>,
}

impl Writer {
    fn new() -> Self {
        let mut writer = Self {
            generator: ChaCha8Rng::seed_from_u64(31337),
            words: Vec::new(),
            weights: Vec::new(),
        };
        let mut sum = 0.0;
        for rank in 0..4000 {
            let syllables = 1 + writer.below(4);
            let word = (0..syllables).map(|_| SYLLABLES[writer.below(SYLLABLES.len())]);
            let word = word.collect();
            writer.words.push(word);
            sum += 1.0 / f64::from(rank + 3);
            writer.weights.push(sum);
        }
        writer
    }

    /// Between 0 and 1.
    fn share(&mut self) -> f64 {
        f64::from(self.generator.next_u32()) / (f64::from(u32::MAX) + 1.0)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a small number"
    )]
    fn below(&mut self, end: usize) -> usize {
        (self.share() * end as f64) as usize
    }

    fn word(&mut self) -> usize {
        let place = self.share() * self.weights[self.weights.len() - 1];
        self.weights.partition_point(|sum| *sum <= place)
    }

    fn text(&self, words: &[usize]) -> String {
        let word = |(place, word): (usize, &usize)| {
            let stop = if place % 14 == 13 { "." } else { "" };
            format!("{}{stop}", self.words[*word])
        };
        let words: Vec<String> = words.iter().take(TOKENS).enumerate().map(word).collect();
        words.join(" ")
    }

    fn pair(&mut self) -> (String, String) {
        let reference: Vec<usize> = (0..TOKENS).map(|_| self.word()).collect();
        let mut hypothesis = Vec::new();
        for &word in &reference {
            match self.share() {
                share if share < 0.12 => hypothesis.push(self.word()),
                share if share < 0.16 => {}
                _ => hypothesis.push(word),
            }
        }
        if self.share() < 0.5 {
            hypothesis.rotate_left(20 + self.below(100));
        }
        while hypothesis.len() < TOKENS {
            hypothesis.push(self.word());
        }
        (self.text(&hypothesis), self.text(&reference))
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut writer = Writer::new();
    let pairs: Vec<(String, String)> = (0..PAIRS).map(|_| writer.pair()).collect();
    let mut group = criterion.benchmark_group("pair");
    group.throughput(Throughput::Elements(PAIRS as u64));
    for names in [
        &["bleu"][..],
        &["chrf++"],
        &["ter"],
        &["rouge1", "rouge2", "rougeL"],
        &["gleu"],
        &["nltk_bleu-4"],
        &["meteor-split"],
        &["exact_match", "token_f1"],
    ] {
        let Some(set) = MetricSet::new(names) else {
            continue;
        };
        group.bench_function(names.join("+"), |bencher| {
            bencher.iter(|| {
                for (hypothesis, reference) in &pairs {
                    black_box(set.statistics(hypothesis, &[reference]));
                }
            });
        });
    }
    group.finish();

    let names: Vec<String> = (0..170)
        .map(|class| format!("syndrome-{class:03}"))
        .collect();
    let rows: Vec<(&str, Option<&str>)> = (0..100_000)
        .map(|_| {
            let truth = writer.below(170);
            let predicted = if writer.share() < 0.6 {
                truth
            } else {
                writer.below(170)
            };
            (names[truth].as_str(), Some(names[predicted].as_str()))
        })
        .collect();
    let mut group = criterion.benchmark_group("labels");
    group.throughput(Throughput::Elements(rows.len() as u64));
    group.bench_function("report of 170 classes", |bencher| {
        bencher.iter(|| black_box(Confusion::of_rows(&rows).summary()));
    });
    group.finish();
    criterion.final_summary();
}
