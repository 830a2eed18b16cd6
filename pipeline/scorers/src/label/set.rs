//! The labels of a case with all their names.

use consilium_core::Case;

use super::aliases::AliasTable;
use crate::fold::{fold, fold_whole, plain, start_of};
use crate::mention::Form;

/// The closed set of labels an answer is read against.
#[derive(Debug)]
pub(super) struct LabelSet {
    /// Labels as the case, or else the alias table, spells them.
    labels: Vec<String>,
    /// Every name of every label, longest first.
    forms: Vec<Form>,
    /// The same for whole texts.
    whole: Vec<Form>,
    /// Names that fold alike though they stand for different labels; only they themselves count.
    exact: Vec<Form>,
    suffixes: Vec<String>,
    /// Bytes that no text that names a label gives when folded, an article left out.
    longest: usize,
}

impl LabelSet {
    /// The labels of a case: its options, else the canonical labels of the alias table and the
    /// gold.
    pub(super) fn new(case: &Case, aliases: Option<&AliasTable>, suffixes: &[String]) -> Self {
        let mut set = Self {
            labels: Vec::new(),
            forms: Vec::new(),
            whole: Vec::new(),
            exact: Vec::new(),
            suffixes: suffixes.iter().map(|suffix| fold(suffix)).collect(),
            longest: usize::MAX,
        };
        let entries = aliases.map_or(&[][..], AliasTable::entries);
        if case.view.options.is_empty() {
            for (_, canonical) in entries {
                set.add(canonical, canonical);
            }
            let keys: Vec<String> = entries.iter().map(|(alias, _)| set.key(alias)).collect();
            for gold in &case.gold {
                let key = set.key(gold);
                let known = keys.iter().position(|known| *known == key);
                let canonical = known.map_or(gold, |at| &entries[at].1);
                set.add(canonical, canonical);
            }
        }
        for option in &case.view.options {
            set.add(&option.label, &option.label);
        }
        for option in &case.view.options {
            set.add(&option.label, &option.text);
        }
        for (alias, canonical) in entries {
            if let Some(index) = set.index_of(canonical) {
                let label = set.labels[index].clone();
                set.add(&label, alias);
            }
        }
        set.part_collisions();
        let longest_first = |form: &Form| std::cmp::Reverse(form.text.len());
        set.forms.sort_by_key(longest_first);
        let names = set.exact.iter().chain(&set.whole);
        let named = names.map(|form| form.text.len()).max().unwrap_or(0);
        let ending = set.suffixes.iter().map(String::len).max().unwrap_or(0);
        // The ending may follow a space, an article may come before.
        set.longest = named + ending + 5;
        set
    }

    /// Whether two cases have the same labels, whatever the alias table.
    pub(super) fn is_shared(one: &Case, other: &Case) -> bool {
        one.view.options == other.view.options
            && (!one.view.options.is_empty() || one.gold == other.gold)
    }

    /// Adds a name of a label; a name that is taken stays where it is.
    fn add(&mut self, label: &str, name: &str) {
        let key = self.key(name);
        let literal = plain(name).trim().to_owned();
        if key.is_empty() || self.exact.iter().any(|form| form.text == literal) {
            return;
        }
        let index = self
            .labels
            .iter()
            .position(|known| known == label)
            .unwrap_or_else(|| {
                self.labels.push(label.to_owned());
                self.labels.len() - 1
            });
        self.exact.push(Form {
            index,
            text: literal,
        });
        self.whole.push(Form { index, text: key });
        self.forms.push(Form {
            index,
            text: self.stem(fold(name)),
        });
    }

    /// Keeps folded names that stand for one label, and exact ones for the others.
    fn part_collisions(&mut self) {
        let collides = |form: &Form, all: &[Form]| {
            all.iter()
                .any(|other| other.text == form.text && other.index != form.index)
        };
        let whole: Vec<bool> = (self.whole.iter())
            .map(|form| collides(form, &self.whole))
            .collect();
        let forms: Vec<bool> = (self.forms.iter())
            .zip(&whole)
            .map(|(form, whole)| *whole || collides(form, &self.forms))
            .collect();
        retain_where(&mut self.exact, &whole, true);
        retain_where(&mut self.whole, &whole, false);
        retain_where(&mut self.forms, &forms, false);
    }

    /// A name as it is compared: folded, without an ignored ending.
    fn key(&self, name: &str) -> String {
        self.stem(fold_whole(name))
    }

    fn stem(&self, folded: String) -> String {
        let stem = self
            .suffixes
            .iter()
            .filter_map(|suffix| folded.strip_suffix(suffix.as_str()))
            .map(str::trim_end)
            .filter(|stem| !stem.is_empty())
            .min_by_key(|stem| stem.len());
        stem.map(str::to_owned).unwrap_or(folded)
    }

    /// The label that a whole text names.
    pub(super) fn index_of(&self, text: &str) -> Option<usize> {
        if self.longest < usize::MAX && start_of(text, self.longest).len() < text.len() {
            return None;
        }
        let literal = plain(text);
        let literal = literal.trim();
        // A full stop or quotes may surround a name that counts only as it is.
        let bare = literal
            .trim_end_matches(['.', '。', ',', '!'])
            .trim_matches(['"', '“', '”']);
        let exact = [literal, bare]
            .into_iter()
            .find_map(|name| self.exact.iter().find(|form| form.text == name));
        let key = self.key(text);
        exact
            .or_else(|| self.whole.iter().find(|form| form.text == key))
            .map(|form| form.index)
    }

    /// The longest name that a folded text begins with, else nothing.
    pub(super) fn form_at(&self, folded: &str) -> &str {
        self.forms
            .iter()
            .find(|form| folded.starts_with(&form.text))
            .map_or("", |form| &form.text)
    }

    /// The label as the case spells it.
    pub(super) fn label(&self, index: usize) -> &str {
        &self.labels[index]
    }

    /// Every name, longest first.
    pub(super) fn forms(&self) -> &[Form] {
        &self.forms
    }
}

/// Keeps the forms whose mark is as wanted.
fn retain_where(forms: &mut Vec<Form>, marks: &[bool], wanted: bool) {
    let mut marks = marks.iter();
    forms.retain(|_| marks.next() == Some(&wanted));
}
