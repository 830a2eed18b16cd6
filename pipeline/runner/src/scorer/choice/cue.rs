//! Patterns that introduce, reverse and correct statements of an answer.

use std::sync::LazyLock;

use regex::Regex;

/// A pattern after which an answer is stated.
#[derive(Debug)]
pub(super) struct Cue {
    pub(super) pattern: Regex,
    pub(super) then: Then,
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

fn cue(pattern: &str, then: Then) -> Cue {
    Cue {
        pattern: Regex::new(pattern).expect("a valid pattern"),
        then,
    }
}

/// Cues that come before the answer. Each pattern ends where the answer begins.
pub(super) static CUES: LazyLock<Vec<Cue>> = LazyLock::new(|| {
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
            Then::LetterOrText,
        ),
        // "The most appropriate next step is (C)".
        cue(
            &format!(
                r"(?i)(?-u:\b)(?:correct|best|right|most\s+(?:likely|appropriate|suitable|accurate|probable))(?:[ \t]+[\w'-]+){{0,5}}?[ \t]*{copula}"
            ),
            Then::LetterOrText,
        ),
        cue(
            r"(?i)(?-u:\b)(?:final|correct|best|right|my)[ \t]+answer[ \t]+",
            Then::Letter,
        ),
        // Only at the start of a clause: "to answer a question" is no cue.
        cue(
            r"(?im)(?:^|[.,:;!?])[ \t>#-]*(?:(?:the|my)[ \t]+)?answer[ \t]+",
            Then::LoneLetter,
        ),
        cue(
            r"(?m)(?:^|[\s。;,!?(])(?:我的)?(?:答|回答|解答)[ \t]*(?::|是|为)\s*",
            Then::Letter,
        ),
        cue(
            r"(?i)(?-u:\b)(?:choose|chose|choosing|select|selected|selecting|pick|picked|picking|go\s+with|going\s+with|went\s+with|opt\s+for|answering|answered)(?-u:\b)[ \t]*:?[ \t]*",
            Then::Letter,
        ),
        cue(
            r"(?i)(?-u:\b)(?:therefore|thus|hence|so|actually|correction|finally|ultimately|in\s+conclusion|it\s+must\s+be|it's|it\s+is|that's|that\s+is)(?-u:\b)[ \t]*[:,]?[ \t]*",
            Then::LoneLetter,
        ),
        cue(
            concat!(
                r"(?:答案|正确选项|最佳选项|合适的选项|恰当的选项|符合的选项|正确的选项|最可能的选项|正确的是|最可能的是|最恰当的是|最合适的是|结论|我的选择|最终选择|正确选择|选择|诊断)[】\]」]?",
                r"[ \t]*(?:应该|应当|应|就|只能|可能|最终|最有可能|最可能)?[ \t]*(?:(?:为|是|选择|选|:|=|→)\s*)*(?:选项)?\s*",
            ),
            Then::LetterOrText,
        ),
        cue(
            r"(?:选|选取|选定|应选|故选|选出)[ \t]*(?:为|:|答案)?[ \t]*",
            Then::Letter,
        ),
        cue(
            r"(?:综上(?:所述)?|因此|所以|故|更正|应该是|应当是|应为)[ \t]*[,:]?[ \t]*(?:为|是)?[ \t]*",
            Then::LoneLetter,
        ),
    ]
});

/// Statements that begin with the letter: "B is correct", B项正确.
pub(super) static SUBJECT_FIRST: LazyLock<[Regex; 2]> = LazyLock::new(|| {
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
