//! Patterns that introduce, reverse and correct statements of an answer.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::keyword::{Bits, Hit, Keywords, matches_at};

/// A pattern after which an answer is stated.
#[derive(Debug)]
pub(super) struct Cue {
    /// Anchored to the start of the text where `begins` names words.
    pattern: Regex,
    begins: Begins,
    pub(super) then: Then,
    /// The pattern as it is written, to be searched in a whole text.
    #[cfg(test)]
    source: String,
}

/// Where a cue can begin.
#[derive(Clone, Copy, Debug)]
enum Begins {
    /// Where one of these words does.
    At(&'static [&'static str]),
    /// Anywhere in a text that has this word.
    With(&'static str),
    /// At a character outside ASCII.
    BeyondAscii,
}

/// What a cue lets follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// A letter, or an option's whole text.
    LetterOrText,
    /// A letter.
    Letter,
    /// A letter and nothing more in the clause, since the cue is a word of everyday prose.
    LoneLetter,
}

fn cue(pattern: &str, begins: Begins, then: Then) -> Cue {
    let anchored = match begins {
        Begins::At(_) => format!("^(?:{pattern})"),
        Begins::With(_) | Begins::BeyondAscii => pattern.to_owned(),
    };
    Cue {
        pattern: Regex::new(&anchored).expect("a valid pattern"),
        begins,
        then,
        #[cfg(test)]
        source: pattern.to_owned(),
    }
}

/// Bit of the words that a statement which begins with its letter ends in.
const SUBJECT: Bits = 1 << 31;

static KEYWORDS: LazyLock<Keywords> = LazyLock::new(|| {
    let cues = CUES.iter().enumerate().flat_map(|(index, cue)| {
        let words = match cue.begins {
            Begins::At(words) => words,
            Begins::With(ref word) => std::slice::from_ref(word),
            Begins::BeyondAscii => &[],
        };
        words.iter().map(move |word| (*word, 1 << index))
    });
    let praise = ["correct", "right", "best", "appropriate", "answer"];
    Keywords::new(cues.chain(praise.map(|word| (word, SUBJECT))))
});

/// Every place where a cue or a statement of its kind stands.
#[derive(Debug)]
pub(super) struct Cues<'text> {
    text: &'text str,
    hits: Vec<Hit>,
    patterns: Bits,
    is_ascii: bool,
}

impl<'text> Cues<'text> {
    /// Reads a text once.
    pub(super) fn of(text: &'text str) -> Self {
        let hits = KEYWORDS.hits(text);
        Self {
            text,
            patterns: hits.iter().fold(0, |all, hit| all | hit.patterns),
            hits,
            is_ascii: text.is_ascii(),
        }
    }

    /// Every cue with where it stands, cue by cue.
    pub(super) fn all(&self) -> impl Iterator<Item = (&'static Cue, Range<usize>)> {
        CUES.iter().enumerate().flat_map(move |(index, cue)| {
            let bit = 1 << index;
            let possible = match cue.begins {
                Begins::At(_) | Begins::With(_) => self.patterns & bit != 0,
                Begins::BeyondAscii => !self.is_ascii,
            };
            let (at_words, anywhere) = match cue.begins {
                _ if !possible => (None, None),
                Begins::At(_) => {
                    let found = matches_at(&cue.pattern, self.text, &self.hits, bit);
                    (Some(found), None)
                }
                _ => (None, Some(cue.pattern.find_iter(self.text))),
            };
            let at_words = at_words.into_iter().flatten();
            let anywhere = anywhere.into_iter().flatten().map(|found| found.range());
            at_words.chain(anywhere).map(move |range| (cue, range))
        })
    }

    /// Statements that begin with the letter.
    pub(super) fn subject_first(&self) -> impl Iterator<Item = Captures<'text>> {
        let possible = [self.patterns & SUBJECT != 0, !self.is_ascii];
        SUBJECT_FIRST
            .iter()
            .zip(possible)
            .filter(|(_, possible)| *possible)
            .flat_map(move |(pattern, _)| pattern.captures_iter(self.text))
    }
}

