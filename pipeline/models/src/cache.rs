//! Rows of numbers by key, as many as a number of bytes allows.

use std::hash::Hash;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// A bounded cache; a row larger than the whole of it is not kept.
pub(crate) type RowCache<K> = Cache<K, Arc<[f32]>, Bytes>;

/// Weighs a row by its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Bytes;

impl<K> Weighter<K, Arc<[f32]>> for Bytes {
    fn weight(&self, _key: &K, row: &Arc<[f32]>) -> u64 {
        u64::try_from(size_of_val::<[f32]>(row)).map_or(u64::MAX, |bytes| bytes.max(1))
    }
}

/// An empty cache of at most this size.
pub(crate) fn row_cache<K: Eq + Hash>(most_bytes: u64) -> RowCache<K> {
    Cache::with_weighter(1024, most_bytes, Bytes)
}
