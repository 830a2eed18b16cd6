//! Arrow schemas of a run's tables: the public interface of a run on disk.

use std::sync::{Arc, LazyLock};

use arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef, TimeUnit};

/// A table of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RunTable {
    /// What was asked, with gold.
    Cases,
    /// How every attempt ended.
    Samples,
    /// Every model request.
    Calls,
    /// Transcripts.
    Events,
    /// What scorers concluded.
    Scores,
}

impl RunTable {
    /// Every table, in the order of the data flow.
    pub const ALL: [Self; 5] = [
        Self::Cases,
        Self::Samples,
        Self::Calls,
        Self::Events,
        Self::Scores,
    ];

    /// Name in SQL and of the folder.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cases => "cases",
            Self::Samples => "samples",
            Self::Calls => "calls",
            Self::Events => "events",
            Self::Scores => "scores",
        }
    }

    /// Columns in order.
    pub fn schema(self) -> SchemaRef {
        match self {
            Self::Cases => cases(),
            Self::Samples => samples(),
            Self::Calls => calls(),
            Self::Events => events(),
            Self::Scores => scores(),
        }
    }
}

/// Schema of `cases`.
pub fn cases() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        let labels = DataType::Map(
            Arc::new(Field::new(
                "entries",
                DataType::Struct(Fields::from(vec![
                    Field::new("keys", DataType::Utf8, false),
                    Field::new("values", DataType::Utf8, true),
                ])),
                false,
            )),
            false,
        );
        let option = DataType::Struct(Fields::from(vec![
            Field::new("label", DataType::Utf8, false),
            Field::new("text", DataType::Utf8, false),
        ]));
        table([
            text("dataset"),
            text("case_id"),
            text("source"),
            text("language"),
            text("answer_form"),
            text("specialty").with_nullable(true),
            text("prevalence").with_nullable(true),
            Field::new("labels", labels, false),
            text("input"),
            list("options", option),
            list("gold", DataType::Utf8),
            text("reference").with_nullable(true),
            text("sha256"),
        ])
    });
    Arc::clone(&SCHEMA)
}

/// Schema of `samples`.
pub fn samples() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        keyed([
            text("outcome"),
            text("answer").with_nullable(true),
            text("payload").with_nullable(true),
            count("rounds").with_nullable(true),
            text("stop_reason").with_nullable(true),
            count("calls"),
            count("prompt_tokens").with_nullable(true),
            count("completion_tokens").with_nullable(true),
            number("cost_usd").with_nullable(true),
            time("started_at"),
            count("wall_ms"),
            text("error_kind").with_nullable(true),
            text("error").with_nullable(true),
        ])
    });
    Arc::clone(&SCHEMA)
}

/// Schema of `calls`.
pub fn calls() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        keyed([
            text("scorer").with_nullable(true),
            position("seq"),
            position("round").with_nullable(true),
            text("agent"),
            text("purpose"),
            text("backend"),
            text("model_requested"),
            text("model_returned").with_nullable(true),
            text("fingerprint").with_nullable(true),
            text("request_id").with_nullable(true),
            text("request_sha256"),
            text("parameters"),
            text("messages"),
            text("response").with_nullable(true),
            text("reasoning").with_nullable(true),
            text("finish_reason").with_nullable(true),
            text("parse_status").with_nullable(true),
            count("tries"),
            count("http_status").with_nullable(true),
            number("latency_ms").with_nullable(true),
            count("prompt_tokens").with_nullable(true),
            count("cached_tokens").with_nullable(true),
            count("completion_tokens").with_nullable(true),
            number("cost_usd").with_nullable(true),
            Field::new("cache_hit", DataType::Boolean, false),
            time("started_at"),
            text("error_kind").with_nullable(true),
            text("error").with_nullable(true),
            text("raw").with_nullable(true),
        ])
    });
    Arc::clone(&SCHEMA)
}

/// Schema of `events`.
pub fn events() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        keyed([
            position("seq"),
            position("round").with_nullable(true),
            text("agent"),
            text("kind"),
            text("content").with_nullable(true),
            text("payload").with_nullable(true),
        ])
    });
    Arc::clone(&SCHEMA)
}

/// Schema of `scores`.
pub fn scores() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        keyed([
            text("scorer"),
            text("metric"),
            number("value").with_nullable(true),
            text("predicted").with_nullable(true),
            text("truth").with_nullable(true),
            text("rule").with_nullable(true),
            text("reason").with_nullable(true),
            list("stats", DataType::Int64).with_nullable(true),
            text("signature"),
            text("explanation").with_nullable(true),
        ])
    });
    Arc::clone(&SCHEMA)
}

fn table(columns: impl IntoIterator<Item = Field>) -> SchemaRef {
    Arc::new(Schema::new(columns.into_iter().collect::<Vec<_>>()))
}

fn keyed(columns: impl IntoIterator<Item = Field>) -> SchemaRef {
    let key = [
        text("dataset"),
        text("case_id"),
        text("system"),
        position("epoch"),
        position("attempt"),
    ];
    table(key.into_iter().chain(columns))
}

fn text(name: &str) -> Field {
    Field::new(name, DataType::Utf8View, false)
}

fn count(name: &str) -> Field {
    Field::new(name, DataType::Int64, false)
}

fn position(name: &str) -> Field {
    Field::new(name, DataType::Int32, false)
}

fn number(name: &str) -> Field {
    Field::new(name, DataType::Float64, false)
}

fn time(name: &str) -> Field {
    Field::new(
        name,
        DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        false,
    )
}

fn list(name: &str, item: DataType) -> Field {
    // Lists never hold NULL, but readers that build lists themselves name the item nullable; a
    // schema that says so is assignable from theirs.
    Field::new(
        name,
        DataType::List(Arc::new(Field::new_list_field(item, true))),
        false,
    )
}

#[cfg(test)]
mod tests;
