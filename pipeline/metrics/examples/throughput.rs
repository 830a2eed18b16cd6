//! Pairs and labels per second, on the text that the references are timed on.
//!
//! `throughput PAIRS.jsonl LABELS.tsv [name…]` prints a JSON object for each workload. Wall time
//! depends on what else the machine does; the CPU time of all threads hardly does.

use std::error::Error;
use std::io::Write as _;
use std::time::{Duration, Instant};

use consilium_metrics::{Confusion, MetricSet};
use rayon::prelude::*;
use serde_json::{Value, json};

/// A workload is repeated for as long as this, so that short ones are measured too.
const LEAST: Duration = Duration::from_millis(1500);

/// Names of the reference's workloads with the metrics that do the same.
const WORKLOADS: [(&str, &[&str]); 8] = [
    ("sacrebleu_sentence_bleu", &["bleu"]),
    ("sacrebleu_chrf++", &["chrf++"]),
    ("sacrebleu_ter", &["ter"]),
    ("rouge_score_1_2_L", &["rouge1", "rouge2", "rougeL"]),
    ("nltk_gleu", &["gleu"]),
    ("nltk_bleu_method1", &["nltk_bleu-4"]),
    ("nltk_meteor", &["meteor-split"]),
    ("exact_match_token_f1", &["exact_match", "token_f1"]),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let pairs = arguments.next().ok_or("a file of pairs is missing")?;
    let labels = arguments.next().ok_or("a file of labels is missing")?;
    let names: Vec<String> = arguments.collect();
    let wanted = |name: &str| names.is_empty() || names.iter().any(|part| name.contains(part));

    let texts = std::fs::read_to_string(pairs)?
        .lines()
        .map(|line| {
            let row: Value = serde_json::from_str(line)?;
            let text = |key: &str| row[key].as_str().map(str::to_owned).ok_or("no text");
            Ok((text("hypothesis")?, text("reference")?))
        })
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    for (name, metrics) in WORKLOADS.into_iter().filter(|(name, _)| wanted(name)) {
        let set = MetricSet::new(metrics).ok_or("no such metric")?;
        report(name, texts.len(), || {
            let values: Vec<f64> = texts
                .par_iter()
                .map(|(hypothesis, reference)| {
                    let rows = set.statistics(hypothesis, &[reference.as_str()]);
                    set.metrics()
                        .iter()
                        .map(consilium_metrics::NamedMetric::metric)
                        .zip(rows)
                        .map(|(metric, row)| metric.score(&row))
                        .sum()
                })
                .collect();
            values.iter().sum()
        })?;
    }
    let name = "sklearn_report_1e6_170";
    if wanted(name) {
        let text = std::fs::read_to_string(labels)?;
        let rows: Vec<(&str, Option<&str>)> = text
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .map(|(truth, predicted)| (truth, Some(predicted)))
            .collect();
        report(name, rows.len(), || {
            Confusion::of_rows(&rows)
                .summary()
                .map_or(0.0, |summary| summary.macro_average.f1)
        })?;
    }
    Ok(())
}

/// Repeats a workload and prints how fast it was; `work` returns a value that tells runs apart.
fn report(name: &str, n: usize, mut work: impl FnMut() -> f64) -> Result<(), Box<dyn Error>> {
    let value = work();
    let (start, cpu) = (Instant::now(), cpu_time()?);
    let mut times = 0;
    while times == 0 || start.elapsed() < LEAST {
        times += 1;
        if work().to_bits() != value.to_bits() {
            return Err(format!("{name}: the value changed").into());
        }
    }
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_time()? - cpu);
    let all = (n * times) as f64;
    writeln!(
        std::io::stdout(),
        "{}",
        json!({
            "name": name,
            "n": n,
            "wall_s": wall / times as f64,
            "per_s": all / wall,
            "per_cpu_s": all / cpu,
            "value": value,
        })
    )?;
    Ok(())
}

/// Seconds that the threads of this process have run.
fn cpu_time() -> Result<f64, Box<dyn Error>> {
    let mut nanoseconds = 0;
    for thread in std::fs::read_dir("/proc/self/task")? {
        let statistics = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        let running = statistics.split(' ').next().unwrap_or_default();
        nanoseconds += running.parse::<u64>()?;
    }
    Ok(nanoseconds as f64 / 1e9)
}
