//! The line with which an answer ends.

use std::sync::LazyLock;

use regex::Regex;

/// A line that begins with a cue, whatever Markdown surrounds it; the rest of it is what it says.
static CUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?im)^[ \t>#*_`~\-–—•]*(?:\d{1,2}[.)、][ \t]*)?",
        r"(?:(?:my |the )?(?:final |most likely |likely |primary )?(?:answer|diagnosis)(?: is)?",
        r"|(?:最终|最后|最可能的?)?(?:答案|答|诊断)(?:是|为)?)",
        r"[ \t*_`]*[:：][ \t*_`]*",
    ))
    .expect("a valid pattern")
});

/// Where the last line with a cue begins, and where what it says begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinalAnswer {
    /// Beginning of the line.
    pub line: usize,
    /// Beginning of what follows the cue.
    pub said: usize,
}

/// The last line of a text that begins with `Answer:`, `Final diagnosis:`, 答案： and the like.
///
/// A cue with nothing behind it, on its own or the next line, is none: it was cut.
pub fn final_answer(text: &str) -> Option<FinalAnswer> {
    CUE.find_iter(text)
        .filter(|cue| text[cue.end()..].chars().any(char::is_alphanumeric))
        .map(|cue| FinalAnswer {
            line: cue.start(),
            said: cue.end(),
        })
        .last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_with_a_cue_is_found_in_any_dress() {
        for (text, said) in [
            ("Answer: B", "B"),
            (
                "It may be A.\nAnswer: A\nNo, better:\n**Final answer:** C",
                "C",
            ),
            ("分析……\n答案：B", "B"),
            ("> - Most likely diagnosis: gout", "gout"),
            ("最终诊断：痛风", "痛风"),
            ("Answer: gout\nAnswer:", "gout\nAnswer:"),
            ("Answer:\ngout", "\ngout"),
        ] {
            let found = final_answer(text).unwrap();
            assert_eq!(&text[found.said..], said, "{text}");
        }
        for text in [
            "",
            "The answer B: it is.",
            "We must answer this: how?",
            "Answer:",
            "Diagnosis of gout",
        ] {
            assert_eq!(final_answer(text), None, "{text}");
        }
    }
}
