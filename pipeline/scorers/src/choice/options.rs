//! The options of a case, ready to be compared.

use std::cell::OnceCell;

use consilium_core::{ChoiceOption, is_han};

use crate::fold::{fold, fold_whole, plain, start_of};
use crate::mention::Form;

/// Options with their letters and texts in comparable form.
///
/// Forms of the texts are made when they are first asked for: most answers are told apart by
/// letters.
#[derive(Debug)]
pub(super) struct Options<'a> {
    source: &'a [ChoiceOption],
    /// Letters in NFKC and upper case, without brackets.
    letters: Vec<String>,
    /// As [`fold`] gives them.
    folded: OnceCell<Vec<String>>,
    whole: OnceCell<Whole>,
    /// Trimmed, as [`plain`] gives them.
    plain: OnceCell<Vec<String>>,
    /// Long enough to be recognised inside a sentence.
    forms: OnceCell<Vec<Form>>,
}

/// Texts as [`fold_whole`] gives them.
#[derive(Debug)]
struct Whole {
    texts: Vec<String>,
    /// Bytes of the longest.
    longest: usize,
}

impl<'a> Options<'a> {
    /// Prepares the options of a case.
    pub(super) fn new(options: &'a [ChoiceOption]) -> Self {
        let letter = |option: &ChoiceOption| {
            plain(&option.label)
                .trim_matches(|c: char| !c.is_alphanumeric())
                .to_uppercase()
        };
        Self {
            source: options,
            letters: options.iter().map(letter).collect(),
            folded: OnceCell::new(),
            whole: OnceCell::new(),
            plain: OnceCell::new(),
            forms: OnceCell::new(),
        }
    }

    fn folded(&self) -> &[String] {
        self.folded
            .get_or_init(|| self.source.iter().map(|it| fold(&it.text)).collect())
    }

    fn whole(&self) -> &Whole {
        self.whole.get_or_init(|| {
            let texts = self.source.iter().map(|it| fold_whole(&it.text));
            let texts: Vec<String> = texts.collect();
            let longest = texts.iter().map(String::len).max().unwrap_or(0);
            Whole { texts, longest }
        })
    }

    /// Bytes that no whole text exceeds. Folding makes no ASCII text longer.
    fn longest(&self) -> usize {
        if self.whole.get().is_none() && self.source.iter().all(|it| it.text.is_ascii()) {
            return self
                .source
                .iter()
                .map(|it| it.text.len())
                .max()
                .unwrap_or(0);
        }
        self.whole().longest
    }

    /// Whether these are the options that were prepared.
    pub(super) fn are(&self, options: &[ChoiceOption]) -> bool {
        self.source == options
    }

    /// Number of options.
    pub(super) fn len(&self) -> usize {
        self.source.len()
    }

    /// The letter as the case spells it.
    pub(super) fn label(&self, index: usize) -> &str {
        &self.source[index].label
    }

    /// An option's text as [`fold`] gives it.
    pub(super) fn folded_text(&self, index: usize) -> &str {
        &self.folded()[index]
    }

    /// The option whose letter is the longest one at the start of a text, and the letter's length.
    pub(super) fn letter_at(&self, text: &str) -> Option<(usize, usize)> {
        self.letters
            .iter()
            .enumerate()
            .filter(|(_, letter)| {
                !letter.is_empty()
                    && text.get(..letter.len()).is_some_and(|head| {
                        if head.is_ascii() {
                            head.eq_ignore_ascii_case(letter)
                        } else {
                            head.to_uppercase() == **letter
                        }
                    })
            })
            .map(|(index, letter)| (index, letter.len()))
            .max_by_key(|(index, length)| (*length, std::cmp::Reverse(*index)))
    }

    /// Whether a text is one of the letters and nothing more; that it is even where an option's
    /// text is the same (blood groups).
    pub(super) fn is_lone_letter(&self, text: &str) -> bool {
        let name = text.trim_matches(|c: char| !c.is_alphanumeric());
        self.letter_at(name)
            .is_some_and(|(_, length)| length == name.len())
    }

    /// The option whose text equals a text; `Err` when several do.
    pub(super) fn equal_to(&self, text: &str) -> Result<Option<usize>, ()> {
        // A leading article may be left out.
        if start_of(text, self.longest() + 4).len() < text.len() {
            return Ok(None);
        }
        let wanted = fold_whole(text);
        if wanted.is_empty() {
            return Ok(None);
        }
        let texts = &self.whole().texts;
        let mut equal = (0..self.len()).filter(|&index| texts[index] == wanted);
        match (equal.next(), equal.next()) {
            (index, None) => Ok(index),
            _ => Err(()),
        }
    }

    /// Whether a text begins with the option's text, or the option's text begins with all of it.
    ///
    /// A text of one or two characters must be all there is: "A 5-year-old" names no option 5.
    pub(super) fn is_followed_by_text(&self, index: usize, rest: &str) -> bool {
        let text = self.folded_text(index);
        let line = rest.lines().next().unwrap_or_default();
        let rest = fold(start_of(line, text.len() + 8));
        if text.chars().count() < 3 {
            return !text.is_empty() && rest == text;
        }
        !rest.is_empty() && (begins(&rest, text) || begins(text, &rest))
    }

    /// A line with "…" for the option's own text, which may look like another item ("C. difficile").
    pub(super) fn without_text(&self, index: usize, line: &str) -> String {
        let plain = self.plain.get_or_init(|| {
            let texts = self.source.iter();
            texts.map(|it| plain(&it.text).trim().to_owned()).collect()
        });
        let text = &plain[index];
        match line.find(text.as_str()) {
            Some(at) if !text.is_empty() => {
                format!("{}…{}", &line[..at], &line[at + text.len()..])
            }
            _ => line.to_owned(),
        }
    }

    /// Option texts long enough to be recognised inside a sentence.
    pub(super) fn forms(&self) -> &[Form] {
        self.forms.get_or_init(|| {
            let folded = self.folded().iter().enumerate();
            folded
                .filter(|(_, text)| {
                    let length = text.chars().count();
                    length >= 3 || (length == 2 && text.chars().all(is_han))
                })
                .map(|(index, text)| Form {
                    index,
                    text: text.clone(),
                })
                .collect()
        })
    }
}

/// Whether a folded text begins with another at a word boundary.
fn begins(text: &str, start: &str) -> bool {
    text.strip_prefix(start).is_some_and(|rest| {
        let edge = start.chars().next_back();
        rest.chars()
            .next()
            .is_none_or(|c| !c.is_alphanumeric() || is_han(c) || edge.is_some_and(is_han))
    })
}
