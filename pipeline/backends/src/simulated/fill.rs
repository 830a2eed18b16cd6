//! Seeded values that satisfy a JSON Schema.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, Value, json};

/// How deep a value may nest; deeper parts of recursive schemas become null.
const DEEPEST: u32 = 12;

/// Items of an array whose length is free.
const USUAL_ITEMS: u64 = 2;

/// Builds values for one schema document.
pub struct Filler<'a> {
    root: &'a Value,
    random: &'a mut ChaCha8Rng,
    /// Writes a free text.
    prose: &'a mut dyn FnMut(&mut ChaCha8Rng) -> String,
}

impl<'a> Filler<'a> {
    /// A filler for a schema; `prose` writes the free texts.
    pub fn new(
        root: &'a Value,
        random: &'a mut ChaCha8Rng,
        prose: &'a mut dyn FnMut(&mut ChaCha8Rng) -> String,
    ) -> Self {
        Self {
            root,
            random,
            prose,
        }
    }

    /// A value for the whole schema, with `answer` in the property `answer_field`.
    ///
    /// Where the answer does not fit the property's schema, as with a judge's grade, the property
    /// is filled like any other.
    pub fn with_answer(mut self, answer_field: &str, answers: &[String]) -> Value {
        let root = self.root;
        let mut value = self.value(root, 0);
        let property = resolve(root, root)
            .get("properties")
            .and_then(|properties| properties.get(answer_field));
        if let (Some(property), Value::Object(fields)) = (property, &mut value) {
            let answer = self.answer(property, answers);
            let filled = match answer {
                Some(answer) => answer,
                None => match fields.remove(answer_field) {
                    Some(filled) => filled,
                    None => self.value(property, 1),
                },
            };
            fields.insert(answer_field.to_owned(), filled);
        }
        value
    }

    /// A value for the whole schema, with a verdict in the property `answer_field`.
    pub fn with_verdict(mut self, answer_field: &str, verdict: bool) -> Value {
        let root = self.root;
        let mut value = self.value(root, 0);
        if let Value::Object(fields) = &mut value {
            fields.insert(answer_field.to_owned(), Value::Bool(verdict));
        }
        value
    }

    /// The answers in the form of a property: the first as a text, or all as a list.
    fn answer(&mut self, schema: &Value, answers: &[String]) -> Option<Value> {
        let schema = resolve(self.root, schema).clone();
        let first = answers.first()?;
        if let Some(Value::Array(allowed)) = schema.get("enum") {
            return allowed
                .iter()
                .find(|value| value.as_str().is_some_and(|text| same(text, first)))
                .cloned();
        }
        match type_of(&schema) {
            "string" => Some(Value::String(limited(first.clone(), &schema))),
            "array" => {
                let items = schema
                    .get("items")
                    .cloned()
                    .unwrap_or_else(|| json!({"type": "string"}));
                let most = limit(&schema, "maxItems").unwrap_or(u64::MAX);
                let least = limit(&schema, "minItems").unwrap_or(1);
                let wanted = usize::try_from(least.max(USUAL_ITEMS).min(most)).ok()?;
                let list = answers.iter().cycle().take(wanted);
                list.map(|answer| self.answer(&items, std::slice::from_ref(answer)))
                    .collect()
            }
            "object" => self.answer_in_object(&schema, first),
            _ => None,
        }
    }

    fn answer_in_object(&mut self, schema: &Value, answer: &str) -> Option<Value> {
        const LIKELY: [&str; 6] = ["answer", "diagnosis", "disease", "label", "name", "text"];
        let properties = schema.get("properties")?.as_object()?;
        let field = LIKELY
            .into_iter()
            .find(|name| properties.contains_key(*name))
            .or_else(|| properties.keys().map(String::as_str).next())?
            .to_owned();
        let mut value = self.value(schema, 1);
        let inner = self.answer(&properties[&field], &[answer.to_owned()])?;
        value.as_object_mut()?.insert(field, inner);
        Some(value)
    }

