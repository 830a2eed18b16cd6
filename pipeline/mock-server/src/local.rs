//! A server on a free port of this machine, for tests.

use std::io;

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::{MockServerOptions, serve};

/// A mock server on loopback that ends when it is dropped.
#[derive(Debug)]
pub struct LocalServer {
    /// Where it listens, as `http://127.0.0.1:PORT`.
    pub address: String,
    shutdown: CancellationToken,
    _serving: JoinSet<io::Result<()>>,
}

impl LocalServer {
    /// Starts a server on a free port.
    ///
    /// # Errors
    /// When no port can be bound.
    pub async fn start(options: MockServerOptions) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("http://{}", listener.local_addr()?);
        let shutdown = CancellationToken::new();
        let mut serving = JoinSet::new();
        serving.spawn(serve(options, listener, shutdown.clone()));
        Ok(Self {
            address,
            shutdown,
            _serving: serving,
        })
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}
