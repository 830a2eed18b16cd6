//! Escapes that stand for no character.

use std::borrow::Cow;

/// Replaces every escape of a lone surrogate in JSON text (`"\ud83d"` without its partner) by the
/// escape of U+FFFD, which every parser accepts.
pub(super) fn replace_lone_surrogates(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let mut fixed = String::new();
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match escape(bytes, at) {
            Some(0xd800..=0xdbff) if matches!(escape(bytes, at + 6), Some(0xdc00..=0xdfff)) => {
                at += 12;
            }
            Some(0xd800..=0xdfff) => {
                fixed.push_str(&json[copied..at]);
                fixed.push_str("\\ufffd");
                at += 6;
                copied = at;
            }
            // Whatever is escaped is passed with its backslash, so that `\\ud800` stays text.
            _ => at += 2,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    fixed.push_str(&json[copied..]);
    Cow::Owned(fixed)
}

/// The code unit of a `\uXXXX` escape that starts at `at`.
fn escape(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lone_surrogates_are_replaced() {
        let table = [
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\uDE00 x""#, r#""\ufffd x""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""a\\ud83d""#, r#""a\\ud83d""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
            (r#""肺\ud83d炎""#, r#""肺\ufffd炎""#),
            (r#""\u0000""#, r#""\u0000""#),
            (r#""\ud8"#, r#""\ud8"#),
            ("\"\\", "\"\\"),
        ];
        for (json, expected) in table {
            assert_eq!(replace_lone_surrogates(json), expected, "{json}");
        }
    }
}
