//! The answers a prompt offers, where no answer key is at hand.

use std::sync::LazyLock;

use regex::Regex;

/// Lettered options at the start of lines: `A. …`, `(B) …`, `C、…`.
static LETTERED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^[ \t]*\(?([A-Z])[.):、．：][ \t]*\S").ok());

/// Labels in a list: `- yes`, `- no: meaning`.
static LISTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^[ \t]*[-*•][ \t]+([^:：\n]{1,60}?)[ \t]*(?:[:：].*)?$").ok()
});

/// The letters or labels a prompt offers, in order; empty for open questions.
pub(crate) fn offered(prompt: &str) -> Vec<String> {
    let all = |pattern: &LazyLock<Option<Regex>>| -> Vec<String> {
        let found = pattern
            .as_ref()
            .into_iter()
            .flat_map(|it| it.captures_iter(prompt));
        found
            .filter_map(|it| Some(it.get(1)?.as_str().to_owned()))
            .collect()
    };
    let letters = all(&LETTERED);
    // The options come last and start with A; a lone initial earlier in the text is none.
    let options = match letters.iter().rposition(|letter| letter == "A") {
        Some(first) if letters.len() > first + 1 => letters[first..].to_vec(),
        _ => all(&LISTED),
    };
    if options.len() > 1 {
        options
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_labels_are_found() {
        assert_eq!(
            offered("Case.\n\nOptions:\nA. gout\nB. lupus\nC. none\n"),
            ["A", "B", "C"]
        );
        assert_eq!(offered("选项：\n(A) 肺炎\n(B) 哮喘"), ["A", "B"]);
        assert_eq!(
            offered("Labels:\n- yes\n- no\n- maybe: not sure\n"),
            ["yes", "no", "maybe"]
        );
        assert_eq!(
            offered("可选类别：\n- 脾虚证\n- 肾虚证"),
            ["脾虚证", "肾虚证"]
        );
        assert!(offered("What is it? A. Smith asks.").is_empty());
        assert!(offered("").is_empty());
    }
}
