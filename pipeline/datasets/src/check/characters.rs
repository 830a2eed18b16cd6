//! Characters that are not seen, and texts that nobody reads to their end.

use consilium_core::Case;
use serde_json::Value;

use super::finding::{Check, DatasetCheck};
use super::rows::for_each_text;
use crate::error::Place;

/// Size of a text beyond which most models cannot be asked and most metrics take minutes.
const LONG_BYTES: usize = 1 << 20;

/// Checks every text of a case: what is asked, the options, and what answers are compared with.
pub(super) fn check_characters(case: &Case, place: Place, found: &mut DatasetCheck) {
    for (field, value) in &case.view.input {
        check_value(case, field, value, place, found);
    }
    check_text(case, "id", &case.view.case_id, place, found);
    let labels = [&case.view.specialty, &case.view.prevalence];
    for label in labels
        .into_iter()
        .flatten()
        .chain(case.view.labels.values())
    {
        check_text(case, "labels", label, place, found);
    }
    for option in &case.view.options {
        check_text(case, "options", &option.text, place, found);
    }
    for gold in &case.gold {
        check_text(case, "gold", gold, place, found);
    }
    if let Some(reference) = &case.reference {
        check_text(case, "reference", reference, place, found);
    }
    let compared = case.gold.iter().chain(&case.reference);
    if compared.into_iter().any(|text| is_blank(text)) {
        let message = "the gold answer or the reference holds nothing that can be seen";
        let id = Some(case.view.case_id.as_ref());
        found.add(Check::BlankGold, Some(place), id, message);
    }
}

fn check_value(case: &Case, field: &str, value: &Value, place: Place, found: &mut DatasetCheck) {
    for_each_text(value, &mut |text| {
        check_text(case, field, text, place, found);
    });
}

fn check_text(case: &Case, field: &str, text: &str, place: Place, found: &mut DatasetCheck) {
    let id = Some(case.view.case_id.as_ref());
    let hidden = text.chars().filter(|c| is_hidden(*c)).count();
    if hidden > 0 {
        let message = format!(
            "`{field}` holds {hidden} characters that are not seen: control, zero-width or text-direction \
             characters"
        );
        found.add(Check::HiddenCharacters, Some(place), id, message);
    }
    if text.len() > LONG_BYTES {
        let message = format!(
            "`{field}` has {:.1} MB of text",
            text.len() as f64 / LONG_BYTES as f64
        );
        found.add(Check::LongText, Some(place), id, message);
    }
}

/// Joiners and marks of direction are left out: Persian, emoji and Hebrew are written with them. NUL and U+FFFD
/// are signs of damage.
fn is_hidden(c: char) -> bool {
    match c {
        '\0' | '\t' | '\n' | '\r' => false,
        // Without width, soft hyphens, invisible operators, fillers.
        '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{3164}' | '\u{feff}'
        // Embeddings, overrides and isolates of the direction of writing; ends of lines that few see.
        | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
        // Tags, in which text can be hidden.
        | '\u{e0000}'..='\u{e007f}' => true,
        _ => c.is_control(),
    }
}

fn is_blank(text: &str) -> bool {
    text.chars().all(|c| {
        let joins = matches!(c, '\0' | '\u{200c}'..='\u{200f}' | '\u{2800}');
        c.is_whitespace() || joins || is_hidden(c)
    })
}
