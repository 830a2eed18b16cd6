//! The log of a run: what the engine met, for whoever has to explain it later.

use std::fs::OpenOptions;
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context as _, Result};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::{Layer as _, fmt, registry};

/// File in the run's folder, one JSON object a line.
const FILE: &str = "run.log.jsonl";

/// Starts the log of a run; a process keeps the first one it starts.
///
/// Only this program's own events are written, never those of libraries, which may quote what they
/// send: no event of ours holds case text, a prompt or a key.
pub(super) fn start_log(run: &Path) -> Result<()> {
    let path = run.join(FILE);
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .with_context(|| format!("open {}", path.display()))?;
    let own = Targets::new().with_target("consilium", LevelFilter::INFO);
    let lines = fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_writer(Mutex::new(file))
        .with_filter(own);
    // Fails where a log was started before, which then goes on.
    let _started = tracing::subscriber::set_global_default(registry().with(lines));
    Ok(())
}
