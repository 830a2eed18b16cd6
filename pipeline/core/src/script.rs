//! Scripts of texts.

/// Whether a character belongs to a script written without spaces.
pub fn is_han(c: char) -> bool {
    matches!(u32::from(c), 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// Whether a text has more Han characters than words of other letters.
pub fn is_mostly_han(text: &str) -> bool {
    let (mut han, mut words, mut inside) = (0_usize, 0_usize, false);
    for c in text.chars() {
        let letter = c.is_alphabetic() && !is_han(c);
        han += usize::from(is_han(c));
        words += usize::from(letter && !inside);
        inside = letter;
    }
    han > words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_counts_as_much_as_a_word() {
        assert!(is_mostly_han("患者发热3天，CT未见异常"));
        assert!(is_mostly_han(
            "建议使用 amoxicillin 500mg 治疗 pneumonia 感染"
        ));
        assert!(!is_mostly_han("The 证 of the patient"));
        assert!(!is_mostly_han("12 %"));
    }
}
