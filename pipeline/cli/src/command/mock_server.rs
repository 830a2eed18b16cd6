//! `consilium mock-server`: an OpenAI-compatible server for tests and load.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use consilium_mock_server::{Fault, MockAnswers, MockServerOptions, serve};
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

    /// Spread of the latency: standard deviation of its logarithm.
    #[arg(long, default_value_t = 0.0, value_name = "SIGMA")]
    latency_spread: f64,

    /// Share of replies that take ten times as long.
    #[arg(long, default_value_t = 0.0, value_name = "SHARE")]
    slow_share: f64,

    /// Share of requests that fail in one of many ways, each try for itself.
    #[arg(long, default_value_t = 0.0, value_name = "SHARE")]
    faults: f64,

    /// Ways to fail, for example `rate_limit,reset`; all when absent.
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = fault)]
    fault_kinds: Option<Vec<Fault>>,

    /// Share of requests that fail at every try, or get an odd answer.
    #[arg(long, default_value_t = 0.0, value_name = "SHARE")]
    poison: f64,

    /// Kinds of these, for example `content_filter,nul`; all when absent.
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = fault)]
    poison_kinds: Option<Vec<Fault>>,

    /// How long a hanging or dripping reply takes, milliseconds.
    #[arg(long, value_name = "MS")]
    stall_ms: Option<u64>,

    /// What a planned 429 asks to wait, milliseconds.
    #[arg(long, value_name = "MS")]
    retry_after_ms: Option<u64>,

    /// Requests per minute that are allowed.
    #[arg(long, value_name = "N")]
    rpm: Option<u32>,

    /// Requests per second that are allowed, as a bucket.
    #[arg(long, value_name = "N")]
    rps: Option<f64>,

    /// Size of the bucket; one second's worth when absent.
    #[arg(long, value_name = "N", requires = "rps")]
    burst: Option<f64>,

    /// State the bucket in x-ratelimit headers.
    #[arg(long, requires = "rps")]
    rate_headers: bool,

    /// Give Retry-After in whole seconds only.
    #[arg(long)]
    whole_seconds: bool,

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

fn fault(text: &str) -> Result<Fault, String> {
    Fault::parse(text).ok_or_else(|| {
        let names: Vec<&str> = Fault::PASSING
            .into_iter()
            .chain(Fault::POISON)
            .map(Fault::as_str)
            .collect();
        format!("there are {}", names.join(", "))
    })
}

pub(crate) async fn mock_server(given: &MockServerArguments) -> Result<ExitCode> {
    for (name, share) in [
        ("faults", given.faults),
        ("poison", given.poison),
        ("slow-share", given.slow_share),
    ] {
        if !(0.0..=1.0).contains(&share) {
            return Err(hinted(
                format!("use --{name}: it is no share"),
                "give a number between 0 and 1",
            ));
        }
    }
    let positive = |rate: &f64| rate.is_finite() && *rate > 0.0;
    if !given.rps.iter().chain(&given.burst).all(positive) {
        return Err(hinted(
            "use --rps: a bucket that never fills lets nothing pass",
            "give numbers above 0",
        ));
    }
    let key = match &given.key {
        Some(path) => Some(std::sync::Arc::new(MockAnswers::read(path)?)),
        None => None,
    };
    let defaults = MockServerOptions::default();
    let options = MockServerOptions {
        latency: Duration::from_millis(given.latency_ms),
        latency_spread: given.latency_spread,
        slow_share: given.slow_share,
        faults: given.faults,
        fault_kinds: given.fault_kinds.clone().unwrap_or(defaults.fault_kinds),
        poison: given.poison,
        poison_kinds: given.poison_kinds.clone().unwrap_or(defaults.poison_kinds),
        stall: given.stall_ms.map_or(defaults.stall, Duration::from_millis),
        retry_after: given
            .retry_after_ms
            .map_or(defaults.retry_after, Duration::from_millis),
        requests_per_minute: given.rpm,
        requests_per_second: given.rps,
        burst: given.burst,
        rate_headers: given.rate_headers,
        whole_seconds: given.whole_seconds,
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
