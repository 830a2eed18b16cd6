//! Sentences that state an option's text as the answer, told from those that only mention it.

use std::sync::LazyLock;

use regex::Regex;

/// Words that may stand between a frame and what it states.
const BETWEEN: &str = r"(?: (?:an?|the|with|likely|probably|most likely|clearly|definitely|therefore|thus|indeed|now|immediately|her|him|them|the patient|this patient|on|of|some|in favou?r of|to be|to (?:start|give|use|begin|initiate|prescribe|administer|order|perform)))*? ?$";

static BEFORE: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    let copula = r"(?:is|was|s|would be|should be|must be|has to be|remains)";
    [
        format!(
            r"(?-u:\b)(?:(?:this|it|that|answer|choice|option|diagnosis|cause|treatment|therapy|drug|agent|medication|management|step|test|organism|pathogen|mechanism|finding|explanation|condition|disease|disorder|one|likely|appropriate|suitable|best|correct|probable|line|here)(?: (?:here|in this (?:case|patient)|of choice|for (?:him|her|this \w+|the \w+)))? {copula}|(?:most likely|most probably|most consistent with|best explained by|diagnostic of|pathognomonic for|diagnosis of)){BETWEEN}"
        ),
        format!(
            r"(?:(?-u:\b)(?:i|we)(?: (?:would|will|d|ll|therefore|thus|should|must|strongly))* (?:give|start|choose|pick|select|prescribe|recommend|use|go with|order|diagnose|favou?r|conclude|answer|treat)|(?-u:\b)(?:he|she|they|patient|child|woman|man|infant|boy|girl) (?:should|must|needs to) (?:be (?:given|started on|treated with|managed with|prescribed)|receive|get|undergo|take|start)|(?:^|(?-u:\b)(?:so|therefore|thus|hence|then) |[^,]{{0,60}}(?-u:\b)(?:ketosis|this|these|that|findings|picture|presentation) )(?:treat|manage|start|give|begin|administer|choose|select|prescribe))(?: with| on)?{BETWEEN}"
        ),
        r"(?:诊断(?:为|是|考虑为?)|考虑为?|应(?:选|首选|选择|给予|使用|考虑|诊断)(?:为|用)?|首选(?:的)?(?:药物|治疗|检查|方案)?(?:是|为)?|最(?:可能|合适|恰当|佳|适宜)(?:的)?[^ ]{0,6}(?:是|为)|(?:答案|结论)(?:是|为)|属于|符合|选用?|建议(?:给予|使用|选择|选用)|给予|予以) ?$".to_owned(),
    ]
    .map(|pattern| Regex::new(&pattern).expect("a valid pattern"))
});

static AFTER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?: (?:is|would be|should be|must be|remains|seems|appears)(?: (?:the|clearly|therefore|thus|definitely|single|by far))* ",
        r"(?:most likely|most probable|most appropriate|most suitable|best|correct|right|answer|diagnosis|first line|treatment of choice|drug of choice|test of choice|preferred|indicated|recommended|likely|cause|choice|given|started|used)(?-u:\b)",
        r"|(?:应)?(?:是|为)(?:最|首选|正确|答案|本题)|(?:的)?可能性最?大|最(?:可能|合适|恰当|符合))",
    ))
    .expect("a valid pattern")
});

/// What was the case and is no longer, or is named as something else than the answer.
static OTHER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u:\b)(?:previous|previously|differential|alternative|wrong|incorrect|tempting|distractor|second best|formerly|history|prior|earlier|past|used to|originally|initially|once|(?:had|has) been|years? ago)(?-u:\b)|既往|错误|鉴别|其他|最不|曾|以前|之前|过去|病史")
        .expect("a valid pattern")
});

/// Whether a folded sentence states what stands between two of its parts.
pub(super) fn states(before: &str, after: &str) -> bool {
    static CONCLUSION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:so|therefore|thus|hence|finally|in conclusion|overall|ultimately|因此|所以|综上所?述?|故)?(?: the| an?)? ?$")
            .expect("a valid pattern")
    });
    !OTHER.is_match(before)
        && ((is_whole(after) && BEFORE.iter().any(|frame| frame.is_match(before)))
            || AFTER.is_match(after)
            || (after.is_empty() && CONCLUSION.is_match(before)))
}

/// Whether a name ends where it was found: "this is beta blocker toxicity" is not about beta.
fn is_whole(after: &str) -> bool {
    static NEXT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^(?:[^\w]*$| ?(?:now|immediately|today|here|as|because|since|in|for|with|and|or|given|due|which|that|at|to|by",
            r"|on|but|rather|not|until|daily|intravenously|orally|subcutaneously|therapy|treatment|based|the|this|it|he|she)(?-u:\b)|[^\x00-\x7f]| ?[^\x00-\x7f])",
        ))
        .expect("a valid pattern")
    });
    NEXT.is_match(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mention_is_no_statement() {
        for (before, after, expected) in [
            ("this is most likely ", "", true),
            ("i would give ", " now", true),
            ("the ", " is the best choice", true),
            ("therefore ", "", true),
            ("the patient takes ", "", false),
            ("we should avoid ", "", false),
            ("this is ", " blocker toxicity", false),
            ("years ago the diagnosis was ", "", false),
            ("最可能的诊断是", "", true),
            ("患者既往诊断为", "", false),
        ] {
            assert_eq!(states(before, after), expected, "{before}…{after}");
        }
    }
}
