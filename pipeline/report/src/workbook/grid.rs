//! Writing cells so that text is always text.

use rust_xlsxwriter::{Format, Worksheet, XlsxError};

use crate::visible::visible;

/// Characters that fit a cell.
const LONGEST: usize = 32_767;

/// Row and column, from 0.
#[derive(Clone, Copy)]
pub(super) struct Place {
    row: u32,
    column: u16,
}

impl Place {
    pub(super) const fn new(row: u32, column: u16) -> Self {
        Self { row, column }
    }
}

/// A worksheet being filled.
pub(super) struct Grid<'a> {
    worksheet: &'a mut Worksheet,
}

impl<'a> Grid<'a> {
    pub(super) fn new(worksheet: &'a mut Worksheet) -> Self {
        Self { worksheet }
    }

    pub(super) fn sheet(&mut self) -> &mut Worksheet {
        self.worksheet
    }

    /// Text, never a formula, nor one once it is edited.
    pub(super) fn text(
        &mut self,
        place: Place,
        text: &str,
        format: &Format,
    ) -> Result<(), XlsxError> {
        let text = shortened(visible(text));
        let Place { row, column } = place;
        if text.starts_with(['=', '+', '-', '@', '\t', '\n', '＝', '＋', '－', '＠']) {
            let format = format.clone().set_quote_prefix();
            self.worksheet
                .write_string_with_format(row, column, text, &format)?;
        } else if !text.is_empty() {
            self.worksheet
                .write_string_with_format(row, column, text, format)?;
        }
        Ok(())
    }

    pub(super) fn number(
        &mut self,
        place: Place,
        number: f64,
        format: &Format,
    ) -> Result<(), XlsxError> {
        self.worksheet
            .write_number_with_format(place.row, place.column, number, format)?;
        Ok(())
    }
}

/// Excel counts UTF-16 units.
fn shortened(text: String) -> String {
    if text.len() <= LONGEST || text.encode_utf16().count() <= LONGEST {
        return text;
    }
    let mut out = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += character.len_utf16();
        if used > LONGEST {
            break;
        }
        out.push(character);
    }
    out + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_too_long_for_a_cell_is_cut_between_characters() {
        let cut = shortened("👩".repeat(20_000));
        assert_eq!(cut.encode_utf16().count(), 32_767);
        assert!(cut.ends_with("👩…"));
        assert_eq!(shortened("a".repeat(32_767)).len(), 32_767);
    }
}
