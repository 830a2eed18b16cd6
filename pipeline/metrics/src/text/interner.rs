//! Small integers for equal tokens.

use std::hash::Hasher;

use super::runs::{Class, Runs};

/// Gives every different token an id, in order of appearance.
///
/// Tokens of up to 16 bytes are compared as two integers, which decide alone; no token is copied.
pub(crate) struct Interner<'text> {
    /// Id + 1 of the token that is kept in a slot; 0 where there is none.
    slots: Vec<u32>,
    entries: Vec<Entry<'text>>,
}

#[derive(Clone, Copy)]
struct Entry<'text> {
    key: Key,
    text: &'text str,
}

/// A token of up to 16 bytes, filled up with zeros, together with its length, or a digest of a
/// longer one.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key(u64, u64);

/// Longest token that its key and length tell from all others.
const EXACT: usize = 16;

/// Ones over the first bytes, by their number.
const MASKS: [[u64; 2]; EXACT + 1] = {
    let mut masks = [[0; 2]; EXACT + 1];
    let mut length = 1;
    while length <= EXACT {
        masks[length] = if length <= 8 {
            [u64::MAX >> (64 - 8 * length), 0]
        } else {
            [u64::MAX, u64::MAX >> (8 * (EXACT - length))]
        };
        length += 1;
    }
    masks
};

const MULTIPLIERS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];

impl<'text> Interner<'text> {
    /// Ready for about as many tokens as this many bytes of text hold.
    pub(crate) fn for_bytes(bytes: usize) -> Self {
        let slots = (bytes / 4).next_power_of_two().clamp(16, 1 << 16);
        Self {
            slots: vec![0; slots],
            entries: Vec::with_capacity(slots / 2),
        }
    }

    /// The id of a token.
    pub(crate) fn id(&mut self, text: &'text str) -> u32 {
        self.id_of(Key::of(text.as_bytes()), text)
    }

    /// The id of the token between two places of a text, which costs less than that of a token
    /// alone: what stands behind it can be read too.
    #[inline]
    pub(crate) fn id_between(&mut self, text: &'text str, start: usize, end: usize) -> u32 {
        let token = &text[start..end];
        let key = match text.as_bytes()[start..].first_chunk() {
            Some(bytes) if token.len() <= EXACT => Key::of_first(bytes, token.len()),
            _ => Key::of(token.as_bytes()),
        };
        self.id_of(key, token)
    }

    /// The ids of all runs of a text.
    pub(crate) fn ids_of_runs(&mut self, text: &'text str, class: Class) -> Vec<u32> {
        let mut ids = Vec::with_capacity(text.len() / 6);
        for (start, end) in Runs::new(text.as_bytes(), class) {
            ids.push(self.id_between(text, start, end));
        }
        ids
    }

    #[inline]
    fn id_of(&mut self, key: Key, text: &'text str) -> u32 {
        let mask = self.slots.len() - 1;
        let mut slot = key.slot() & mask;
        loop {
            let Some(index) = self.slots[slot].checked_sub(1) else {
                return self.insert(slot, Entry { key, text });
            };
            let entry = &self.entries[index as usize];
            if entry.key == key
                && entry.text.len() == text.len()
                && (text.len() <= EXACT || entry.text == text)
            {
                return index;
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Number of different tokens.
    pub(crate) fn distinct(&self) -> usize {
        self.entries.len()
    }

    /// The different tokens by id.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &'text str> + '_ {
        self.entries.iter().map(|entry| entry.text)
    }

    #[cold]
    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots = vec![0; mask + 1];
        for (index, entry) in (1..).zip(&self.entries) {
            let mut slot = entry.key.slot() & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = index;
        }
    }

    fn insert(&mut self, slot: usize, entry: Entry<'text>) -> u32 {
        // No text that fits in memory has more tokens.
        let index = u32::try_from(self.entries.len()).unwrap_or(u32::MAX - 1);
        self.slots[slot] = index + 1;
        self.entries.push(entry);
        if self.entries.len() * 2 > self.slots.len() {
            self.grow();
        }
        index
    }
}

impl Key {
    fn of(bytes: &[u8]) -> Self {
        let length = bytes.len();
        match length {
            0 => Self(0, 0),
            // What is read twice lies over itself.
            1..=3 => {
                let byte = |at: usize| u64::from(bytes[at]) << (8 * at);
                Self(byte(0) | byte(length / 2) | byte(length - 1), 0)
            }
            4..=8 => Self(
                four(bytes, 0) | four(bytes, length - 4) << (8 * (length - 4)),
                0,
            ),
            9..=EXACT => {
                let rest = eight(bytes, length - 8) >> (8 * (EXACT - length));
                Self(eight(bytes, 0), rest)
            }
            _ => {
                let mut key = Self(eight(bytes, length - 16), eight(bytes, length - 8));
                for at in (0..length - 16).step_by(16) {
                    key.0 = mixed(key.0 ^ eight(bytes, at), MULTIPLIERS[0]);
                    key.1 = mixed(key.1 ^ eight(bytes, at + 8), MULTIPLIERS[1]);
                }
                key
            }
        }
    }

    /// The key of the first `length` of some bytes.
    #[inline]
    fn of_first(bytes: &[u8; EXACT], length: usize) -> Self {
        let [low, high] = MASKS[length];
        Self(eight(bytes, 0) & low, eight(bytes, 8) & high)
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "any bits of the digest will do"
    )]
    fn slot(self) -> usize {
        mixed(self.0 ^ MULTIPLIERS[1], self.1 ^ MULTIPLIERS[0]) as usize
    }
}

/// Hashes one word by its key; for tables of words, not for anything a stranger may fill.
#[derive(Default)]
pub(crate) struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let key = Key::of(bytes);
        self.0 = mixed(self.0 ^ key.0 ^ MULTIPLIERS[1], key.1 ^ MULTIPLIERS[0]);
    }

    // What ends a string says nothing about it.
    fn write_u8(&mut self, _end: u8) {}
}

/// Both halves of a product, mixed.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the halves of a wide product"
)]
fn mixed(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    (product as u64) ^ ((product >> 64) as u64)
}

fn four(bytes: &[u8], at: usize) -> u64 {
    bytes[at..]
        .first_chunk()
        .map_or(0, |chunk| u64::from(u32::from_le_bytes(*chunk)))
}

fn eight(bytes: &[u8], at: usize) -> u64 {
    bytes[at..]
        .first_chunk()
        .map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ids_are_those_of_a_hash_map(
            tokens in prop::collection::vec("[ab\0]{0,5}|[ab]{6,40}|\\PC{0,9}", 0..200),
        ) {
            let mut known = HashMap::new();
            let mut interner = Interner::for_bytes(0);
            for token in &tokens {
                let next = u32::try_from(known.len()).unwrap();
                prop_assert_eq!(interner.id(token), *known.entry(token).or_insert(next));
            }
            prop_assert_eq!(interner.distinct(), known.len());
            // The same from inside a text.
            let text = tokens.concat();
            let mut start = 0;
            for token in &tokens {
                let end = start + token.len();
                prop_assert_eq!(interner.id_between(&text, start, end), known[token]);
                start = end;
            }
            for (text, id) in interner.texts().zip(0..) {
                prop_assert_eq!(known[&text.to_owned()], id);
            }
        }
    }
}
