//! Provider messages without case text and keys.

use std::sync::LazyLock;

use regex::Regex;

use crate::ChatRequest;

/// Longest message kept, characters.
const LONGEST_MESSAGE: usize = 300;

/// How much of a provider's message is looked at, characters.
const LONGEST_INPUT: usize = 2_000;

/// Characters in a row that count as an echo of the prompt; scripts without spaces say more per
/// character.
const ECHO_LENGTH: usize = 16;
const ECHO_LENGTH_WIDE: usize = 6;

/// Shortens a provider's message and takes out whatever it repeats of the prompt, and keys.
pub(super) fn redacted(message: &str, request: Option<&ChatRequest>, key: Option<&str>) -> String {
    let mut text: String = message.chars().take(LONGEST_INPUT).collect();
    if let Some(key) = key {
        text = text.replace(key, "[key]");
    }
    if let Some(keys) = LOOKS_LIKE_A_KEY.as_ref() {
        text = keys.replace_all(&text, "[key]").into_owned();
    }
    if let Some(request) = request {
        text = without_echoes(&text, request);
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

static LOOKS_LIKE_A_KEY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(sk|pk|rk|gsk|xai|key)[-_][\w*.\-]{6,}|\bbearer\s+\S+").ok()
});

fn without_echoes(text: &str, request: &ChatRequest) -> String {
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    let mut echoed = vec![false; characters.len()];
    for message in &request.messages {
        let prompt = message.content.trim();
        let whole = prompt.chars().count();
        if whole < 3 {
            continue;
        }
        for start in 0..characters.len() {
            let wide = !characters[start].1.is_ascii();
            let length = if wide { ECHO_LENGTH_WIDE } else { ECHO_LENGTH }.min(whole);
            let Some(end) = start
                .checked_add(length)
                .filter(|end| *end <= characters.len())
            else {
                continue;
            };
            let from = characters[start].0;
            let to = characters
                .get(end)
                .map_or(text.len(), |(offset, _)| *offset);
            if prompt.contains(&text[from..to]) {
                echoed[start..end].fill(true);
            }
        }
    }
    let mut kept = String::with_capacity(text.len());
    let mut inside = false;
    for ((_, character), echo) in characters.into_iter().zip(echoed) {
        if !echo {
            kept.push(character);
        } else if !inside {
            kept.push_str("[prompt]");
        }
        inside = echo;
    }
    kept
}

#[cfg(test)]
mod tests {
    use consilium_core::study::GenerationSpec;

    use super::*;
    use crate::Message;

    fn request(prompt: &str) -> ChatRequest {
        ChatRequest {
            model: "m".to_owned(),
            messages: vec![Message::user(prompt)],
            generation: GenerationSpec::default(),
            seed: None,
            schema: None,
        }
    }

    #[test]
    fn echoes_of_the_prompt_are_taken_out() {
        let prompt = "A 54-year-old woman with dyspnoea.\nWhich is right?";
        let message = "invalid input 'A 54-year-old woman with dyspnoea.\\nWhich is right?' at 3";
        let kept = redacted(message, Some(&request(prompt)), None);
        assert!(
            !kept.contains("54-year-old") && !kept.contains("dyspnoea"),
            "{kept}"
        );
        assert!(kept.starts_with("invalid input '[prompt]"), "{kept}");

        let chinese = redacted(
            "内容 “患者男性六十岁，咳嗽三天” 不合规",
            Some(&request("患者男性六十岁，咳嗽三天。")),
            None,
        );
        assert_eq!(chinese, "内容 “[prompt]” 不合规");
        assert_eq!(
            redacted("bad: gout", Some(&request("gout")), None),
            "bad: [prompt]"
        );
    }

    #[test]
    fn keys_are_taken_out() {
        let kept = redacted(
            "Incorrect API key provided: sk-abc*****wxyz; mine is hunter22.",
            None,
            Some("hunter22"),
        );
        assert_eq!(kept, "Incorrect API key provided: [key]; mine is [key].");
    }

    #[test]
    fn messages_are_shortened_between_characters() {
        let kept = redacted(&"肺".repeat(5000), None, None);
        assert_eq!(kept.chars().count(), 301);
    }
}
