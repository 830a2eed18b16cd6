//! Values kept within a bound, the least recently used dropped first.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::Arc;

/// Rows of numbers by key, as many as a number of bytes allows.
#[derive(Debug)]
pub struct BoundedCache<K> {
    values: HashMap<K, (Arc<[f32]>, u64)>,
    by_use: BTreeMap<u64, K>,
    uses: u64,
    bytes: usize,
    most_bytes: usize,
}

impl<K: Clone + Eq + Hash> BoundedCache<K> {
    /// An empty cache of at most this size.
    pub fn new(most_bytes: usize) -> Self {
        Self {
            values: HashMap::new(),
            by_use: BTreeMap::new(),
            uses: 0,
            bytes: 0,
            most_bytes,
        }
    }

    /// The value of a key, which counts as used now.
    pub fn get<Q>(&mut self, key: &Q) -> Option<Arc<[f32]>>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.uses += 1;
        let (value, used) = self.values.get_mut(key)?;
        if let Some(key) = self.by_use.remove(used) {
            self.by_use.insert(self.uses, key);
        }
        *used = self.uses;
        Some(Arc::clone(value))
    }

    /// Keeps a value; one larger than the whole cache is not kept.
    pub fn insert(&mut self, key: K, value: Arc<[f32]>) {
        let size = size_of_val::<[f32]>(&value);
        if size > self.most_bytes {
            return;
        }
        self.uses += 1;
        self.bytes += size;
        if let Some((old, used)) = self.values.insert(key.clone(), (value, self.uses)) {
            self.bytes -= size_of_val::<[f32]>(&old);
            self.by_use.remove(&used);
        }
        self.by_use.insert(self.uses, key);
        while self.bytes > self.most_bytes {
            let Some((_, oldest)) = self.by_use.pop_first() else {
                return;
            };
            if let Some((value, _)) = self.values.remove(&oldest) {
                self.bytes -= size_of_val::<[f32]>(&value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_goes_first() {
        let mut cache: BoundedCache<String> = BoundedCache::new(8 * 4);
        let value = |length: usize| Arc::<[f32]>::from(vec![1.0; length]);
        cache.insert("a".into(), value(3));
        cache.insert("b".into(), value(3));
        assert!(cache.get("a").is_some());
        cache.insert("c".into(), value(3));
        assert!(cache.get("b").is_none());
        // A value that takes the place of another frees what that took.
        cache.insert("a".into(), value(5));
        assert_eq!(cache.get("a").map(|a| a.len()), Some(5));
        assert_eq!(cache.get("c").map(|c| c.len()), Some(3));
        cache.insert("huge".into(), value(9));
        assert!(cache.get("huge").is_none() && cache.get("a").is_some());
    }
}
