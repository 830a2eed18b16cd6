//! Being told to stop.

use tokio_util::sync::CancellationToken;

use crate::printer;

/// SIGINT and SIGTERM, heard from the moment this is made.
pub(crate) struct Signals {
    #[cfg(unix)]
    heard: Option<(tokio::signal::unix::Signal, tokio::signal::unix::Signal)>,
}

impl Signals {
    #[cfg(unix)]
    pub(crate) fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let interrupt = signal(SignalKind::interrupt());
        let terminate = signal(SignalKind::terminate());
        Self {
            heard: interrupt.ok().zip(terminate.ok()),
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn listen() -> Self {
        Self {}
    }

    /// Waits for the next one; for ever where none can be heard.
    pub(crate) async fn next(&mut self) {
        #[cfg(unix)]
        match &mut self.heard {
            Some((interrupt, terminate)) => {
                tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
            }
            None => std::future::pending().await,
        }
        #[cfg(not(unix))]
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// First signal: stop and record; second: leave at once, the journal has everything.
pub(super) async fn stop_on_signal(
    mut signals: Signals,
    cancel: CancellationToken,
    done: CancellationToken,
) {
    let mut heard = 0;
    loop {
        tokio::select! {
            () = done.cancelled() => return,
            () = signals.next() => heard += 1,
        }
        if heard > 1 {
            printer::note("stopped at once; run again to continue");
            leave_at_once();
        }
        printer::note(
            "stopping: calls in flight are given up, everything recorded stays; again to leave at once",
        );
        cancel.cancel();
    }
}

#[expect(
    clippy::exit,
    reason = "the user asked twice; the journal is complete up to the last call"
)]
fn leave_at_once() {
    std::process::exit(1);
}

/// Waits for SIGINT or SIGTERM.
pub(crate) async fn signal() {
    Signals::listen().next().await;
}