    fn value(&mut self, schema: &Value, depth: u32) -> Value {
        let schema = resolve(self.root, schema);
        if depth > DEEPEST {
            return Value::Null;
        }
        if let Some(only) = schema.get("const") {
            return only.clone();
        }
        if let Some(Value::Array(allowed)) = schema.get("enum")
            && !allowed.is_empty()
        {
            return allowed[self.random.random_range(0..allowed.len())].clone();
        }
        for union in ["anyOf", "oneOf"] {
            if let Some(Value::Array(choices)) = schema.get(union)
                && let Some(first) = choices.first()
            {
                return self.value(first, depth + 1);
            }
        }
        match type_of(schema) {
            "object" => self.object(schema, depth),
            "array" => self.array(schema, depth),
            "string" => self.text(schema),
            "integer" => self.integer(schema),
            "number" => self.number(schema),
            "boolean" => Value::Bool(self.random.random()),
            _ => Value::Null,
        }
    }

    fn object(&mut self, schema: &Value, depth: u32) -> Value {
        let Some(Value::Object(properties)) = schema.get("properties") else {
            return json!({});
        };
        let required = schema.get("required").and_then(Value::as_array);
        let mut fields = Map::new();
        for (name, property) in properties {
            let wanted = required.is_none_or(|names| names.iter().any(|it| it == name));
            if wanted {
                fields.insert(name.clone(), self.value(property, depth + 1));
            }
        }
        Value::Object(fields)
    }

    fn array(&mut self, schema: &Value, depth: u32) -> Value {
        let mut items: Vec<Value> = Vec::new();
        if let Some(Value::Array(heads)) = schema.get("prefixItems") {
            items.extend(heads.iter().map(|head| self.value(head, depth + 1)));
        }
        let least = limit(schema, "minItems").unwrap_or(0);
        let most = limit(schema, "maxItems").unwrap_or(u64::MAX);
        let wanted = least.max(USUAL_ITEMS).min(most);
        if let Some(item) = schema.get("items").filter(|item| item.is_object()) {
            while (items.len() as u64) < wanted {
                items.push(self.value(item, depth + 1));
            }
        }
        Value::Array(items)
    }

    fn text(&mut self, schema: &Value) -> Value {
        let mut text = (self.prose)(self.random);
        let least = limit(schema, "minLength").unwrap_or(0);
        while (text.chars().count() as u64) < least {
            text.push(' ');
            text.push_str(&(self.prose)(self.random));
        }
        Value::String(limited(text, schema))
    }

    fn integer(&mut self, schema: &Value) -> Value {
        let step = schema
            .get("multipleOf")
            .and_then(Value::as_i64)
            .unwrap_or(1)
            .max(1);
        let bound = |name: &str| schema.get(name).and_then(whole_number);
        let exclusive_low = bound("exclusiveMinimum").map(|low| low + 1);
        let exclusive_high = bound("exclusiveMaximum").map(|high| high - 1);
        let low = bound("minimum").max(exclusive_low);
        let high = match (bound("maximum"), exclusive_high) {
            (Some(left), Some(right)) => Some(left.min(right)),
            (left, right) => left.or(right),
        };
        let (low, high) = match (low, high) {
            (Some(low), Some(high)) => (low, high.max(low)),
            (Some(low), None) => (low, low.saturating_add(10 * step)),
            (None, Some(high)) => (high.saturating_sub(10 * step), high),
            (None, None) => (0, 10 * step),
        };
        let first = low.div_euclid(step) + i64::from(low.rem_euclid(step) != 0);
        let last = high.div_euclid(step).max(first);
        json!(self.random.random_range(first..=last) * step)
    }

    fn number(&mut self, schema: &Value) -> Value {
        let bound = |names: [&str; 2]| {
            names
                .into_iter()
                .find_map(|name| schema.get(name).and_then(Value::as_f64))
        };
        let low = bound(["minimum", "exclusiveMinimum"]);
        let high = bound(["maximum", "exclusiveMaximum"]);
        let (low, high) = match (low, high) {
            (Some(low), Some(high)) => (low, high.max(low)),
            (Some(low), None) => (low, low + 1.0),
            (None, Some(high)) => (high - 1.0, high),
            (None, None) => (0.0, 1.0),
        };
        // Two decimals, as people and models write; kept off the ends, which may be exclusive.
        let share = f64::from(self.random.random_range(1_u32..100)) / 100.0;
        json!((high - low).mul_add(share, low))
    }
}

/// Follows references into the document itself.
fn resolve<'v>(root: &'v Value, schema: &'v Value) -> &'v Value {
    let mut schema = schema;
    for _ in 0..DEEPEST {
        let target = schema
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| reference.strip_prefix('#'))
            .and_then(|pointer| root.pointer(pointer));
        match target {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}

/// The type of a schema, guessed from its keywords where it is not said; of several, the first.
fn type_of(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(name)) => name,
        Some(Value::Array(names)) => names.first().and_then(Value::as_str).unwrap_or("null"),
        _ if schema.get("properties").is_some() => "object",
        _ if schema.get("items").is_some() => "array",
        _ => "string",
    }
}

