//! Porter's suffix stripping as nltk does it.

mod rules;

use rules::{Condition, POSITIVE, STEP_1A, STEP_2, STEP_3, STEP_4, STEP_5B, apply, irregular};

/// Which variant of the algorithm is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PorterMode {
    /// nltk's default: irregular forms and further rules; what rouge-score and METEOR use.
    #[default]
    NltkExtensions,
    /// Porter's own later changes.
    MartinExtensions,
    /// The paper of 1980.
    Original,
}

/// The Porter stemmer of nltk.
///
/// Source: Porter 1980, with the three modes of nltk 3.10 `PorterStemmer`. It is not Porter2
/// ("Snowball English"), and ROUGE-1.5.5 in Perl differs again.
///
/// ```
/// use consilium_metrics::text::porter::PorterStemmer;
///
/// assert_eq!(PorterStemmer::default().stem("Pneumonias"), "pneumonia");
/// assert_eq!(PorterStemmer::default().stem("dying"), "die");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PorterStemmer {
    mode: PorterMode,
}

impl PorterStemmer {
    /// Creates a stemmer of the given variant.
    pub fn new(mode: PorterMode) -> Self {
        Self { mode }
    }

    /// Stems a word, lowercased first.
    pub fn stem(&self, word: &str) -> String {
        let lowercase = word.to_lowercase();
        if self.is_nltk()
            && let Some(stem) = irregular(&lowercase)
        {
            return stem.to_owned();
        }
        if self.mode != PorterMode::Original && word.chars().nth(2).is_none() {
            return lowercase;
        }
        let word = self.step_1a(lowercase);
        let word = self.step_1b(word);
        let word = self.step_1c(word);
        let word = self.step_2(word);
        let word = apply(word, &STEP_3);
        let word = apply(word, &STEP_4);
        let word = self.step_5a(word);
        apply(word, &STEP_5B)
    }

    fn is_nltk(self) -> bool {
        self.mode == PorterMode::NltkExtensions
    }

    /// Plurals.
    fn step_1a(self, word: String) -> String {
        if self.is_nltk()
            && let Some(stem) = word.strip_suffix("ies")
            && is_one_character(stem)
        {
            return format!("{stem}ie");
        }
        apply(word, &STEP_1A)
    }

    /// Past participles and gerunds.
    fn step_1b(self, word: String) -> String {
        if self.is_nltk()
            && let Some(stem) = word.strip_suffix("ied")
        {
            return format!("{stem}{}", if is_one_character(stem) { "ie" } else { "i" });
        }
        if let Some(stem) = word.strip_suffix("eed") {
            return if measure(stem) > 0 {
                format!("{stem}ee")
            } else {
                word
            };
        }
        let stem = ["ed", "ing"].iter().find_map(|suffix| {
            word.strip_suffix(suffix)
                .filter(|stem| contains_vowel(stem))
        });
        match stem {
            Some(stem) => self.restore_ending(stem),
            None => word,
        }
    }

    /// What follows a removed `ed` or `ing`.
    fn restore_ending(self, stem: &str) -> String {
        for ending in ["at", "bl", "iz"] {
            if stem.ends_with(ending) {
                return format!("{stem}e");
            }
        }
        let last = stem.chars().next_back();
        let is_kept_double = matches!(last, Some('l' | 's' | 'z'));
        if ends_in_double_consonant(stem) {
            return if is_kept_double {
                stem.to_owned()
            } else {
                without_last(stem).to_owned()
            };
        }
        if let Some(start) = stem.strip_suffix("*d") {
            // The reference takes its own rule name for a suffix as well.
            return format!("{start}d");
        }
        if measure(stem) == 1 && self.ends_in_cvc(stem) {
            return format!("{stem}e");
        }
        stem.to_owned()
    }

    /// y to i.
    fn step_1c(self, word: String) -> String {
        let Some(stem) = word.strip_suffix('y') else {
            return word;
        };
        let applies = if self.is_nltk() {
            stem.chars().nth(1).is_some() && consonants(stem).last() == Some(true)
        } else {
            contains_vowel(stem)
        };
        if applies { format!("{stem}i") } else { word }
    }

