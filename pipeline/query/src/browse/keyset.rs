//! Pages of an order, found by the place they begin at.

/// Where a page lies among numbered rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The rows from this one on.
    From(usize),
    /// The last rows before this one.
    Before(usize),
}

/// The rows of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Positions {
    /// Numbers of the rows, ascending.
    pub rows: Vec<usize>,
    /// Whether rows that pass come before them.
    pub more_before: bool,
    /// Whether rows that pass come after them.
    pub more_after: bool,
}

/// At most `limit` of the rows `0..rows` that pass, from an edge on.
///
/// Reads no further than one row beyond the page on either side.
pub fn keyset(rows: usize, edge: Edge, limit: usize, passes: impl Fn(usize) -> bool) -> Positions {
    let (mut page, more_before, more_after);
    match edge {
        Edge::From(start) => {
            let start = start.min(rows);
            let mut following = (start..rows).filter(|row| passes(*row));
            page = following.by_ref().take(limit).collect::<Vec<_>>();
            more_after = following.next().is_some();
            more_before = (0..start).rev().any(&passes);
        }
        Edge::Before(end) => {
            let end = end.min(rows);
            let mut preceding = (0..end).rev().filter(|row| passes(*row));
            page = preceding.by_ref().take(limit).collect::<Vec<_>>();
            page.reverse();
            more_before = preceding.next().is_some();
            more_after = (end..rows).any(&passes);
        }
    }
    Positions {
        rows: page,
        more_before,
        more_after,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pages_forward_and_backward_are_the_filtered_list(
            passing in prop::collection::vec(any::<bool>(), 0..60),
            limit in 1_usize..8,
        ) {
            let rows = passing.len();
            let whole: Vec<usize> = (0..rows).filter(|row| passing[*row]).collect();
            let passes = |row: usize| passing[row];

            let (mut forward, mut edge, mut before) = (Vec::<usize>::new(), Edge::From(0), false);
            loop {
                let page = keyset(rows, edge, limit, passes);
                prop_assert_eq!(page.more_before, before);
                forward.extend(&page.rows);
                if !page.more_after {
                    break;
                }
                prop_assert_eq!(page.rows.len(), limit);
                edge = Edge::From(page.rows[limit - 1] + 1);
                before = true;
            }
            prop_assert_eq!(&forward, &whole);

            let (mut backward, mut edge, mut after) = (Vec::<usize>::new(), Edge::Before(rows), false);
            loop {
                let page = keyset(rows, edge, limit, passes);
                prop_assert_eq!(page.more_after, after);
                backward.splice(0..0, page.rows.iter().copied());
                if !page.more_before {
                    break;
                }
                prop_assert_eq!(page.rows.len(), limit);
                edge = Edge::Before(page.rows[0]);
                after = true;
            }
            prop_assert_eq!(&backward, &whole);
        }

        #[test]
        fn a_page_anywhere_knows_what_lies_around_it(
            passing in prop::collection::vec(any::<bool>(), 0..40),
            at in 0_usize..45,
            limit in 1_usize..6,
        ) {
            let rows = passing.len();
            let whole: Vec<usize> = (0..rows).filter(|row| passing[*row]).collect();
            for edge in [Edge::From(at), Edge::Before(at)] {
                let page = keyset(rows, edge, limit, |row| passing[row]);
                let (first, last) = match edge {
                    Edge::From(at) => {
                        let first = whole.partition_point(|row| *row < at);
                        (first, (first + limit).min(whole.len()))
                    }
                    Edge::Before(at) => {
                        let last = whole.partition_point(|row| *row < at);
                        (last.saturating_sub(limit), last)
                    }
                };
                prop_assert_eq!(&page.rows, &whole[first..last]);
                prop_assert_eq!(page.more_before, first > 0);
                prop_assert_eq!(page.more_after, last < whole.len());
            }
        }
    }
}