/// Cues that come before the answer. Each pattern ends where the answer begins.
static CUES: LazyLock<Vec<Cue>> = LazyLock::new(|| {
    let copula = concat!(
        r"(?:(?:is|was|would\s+be|should\s+be|must\s+be|will\s+be|has\s+to\s+be)(?-u:\b)",
        r"(?:[ \t]*(?:therefore|thus|hence|most\s+likely|likely|probably|clearly|definitely|indeed",
        r"|simply|just|actually|either|both)(?-u:\b))*[ \t]*[:,]?|[:=→>]+|[ \t][-–—]+[ \t])\s*",
    );
    vec![
        cue(
            &format!(
                r"(?i)(?-u:\b)(?:answer|choice|selection|diagnosis|conclusion|verdict)(?-u:\b)[ \t]*(?:(?:to|for|in)\s+(?:the|this)\s+\w+[ \t]*)?(?:\([^)\n]{{0,30}}\)[ \t]*)?(?:{copula}|\n\s*)"
            ),
            Begins::At(&[
                "answer",
                "choice",
                "selection",
                "diagnosis",
                "conclusion",
                "verdict",
            ]),
            Then::LetterOrText,
        ),
        // "The most appropriate next step is (C)".
        cue(
            &format!(
                r"(?i)(?-u:\b)(?:correct|best|right|most\s+(?:likely|appropriate|suitable|accurate|probable))(?:[ \t]+[\w'-]+){{0,5}}?[ \t]*{copula}"
            ),
            Begins::At(&["correct", "best", "right", "most"]),
            Then::LetterOrText,
        ),
        cue(
            r"(?i)(?-u:\b)(?:final|correct|best|right|my)[ \t]+answer[ \t]+",
            Begins::At(&["final", "correct", "best", "right", "my"]),
            Then::Letter,
        ),
        // Only at the start of a clause: "to answer a question" is no cue.
        cue(
            r"(?im)(?:^|[.,:;!?])[ \t>#-]*(?:(?:the|my)[ \t]+)?answer[ \t]+",
            Begins::With("answer"),
            Then::LoneLetter,
        ),
        cue(
            r"(?m)(?:^|[\s。;,!?(])(?:我的)?(?:答|回答|解答)[ \t]*(?::|是|为)\s*",
            Begins::BeyondAscii,
            Then::Letter,
        ),
        cue(
            r"(?i)(?-u:\b)(?:choose|chose|choosing|select|selected|selecting|pick|picked|picking|go\s+with|going\s+with|went\s+with|opt\s+for|answering|answered)(?-u:\b)[ \t]*:?[ \t]*",
            Begins::At(&[
                "choos", "chose", "select", "pick", "go", "went", "opt", "answer",
            ]),
            Then::Letter,
        ),
        cue(
            r"(?i)(?-u:\b)(?:therefore|thus|hence|so|actually|correction|finally|ultimately|in\s+conclusion|it\s+must\s+be|it's|it\s+is|that's|that\s+is)(?-u:\b)[ \t]*[:,]?[ \t]*",
            Begins::At(&[
                "therefore",
                "thus",
                "hence",
                "so",
                "actually",
                "correction",
                "finally",
                "ultimately",
                "in",
                "it",
                "that",
            ]),
            Then::LoneLetter,
        ),
        cue(
            concat!(
                r"(?:答案|正确选项|最佳选项|合适的选项|恰当的选项|符合的选项|正确的选项|最可能的选项|正确的是|最可能的是|最恰当的是|最合适的是|结论|我的选择|最终选择|正确选择|选择|诊断)[】\]」]?",
                r"[ \t]*(?:应该|应当|应|就|只能|可能|最终|最有可能|最可能)?[ \t]*(?:(?:为|是|选择|选|:|=|→)\s*)*(?:选项)?\s*",
            ),
            Begins::BeyondAscii,
            Then::LetterOrText,
        ),
        cue(
            r"(?:选|选取|选定|应选|故选|选出)[ \t]*(?:为|:|答案)?[ \t]*",
            Begins::BeyondAscii,
            Then::Letter,
        ),
        cue(
            r"(?:综上(?:所述)?|因此|所以|故|更正|应该是|应当是|应为)[ \t]*[,:]?[ \t]*(?:为|是)?[ \t]*",
            Begins::BeyondAscii,
            Then::LoneLetter,
        ),
    ]
});

/// Statements that begin with the letter: "B is correct", B项正确.
static SUBJECT_FIRST: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [
        concat!(
            r"(?im)(?:(?-u:\b)(?:option|choice|answer|letter)[ \t]+|^[ \t]*|[.!?;:,][ \t]+|(?-u:\b)(?:so|thus|therefore|hence|that|because|while|but|and|only)[ \t]+|[(])",
            r#"(?P<letter>["'(\[]?[A-Z0-9]{1,2})(?-u:\b)[)\]"'.:]*[ \t]*(?:\([^)\n]{0,80}\)|,[^,\n]{0,80},)?[ \t]*"#,
            r"(?:is|would\s+be|must\s+be|should\s+be)[ \t]+(?:therefore[ \t]+|thus[ \t]+|clearly[ \t]+|indeed[ \t]+|definitely[ \t]+|the[ \t]+|single[ \t]+|only[ \t]+|most[ \t]+|one[ \t]+)*",
            r"(?:correct|right|best|appropriate|answer)(?:[ \t]+(?:answer|choice|option|one|response))?",
            r"(?:[ \t]*(?:[.,;:!)\n]|$)|[ \t]+(?:because|since|as|for|here|in|given|to|and|while|but)(?-u:\b))",
        ),
        concat!(
            r"(?:^|[\s,.;:。!?、(]|选项|故|因此|所以|即|而|只有|仅|但|应为|认为)",
            r"(?P<letter>[A-Za-z0-9]{1,2})[)]?(?:选项|项)?(?:\([^)\n]{0,40}\))?(?:是|为|才是)?(?:唯一)?(?:的)?",
            r"(?:正确|最佳|最合适|最恰当|最符合|符合题意|对的|答案)",
        ),
    ]
    .map(|pattern| Regex::new(pattern).expect("a valid pattern"))
});

