//! Cases that an aggregate has seen.

use indexmap::IndexSet;

/// Numbers cases in the order in which they first come, so that what is known of them can stand in plain
/// columns: an aggregate over 100,000 samples keeps one entry for each.
#[derive(Debug, Default)]
pub(super) struct CaseNumbers {
    cases: IndexSet<Box<str>>,
    text_bytes: usize,
}

impl CaseNumbers {
    /// The case's number; a case that is new has the next one.
    pub(super) fn number(&mut self, case: &str) -> usize {
        if let Some(number) = self.cases.get_index_of(case) {
            return number;
        }
        self.text_bytes += case.len();
        self.cases.insert_full(case.into()).0
    }

    /// The cases in the order of their numbers.
    pub(super) fn cases(&self) -> impl Iterator<Item = &str> {
        self.cases.iter().map(|case| &**case)
    }

    /// Size in memory.
    pub(super) fn bytes(&self) -> usize {
        // Text, hash and place in the table of each.
        let entry = size_of::<Box<str>>() + 2 * size_of::<usize>();
        self.text_bytes + self.cases.capacity() * entry
    }
}
