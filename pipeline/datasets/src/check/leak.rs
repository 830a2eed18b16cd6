//! Whether a text gives its answer away.

use consilium_core::is_han;

/// Shortest name that is looked for, in characters: shorter ones are words of any text.
const SHORTEST: usize = 4;
/// As [`SHORTEST`], for names of Chinese characters, each of which says more.
const SHORTEST_HAN: usize = 2;

/// A text made comparable: lower case, words between single spaces, a space at either end.
pub(super) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len() + 2);
    folded.push(' ');
    for c in text.chars() {
        if c.is_alphanumeric() {
            folded.extend(c.to_lowercase());
        } else if !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    if !folded.ends_with(' ') {
        folded.push(' ');
    }
    folded
}

/// Whether a folded text holds a name as words of its own, or, for Chinese, anywhere.
pub(super) fn holds(folded_text: &str, name: &str) -> bool {
    let name = folded(name);
    let trimmed = name.trim();
    let han = trimmed.chars().any(is_han);
    let length = trimmed.chars().count();
    if han {
        return length >= SHORTEST_HAN && folded_text.contains(trimmed);
    }
    length >= SHORTEST && folded_text.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_as_whole_words_whatever_the_case_and_punctuation() {
        let text = folded("Known to have IgA-nephropathy (Berger's disease). No.");
        for name in ["iga nephropathy", "Berger's Disease", "known to"] {
            assert!(holds(&text, name), "{name}");
        }
        for name in ["nephro", "No", "pathy", "disease no known"] {
            assert!(!holds(&text, name), "{name}");
        }
        let text = folded("诊断为痰热蕴结证，");
        assert!(holds(&text, "痰热蕴结证"));
        assert!(holds(&text, "蕴结"));
        assert!(!holds(&text, "证"));
    }
}
