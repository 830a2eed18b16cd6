//! Whether a statement is meant: told from doubt, denial, condition, hearsay and question.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::fold::fold;
use super::sentence::sentences;

/// How an answer stands to what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stance {
    /// It means it.
    Asserted,
    /// It denies or doubts it, or asks.
    Doubted,
    /// It says what would hold under a condition, or what others say.
    Supposed,
}

/// English words that may stand between a doubt and what it governs: "I doubt that the correct
/// answer is …". Any other word takes the statement out of the doubt's reach.
const GOVERNED: &str = concat!(
    r"(?: (?:that|whether|if|the|this|these|my|your|an?|any|it|its|there|is|s|was|be|been|would|could",
    r"|should|must|will|has|have|to|of|for|about|on|in|final|correct|right|best|most|likely|probable",
    r"|appropriate|suitable|accurate|single|only|true|actual|option|choice|letter|answer|answers",
    r"|diagnosis|treatment|label|selection|conclusion|decision|verdict|drug|cause|next|step|question",
    r"|case|here|actually|either|therefore|clearly|definitely|probably|say|saying|choose|pick|select",
    r"|go|with|give|use|start|recommend|you|we|i|one|should)){0,12} ?$",
);

/// The same in Chinese: what is left of the clause.
const GOVERNED_HAN: &str = r"[^, ]{0,8} ?[^, ]{0,8}$";

fn pattern(parts: &[&str]) -> Regex {
    Regex::new(&parts.concat()).expect("a valid pattern")
}

/// Doubts that sound like one and are none.
static CERTAINTY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&[
        r"(?-u:\b)(?:no|not|don t|do not|little|without(?: an?| any)?|beyond(?: an?| any| all)?(?: reasonable)?) doubt(?-u:\b)",
        r"|(?-u:\b)even if(?-u:\b)|毫无疑问|无疑|不可否认",
    ])
});

/// After these the clause speaks for itself.
static TURN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&[
        r"(?-u:\b)(?:so|thus|therefore|hence|but|instead|nevertheless)(?-u:\b)|但是?|所以|因此|故|综上|而是",
    ])
});

static DOUBT_BEFORE: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [
        pattern(&[
            r"(?-u:\b)(?:(?:(?:do|does|did|would|can|could|will|is|are|am|was) ?not|(?:don|doesn|didn|wouldn|can|couldn|won|isn|aren|wasn) t|cannot|never|hardly|not|no longer) (?:\w+ ){0,2}?",
            r"(?:think|thinks|believe|feel|say|suppose|expect|agree|support|conclude|claim|assume|guarantee|confirm|convinced|persuaded|sure|certain|clear|confident|obvious|evident|known|likely|possible|plausible|true|the case|determine|tell|know|see|decide|recommend|advise|endorse|favou?r)",
            r"|doubt|doubts|doubtful|doubted|doubting|unlikely|unclear|uncertain|unsure|unproven|improbable|implausible|impossible|questionable|debatable|disagree|wonder|wondering|whether",
            r"|deny|denies|denied|denying|reject|rejects|refute|refutes|dispute|disputes|avoid|avoids|avoiding|refuse|refuses",
            r"|(?:wrong|false|incorrect|untrue|mistaken|mistake|tempting|premature) (?:that|to)",
            r"|(?:least|less) (?:likely|probable|appropriate|suitable|plausible|correct)|perhaps|maybe|possibly|(?:might|may|could)(?: also| well)? be|hard to (?:say|tell|know)|far from",
            r"|no (?:reason|evidence|way|proof)|(?:once|initially|previously|first|originally|had) (?:thought|believed|assumed|chose|picked|selected)|used to (?:be|think|believe))",
            GOVERNED,
        ]),
        pattern(&[
            r"(?:不认为|不觉得|不相信|不同意|不赞同|不确定|不太确定|不肯定|不太肯定|不清楚|不知道|不敢说|不能说|不建议|不推荐|难以确定|无法确定|不能确定|无法判断|难说",
            r"|怀疑答案|不太可能|不大可能|不可能|未必|不一定|是否|也许|或许|否认|避免|慎用|禁用|曾以为|原以为|本以为|误以为|最不|可能性最?小)",
            GOVERNED_HAN,
        ]),
    ]
});

