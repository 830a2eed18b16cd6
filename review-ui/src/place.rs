//! Where a page lies, as a part of its address.

use consilium_core::SampleKey;
use serde_json::{Value, json};

use crate::error::PageError;
use crate::params::Params;
use crate::{Edge, PairPlace, Window};

const UNREADABLE: PageError = PageError::Bad("The address names a place in the list that is none.");

/// A place that an address can hold.
pub(crate) trait Place: Sized {
    /// As text; JSON, since ids may hold any character.
    fn to_text(&self) -> String;

    /// Reads the text.
    fn parse(text: &str) -> Option<Self>;
}

impl Place for SampleKey {
    fn to_text(&self) -> String {
        json!([&*self.dataset, &*self.case_id, &*self.system, self.epoch]).to_string()
    }

    fn parse(text: &str) -> Option<Self> {
        let (dataset, case_id, system, epoch): (String, String, String, u32) =
            serde_json::from_str(text).ok()?;
        Some(Self::new(dataset, case_id, system, epoch))
    }
}

impl Place for PairPlace {
    fn to_text(&self) -> String {
        json!([self.dataset, self.case_id, self.epoch]).to_string()
    }

    fn parse(text: &str) -> Option<Self> {
        let (dataset, case_id, epoch) = serde_json::from_str(text).ok()?;
        Some(Self {
            dataset,
            case_id,
            epoch,
        })
    }
}

impl Place for String {
    fn to_text(&self) -> String {
        self.clone()
    }

    fn parse(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

impl Place for u32 {
    fn to_text(&self) -> String {
        Value::from(*self).to_string()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// Keys of a place in a list.
pub(crate) const WINDOW_KEYS: [&str; 3] = ["from", "after", "before"];

/// Reads `from`, `after` or `before`; the beginning when there is none.
pub(crate) fn window<K: Place>(params: &Params, limit: usize) -> Result<Window<K>, PageError> {
    let place = |key: &str| {
        params
            .get(key)
            .map(|text| K::parse(text).ok_or(UNREADABLE))
            .transpose()
    };
    let edge = if let Some(place) = place("after")? {
        Edge::After(place)
    } else if let Some(place) = place("before")? {
        Edge::Before(place)
    } else {
        place("from")?.map_or(Edge::Start, Edge::From)
    };
    Ok(Window { edge, limit })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::Link;

    #[test]
    fn a_place_survives_its_address_whatever_the_ids_hold() {
        let key = SampleKey::new("d", "a/b?\"[热]&\u{0}", "s,1", 7);
        let address = Link::to("").pair("after", &key.to_text()).address();
        let params = Params::parse(&address[1..]).unwrap();
        let read: Window<SampleKey> = window(&params, 5).unwrap();
        assert_eq!(read.edge, Edge::After(key));
    }

    #[test]
    fn no_place_is_the_beginning_and_a_broken_one_is_refused() {
        let read: Window<SampleKey> = window(&Params::default(), 5).unwrap();
        assert_eq!(read.edge, Edge::Start);
        let broken = Params::parse("before=%5B1%5D").unwrap();
        assert!(window::<SampleKey>(&broken, 5).is_err());
    }
}
