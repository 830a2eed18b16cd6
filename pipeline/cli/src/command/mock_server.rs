//! `consilium mock-server`: an OpenAI-compatible server for tests and load.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use consilium_runner::mock_server::{MockAnswers, MockServerOptions, serve};
use tokio_util::sync::CancellationToken;

use crate::failure::hinted;
use crate::printer;

/// Serve an OpenAI-compatible chat API without a model; GET /stats tells what was asked of it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  consilium mock-server --listen 127.0.0.1:8099\n  consilium mock-server \
                        --listen 127.0.0.1:8099 --latency-ms 50 --faults 0.3 --seed 7"
)]
pub(crate) struct MockServerArguments {
    /// Address to listen on; port 0 takes a free one, printed at start.
    #[arg(long, default_value = "127.0.0.1:0", value_name = "ADDRESS:PORT")]
    listen: SocketAddr,

    /// Time to a reply, milliseconds.
    #[arg(long, default_value_t = 0, value_name = "MS")]
    latency_ms: u64,

    /// Share of requests that fail in one of many ways.
    #[arg(long, default_value_t = 0.0, value_name = "SHARE")]
    faults: f64,

    /// Requests per minute that are allowed.
    #[arg(long, value_name = "N")]
    rpm: Option<u32>,

    /// Size of an answer, bytes.
    #[arg(long, value_name = "N")]
    answer_bytes: Option<usize>,

    /// Seed of answers and faults.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// JSON Lines of {"contains": text, "answer": text} that decide answers.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

pub(crate) async fn mock_server(given: &MockServerArguments) -> Result<ExitCode> {
    if !(0.0..=1.0).contains(&given.faults) {
        return Err(hinted(
            "use --faults: it is no share",
            "give a number between 0 and 1",
        ));
    }
    let key = match &given.key {
        Some(path) => Some(std::sync::Arc::new(MockAnswers::read(path)?)),
        None => None,
    };
    let defaults = MockServerOptions::default();
    let options = MockServerOptions {
        latency: std::time::Duration::from_millis(given.latency_ms),
        faults: given.faults,
        requests_per_minute: given.rpm,
        answer_bytes: given.answer_bytes.unwrap_or(defaults.answer_bytes),
        seed: given.seed,
        key,
        ..defaults
    };
    let listener = tokio::net::TcpListener::bind(given.listen)
        .await
        .with_context(|| format!("listen on {}", given.listen))?;
    let address = listener.local_addr().context("find the address")?;
    printer::line(&format!("http://{address}/v1"))?;
    let shutdown = CancellationToken::new();
    let stop = shutdown.clone();
    let served = serve(options, listener, shutdown);
    tokio::select! {
        result = served => result.context("serve")?,
        _ = tokio::signal::ctrl_c() => stop.cancel(),
    }
    Ok(ExitCode::SUCCESS)
}
