//! Numbered remarks below a table; equal texts share a number.

use std::collections::BTreeMap;

/// Remarks in the order of their first mark.
#[derive(Debug, Default)]
pub(crate) struct Footnotes {
    texts: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Footnotes {
    /// The number of the text, from 1.
    pub(crate) fn mark(&mut self, text: String) -> usize {
        if let Some(number) = self.numbers.get(&text) {
            return *number;
        }
        self.texts.push(text.clone());
        self.numbers.insert(text, self.texts.len());
        self.texts.len()
    }

    /// The texts; the first has number 1.
    pub(crate) fn into_texts(self) -> Vec<String> {
        self.texts
    }
}

/// The number in superior figures.
pub(crate) fn superscript(number: usize) -> String {
    number.to_string().chars().map(superior).collect()
}

fn superior(digit: char) -> char {
    match digit {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_a_mark() {
        let mut footnotes = Footnotes::default();
        let marks = ["a", "b", "a"].map(|text| footnotes.mark(text.to_owned()));
        assert_eq!(marks, [1, 2, 1]);
        assert_eq!(footnotes.into_texts(), ["a", "b"]);
        assert_eq!(superscript(120), "¹²⁰");
    }
}
