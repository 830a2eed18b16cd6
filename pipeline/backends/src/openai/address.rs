//! The address of a server, checked before it is used.

use std::net::IpAddr;

use reqwest::Url;

/// Where the requests of one server go.
#[derive(Clone, Debug)]
pub(super) struct Address {
    /// As the study gives it, without query: for cache keys and messages.
    pub(super) endpoint: String,
    pub(super) chat: Url,
    pub(super) models: Url,
    pub(super) embeddings: Url,
    /// Whether the server is on this machine, so that no proxy may be asked.
    pub(super) is_loopback: bool,
}

impl Address {
    /// Reads a `base_url`; the error is what is wrong with it.
    pub(super) fn parse(base_url: &str) -> Result<Self, String> {
        let url = Url::parse(base_url).map_err(|error| {
            format!("is not an address: {error}; hint: http://127.0.0.1:8080/v1")
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!(
                "starts with '{}:'; only http and https are spoken",
                url.scheme()
            ));
        }
        // The address itself is not repeated: it holds the secret.
        if !url.username().is_empty() || url.password().is_some() {
            return Err(
                "holds credentials; hint: put the key in a variable and name it in \
                        api_key_env"
                    .to_owned(),
            );
        }
        let Some(host) = url.host_str() else {
            return Err("names no host".to_owned());
        };
        let is_loopback = is_loopback(host);
        let mut bare = url.clone();
        bare.set_query(None);
        bare.set_fragment(None);
        Ok(Self {
            endpoint: bare.as_str().trim_end_matches('/').to_owned(),
            chat: below(&url, "chat/completions"),
            models: below(&url, "models"),
            embeddings: below(&url, "embeddings"),
            is_loopback,
        })
    }

    /// What to try when the server does not know the address.
    pub(super) fn hint(&self) -> Option<&'static str> {
        let versioned = self.endpoint.rsplit('/').next().is_some_and(|last| {
            let digits = last.strip_prefix('v').unwrap_or_default();
            digits.starts_with(|first: char| first.is_ascii_digit()) || last == "openai"
        });
        (!versioned).then_some("hint: base_url should go up to and include /v1")
    }
}

fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    let joined = format!("{}/{path}", base.path().trim_end_matches('/'));
    url.set_path(&joined);
    url.set_fragment(None);
    url
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare == "localhost"
        || bare.ends_with(".localhost")
        || bare
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_and_queries_kept() {
        let address = Address::parse("https://x.example/openai/v1/?api-version=1").unwrap();
        assert_eq!(
            address.chat.as_str(),
            "https://x.example/openai/v1/chat/completions?api-version=1"
        );
        assert_eq!(address.endpoint, "https://x.example/openai/v1");
        assert!(!address.is_loopback && address.hint().is_none());
    }

    #[test]
    fn loopback_is_recognised() {
        for local in [
            "http://127.0.0.1:1/v1",
            "http://127.9.9.9/v1",
            "http://[::1]:1",
            "http://localhost",
        ] {
            assert!(Address::parse(local).unwrap().is_loopback, "{local}");
        }
        assert!(!Address::parse("http://10.0.0.1/v1").unwrap().is_loopback);
    }

    #[test]
    fn credentials_are_refused_without_repeating_them() {
        for secret in ["http://me:hunter2@h/v1", "http://hunter2@h/v1"] {
            let reason = Address::parse(secret).unwrap_err();
            assert!(
                reason.contains("api_key_env") && !reason.contains("hunter2"),
                "{reason}"
            );
        }
    }

    #[test]
    fn a_missing_version_is_hinted_at() {
        assert!(
            Address::parse("http://127.0.0.1:8080")
                .unwrap()
                .hint()
                .is_some()
        );
        assert!(
            Address::parse("http://127.0.0.1:8080/api/v3/")
                .unwrap()
                .hint()
                .is_none()
        );
        assert!(Address::parse("ftp://h").is_err() && Address::parse("localhost").is_err());
    }
}
