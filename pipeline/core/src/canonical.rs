//! Canonical JSON (RFC 8785) and hashes over it.

use serde::Serialize;
use sha2::{Digest, Sha256};

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
    fn the_empty_hash_is_the_published_one() {
        assert_eq!(
            sha256_hex(b""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }
}
