//! Links to the pages around one.

use crate::link::Link;
use crate::place::Place;

/// Links before and after a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pager {
    /// The page before.
    pub previous: Option<String>,
    /// The page after.
    pub next: Option<String>,
}

impl Pager {
    /// Links to the rows before the first and after the last.
    pub(crate) fn around<K: Place>(
        base: &Link,
        first: Option<&K>,
        last: Option<&K>,
        more: (bool, bool),
    ) -> Self {
        let to = |key: &str, place: Option<&K>, more: bool| {
            place
                .filter(|_| more)
                .map(|place| base.clone().pair(key, &place.to_text()).address())
        };
        Self {
            previous: to("before", first, more.0),
            next: to("after", last, more.1),
        }
    }

    /// Whether there is any other page.
    pub(crate) const fn any(&self) -> bool {
        self.previous.is_some() || self.next.is_some()
    }
}
