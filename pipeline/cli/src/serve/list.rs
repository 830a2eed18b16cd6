//! The list of runs.

use std::cmp::Reverse;
use std::sync::Arc;

use consilium_review::{Edge, LibraryError, Page, RunList, UnreadableRun, Window};

use super::shelf::Listed;
use super::{Library, blocking};

impl Library {
    /// A page of runs, the newest first.
    pub(super) async fn list(&self, window: &Window<String>) -> Result<RunList, LibraryError> {
        let shelf = Arc::clone(&self.shelf);
        let listed = blocking(move || shelf.list()).await?;
        let (names, mut unreadable) = sorted(listed);
        let (rows, more_before, more_after) = page(&names, window);
        let mut runs = Vec::with_capacity(rows.len());
        for name in rows {
            match self.about(name, self.card(name)).await {
                Ok(Some(card)) => runs.push(card),
                // It was removed meanwhile.
                Ok(None) => {}
                Err(error) => {
                    tracing::error!(
                        run = name,
                        error = &error as &dyn std::error::Error,
                        "no card"
                    );
                    unreadable.push(UnreadableRun {
                        name: name.clone(),
                        reason: error.shown.unwrap_or_else(|| {
                            "Its tables cannot be read; consilium verify tells what is damaged."
                                .to_owned()
                        }),
                    });
                }
            }
        }
        unreadable.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(RunList {
            runs: Page {
                rows: runs,
                more_before,
                more_after,
            },
            unreadable,
        })
    }
}

/// Names of the runs that can be read, the newest first, and the others.
fn sorted(listed: Vec<Listed>) -> (Vec<String>, Vec<UnreadableRun>) {
    let (mut runs, mut unreadable) = (Vec::new(), Vec::new());
    for Listed { name, head } in listed {
        match head {
            Ok(created_at) => runs.push((created_at, name)),
            Err(reason) => unreadable.push(UnreadableRun { name, reason }),
        }
    }
    runs.sort_by_key(|run| Reverse(run.clone()));
    let names = runs.into_iter().map(|(_, name)| name).collect();
    (names, unreadable)
}

/// The names of a page and whether others come before and after; a place that is gone is the start.
fn page<'a>(names: &'a [String], window: &Window<String>) -> (&'a [String], bool, bool) {
    let place = |name: &String| names.iter().position(|known| known == name);
    let (first, end) = match &window.edge {
        Edge::Start => (0, window.limit),
        Edge::From(name) => {
            let first = place(name).unwrap_or(0);
            (first, first + window.limit)
        }
        Edge::After(name) => {
            let first = place(name).map_or(0, |place| place + 1);
            (first, first + window.limit)
        }
        Edge::Before(name) => match place(name) {
            Some(end) => (end.saturating_sub(window.limit), end),
            None => (0, window.limit),
        },
    };
    let end = end.min(names.len());
    (&names[first.min(end)..end], first > 0, end < names.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(name: &str, head: Result<i64, String>) -> Listed {
        Listed {
            name: name.to_owned(),
            head,
        }
    }

    #[test]
    fn the_newest_run_comes_first_and_unreadable_ones_stand_apart() {
        let (names, unreadable) = sorted(vec![
            listed("a", Ok(1)),
            listed("b", Ok(3)),
            listed("c", Err("damaged".to_owned())),
            listed("d", Ok(3)),
        ]);
        assert_eq!(names, ["d", "b", "a"]);
        assert_eq!(unreadable[0].name, "c");
    }

    #[test]
    fn pages_lie_where_their_edge_is() {
        let names: Vec<String> = ["e", "d", "c", "b", "a"].map(str::to_owned).to_vec();
        let at = |edge| {
            let window = Window { edge, limit: 2 };
            let (rows, before, after) = page(&names, &window);
            (rows.join(""), before, after)
        };
        let name = |name: &str| name.to_owned();
        assert_eq!(at(Edge::Start), (name("ed"), false, true));
        assert_eq!(at(Edge::From(name("c"))), (name("cb"), true, true));
        assert_eq!(at(Edge::After(name("c"))), (name("ba"), true, false));
        assert_eq!(at(Edge::Before(name("c"))), (name("ed"), false, true));
        assert_eq!(at(Edge::Before(name("d"))), (name("e"), false, true));
        assert_eq!(at(Edge::After(name("a"))), (name(""), true, false));
        assert_eq!(at(Edge::After(name("gone"))), (name("ed"), false, true));
    }
}