static HEARSAY: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    let manner = r"(?: (?:would|will|might|may|could|can|do|often|usually|commonly|frequently|sometimes|also|still|tend to|be tempted to|mistakenly|incorrectly|wrongly|erroneously|in \w+|of \w+))*";
    [
        pattern(&[
            r"(?-u:\b)(?:(?:some|many|others?|few|several)(?: \w+)?|people|everyone|everybody|nobody|no one|(?:a|my|your|the) (?:colleague|friend|textbook|author|reviewer)|students|candidates|test takers|examinees|trainees|residents|clinicians|physicians|doctors|beginners|novices|someone|(?:one|you) (?:might|may|could))",
            manner,
            r" (?:say|says|said|argue|argues|argued|think|thinks|thought|believe|believes|claim|claims|suggest|suggests|pick|picks|picked|choose|chooses|chose|select|selects|go|opt|favou?r|guess|answer|answered|be tempted)",
            GOVERNED,
        ]),
        pattern(&[
            r"(?:有的?人|有些人|有学者|有观点|很多人|许多人|不少人|部分人|别人|学生|考生|同学|初学者)(?:们)?(?:会|可能|也许|常常?|经常|往往|容易|易)*(?:误|错)?(?:认为|说|选择?|觉得|以为|主张)?",
            GOVERNED_HAN,
        ]),
    ]
});

static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&[
        r"(?-u:\b)(?:if|unless|provided|assuming|supposing|suppose|in case|according to (?:some|others|many|my|one)|had (?:he|she|it|they|the)|were (?:he|she|it|they|the))(?-u:\b)",
        r"|如果|假如|假设|倘若|若|要是|除非|前提是|的话",
    ])
});

/// Where the reasons begin; a condition among them is not one of the statement.
static REASON: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&[
        r"(?-u:\b)(?:because|since|as|which|given|due|for|so|while|whereas)(?-u:\b)|因|由于|理由",
    ])
});

static DOUBT_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&[
        r"(?-u:\b)(?:(?:i|we) (?:\w+ )?(?:disagree|doubt)|(?:not|never) (?:\w+ )?(?:sure|certain|confident|convinced)",
        r"|(?:i|we)(?: am| m| are| re)?(?: \w+)? (?:unsure|uncertain|doubtful|sceptical|skeptical)",
        r"|(?:don t|do not) (?:think|believe) so|(?:that|this|it|they|which)(?: is| s| are| re| would be| may be)(?: \w+)? (?:wrong|incorrect|mistaken|false|doubtful|unlikely))(?-u:\b)",
        r"|^ ?(?:no )?wait(?: no)?$|^ ?(?:that|which) (?:i|we|was|were|is|can be|has been)(?: \w+)? ?(?:excluded|ruled out|rejected)(?-u:\b)|^ ?or (?:not|maybe not|perhaps not)(?-u:\b)",
        r"|不确定|不太确定|不肯定|不太肯定|不敢肯定|没有?把握|我不同意|我不认为|存疑|未必|不一定|待定|是错|错误的|吗$",
    ])
});

/// A next sentence that takes back what was said.
static DOUBT_NEXT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&[
        r"^ ?(?:(?:but|however|although|though|no|well|still|hmm|honestly|actually) )*(?:",
        r"(?:(?:i|we) (?:am|m|are|re) )?(?:\w+ )?(?:not|never) (?:\w+ )?(?:sure|certain|confident|convinced)(?-u:\b)|(?:i|we) (?:\w+ )?(?:disagree(?-u:\b)|doubt(?: it| this| that)? ?$)",
        r"|(?:i|we) (?:am|m|are|re)(?: \w+)? (?:unsure|uncertain)(?-u:\b)|(?:i|we) (?:don t|do not) (?:think|believe) so(?-u:\b)",
        r"|(?:that|this|it) (?:is|s|was)(?: \w+)? (?:wrong|incorrect|mistaken)(?-u:\b)|wait(?-u:\b)",
        r"|但?是?我?(?:也|还|并)?(?:不太?|没有?)(?:确定|肯定|敢肯定|把握|同意)|不对|错了)",
    ])
});

/// Bytes on either side of a statement that are looked at: a model that repeats itself without end
/// writes one sentence of thousands of statements.
const REACH: usize = 600;

fn first_part(text: &str) -> &str {
    &text[..text.floor_char_boundary(REACH)]
}

/// The end of a text, as far as a comment on what follows may reach back.
pub(super) fn last_part(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(REACH))..]
}

