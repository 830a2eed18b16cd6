//! Texts that repeat, held once.

use std::collections::HashMap;
use std::sync::Arc;

/// Numbers texts in the order in which they come.
#[derive(Debug, Default)]
pub(super) struct Interner {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    /// The last one given: rows of a table repeat it.
    last: Option<u32>,
}

impl Interner {
    pub(super) fn number(&mut self, text: &str) -> u32 {
        if let Some(last) = self.last
            && &*self.texts[last as usize] == text
        {
            return last;
        }
        let number = if let Some(number) = self.numbers.get(text) {
            *number
        } else {
            let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
            let text: Arc<str> = Arc::from(text);
            self.texts.push(Arc::clone(&text));
            self.numbers.insert(text, number);
            number
        };
        self.last = Some(number);
        number
    }

    /// The texts by number.
    pub(super) fn into_texts(self) -> Vec<Arc<str>> {
        self.texts
    }

    /// The texts in order of their bytes, and the place in that order of every number given.
    pub(super) fn into_sorted(self) -> (Vec<Arc<str>>, Vec<u32>) {
        let mut order: Vec<usize> = (0..self.texts.len()).collect();
        order.sort_unstable_by(|left, right| self.texts[*left].cmp(&self.texts[*right]));
        let mut places = vec![0; order.len()];
        for (place, number) in order.iter().enumerate() {
            places[*number] = u32::try_from(place).unwrap_or(u32::MAX);
        }
        let texts = order
            .iter()
            .map(|number| Arc::clone(&self.texts[*number]))
            .collect();
        (texts, places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_places_in_the_order_of_bytes() {
        let mut interner = Interner::default();
        let given: Vec<u32> = ["b", "案", "b", "B", "案"]
            .iter()
            .map(|text| interner.number(text))
            .collect();
        assert_eq!(given, [0, 1, 0, 2, 1]);
        let (texts, places) = interner.into_sorted();
        let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
        assert_eq!(texts, ["B", "b", "案"]);
        assert_eq!(places, [1, 2, 0]);
    }
}
