//! What a reader asked for in the query of an address.

use axum::extract::{FromRequestParts, Query};
use axum::http::Uri;
use axum::http::request::Parts;
use consilium_core::{SampleKey, nearest};

use crate::error::PageError;

/// Keys that name a sample.
pub(crate) const SAMPLE_KEYS: [&str; 4] = ["dataset", "case", "system", "epoch"];

/// The pairs of a query in order; a key may occur more than once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Params(Vec<(String, String)>);

impl Params {
    /// Reads a query that was carried inside another one.
    pub(crate) fn parse(query: &str) -> Result<Self, PageError> {
        let uri = Uri::builder()
            .path_and_query(format!("/?{query}"))
            .build()
            .map_err(|_| PageError::Bad("The address holds a list that cannot be read."))?;
        Self::of(&uri)
    }

    fn of(uri: &Uri) -> Result<Self, PageError> {
        Query::<Vec<(String, String)>>::try_from_uri(uri)
            .map(|Query(pairs)| Self(pairs))
            .map_err(|_| PageError::Bad("The part of the address after '?' cannot be read."))
    }

    /// Refuses a query with another key than these: what is passed over would be taken for heeded.
    pub(crate) fn only(&self, known: &[&str]) -> Result<(), PageError> {
        match self.0.iter().find(|(name, _)| !known.contains(&&**name)) {
            None => Ok(()),
            Some((name, _)) => Err(PageError::UnknownParameter {
                nearest: nearest(name, known.iter().copied()).map(str::to_owned),
                name: name.clone(),
                known: known.iter().map(|&name| name.to_owned()).collect(),
            }),
        }
    }

    /// The first value of a key; an empty one counts as none, as forms send it.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(name, value)| name == key && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    /// Every value of a key that is not empty.
    pub(crate) fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter(move |(name, value)| name == key && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    /// The value of a key as a number.
    pub(crate) fn number(&self, key: &str) -> Result<Option<u32>, PageError> {
        self.get(key)
            .map(|text| {
                text.parse()
                    .map_err(|_| PageError::Bad("A number in the address is none."))
            })
            .transpose()
    }

    /// The key of the one sample that a page is about.
    pub(crate) fn sample_key(&self) -> Result<SampleKey, PageError> {
        let part = |key| {
            self.get(key).ok_or(PageError::Bad(
                "The address does not name a sample: dataset, case, system and epoch are needed.",
            ))
        };
        Ok(SampleKey::new(
            part("dataset")?,
            part("case")?,
            part("system")?,
            self.number("epoch")?.unwrap_or(1),
        ))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Params {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, PageError> {
        Self::of(&parts.uri)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_field_of_a_form_is_no_value_and_keys_may_repeat() {
        let params = Params::parse("a=&a=1&b=%E7%83%AD&a=2").unwrap();
        assert_eq!(params.get("a"), Some("1"));
        assert_eq!(params.get("b"), Some("热"));
        assert_eq!(params.all("a").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(params.get("c"), None);
    }

    #[test]
    fn an_unknown_key_is_refused_with_the_nearest() {
        let params = Params::parse("epoch=1&sytem=a").unwrap();
        let PageError::UnknownParameter { name, nearest, .. } =
            params.only(&SAMPLE_KEYS).unwrap_err()
        else {
            panic!("another error");
        };
        assert_eq!((&*name, nearest.as_deref()), ("sytem", Some("system")));
        assert!(Params::parse("epoch=1").unwrap().only(&SAMPLE_KEYS).is_ok());
        assert!(Params::parse("x=").unwrap().only(&[]).is_err());
    }

    #[test]
    fn numbers_and_keys_that_cannot_be_read_are_refused() {
        assert!(Params::parse("n=x").unwrap().number("n").is_err());
        assert!(
            Params::parse("dataset=d&case=c")
                .unwrap()
                .sample_key()
                .is_err()
        );
        let key = Params::parse("dataset=d&case=a%2Fb&system=s&epoch=2").unwrap();
        assert_eq!(
            key.sample_key().unwrap(),
            SampleKey::new("d", "a/b", "s", 2)
        );
    }
}
