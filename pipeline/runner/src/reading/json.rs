//! JSON objects inside free text.

use serde_json::{Map, Value};

/// Places tried at most, so that text full of braces costs linear time.
const MAX_PLACES: usize = 64;

/// The JSON objects of a text in order of appearance, outermost only; fences need no care, since
/// an object is found by its brace.
pub fn json_objects(text: &str) -> Vec<Map<String, Value>> {
    let mut objects = Vec::new();
    let mut from = 0;
    for _ in 0..MAX_PLACES {
        let Some(start) = text[from..].find('{').map(|offset| from + offset) else {
            break;
        };
        let mut stream =
            serde_json::Deserializer::from_str(&text[start..]).into_iter::<Map<String, Value>>();
        if let Some(Ok(object)) = stream.next() {
            from = start + stream.byte_offset();
            objects.push(object);
        } else {
            from = start + 1;
        }
    }
    objects
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(text: &str) -> Vec<String> {
        json_objects(text)
            .iter()
            .map(|object| object["a"].to_string())
            .collect()
    }

    #[test]
    fn objects_are_found_in_prose_and_fences() {
        assert_eq!(answers(r#"Sure {ok} {"a": 1}"#), ["1"]);
        assert_eq!(
            answers("```json\n{\"a\": {\"b\": \"}\"}}\n```\n{\"a\":2} tail"),
            [r#"{"b":"}"}"#, "2"]
        );
        assert!(json_objects(r#"{"a": "cut"#).is_empty());
    }

    #[test]
    fn a_wall_of_braces_is_given_up() {
        assert!(json_objects(&"{".repeat(100_000)).is_empty());
    }
}
