//! One JSON array of objects, or one object of objects.

use std::io::BufRead;

use serde::de::{Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{Place, SourceError, SourceRow, SourceRows, json_problem, object_of};

/// The rows of a JSON document, read whole.
pub(super) fn read(mut reader: Box<dyn BufRead + Send>) -> Result<SourceRows, SourceError> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let line = count_lines(&error.as_bytes()[..valid]);
            return Err(SourceError::Format(format!(
                "line {line}: not UTF-8; convert the file, for example with iconv"
            )));
        }
    };
    if text.trim().is_empty() {
        return Ok(Box::new(std::iter::empty()));
    }
    let entries = {
        let mut deserializer = serde_json::Deserializer::from_str(&text);
        let entries = deserializer
            .deserialize_any(EntriesVisitor)
            .and_then(|entries| {
                deserializer.end()?;
                Ok(entries)
            });
        entries.map_err(|error| {
            SourceError::Format(format!(
                "line {}, column {}: {}",
                error.line(),
                error.column(),
                json_problem(&error)
            ))
        })?
    };
    let mut rows = Vec::with_capacity(entries.len());
    let (mut line, mut counted) = (1, 0);
    for (key, raw) in entries {
        // The raw value is a slice of `text`: the distance between them is its offset.
        let offset = raw.get().as_ptr().addr() - text.as_ptr().addr();
        line += newlines(&text.as_bytes()[counted..offset]);
        counted = offset;
        let place = Place::Line(line);
        rows.push(Ok(object_of(raw.get().as_bytes())
            .map(|fields| SourceRow { place, key, fields })
            .map_err(|error| (place, error))));
    }
    Ok(Box::new(rows.into_iter()))
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

fn count_lines(bytes: &[u8]) -> u64 {
    1 + newlines(bytes)
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Vec<(Option<String>, &'de RawValue)>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a JSON array of objects or a JSON object of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(raw) = access.next_element()? {
            entries.push((None, raw));
        }
        Ok(entries)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, raw)) = access.next_entry::<String, _>()? {
            entries.push((Some(key), raw));
        }
        Ok(entries)
    }
}
