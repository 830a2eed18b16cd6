//! Where an answer concludes.

/// How much of a long answer is read. Models that loop repeat themselves without end, and reading
/// repeated statements takes time with the square of their number.
const CONCLUSION_BYTES: usize = 8 * 1024;

/// The end of an answer, where it concludes: all of it up to 8 KiB, else what follows the first
/// line break, full stop or space of its last 8 KiB.
pub(super) fn conclusion(answer: &str) -> &str {
    if answer.len() <= CONCLUSION_BYTES {
        return answer;
    }
    let mut start = answer.len() - CONCLUSION_BYTES;
    while !answer.is_char_boundary(start) {
        start += 1;
    }
    let end = &answer[start..];
    let at = |separator: &str| end.find(separator).map(|place| place + separator.len());
    // A statement that is cut in two could say the opposite of the whole.
    at("\n")
        .or_else(|| at(". "))
        .or_else(|| at("。"))
        .or_else(|| at(" "))
        .map_or("", |place| &end[place..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_answers_are_read_whole_and_long_ones_from_a_break() {
        assert_eq!(conclusion("Answer: B"), "Answer: B");
        let long = format!("{}\nAnswer: C", "证".repeat(4000));
        assert_eq!(conclusion(&long), "Answer: C");
        assert_eq!(conclusion(&"证".repeat(4000)), "");
        let looping = "the answer is B, ".repeat(4000);
        assert!(conclusion(&looping).starts_with("answer is B"));
    }
}
