//! What is known of two disease names without asking a judge.

use std::collections::{BTreeMap, BTreeSet};

use consilium_core::is_han;

use super::policy::Policy;
use crate::fold::{fold, fold_whole};
use crate::label::AliasTable;

/// Names of one disease: spellings that fold alike, and exact synonyms from a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Synonyms {
    /// Folded canonical name by folded alias.
    canonical: BTreeMap<String, String>,
}

impl Synonyms {
    pub(super) fn new(aliases: Option<&AliasTable>) -> Self {
        let entries = aliases.into_iter().flat_map(AliasTable::entries);
        Self {
            canonical: entries
                .map(|(alias, canonical)| (fold_whole(alias), fold_whole(canonical)))
                .collect(),
        }
    }

    /// Whether two names are known to mean the same.
    pub(super) fn same(&self, left: &str, right: &str) -> bool {
        self.canonical_of(left) == self.canonical_of(right)
    }

    fn canonical_of(&self, name: &str) -> String {
        let folded = fold_whole(name);
        self.canonical.get(&folded).cloned().unwrap_or(folded)
    }

    /// The verdict of a policy as far as words tell: a name that holds all words of another and
    /// more is the more specific one. What a simulated judge takes for right.
    pub(super) fn verdict(&self, policy: &Policy, predicted: &str, gold: &str) -> bool {
        if self.same(predicted, gold) {
            return true;
        }
        let (predicted, gold) = (parts(predicted), parts(gold));
        (policy.accepts_more_specific && predicted.is_superset(&gold))
            || (policy.accepts_more_general && gold.is_superset(&predicted))
    }
}

/// The words of a name, Han characters each for itself.
fn parts(name: &str) -> BTreeSet<String> {
    let spaced: String = fold(name)
        .chars()
        .flat_map(|c| {
            let beside = is_han(c).then_some(' ');
            beside.into_iter().chain([c]).chain(beside)
        })
        .collect();
    spaced.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn synonyms() -> Synonyms {
        let table =
            "alias\tcanonical\nMI\tmyocardial infarction\nheart attack\tMyocardial infarction\n";
        Synonyms::new(Some(&AliasTable::parse(table, Path::new("t")).unwrap()))
    }

    #[test]
    fn spelling_and_the_table_make_names_equal() {
        let synonyms = synonyms();
        for (left, right) in [
            ("Heart attack", "MI"),
            ("mi", "Myocardial Infarction."),
            ("Iron-deficiency anemia", "iron deficiency anemia"),
        ] {
            assert!(synonyms.same(left, right), "{left} / {right}");
        }
        assert!(!synonyms.same("Acute MI", "MI"));
    }

    #[test]
    fn policies_disagree_on_a_ladder_of_specificity() {
        let ladder = [
            // predicted, strict_synonym, medxagent_v1, craftmd_v1
            ("Myocardial infarction", true, true, true),
            ("Heart attack", true, true, true),
            ("Acute inferior myocardial infarction", false, true, false),
            ("Infarction", false, false, true),
            ("Cerebral infarction", false, false, false),
            ("Gout", false, false, false),
        ];
        for (predicted, strict, medxagent, craftmd) in ladder {
            for (name, expected) in [
                ("strict_synonym", strict),
                ("medxagent_v1", medxagent),
                ("craftmd_v1", craftmd),
            ] {
                let policy = Policy::named(name).unwrap();
                let verdict = synonyms().verdict(&policy, predicted, "myocardial infarction");
                assert_eq!(verdict, expected, "{predicted} under {name}");
            }
        }
        let medxagent = Policy::named("medxagent_v1").unwrap();
        assert!(Synonyms::default().verdict(&medxagent, "急性心肌梗死", "心肌梗死"));
        assert!(!Synonyms::default().verdict(&medxagent, "心肌梗死", "急性心肌梗死"));
    }
}
