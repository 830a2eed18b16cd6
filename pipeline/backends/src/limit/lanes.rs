//! Those who wait, in one line per system.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Lines that are served in turn, so that a system with many calls a sample does not hold up one
/// with a single call. Within a line whoever came first is first.
#[derive(Debug)]
pub(super) struct Lanes<T> {
    waiting: BTreeMap<Arc<str>, VecDeque<T>>,
    /// Lines with somebody in them, the next one to be served first.
    turn: VecDeque<Arc<str>>,
}

impl<T> Default for Lanes<T> {
    fn default() -> Self {
        Self {
            waiting: BTreeMap::new(),
            turn: VecDeque::new(),
        }
    }
}

impl<T> Lanes<T> {
    pub(super) fn is_empty(&self) -> bool {
        self.turn.is_empty()
    }

    /// Joins the end of a line.
    pub(super) fn push(&mut self, lane: &Arc<str>, item: T) {
        let line = self.waiting.entry(Arc::clone(lane)).or_default();
        if line.is_empty() {
            self.turn.push_back(Arc::clone(lane));
        }
        line.push_back(item);
    }

    /// Who is served next.
    pub(super) fn front(&self) -> Option<&T> {
        self.waiting.get(self.turn.front()?)?.front()
    }

    /// Serves the next one; another line is next after that.
    pub(super) fn pop(&mut self) -> Option<T> {
        let lane = self.turn.pop_front()?;
        let line = self.waiting.get_mut(&lane)?;
        let item = line.pop_front();
        if line.is_empty() {
            self.waiting.remove(&lane);
        } else {
            self.turn.push_back(lane);
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_served_in_turn_and_in_order() {
        let mut lanes = Lanes::default();
        let (many, one): (Arc<str>, Arc<str>) = ("many".into(), "one".into());
        for number in 0..4 {
            lanes.push(&many, number);
        }
        lanes.push(&one, 10);
        assert_eq!(lanes.pop(), Some(0));
        lanes.push(&one, 11);
        let rest: Vec<i32> = std::iter::from_fn(|| lanes.pop()).collect();
        assert_eq!(rest, [10, 1, 11, 2, 3]);
        assert!(lanes.is_empty() && lanes.front().is_none());
    }
}
