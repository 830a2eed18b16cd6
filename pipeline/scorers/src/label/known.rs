//! Label sets that were made already.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use consilium_core::Case;

use super::aliases::AliasTable;
use super::set::LabelSet;

/// Sets that are kept; a dataset has one for all its cases, or one for each case's options.
const KEPT: usize = 256;
/// Stands between the parts of a key and in no label of sane data.
const SEPARATOR: char = '\u{1f}';

/// Makes the label set of a case, once for all cases with the same labels.
///
/// A set of hundreds of names costs more to make than an answer to read.
#[derive(Debug)]
pub(super) struct KnownSets {
    aliases: Option<AliasTable>,
    suffixes: Vec<String>,
    /// Names of the alias table as sets compare them: a gold among them changes no set.
    listed: HashSet<String>,
    sets: Mutex<HashMap<String, Arc<LabelSet>>>,
}

impl KnownSets {
    pub(super) fn new(aliases: Option<AliasTable>, suffixes: Vec<String>) -> Self {
        let entries = aliases.as_ref().map_or(&[][..], AliasTable::entries);
        let names = entries.iter().flat_map(|(alias, name)| [alias, name]);
        let listed = names.cloned().collect();
        Self {
            aliases,
            suffixes,
            listed,
            sets: Mutex::default(),
        }
    }

    /// The set of a case.
    pub(super) fn of(&self, case: &Case) -> Arc<LabelSet> {
        let key = self.key(case);
        let known = |sets: &HashMap<String, Arc<LabelSet>>| sets.get(&key).map(Arc::clone);
        let lock = || self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(set) = known(&lock()) {
            return set;
        }
        // Made without the lock; two threads may make the same set, and one of them stays.
        let set = Arc::new(LabelSet::new(case, self.aliases.as_ref(), &self.suffixes));
        let mut sets = lock();
        if sets.len() >= KEPT {
            sets.clear();
        }
        sets.insert(key, Arc::clone(&set));
        set
    }

    /// Everything of a case that its set depends on.
    fn key(&self, case: &Case) -> String {
        let mut key = String::new();
        let mut push = |part: &str| {
            key.push_str(part);
            key.push(SEPARATOR);
        };
        for option in &case.view.options {
            push(&option.label);
            push(&option.text);
        }
        if case.view.options.is_empty() {
            for gold in &case.gold {
                // Names of the table are in every set.
                if !self.listed.contains(gold) {
                    push(gold);
                }
            }
        }
        key
    }
}