/// `\boxed{…}`.
pub(super) static BOXED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\\boxed\s*\{\s*(?:\\(?:text|mathrm|textbf|mathbf|rm)\s*\{\s*)?([^{}\n]{1,200})\}")
        .expect("a valid pattern")
});

/// What makes a cue the opposite of one, when it stands right before it on the same line.
pub(super) static REVERSAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?:(?:(?-u:\b)not|n['’]t|(?-u:\b)never|(?-u:\b)cannot|(?-u:\b)incorrect|(?-u:\b)wrong|(?-u:\b)false)[ \t]+(?:be[ \t]+|is[ \t]+)?(?:the[ \t]+|an?[ \t]+|my[ \t]+)?(?:correct[ \t]+|right[ \t]+|best[ \t]+|final[ \t]+)*",
        r"|(?-u:\b)if[ \t]+(?:the[ \t]+)?(?:correct[ \t]+|right[ \t]+|best[ \t]+)?|(?-u:\b)avoid[ \t]+",
        r"|(?-u:\b)(?:least|less|un)[ \t-]*(?:likely|probable|appropriate|suitable|accurate|correct|plausible|good)[ \t]+(?:\w+[ \t]+){0,2}|(?-u:\b)(?:least|less|second|almost|nearly)[ \t-]+(?:the[ \t]+)?(?:(?:correct|right|best|likely|appropriate)[ \t]+)*",
        r"|(?-u:\b)(?:differential|previous|alternative|tempting|other|unlikely|worst)[ \t]+",
        r"|错误的?|不正确的?|最不[^\s,。;]{0,4}的?|可能性最?小的?|不是最?|并非最?|鉴别|其他|其它|次要|既往",
        r"|不|不能|不可|不应|不宜|不该|不会|别|勿|未|没有|没|误|非|排除|若|如果|假如)$",
    ))
    .expect("a valid pattern")
});

/// "not B but C", read after a cue.
pub(super) static NOT_BUT: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [
        r"^[ \t]*(?:definitely[ \t]+|clearly[ \t]+)?not[ \t]+",
        r#"^[)\]"'.]*,?[ \t]*but[ \t]+(?:rather[ \t]+|instead[ \t]+)?"#,
    ]
    .map(|pattern| Regex::new(&format!("(?i){pattern}")).expect("a valid pattern"))
});

/// Words between two statements that make the later one a correction.
pub(super) static RETRACTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:actually|wait|no|correction|rather|instead|sorry|mistake|revised?|change|but|however)(?-u:\b)|更正|不对|应改|改为|而是|但")
        .expect("a valid pattern")
});

/// What follows a letter that is corrected at once: "B, no wait, C", B,不对,C.
pub(super) static CORRECTION: LazyLock<Regex> = LazyLock::new(|| {
    let pause = r"[ \t]*[,:;.!…–—-]+[ \t]*";
    let word = r"(?:no|wait|sorry|hmm|oh|correction|不对|不|哦不|等等|更正|错了)";
    let phrase = concat!(
        r"(?:no[ \t,.]+wait|wait[ \t,.]+no|scratch[ \t]+that|i[ \t]+mean|make[ \t]+that",
        r"|or[ \t]+rather|应改为|改为)",
    );
    let lead = concat!(
        r"(?:actually[ \t,]+|rather[ \t,]+)?(?:(?:it|that)(?:[ \t]+is|['’]s|[ \t]+should[ \t]+be|[ \t]+must[ \t]+be)[ \t]+",
        r"|(?:the[ \t]+)?(?:correct[ \t]+)?answer[ \t]+is[ \t]+|应该?[为是]|是|选)?",
    );
    Regex::new(&format!(
        r#"(?i)^[)\]"'”】」.]*[ \t]*[,;.…!–—-]*[ \t]*(?:{word}{pause})*(?:{word}{pause}|{phrase}(?:{pause}|[ \t]*)){lead}"#
    ))
    .expect("a valid pattern")
});

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fold::plain;
    use crate::tests::pieces;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        #[test]
        fn cues_are_those_of_a_search_of_the_whole_text(text in pieces()) {
            let text = plain(&text);
            let found: Vec<_> = Cues::of(&text)
                .all()
                .map(|(cue, range)| (cue.source.as_str(), range))
                .collect();
            let mut searched = Vec::new();
            for cue in CUES.iter() {
                let pattern = Regex::new(&cue.source).unwrap();
                let ranges = pattern.find_iter(&text).map(|found| found.range());
                searched.extend(ranges.map(|range| (cue.source.as_str(), range)));
            }
            prop_assert_eq!(found, searched);
            let first: Vec<_> = Cues::of(&text)
                .subject_first()
                .filter_map(|captures| Some(captures.get(0)?.range()))
                .collect();
            let searched: Vec<_> = SUBJECT_FIRST
                .iter()
                .flat_map(|pattern| pattern.find_iter(&text).map(|found| found.range()))
                .collect();
            prop_assert_eq!(first, searched);
        }
    }
}