    fn step_2(self, mut word: String) -> String {
        if self.is_nltk() {
            while let Some(stem) = word.strip_suffix("alli")
                && measure(stem) > 0
            {
                word = format!("{stem}al");
            }
        }
        for rule in &STEP_2 {
            let rule = if rule.0 == "bli" && self.mode == PorterMode::Original {
                &("abli", "able", POSITIVE)
            } else {
                rule
            };
            if word.ends_with(rule.0) {
                return apply(word, std::slice::from_ref(rule));
            }
        }
        match self.mode {
            PorterMode::Original => word,
            PorterMode::MartinExtensions => apply(word, &[("logi", "log", POSITIVE)]),
            PorterMode::NltkExtensions => apply(
                word,
                &[
                    ("fulli", "ful", POSITIVE),
                    ("logi", "log", Condition::MeasureWithL),
                ],
            ),
        }
    }

    /// A final e.
    fn step_5a(self, word: String) -> String {
        let Some(stem) = word.strip_suffix('e') else {
            return word;
        };
        match measure(stem) {
            0 => word,
            1 if self.ends_in_cvc(stem) => word,
            _ => stem.to_owned(),
        }
    }

    /// Ends consonant, vowel, consonant other than w, x, y; in nltk mode also the word `VC`.
    fn ends_in_cvc(self, word: &str) -> bool {
        let mut last = [None; 3];
        let mut length = 0;
        for consonant in consonants(word) {
            last = [last[1], last[2], Some(consonant)];
            length += 1;
        }
        match last {
            [Some(true), Some(false), Some(true)] => !word.ends_with(['w', 'x', 'y']),
            [None, Some(false), Some(true)] => self.is_nltk() && length == 2,
            _ => false,
        }
    }
}

/// Which characters are consonants: all but vowels and a `y` after a consonant.
fn consonants(word: &str) -> impl Iterator<Item = bool> {
    let mut previous = false;
    word.chars().map(move |character| {
        previous = match character {
            'a' | 'e' | 'i' | 'o' | 'u' => false,
            'y' => !previous,
            _ => true,
        };
        previous
    })
}

/// Porter's measure: the number of times a consonant follows a vowel.
fn measure(word: &str) -> usize {
    let mut previous = true;
    let follows_vowel = |consonant: &bool| {
        let follows = *consonant && !previous;
        previous = *consonant;
        follows
    };
    consonants(word).filter(follows_vowel).count()
}

fn contains_vowel(word: &str) -> bool {
    consonants(word).any(|consonant| !consonant)
}

fn ends_in_double_consonant(word: &str) -> bool {
    let mut from_end = word.chars().rev();
    let (last, before) = (from_end.next(), from_end.next());
    last.is_some() && last == before && consonants(word).last() == Some(true)
}

fn is_one_character(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some() && characters.next().is_none()
}

fn without_last(word: &str) -> &str {
    let mut characters = word.chars();
    characters.next_back();
    characters.as_str()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn follows_the_paper() {
        let stemmer = PorterStemmer::new(PorterMode::Original);
        for (word, stem) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("relational", "relat"),
            ("triplicate", "triplic"),
            ("replacement", "replac"),
            ("adoption", "adopt"),
            ("controll", "control"),
        ] {
            assert_eq!(stemmer.stem(word), stem, "{word}");
        }
    }

    #[test]
    fn modes_differ() {
        let stem = |mode, word| PorterStemmer::new(mode).stem(word);
        assert_eq!(stem(PorterMode::NltkExtensions, "enjoy"), "enjoy");
        assert_eq!(stem(PorterMode::MartinExtensions, "enjoy"), "enjoi");
        assert_eq!(stem(PorterMode::NltkExtensions, "dies"), "die");
        assert_eq!(stem(PorterMode::Original, "as"), "a");
        assert_eq!(stem(PorterMode::MartinExtensions, "as"), "as");
    }

    proptest! {
        #[test]
        fn never_panics(word in "[a-zA-Zéİ脾*]{0,12}(s|ed|ing|ies|alli|logi|ion|ll|e|y)?") {
            for mode in
                [PorterMode::NltkExtensions, PorterMode::MartinExtensions, PorterMode::Original]
            {
                prop_assert!(PorterStemmer::new(mode).stem(&word).chars().count() <= word.chars().count() * 3 + 1);
            }
        }
    }
}
