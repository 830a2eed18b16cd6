//! Links: ids are opaque, so every part of an address is percent-encoded.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All but the characters that an address holds as they stand.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// An address inside these pages that is being put together.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    address: String,
    queried: bool,
}

impl Link {
    /// An address that begins with a path of ours.
    pub(crate) fn to(path: &str) -> Self {
        Self {
            address: path.to_owned(),
            queried: false,
        }
    }

    /// The page of a run.
    pub(crate) fn run(run: &str) -> Self {
        Self::to("/runs").segment(run)
    }

    /// Adds one path segment.
    pub(crate) fn segment(mut self, text: &str) -> Self {
        self.address.push('/');
        self.address.extend(utf8_percent_encode(text, RESERVED));
        self
    }

    /// Adds one pair to the query.
    pub(crate) fn pair(mut self, key: &str, value: &str) -> Self {
        self.address.push(if self.queried { '&' } else { '?' });
        self.queried = true;
        self.address.extend(utf8_percent_encode(key, RESERVED));
        self.address.push('=');
        self.address.extend(utf8_percent_encode(value, RESERVED));
        self
    }

    /// Adds a pair when there is a value.
    pub(crate) fn pair_if(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.pair(key, value),
            None => self,
        }
    }

    /// Adds pairs.
    pub(crate) fn pairs<'a>(self, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        pairs
            .into_iter()
            .fold(self, |link, (key, value)| link.pair(key, value))
    }

    /// The address.
    pub(crate) fn address(self) -> String {
        self.address
    }

    /// The address with the place on its page.
    pub(crate) fn at(self, anchor: &str) -> String {
        format!("{}#{anchor}", self.address)
    }
}

/// Pairs as a query of their own, to be carried inside another link.
pub(crate) fn query_text<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let link = Link::to("").pairs(pairs).address();
    link.strip_prefix('?').unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_cannot_leave_its_place() {
        let link = Link::run("a/../b?x#y")
            .pair("case", "p 1/2?&=热#'\"<")
            .pair_if("epoch", None)
            .at("s1");
        assert_eq!(
            link,
            "/runs/a%2F..%2Fb%3Fx%23y?case=p%201%2F2%3F%26%3D%E7%83%AD%23%27%22%3C#s1"
        );
    }

    #[test]
    fn a_query_inside_a_query_reads_back() {
        let inner = query_text([("q", "a&b"), ("system", "x=y")]);
        assert_eq!(inner, "q=a%26b&system=x%3Dy");
        assert_eq!(query_text([]), "");
    }
}
