//! Canonical JSON (RFC 8785) and hashes over it.

use std::cmp::Ordering;

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Integers up to here are the same text as 64-bit fractions, which is how canonical JSON sees numbers.
const LARGEST_EXACT: u64 = 1 << 53;

/// A value that has no JSON form, for example a map with non-text keys.
#[derive(Debug, thiserror::Error)]
#[error("write canonical JSON")]
pub struct CanonicalError(#[source] serde_json::Error);

/// Writes a value as canonical JSON: keys sorted, no insignificant white space.
///
/// # Errors
/// When the value has no JSON form.
pub fn to_canonical_json(value: &impl Serialize) -> Result<String, CanonicalError> {
    serde_json_canonicalizer::to_string(value).map_err(CanonicalError)
}

/// As [`to_canonical_json`] for a value that is JSON already, many times as fast: every case of a dataset
/// is hashed by it.
///
/// # Errors
/// Never for what [`serde_json`] has made.
pub fn canonical_value_json(value: &Value) -> Result<String, CanonicalError> {
    let mut written = Vec::new();
    write_value(&mut written, value).map_err(CanonicalError)?;
    String::from_utf8(written)
        .map_err(|error| CanonicalError(serde::ser::Error::custom(error.to_string())))
}

fn write_value(to: &mut Vec<u8>, value: &Value) -> Result<(), serde_json::Error> {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by(|(left, _), (right, _)| by_code_units(left, right));
            to.push(b'{');
            for (index, (name, value)) in fields.into_iter().enumerate() {
                if index > 0 {
                    to.push(b',');
                }
                serde_json::to_writer(&mut *to, name)?;
                to.push(b':');
                write_value(to, value)?;
            }
            to.push(b'}');
            Ok(())
        }
        Value::Array(items) => {
            to.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    to.push(b',');
                }
                write_value(to, item)?;
            }
            to.push(b']');
            Ok(())
        }
        Value::Number(number)
            if number
                .as_i64()
                .is_none_or(|number| number.unsigned_abs() > LARGEST_EXACT) =>
        {
            serde_json_canonicalizer::to_writer(number, to)
        }
        Value::Number(_) | Value::String(_) | Value::Bool(_) | Value::Null => {
            serde_json::to_writer(to, value)
        }
    }
}

/// Names are sorted by their UTF-16 code units.
fn by_code_units(left: &str, right: &str) -> Ordering {
    if left.is_ascii() && right.is_ascii() {
        return left.cmp(right);
    }
    left.encode_utf16().cmp(right.encode_utf16())
}

/// SHA-256 of the canonical JSON of a value, lowercase hexadecimal.
///
/// # Errors
/// When the value has no JSON form.
pub fn canonical_sha256(value: &impl Serialize) -> Result<String, CanonicalError> {
    Ok(sha256_hex(to_canonical_json(value)?.as_bytes()))
}

/// SHA-256 of bytes, lowercase hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// SHA-256 of texts that are not held together.
#[derive(Clone, Debug, Default)]
pub struct TextHasher(Sha256);

impl TextHasher {
    /// Adds a text, without anything between it and the last.
    pub fn add(&mut self, text: &str) {
        self.0.update(text.as_bytes());
    }

    /// Lowercase hexadecimal of the hash.
    pub fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

/// Lowercase hexadecimal of bytes.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| {
            [
                DIGITS[usize::from(byte >> 4)],
                DIGITS[usize::from(byte & 15)],
            ]
        })
        .map(char::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_order_does_not_change_the_hash() {
        let left = serde_json::json!({"b": [1, 2.5], "a": "文"});
        let right = serde_json::json!({"a": "文", "b": [1, 2.5]});
        assert_eq!(
            to_canonical_json(&left).unwrap(),
            r#"{"a":"文","b":[1,2.5]}"#
        );
        assert_eq!(
            canonical_sha256(&left).unwrap(),
            canonical_sha256(&right).unwrap()
        );
    }

    #[test]
    fn both_ways_write_the_same() {
        let text: String = (0..0x250).filter_map(char::from_u32).collect();
        let mut value = serde_json::json!({
            "numbers": [0, -1, 9_007_199_254_740_992_u64, 9_007_199_254_740_993_u64, u64::MAX, i64::MIN,
                0.1, -0.0, 1.0, 1e21, 1e-7, 5e-324, 1.797e308, 123_456_789.5],
            "": [true, false, null, [], {}, [[]], {"b": {"z": 1, "a": []}}],
            "\u{e000}": 1, "\u{1f912}": 2, "é": 3, "a\"\\\n/": 4, "a": 5, "Z": 6, "10": 7, "9": 8,
        });
        value["text"] = (text + "\u{2028}\u{7f}\u{ffff}\u{1f912}").into();
        for part in value.as_object().unwrap().values().chain([&value]) {
            assert_eq!(
                canonical_value_json(part).unwrap(),
                to_canonical_json(part).unwrap()
            );
        }
    }

    #[test]
    fn the_empty_hash_is_the_published_one() {
        let mut pieces = TextHasher::default();
        pieces.add("a");
        pieces.add("bc");
        assert_eq!(pieces.finish(), sha256_hex(b"abc"));
        assert_eq!(
            sha256_hex(b""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }
}
