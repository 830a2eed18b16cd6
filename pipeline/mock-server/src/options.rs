//! What the mock server does, and its answer key.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use aho_corasick::AhoCorasick;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

use super::Fault;

/// What the mock server does.
#[derive(Clone, Debug)]
pub struct MockServerOptions {
    /// Time a reply takes: the median, and every reply's when `latency_spread` is 0.
    pub latency: Duration,
    /// Standard deviation of the logarithm of the latency, log-normal and seeded.
    pub latency_spread: f64,
    /// Share of replies that take ten times as long.
    pub slow_share: f64,
    /// Share of requests that meet a fault, 0 to 1.
    pub faults: f64,
    /// Faults that occur, equally often.
    pub fault_kinds: Vec<Fault>,
    /// Share of requests that meet a fault at every try, 0 to 1.
    pub poison: f64,
    /// Such faults that occur, equally often.
    pub poison_kinds: Vec<Fault>,
    /// Requests accepted in any minute; more are answered 429 and counted as violations.
    pub requests_per_minute: Option<u32>,
    /// Requests accepted a second, as a bucket; more are answered 429 and counted as violations.
    pub requests_per_second: Option<f64>,
    /// Size of that bucket; one second's worth when absent.
    pub burst: Option<f64>,
    /// Whether replies state the bucket in `x-ratelimit-*` headers.
    pub rate_headers: bool,
    /// Whether `Retry-After` is in whole seconds only, without `retry-after-ms`.
    pub whole_seconds: bool,
    /// Least length of an answer in bytes, filled up with prose.
    pub answer_bytes: usize,
    /// Seed of answers and faults.
    pub seed: u64,
    /// Right answers; without them an answer is drawn from what the prompt offers.
    pub key: Option<Arc<MockAnswers>>,
    /// How long a hanging request is held, and how long a slow body takes.
    pub stall: Duration,
    /// What `Retry-After` asks for.
    pub retry_after: Duration,
    /// Key a client has to present; any or none when absent.
    pub required_key: Option<String>,
    /// Texts embedded at once; more are refused with 400.
    pub most_inputs: usize,
    /// Forms of structured output that are understood; others are refused with 400.
    pub structured_output: bool,
}

impl Default for MockServerOptions {
    fn default() -> Self {
        Self {
            latency: Duration::ZERO,
            latency_spread: 0.0,
            slow_share: 0.0,
            faults: 0.0,
            fault_kinds: Fault::PASSING.to_vec(),
            poison: 0.0,
            poison_kinds: Fault::POISON.to_vec(),
            requests_per_minute: None,
            requests_per_second: None,
            burst: None,
            rate_headers: false,
            whole_seconds: false,
            answer_bytes: 0,
            seed: 1,
            key: None,
            stall: Duration::from_secs(90),
            retry_after: Duration::from_secs(1),
            required_key: None,
            most_inputs: 2048,
            structured_output: true,
        }
    }
}

impl MockServerOptions {
    /// The time a reply takes; the same seed gives the same.
    pub(super) fn latency(&self, seed: u64) -> Duration {
        if self.latency.is_zero() || (self.latency_spread <= 0.0 && self.slow_share <= 0.0) {
            return self.latency;
        }
        let mut random = ChaCha8Rng::seed_from_u64(seed ^ 0x6c61_7465);
        // Box and Muller; the first draw is never 0.
        let (first, second) = (1.0 - random.random::<f64>(), random.random::<f64>());
        let normal = (-2.0 * first.ln()).sqrt() * (std::f64::consts::TAU * second).cos();
        let slow = if random.random::<f64>() < self.slow_share {
            10.0
        } else {
            1.0
        };
        let factor = (normal * self.latency_spread).exp() * slow;
        Duration::try_from_secs_f64(self.latency.as_secs_f64() * factor).unwrap_or(self.latency)
    }
}

/// A line of an answer key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyLine {
    contains: String,
    answer: String,
}

/// Answers by what the last message contains; the first line of the file that applies decides.
#[derive(Clone, Debug)]
pub struct MockAnswers {
    texts: AhoCorasick,
    answers: Vec<String>,
}

/// An answer key that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MockAnswersError {
    /// The file cannot be read.
    #[error("read answer key {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A line is not `{"contains": …, "answer": …}`.
    #[error(
        "read answer key {}:{line}; hint: each line is {{\"contains\": \"…\", \"answer\": \"…\"}}",
        path.display()
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// The texts are too many to be searched for.
    #[error("prepare answer key {}", path.display())]
    Search {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: aho_corasick::BuildError,
    },
}

impl MockAnswers {
    /// Reads a file of JSON Lines `{"contains": text, "answer": text}`.
    ///
    /// # Errors
    /// When the file cannot be read or a line is something else.
    pub fn read(path: &Path) -> Result<Self, MockAnswersError> {
        let file = |source| MockAnswersError::File {
            path: path.to_owned(),
            source,
        };
        let text = std::fs::read_to_string(path).map_err(file)?;
        let mut texts = Vec::new();
        let mut answers = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let line: KeyLine =
                serde_json::from_str(line).map_err(|source| MockAnswersError::Line {
                    path: path.to_owned(),
                    line: index + 1,
                    source,
                })?;
            texts.push(line.contains);
            answers.push(line.answer);
        }
        let texts = AhoCorasick::new(texts).map_err(|source| MockAnswersError::Search {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self { texts, answers })
    }

    /// The answer for a prompt.
    pub(super) fn answer(&self, prompt: &str) -> Option<&str> {
        let first = self
            .texts
            .find_overlapping_iter(prompt)
            .map(|found| found.pattern())
            .min()?;
        self.answers.get(first.as_usize()).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &str) -> Result<MockAnswers, MockAnswersError> {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("key.jsonl");
        std::fs::write(&path, lines).unwrap();
        MockAnswers::read(&path)
    }

    #[test]
    fn latencies_are_seeded_and_spread_around_their_median() {
        let options = MockServerOptions {
            latency: Duration::from_millis(100),
            latency_spread: 0.5,
            slow_share: 0.05,
            ..Default::default()
        };
        let mut drawn: Vec<u128> = (0..2001)
            .map(|seed| options.latency(seed).as_millis())
            .collect();
        assert_eq!(options.latency(7), options.latency(7));
        drawn.sort_unstable();
        assert!((90..=115).contains(&drawn[1000]), "{}", drawn[1000]);
        // Two standard deviations above, and the slow ones beyond that.
        assert!(drawn[1900] > 200 && drawn[2000] > 1000);
        let fixed = MockServerOptions {
            latency: Duration::from_millis(100),
            ..Default::default()
        };
        assert_eq!(fixed.latency(3), fixed.latency);
    }

    #[test]
    fn the_first_line_that_applies_decides() {
        let key = read(
            "{\"contains\": \"beta blockers\", \"answer\": \"no\"}\n\n{\"contains\": \"beta\", \"answer\": \"yes\"}\n",
        )
        .unwrap();
        assert_eq!(key.answer("Does beta carotene help?"), Some("yes"));
        assert_eq!(key.answer("Do beta blockers help?"), Some("no"));
        assert_eq!(key.answer("Does it?"), None);
    }

    #[test]
    fn wrong_lines_are_named() {
        let error =
            read("{\"contains\": \"a\", \"answer\": \"b\"}\n{\"contains\": 1}").unwrap_err();
        assert!(error.to_string().contains("key.jsonl:2"), "{error}");
    }
}
