//! Runs of bytes of one class, found 64 bytes at a time.
//!
//! A class says for eight bytes at once which of them belong to it, so that where a run ends costs
//! no branch for each byte.

/// Highest bits of the eight bytes of a word.
const HIGHEST: u64 = 0x8080_8080_8080_8080;
const ONES: u64 = 0x0101_0101_0101_0101;

/// Which bytes belong together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Everything but ASCII whitespace as Python sees it; for ASCII text.
    Visible,
    /// ASCII lower-case letters and digits.
    LowerAlphanumeric,
}

impl Class {
    /// The highest bit of every byte that belongs.
    #[inline]
    fn of_eight(self, bytes: u64) -> u64 {
        let low = bytes & !HIGHEST;
        // No sum of two numbers below 128 carries into the next byte.
        let at_least = |first: u64| low + (128 - first) * ONES;
        match self {
            Self::Visible => {
                let controls = at_least(9) & !at_least(14);
                let spaces = at_least(0x1c) & !at_least(0x21);
                !(controls | spaces) & HIGHEST
            }
            Self::LowerAlphanumeric => {
                let digits = at_least(u64::from(b'0')) & !at_least(u64::from(b'9') + 1);
                let letters = at_least(u64::from(b'a')) & !at_least(u64::from(b'z') + 1);
                (digits | letters) & !bytes & HIGHEST
            }
        }
    }

    /// A bit for each of up to 64 bytes, the first in the lowest.
    #[inline]
    fn of_block(self, block: &[u8; 64], count: usize) -> u64 {
        let (words, _) = block.as_chunks::<8>();
        let mut bits = 0;
        for (index, word) in words.iter().enumerate() {
            let highest = self.of_eight(u64::from_le_bytes(*word));
            // Gathers the bits 0, 8, 16 … in the topmost byte.
            let eight = (highest >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            bits |= eight << (8 * index);
        }
        if count < 64 {
            bits &= (1 << count) - 1;
        }
        bits
    }
}

/// Start and end of every run.
pub(crate) struct Runs<'bytes> {
    bytes: &'bytes [u8],
    class: Class,
    /// Where the block begins whose edges are left, and where the next one does.
    block: usize,
    next: usize,
    /// Places of the block where a run begins or ends.
    edges: u64,
    /// Whether the last byte of the block belongs to a run.
    inside: u64,
}

impl<'bytes> Runs<'bytes> {
    pub(crate) fn new(bytes: &'bytes [u8], class: Class) -> Self {
        Self {
            bytes,
            class,
            block: 0,
            next: 0,
            edges: 0,
            inside: 0,
        }
    }

    #[inline]
    fn next_edge(&mut self) -> Option<usize> {
        while self.edges == 0 {
            let rest = &self.bytes[self.next..];
            let bits = if let Some(block) = rest.first_chunk() {
                self.class.of_block(block, 64)
            } else if rest.is_empty() {
                return None;
            } else {
                let mut block = [0; 64];
                block[..rest.len()].copy_from_slice(rest);
                self.class.of_block(&block, rest.len())
            };
            self.edges = bits ^ (bits << 1 | self.inside);
            self.inside = bits >> 63;
            self.block = self.next;
            self.next += rest.len().min(64);
        }
        let place = self.block + self.edges.trailing_zeros() as usize;
        self.edges &= self.edges - 1;
        Some(place)
    }
}

impl Iterator for Runs<'_> {
    type Item = (usize, usize);

    #[inline]
    fn next(&mut self) -> Option<(usize, usize)> {
        let start = self.next_edge()?;
        // A run that fills the last block has no edge behind it.
        Some((start, self.next_edge().unwrap_or(self.bytes.len())))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn equals_looking_at_every_byte(
            bytes in prop::collection::vec(
                prop::sample::select(b"  \t\n\x0e\x1b\x1c!/09:`az{A\x00\x7f\x80\xe0\xff".to_vec()),
                0..300,
            ),
            runs in prop::collection::vec((any::<bool>(), 1_usize..70), 0..8),
        ) {
            let long: Vec<u8> = runs
                .iter()
                .flat_map(|(visible, length)| std::iter::repeat_n(if *visible { b'x' } else { b' ' }, *length))
                .collect();
            for bytes in [bytes, long] {
                for class in [Class::Visible, Class::LowerAlphanumeric] {
                    let inside = |byte: u8| match class {
                        Class::Visible => !matches!(byte & 0x7f, b'\t'..=b'\r' | 0x1c..=b' '),
                        Class::LowerAlphanumeric => {
                            byte.is_ascii_lowercase() || byte.is_ascii_digit()
                        }
                    };
                    let mut expected = Vec::new();
                    let mut start = None;
                    for (at, &byte) in bytes.iter().enumerate() {
                        match (inside(byte), start) {
                            (true, None) => start = Some(at),
                            (false, Some(from)) => {
                                expected.push((from, at));
                                start = None;
                            }
                            _ => {}
                        }
                    }
                    expected.extend(start.map(|from| (from, bytes.len())));
                    prop_assert_eq!(Runs::new(&bytes, class).collect::<Vec<_>>(), expected);
                }
            }
        }
    }
}
