//! What the mock server does, and its answer key.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use aho_corasick::AhoCorasick;
use serde::Deserialize;

use super::Fault;

/// What the mock server does.
#[derive(Clone, Debug)]
pub struct MockServerOptions {
    /// Time every reply takes.
    pub latency: Duration,
    /// Share of requests that meet a fault, 0 to 1.
    pub faults: f64,
    /// Faults that occur, equally often.
    pub fault_kinds: Vec<Fault>,
    /// Requests accepted in any minute; more are answered 429 and counted as violations.
    pub requests_per_minute: Option<u32>,
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
            faults: 0.0,
            fault_kinds: Fault::ALL.to_vec(),
            requests_per_minute: None,
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
