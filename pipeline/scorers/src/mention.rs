//! Mentions of known names in folded text, with a guard against negation.

use std::sync::LazyLock;

use consilium_core::is_han;
use regex::Regex;

/// A name that may be mentioned.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// Index of the option or label it stands for.
    pub(super) index: usize,
    /// The name as [`fold`](super::fold::fold) gives it; never empty.
    pub(super) text: String,
}

/// A mention that is not negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    /// Index of what is mentioned.
    pub(super) index: usize,
    /// Where it begins in the folded text.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
}

/// Han characters that may stand before a name: what comes after them begins a new word.
const BEFORE: &str =
    "为是属于即系呈见示考虑断型的之此故患者其有以像应该类归到成作选择与和或及非似证拟至";
/// Han characters that may follow a name.
const AFTER: &str = "证型候的之为者所而并且但或和与及是可应等病更最";

static NEGATION_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:(?-u:\b)(?:not|never|neither|nor|without|cannot|isn t|wasn t|aren t|doesn t|don t|exclud\w*",
        r"|rul(?:e|es|ed|ing) out|rather than|instead of|as opposed to|unlike|unlikely|against)",
        r"(?: (?:a|an|the|be|is|have|suggest|support|indicate|consistent with|likely|due to|in favou?r of|favou?r|to be)){0,3}",
        r"|不是|并非|而非|不考虑|不属于|不属|不支持|不选|不能选|不能诊断为|不能诊断|不应诊断为|不诊断为|不符合|排除了?|除外|无|否认|非)",
        r" ?$",
    ))
    .expect("a valid pattern")
});

static NEGATION_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?: (?:is|was|are|were|would be|seems|appears|has been|can be|could be)(?: \w+)? ",
        r"(?:not|incorrect|wrong|unlikely|excluded|ruled out|false|inappropriate|contraindicated)(?-u:\b)",
        r"| (?:is|was|are|were|would be|seems|appears|has been|can be|could be) ",
        r"(?:not|incorrect|wrong|unlikely|excluded|ruled out|false|inappropriate|contraindicated)(?-u:\b)",
        r"| (?:isn t|wasn t|aren t|can t|cannot|doesn t)(?-u:\b)",
        r"|证?型?(?:可|被|可以|已)?(?:排除|除外|不符|不成立|错误|不正确|不对|不支持|依据不足|可能性小|可能性不大))",
    ))
    .expect("a valid pattern")
});

/// The mentions in a folded text, in order; a name inside a longer mentioned name does not count.
pub(super) fn mentions(folded: &str, forms: &[Form]) -> Vec<Mention> {
    let mut all: Vec<Mention> = forms
        .iter()
        .flat_map(|form| {
            folded
                .match_indices(&form.text)
                .map(|(start, found)| Mention {
                    index: form.index,
                    start,
                    end: start + found.len(),
                })
        })
        .filter(|mention| stands_alone(folded, *mention))
        .collect();
    // Longest first, so that what it covers can be dropped.
    all.sort_by_key(|mention| {
        (
            std::cmp::Reverse(mention.end - mention.start),
            mention.start,
        )
    });
    let mut kept: Vec<Mention> = Vec::new();
    for mention in all {
        let covered = kept
            .iter()
            .any(|longer| mention.start < longer.end && longer.start < mention.end);
        if !covered {
            kept.push(mention);
        }
    }
    kept.retain(|mention| !is_negated(folded, *mention));
    kept.sort_by_key(|mention| mention.start);
    kept
}

/// Whether a mention is denied by the words around it.
pub(super) fn is_negated(folded: &str, mention: Mention) -> bool {
    NEGATION_BEFORE.is_match(&folded[..mention.start])
        || NEGATION_AFTER.is_match(&folded[mention.end..])
}

/// Whether a mention is a word of its own and not a part of another.
pub(super) fn stands_alone(folded: &str, mention: Mention) -> bool {
    let before = folded[..mention.start].chars().next_back();
    let after = folded[mention.end..].chars().next();
    let inner = &folded[mention.start..mention.end];
    let free = |outer: Option<char>, edge: Option<char>, allowed: &str| match (outer, edge) {
        (None, _) | (_, None) => true,
        (Some(outer), Some(edge)) if is_han(outer) && is_han(edge) => allowed.contains(outer),
        (Some(outer), Some(edge)) => !outer.is_alphanumeric() || is_han(outer) != is_han(edge),
    };
    free(before, inner.chars().next(), BEFORE)
        && free(after, inner.chars().next_back(), AFTER)
        && (inner != "no" || is_statement(&folded[mention.end..]))
}

/// Whether "no" is an answer here and not the determiner of "no effect".
fn is_statement(after: &str) -> bool {
    const FOLLOWERS: [&str; 12] = [
        "because", "since", "as", "the", "it", "this", "they", "these", "there", "or", "and", "is",
    ];
    after
        .split(' ')
        .find(|word| !word.is_empty())
        .is_none_or(|word| FOLLOWERS.contains(&word))
}

/// The one index that all mentions agree on; `Err` when they do not.
pub(super) fn unanimous(mentions: &[Mention]) -> Result<Option<usize>, ()> {
    let Some(first) = mentions.first() else {
        return Ok(None);
    };
    if mentions.iter().all(|mention| mention.index == first.index) {
        Ok(Some(first.index))
    } else {
        Err(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::fold::fold;
    use super::*;

    fn found(text: &str, names: &[&str]) -> Vec<usize> {
        let forms: Vec<Form> = names
            .iter()
            .enumerate()
            .map(|(index, name)| Form {
                index,
                text: fold(name),
            })
            .collect();
        mentions(&fold(text), &forms)
            .iter()
            .map(|mention| mention.index)
            .collect()
    }

    #[test]
    fn the_longest_name_covers_those_inside_it() {
        let names = ["肾阳虚证", "脾肾阳虚证"];
        assert_eq!(found("辨证为脾肾阳虚证", &names), [1]);
        assert_eq!(found("辨证为肾阳虚证", &names), [0]);
        // Inside a longer word that is no label either.
        assert!(found("心肾阳虚证明显", &["肾阳虚"]).is_empty());
    }

    #[test]
    fn negated_and_partial_mentions_do_not_count() {
        let names = ["yes", "no", "maybe"];
        assert!(found("not yes", &names).is_empty());
        assert!(found("normal eyes show no effect", &names).is_empty());
        assert_eq!(found("I would say no", &names), [1]);
        assert_eq!(found("not yes but maybe", &names), [2]);
        assert!(found("排除肾阳虚证", &["肾阳虚证"]).is_empty());
        assert_eq!(
            found(
                "Insulin is not indicated, metformin",
                &["insulin", "metformin"]
            ),
            [1]
        );
    }
}
