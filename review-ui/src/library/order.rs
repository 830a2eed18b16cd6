//! Places in an order: pages are found by the row they begin at, never by an offset.

/// Where a page lies in an order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Edge<K> {
    /// At the beginning.
    #[default]
    Start,
    /// The rows from this place on, the row at it included.
    From(K),
    /// The rows after this place.
    After(K),
    /// The last rows before this place.
    Before(K),
}

/// One page of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window<K> {
    /// Where it lies.
    pub edge: Edge<K>,
    /// Most rows, from 1.
    pub limit: usize,
}

impl<K> Window<K> {
    /// The first page.
    pub const fn first(limit: usize) -> Self {
        Self {
            edge: Edge::Start,
            limit,
        }
    }
}

/// The rows of a window, ascending whichever edge was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Whether the order has rows before the first one.
    pub more_before: bool,
    /// Whether the order has rows after the last one.
    pub more_after: bool,
}

impl<T> Page<T> {
    /// A page without a row.
    pub const fn empty() -> Self {
        Self {
            rows: Vec::new(),
            more_before: false,
            more_after: false,
        }
    }
}
