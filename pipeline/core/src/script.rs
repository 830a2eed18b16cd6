//! Scripts of texts.

/// Whether a character belongs to a script written without spaces.
pub fn is_han(c: char) -> bool {
    matches!(u32::from(c), 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// Whether most letters of a text are Han characters.
pub fn is_mostly_han(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let (han, all) = letters.fold((0_usize, 0_usize), |(han, all), c| {
        (han + usize::from(is_han(c)), all + 1)
    });
    han * 2 > all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_letters_decide() {
        assert!(is_mostly_han("患者发热3天，CT未见异常"));
        assert!(!is_mostly_han("The 证 of the patient"));
        assert!(!is_mostly_han("12 %"));
    }
}
