//! `consilium serve`: the run browser.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use axum::http::Uri;
use axum::middleware::from_fn_with_state;
use axum::serve::ListenerExt as _;
use clap::Args;
use consilium_review::{AppState, RunLibrary as _, Window, app};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::failure::hinted;
use crate::printer;
use crate::run::signal;
use crate::serve::{HostNames, Library, check_host};

/// Where pages are served unless told otherwise.
pub(super) const DEFAULT_ADDRESS: &str = "127.0.0.1:8787";
/// Time that answers under way have to end.
const GRACE: Duration = Duration::from_secs(5);
/// Runs whose cards are made before anyone asks.
const FIRST_RUNS: usize = 25;

/// Show runs in a browser: tables, samples, transcripts, comparisons.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  consilium serve\n  consilium serve --runs /data/runs --listen 127.0.0.1:9000\n  \
                  consilium serve --listen 0.0.0.0:8787 --public-url http://runs.example.org:8787\n\n\
                  There is no login: whoever reaches the address can read every run. To listen on an \
                  address that is not loopback, say under which name with --public-url."
)]
pub(crate) struct ServeArguments {
    /// Address to listen on; port 0 takes a free one, printed at start.
    #[arg(long, default_value = DEFAULT_ADDRESS, value_name = "ADDRESS:PORT")]
    listen: SocketAddr,

    /// Where readers find the pages, when that is not the address itself.
    #[arg(long, value_name = "URL")]
    public_url: Option<Uri>,
}

pub(crate) async fn serve(given: &ServeArguments, runs: &Path) -> Result<ExitCode> {
    if !runs.is_dir() {
        printer::note(&format!(
            "note: there is no folder {} yet; runs that come there will be shown",
            runs.display()
        ));
    }
    serve_runs(
        given.listen,
        given.public_url.as_ref(),
        runs.to_owned(),
        None,
    )
    .await
}

/// Serves the runs of a folder until a signal comes; prints the address, with the page of `first`
/// when a run is named.
pub(super) async fn serve_runs(
    listen: SocketAddr,
    public_url: Option<&Uri>,
    runs: PathBuf,
    first: Option<&str>,
) -> Result<ExitCode> {
    let public_host = match public_url {
        Some(url) => Some(public_host(url)?),
        None => None,
    };
    if !listen.ip().is_loopback() && public_host.is_none() {
        return Err(hinted(
            format!("listen on {listen}: others could read every run there, without a login"),
            "if that is wanted, say under which address they find it: --public-url \
             http://NAME:PORT",
        ));
    }
    log_to_stderr();
    let listener = TcpListener::bind(listen)
        .await
        .with_context(|| format!("listen on {listen}"))?;
    let address = listener.local_addr().context("find the address")?;
    let library = Arc::new(Library::new(runs));
    let names = HostNames::new(address, public_host);
    let pages = app(AppState {
        runs: Arc::clone(&library) as _,
    })
    .layer(from_fn_with_state(names, check_host));

    let base = public_url.map_or_else(
        || format!("http://{address}"),
        |url| url.to_string().trim_end_matches('/').to_owned(),
    );
    let page = first.map_or_else(String::new, |run| format!("/runs/{run}"));
    printer::line(&format!("{base}{page}"))?;
    printer::note("serving; Ctrl-C ends it");

    let mut ahead = JoinSet::new();
    ahead.spawn(async move {
        // What fails here fails again, and is reported, when a reader asks.
        drop(library.runs(&Window::first(FIRST_RUNS)).await);
    });
    let shutdown = CancellationToken::new();
    let listener = listener.tap_io(|stream| {
        // Without it the system may hold back a small answer; a stream that is gone needs none.
        drop(stream.set_nodelay(true));
    });
    let serving = axum::serve(listener, pages)
        .with_graceful_shutdown(shutdown.clone().cancelled_owned())
        .into_future();
    tokio::pin!(serving);
    tokio::select! {
        served = &mut serving => served.context("serve")?,
        () = signal() => {
            shutdown.cancel();
            if let Ok(served) = tokio::time::timeout(GRACE, serving).await {
                served.context("serve")?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn public_host(url: &Uri) -> Result<&str> {
    let web = matches!(url.scheme_str(), Some("http" | "https"));
    match url.host() {
        Some(host) if web && !host.is_empty() => Ok(host),
        _ => Err(hinted(
            format!("use --public-url {url}: it is no web address"),
            "give it as https://runs.example.org",
        )),
    }
}

/// What goes wrong behind a page goes to stderr; the page itself says only that it did.
fn log_to_stderr() {
    let subscriber = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(tracing::Level::WARN)
        .finish();
    // Another one may be set already, in tests.
    drop(tracing::subscriber::set_global_default(subscriber));
}