/// The stance towards what stands between two parts of one sentence, in folded text.
pub(super) fn stance(before: &str, after: &str) -> Stance {
    let before = CERTAINTY.replace_all(last_part(before), "");
    let clause = TURN
        .find_iter(&before)
        .last()
        .map_or(&*before, |turn| &before[turn.end()..]);
    let after = CERTAINTY.replace_all(first_part(after), "");
    if DOUBT_AFTER.is_match(&after) || DOUBT_BEFORE.iter().any(|doubt| doubt.is_match(clause)) {
        return Stance::Doubted;
    }
    let head = REASON
        .find(&after)
        .map_or(&*after, |reason| &after[..reason.start()]);
    let supposed = CONDITION.is_match(clause)
        || CONDITION.is_match(head)
        || HEARSAY.iter().any(|hearsay| hearsay.is_match(clause));
    if supposed {
        Stance::Supposed
    } else {
        Stance::Asserted
    }
}

/// Whether a sentence asks.
pub(super) fn is_question(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(|c: char| {
        c.is_whitespace() || matches!(c, ')' | '"' | '\'' | '”' | '。' | '.')
    });
    end.ends_with(['?', '吗', '呢'])
}

/// Whether a text that follows a statement begins by taking it back.
pub(super) fn is_taken_back(following: &str) -> bool {
    DOUBT_NEXT.is_match(&fold(first_part(following)))
}

/// A text with its sentences.
#[derive(Debug)]
pub(super) struct Discourse<'a> {
    text: &'a str,
    sentences: Vec<Range<usize>>,
}

impl<'a> Discourse<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            sentences: sentences(text),
        }
    }

    /// The sentence that a place is in.
    pub(super) fn sentence_at(&self, at: usize) -> Option<Range<usize>> {
        let index = self.sentences.partition_point(|range| range.end <= at);
        self.sentences
            .get(index)
            .filter(|range| range.contains(&at))
            .cloned()
    }

    /// The stance towards a statement that is introduced at `start` and made in `stated`.
    ///
    /// `own` is the folded text of what is stated; where it follows, it is no comment.
    pub(super) fn stance(&self, start: usize, stated: Range<usize>, own: &str) -> Stance {
        let lead = self.text[start..stated.start]
            .find(char::is_alphanumeric)
            .unwrap_or(0);
        let begins = self
            .sentence_at(start + lead)
            .map_or(start, |sentence| sentence.start.min(stated.start));
        let ends = self
            .sentence_at(stated.end.saturating_sub(1).max(stated.start))
            .map_or(stated.end, |sentence| sentence.end.max(stated.end));
        if is_question(&self.text[begins..ends]) {
            return Stance::Doubted;
        }
        // Commas bound what a doubt governs. A full stop after a letter ends no sentence elsewhere,
        // since a name may follow it; here "B. If so, …" does.
        let clauses = last_part(&self.text[begins..stated.start])
            .rsplit(". ")
            .next();
        let before: Vec<String> = clauses.unwrap_or_default().split(',').map(fold).collect();
        let raw = &self.text[stated.end..ends];
        let comment = fold(first_part(raw));
        let (after, next) = match comment.strip_prefix(own).filter(|_| !own.is_empty()) {
            Some(rest) => (rest, None),
            None if own.starts_with(&comment) => ("", None),
            None if is_ended(raw) => ("", Some(raw)),
            None => (comment.as_str(), None),
        };
        let index = self.sentences.partition_point(|range| range.start < ends);
        let following = || {
            self.sentences
                .get(index)
                .map(|next| &self.text[next.clone()])
        };
        if next.or_else(following).is_some_and(is_taken_back) {
            return Stance::Doubted;
        }
        stance(&before.join(", "), after)
    }
}

/// Whether a text begins with a full stop.
fn is_ended(raw: &str) -> bool {
    raw.trim_start_matches([')', ']', '"', '\'', '”', '】', '」'])
        .strip_prefix('.')
        .is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubt_governs_only_what_follows_it() {
        for (before, after, expected) in [
            ("i don t think the answer is", "", Stance::Doubted),
            ("there is no doubt that the answer is", "", Stance::Asserted),
            ("anemia is unlikely, the answer is", "", Stance::Asserted),
            (
                "i doubt it is anemia but the answer is",
                "",
                Stance::Asserted,
            ),
            (
                "the answer is",
                "because if untreated it spreads",
                Stance::Asserted,
            ),
            ("the answer is", "if he has fever", Stance::Supposed),
            ("many would say the answer is", "", Stance::Supposed),
            ("若发热, 答案是", "", Stance::Supposed),
        ] {
            assert_eq!(stance(before, after), expected, "{before} … {after}");
        }
    }
}