fn limit(schema: &Value, name: &str) -> Option<u64> {
    schema.get(name).and_then(Value::as_u64)
}

fn whole_number(value: &Value) -> Option<i64> {
    value
        .as_i64()
        .or_else(|| value.as_f64()?.ceil().to_string().parse().ok())
}

fn limited(text: String, schema: &Value) -> String {
    match limit(schema, "maxLength").and_then(|most| usize::try_from(most).ok()) {
        Some(most) => text.chars().take(most).collect(),
        None => text,
    }
}

fn same(left: &str, right: &str) -> bool {
    left.to_lowercase() == right.to_lowercase()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn filled(schema: &Value, seed: u64, answers: &[&str]) -> Value {
        let answers: Vec<String> = answers.iter().map(|&answer| answer.to_owned()).collect();
        let mut prose = |_: &mut ChaCha8Rng| "The findings agree.".to_owned();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        Filler::new(schema, &mut random, &mut prose).with_answer("answer", &answers)
    }

    #[test]
    fn values_satisfy_their_schema() {
        let schemas = [
            json!({"type": "object", "required": ["answer", "rationale"], "additionalProperties": false,
                "properties": {"answer": {"enum": ["A", "B"]}, "rationale": {"type": "string", "minLength": 50},
                               "optional": {"type": "string"}}}),
            json!({"type": "object", "required": ["answer", "n", "x", "flag", "none", "either"],
                "properties": {"answer": {"type": "string", "maxLength": 3},
                    "n": {"type": "integer", "minimum": 3, "exclusiveMaximum": 12, "multipleOf": 5},
                    "x": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
                    "flag": {"type": "boolean"}, "none": {"type": "null"},
                    "either": {"anyOf": [{"type": "integer", "maximum": -3}, {"type": "null"}]}}}),
            json!({"$defs": {"one": {"type": "object", "required": ["diagnosis", "rank"],
                    "properties": {"diagnosis": {"type": "string"}, "rank": {"type": "integer", "minimum": 1}}}},
                "type": "object", "required": ["answer", "pair"],
                "properties": {"answer": {"type": "array", "minItems": 5, "maxItems": 5, "items": {"$ref": "#/$defs/one"}},
                    "pair": {"prefixItems": [{"const": "x"}, {"type": ["string", "null"]}], "type": "array"}}}),
            json!({"type": "object", "required": ["answer"], "properties": {"answer": {"type": "integer", "minimum": 1, "maximum": 5}}}),
        ];
        for schema in schemas {
            let validator = jsonschema::validator_for(&schema).unwrap();
            for seed in 0..50 {
                let value = filled(&schema, seed, &["b", "x"]);
                assert!(validator.is_valid(&value), "{value}\n{schema}");
                assert_eq!(value, filled(&schema, seed, &["b", "x"]));
            }
        }
    }

    #[test]
    fn the_answer_is_where_it_belongs() {
        let text = json!({"properties": {"answer": {"type": "string"}, "why": {"type": "string"}}});
        assert_eq!(
            filled(&text, 1, &["gout"]),
            json!({"answer": "gout", "why": "The findings agree."})
        );
        let listed = json!({"properties": {"answer": {"type": "array", "minItems": 3,
            "items": {"properties": {"name": {"type": "string"}}}}}});
        assert_eq!(
            filled(&listed, 1, &["gout", "lupus"])["answer"],
            json!([{"name": "gout"}, {"name": "lupus"}, {"name": "gout"}])
        );
        let cased = json!({"properties": {"answer": {"enum": ["Yes", "No"]}}});
        assert_eq!(filled(&cased, 1, &["yes"])["answer"], "Yes");
        let optional = json!({"required": [], "properties": {"answer": {"type": "string"}}});
        assert_eq!(filled(&optional, 1, &["gout"]), json!({"answer": "gout"}));
    }

    #[test]
    fn recursion_ends() {
        let schema = json!({"type": "object", "required": ["child"],
            "properties": {"child": {"$ref": "#"}}});
        assert!(filled(&schema, 1, &["x"]).is_object());
        let loops = json!({"$ref": "#"});
        assert!(filled(&loops, 1, &["x"]).is_string());
    }
}
