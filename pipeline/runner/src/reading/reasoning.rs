//! Reasoning that a model writes into its reply.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

static TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)<(/?)(?:think|thinking|thought|reasoning)>").expect("a valid pattern")
});

/// The text without `<think>…</think>` and its kin.
///
/// A closing tag without an opening one ends reasoning that began in the prompt; an opening tag
/// without a closing one means that the model never came to its answer.
pub fn without_reasoning(text: &str) -> Cow<'_, str> {
    if !text.contains('<') {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    let mut from = 0;
    let mut depth = 0_usize;
    let mut seen = false;
    for tag in TAG.captures_iter(text) {
        let (Some(whole), Some(slash)) = (tag.get(0), tag.get(1)) else {
            continue;
        };
        seen = true;
        if slash.is_empty() {
            if depth == 0 {
                kept.push_str(&text[from..whole.start()]);
            }
            depth += 1;
        } else if depth > 0 {
            depth -= 1;
        } else {
            kept.clear();
        }
        from = whole.end();
    }
    if !seen {
        return Cow::Borrowed(text);
    }
    if depth == 0 {
        kept.push_str(&text[from..]);
    }
    Cow::Owned(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_is_set_aside() {
        for (text, rest) in [
            ("plain", "plain"),
            ("<think>B?</think>Answer: C", "Answer: C"),
            ("Hm <THINK>x</THINK>A<think>y</think> B", "Hm A B"),
            ("it may be B</think>\nC", "\nC"),
            ("<think>never done, B", ""),
            ("<think>a<think>b</think>c</think>D", "D"),
        ] {
            assert_eq!(without_reasoning(text), rest, "{text}");
        }
    }
}
