//! Record batches to rows.

use arrow::array::RecordBatch;
use consilium_core::{CallRow, EventRow, SampleRow, ScoreRow};

use super::{CaseRow, Columns};
use crate::{DecodeError, RunTable, StoreError};

/// Reads one row type: each field names the kind of its column and how a cell is read.
macro_rules! decode {
    ($table:expr, $batch:expr, $row:ident { $($field:ident: $column:ident.$cell:ident),* $(,)? }) => {{
        let decoded = || -> Result<Vec<$row>, DecodeError> {
            let columns = Columns($batch);
            $(let $field = columns.$column(stringify!($field))?;)*
            (0..$batch.num_rows())
                .map(|row| Ok($row { $($field: $field.$cell(row)?),* }))
                .collect()
        };
        decoded().map_err(|source| StoreError::Decode { table: $table, source })
    }};
}

/// Reads rows of `cases`.
///
/// # Errors
/// When the batch does not have the columns and values of the table.
pub fn decode_cases(batch: &RecordBatch) -> Result<Vec<CaseRow>, StoreError> {
    decode!(
        RunTable::Cases,
        batch,
        CaseRow {
            dataset: text.required,
            case_id: text.required,
            source: text.required,
            language: text.required,
            answer_form: text.named,
            specialty: text.optional,
            prevalence: text.optional,
            labels: map.texts,
            input: text.required,
            options: list.options,
            gold: list.texts,
            reference: text.optional,
            sha256: text.required,
        }
    )
}

/// Reads rows of `samples`.
///
/// # Errors
/// When the batch does not have the columns and values of the table.
pub fn decode_samples(batch: &RecordBatch) -> Result<Vec<SampleRow>, StoreError> {
    decode!(
        RunTable::Samples,
        batch,
        SampleRow {
            dataset: text.required,
            case_id: text.required,
            system: text.required,
            epoch: integer.required,
            attempt: integer.required,
            outcome: text.named,
            answer: text.optional,
            payload: text.optional,
            rounds: integer.optional,
            stop_reason: text.optional,
            calls: integer.required,
            prompt_tokens: integer.optional,
            completion_tokens: integer.optional,
            cost_usd: number.optional,
            started_at: time.required,
            wall_ms: integer.required,
            error_kind: text.optionally_named,
            error: text.optional,
        }
    )
}

/// Reads rows of `calls`.
///
/// # Errors
/// When the batch does not have the columns and values of the table.
pub fn decode_calls(batch: &RecordBatch) -> Result<Vec<CallRow>, StoreError> {
    decode!(
        RunTable::Calls,
        batch,
        CallRow {
            dataset: text.required,
            case_id: text.required,
            system: text.required,
            epoch: integer.required,
            attempt: integer.required,
            scorer: text.optional,
            seq: integer.required,
            round: integer.optional,
            agent: text.required,
            purpose: text.required,
            backend: text.required,
            model_requested: text.required,
            model_returned: text.optional,
            fingerprint: text.optional,
            request_id: text.optional,
            request_sha256: text.required,
            parameters: text.required,
            messages: text.required,
            response: text.optional,
            reasoning: text.optional,
            finish_reason: text.optional,
            parse_status: text.optionally_named,
            tries: integer.required,
            http_status: integer.optional,
            latency_ms: number.optional,
            prompt_tokens: integer.optional,
            cached_tokens: integer.optional,
            completion_tokens: integer.optional,
            cost_usd: number.optional,
            cache_hit: flag.required,
            started_at: time.required,
            error_kind: text.optionally_named,
            error: text.optional,
            raw: text.optional,
        }
    )
}

/// Reads rows of `events`.
///
/// # Errors
/// When the batch does not have the columns and values of the table.
pub fn decode_events(batch: &RecordBatch) -> Result<Vec<EventRow>, StoreError> {
    decode!(
        RunTable::Events,
        batch,
        EventRow {
            dataset: text.required,
            case_id: text.required,
            system: text.required,
            epoch: integer.required,
            attempt: integer.required,
            seq: integer.required,
            round: integer.optional,
            agent: text.required,
            kind: text.required,
            content: text.optional,
            payload: text.optional,
        }
    )
}

/// Reads rows of `scores`.
///
/// # Errors
/// When the batch does not have the columns and values of the table.
pub fn decode_scores(batch: &RecordBatch) -> Result<Vec<ScoreRow>, StoreError> {
    decode!(
        RunTable::Scores,
        batch,
        ScoreRow {
            dataset: text.required,
            case_id: text.required,
            system: text.required,
            epoch: integer.required,
            attempt: integer.required,
            scorer: text.required,
            metric: text.required,
            value: number.optional,
            predicted: text.optional,
            truth: text.optional,
            rule: text.optional,
            reason: text.optional,
            stats: list.optional_integers,
            signature: text.required,
            explanation: text.optional,
        }
    )
}
