//! The calls of a recording, found by request or by position.

use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use consilium_core::{CallRow, ErrorKind, ParseStatus, SampleKey};
use consilium_store::rows::decode_calls;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::{CallFailure, CallIdentity, Reply, ResponseFormat, Usage};

type Failure = Box<dyn Error + Send + Sync>;

/// Where in its sample a call was made.
type Position = (SampleKey, Option<String>, u32);

/// One recorded call; prompts are left out, since their hash stands for them.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) request_sha256: String,
    pub(super) outcome: Result<Reply, CallFailure>,
    position: Position,
    attempt: u32,
    model: String,
    taken: AtomicBool,
}

/// All calls of a recording.
#[derive(Debug, Default)]
pub(super) struct Recording {
    calls: Vec<Recorded>,
    by_request: HashMap<String, Vec<usize>>,
    by_position: HashMap<Position, usize>,
}

impl Recording {
    /// Reads a run folder, a folder of Parquet files or one such file.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let mut calls = Vec::new();
        for file in files(path)? {
            for batch in ParquetRecordBatchReaderBuilder::try_new(File::open(&file)?)?.build()? {
                calls.extend(decode_calls(&batch?)?.into_iter().filter_map(recorded));
            }
        }
        if calls.is_empty() {
            return Err("no recorded replies in it".into());
        }
        Ok(Self::of(calls))
    }

    fn of(mut calls: Vec<Recorded>) -> Self {
        // File order depends on timing; the ordinal among equal requests must not.
        calls.sort_by(|left, right| {
            (&left.position, left.attempt).cmp(&(&right.position, right.attempt))
        });
        // A later attempt repeats the finished calls of an earlier one; one of them is enough.
        calls.dedup_by(|later, kept| {
            later.position == kept.position && later.request_sha256 == kept.request_sha256
        });
        let mut recording = Self::default();
        for (index, call) in calls.iter().enumerate() {
            recording
                .by_request
                .entry(call.request_sha256.clone())
                .or_default()
                .push(index);
            // Of several attempts the last is what the sample became.
            recording.by_position.insert(call.position.clone(), index);
        }
        recording.calls = calls;
        recording
    }

    /// Number of recorded calls.
    pub(super) fn len(&self) -> usize {
        self.calls.len()
    }

    /// The model, when all calls asked for the same.
    pub(super) fn only_model(&self) -> Option<&str> {
        let first = self.calls.first()?.model.as_str();
        self.calls
            .iter()
            .all(|call| call.model == first)
            .then_some(first)
    }

    /// The call at the same position, whatever was asked.
    pub(super) fn by_position(&self, call: &CallIdentity) -> Option<&Recorded> {
        self.by_position
            .get(&position(call))
            .map(|&index| &self.calls[index])
    }

    /// A call with the same request: the one at the same position, else the next not yet taken.
    pub(super) fn by_request(&self, call: &CallIdentity, sha256: &str) -> Option<&Recorded> {
        let equal = || {
            self.by_request
                .get(sha256)
                .into_iter()
                .flatten()
                .map(|&at| &self.calls[at])
        };
        let own = position(call);
        let recorded = equal().find(|recorded| recorded.position == own);
        if let Some(recorded) = recorded {
            recorded.taken.store(true, Ordering::Relaxed);
            return Some(recorded);
        }
        equal().find(|recorded| !recorded.taken.swap(true, Ordering::Relaxed))
    }
}

fn position(call: &CallIdentity) -> Position {
    (
        call.key.clone(),
        call.scorer.as_deref().map(str::to_owned),
        call.seq,
    )
}

/// The Parquet files of a path, in order of name.
fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let calls = path.join("calls");
    let folder = if calls.is_dir() {
        calls
    } else {
        path.to_owned()
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let file = entry?.path();
        if file
            .extension()
            .is_some_and(|extension| extension == "parquet")
        {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() {
        Err("no Parquet files in it".into())
    } else {
        Ok(files)
    }
}

/// What can be repeated of a row; broken connections and the like cannot.
fn recorded(row: CallRow) -> Option<Recorded> {
    let said_something =
        row.response.is_some() || row.reasoning.is_some() || row.finish_reason.is_some();
    let position = (row.key(), row.scorer.clone(), row.seq);
    let outcome = match row.error_kind {
        Some(kind) if !said_something => {
            let is_answer = matches!(
                kind,
                ErrorKind::ContentFilter
                    | ErrorKind::ContextOverflow
                    | ErrorKind::BadRequest
                    | ErrorKind::NotFound
            );
            if !is_answer {
                return None;
            }
            // Without the status, which could end the backend for good.
            let message = row.error.unwrap_or_else(|| kind.to_string());
            Err(CallFailure {
                latency_ms: row.latency_ms,
                ..CallFailure::new(kind, message)
            })
        }
        _ => Ok(Reply {
            content: row.response,
            reasoning: row.reasoning,
            finish_reason: row.finish_reason,
            model: row.model_returned,
            fingerprint: row.fingerprint,
            request_id: row.request_id,
            usage: Usage {
                prompt_tokens: row.prompt_tokens,
                cached_tokens: row.cached_tokens,
                completion_tokens: row.completion_tokens,
            },
            latency_ms: row.latency_ms.unwrap_or_default(),
            format: match row.parse_status {
                Some(ParseStatus::Schema) => ResponseFormat::JsonSchema,
                Some(ParseStatus::JsonMode) => ResponseFormat::JsonObject,
                _ => ResponseFormat::Text,
            },
            lossy: row.parse_status == Some(ParseStatus::Lossy),
            raw: row.raw,
            ..Default::default()
        }),
    };
    Some(Recorded {
        request_sha256: row.request_sha256,
        outcome,
        position,
        attempt: row.attempt,
        model: row.model_requested,
        taken: AtomicBool::new(false),
    })
}
