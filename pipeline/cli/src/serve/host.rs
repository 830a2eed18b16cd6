//! Which names this server answers to.
//!
//! A page from elsewhere can make its own name lead to a loopback address and then read what is
//! served there as if it were its own. Such a request bears the other name as its host.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

/// The names under which pages are served.
#[derive(Clone, Debug)]
pub(crate) struct HostNames {
    address: IpAddr,
    public: Option<Arc<str>>,
}

impl HostNames {
    /// The names of a server that listens on an address, and of its public URL.
    pub(crate) fn new(listening: SocketAddr, public_host: Option<&str>) -> Self {
        Self {
            address: listening.ip(),
            public: public_host.map(|host| Arc::from(host.to_ascii_lowercase())),
        }
    }

    fn admit(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else {
            return false;
        };
        let name = authority.host().to_ascii_lowercase();
        if self.public.as_deref() == Some(name.as_str()) {
            return true;
        }
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            // No name of someone else is an address.
            Ok(address) => address.is_loopback() || !self.address.is_loopback(),
            Err(_) => name == "localhost",
        }
    }
}

/// Refuses requests that were meant for another name.
pub(crate) async fn check_host(
    State(names): State<HostNames>,
    request: Request,
    next: Next,
) -> Response {
    let named = request
        .uri()
        .authority()
        .map(Authority::as_str)
        .or_else(|| request.headers().get(HOST).and_then(text));
    if named.is_some_and(|host| names.admit(host)) {
        return next.run(request).await;
    }
    let hint = "This server answers to its own address only. If it has another name, start it with \
                --public-url.\n";
    (StatusCode::MISDIRECTED_REQUEST, hint).into_response()
}

fn text(value: &HeaderValue) -> Option<&str> {
    value.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loopback_server_answers_to_loopback_names_and_its_public_one() {
        let listening = "127.0.0.1:8787".parse().unwrap();
        let names = HostNames::new(listening, Some("Runs.Example.org"));
        for host in [
            "127.0.0.1:8787",
            "localhost:8787",
            "LOCALHOST",
            "[::1]:8787",
            "127.8.8.8",
            "runs.example.org",
            "runs.example.org:443",
        ] {
            assert!(names.admit(host), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8787",
            "localhost.evil.example",
            "192.168.0.7",
            "127.0.0.1.evil.example",
            "",
            "a b",
        ] {
            assert!(!names.admit(host), "{host}");
        }
    }

    #[test]
    fn a_server_for_others_answers_to_addresses_and_its_public_name() {
        let names = HostNames::new("0.0.0.0:8787".parse().unwrap(), Some("runs.example.org"));
        assert!(names.admit("192.168.0.7:8787"));
        assert!(names.admit("runs.example.org"));
        assert!(!names.admit("evil.example"));
    }
}
