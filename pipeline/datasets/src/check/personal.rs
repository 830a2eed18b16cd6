//! What looks like personal data, by kind and place. Hints for somebody who may see the text: none
//! of the patterns proves anything, and none is complete.

use std::sync::LazyLock;

use regex::Regex;

/// A pattern with the words that name its kind.
struct Pattern {
    kind: &'static str,
    /// Whether a text can match at all: spares the patterns nearly every text.
    possible: fn(&str) -> bool,
    regex: Regex,
    accept: fn(&str) -> bool,
}

fn any(_: &str) -> bool {
    true
}

fn has_at_sign(text: &str) -> bool {
    text.contains('@')
}

/// Seven digits make the shortest number of a person.
fn has_many_digits(text: &str) -> bool {
    text.bytes().filter(u8::is_ascii_digit).nth(6).is_some()
}

fn has_some_digits(text: &str) -> bool {
    text.bytes().filter(u8::is_ascii_digit).nth(3).is_some()
}

fn has_address(text: &str) -> bool {
    const FORMS: [&str; 9] = [
        "Mr", "Ms", "Miss", "Mme", "Herr", "Frau", "Señor", "先生", "女士",
    ];
    FORMS.iter().any(|form| text.contains(form)) || text.contains("小姐")
}

/// ISO 7064 MOD 11-2, the check digit of Chinese identity numbers.
fn identity_check(number: &str) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    const CHECK: &[u8; 11] = b"10X98765432";
    let bytes = number.as_bytes();
    let Some((last, digits)) = bytes.split_last() else {
        return false;
    };
    let sum: u32 = digits
        .iter()
        .zip(WEIGHTS)
        .map(|(digit, weight)| u32::from(digit.wrapping_sub(b'0')) * weight)
        .sum();
    digits.len() == WEIGHTS.len()
        && CHECK.get((sum % 11) as usize) == Some(&last.to_ascii_uppercase())
}

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let date = r"(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}\.? ?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? ?\d{4}|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{1,2},? \d{4}|\d{4}年\d{1,2}月)";
    [
        (
            "an e-mail address",
            has_at_sign as fn(&str) -> bool,
            r"(?-u:\b)[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}".to_owned(),
            any as fn(&str) -> bool,
        ),
        (
            "a telephone number",
            has_many_digits,
            r"(?:\+\d{1,3}[ .-]?\(?\d{1,4}\)?(?:[ .-]?\d{2,4}){2,4}|(?:\(\d{3}\) ?|(?-u:\b)\d{3}[.-])\d{3}[.-]\d{4}(?-u:\b)|(?-u:\b)1[3-9]\d{9}(?-u:\b))"
                .to_owned(),
            any,
        ),
        (
            "a social security number",
            has_many_digits,
            r"(?-u:\b)\d{3}-\d{2}-\d{4}(?-u:\b)".to_owned(),
            any,
        ),
        (
            "an identity number",
            has_many_digits,
            r"(?-u:\b)\d{17}[0-9Xx](?-u:\b)".to_owned(),
            identity_check,
        ),
        (
            "a record number",
            has_some_digits,
            r"(?i)(?:(?-u:\b)MRN|medical record (?:no\.?|number)|(?-u:\b)patient id|住院号|病案号|门诊号|身份证号?)[\s:：#]{0,4}[A-Z]{0,3}-?\d{4,}"
                .to_owned(),
            any,
        ),
        (
            "a date of birth",
            has_some_digits,
            format!(
                r"(?i:(?-u:\b)dob(?-u:\b)|date of birth|(?-u:\b)born on|出生日期|出生于|生于)[\s:：]{{0,3}}(?:is |was )?{date}"
            ),
            any,
        ),
        (
            "a name after a form of address",
            has_address,
            r"(?:(?-u:\b)(?:Mr|Mrs|Ms|Miss|Herr|Frau|Señora?|Mme)\.? ?\p{Lu}\p{Ll}+|[王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文](?:先生|女士|小姐))"
                .to_owned(),
            any,
        ),
    ]
    .into_iter()
    .filter_map(|(kind, possible, pattern, accept)| {
        // Each pattern is compiled by the test below.
        Some(Pattern {
            kind,
            possible,
            regex: Regex::new(&pattern).ok()?,
            accept,
        })
    })
    .collect()
});

/// Kinds that occur in a text, each with the character at which it first does, from 1.
pub(super) fn hints(text: &str) -> Vec<(&'static str, usize)> {
    PATTERNS
        .iter()
        .filter(|known| (known.possible)(text))
        .filter_map(|known| {
            let found = known
                .regex
                .find_iter(text)
                .find(|found| (known.accept)(found.as_str()))?;
            Some((known.kind, text[..found.start()].chars().count() + 1))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_finds_its_kind() {
        assert_eq!(PATTERNS.len(), 7);
        for (text, kind) in [
            ("write to a.b+c@ward-3.example.org", "an e-mail address"),
            ("call (555) 010-4477", "a telephone number"),
            ("电话13812345678。", "a telephone number"),
            ("at +44 20 7946 0958", "a telephone number"),
            ("SSN 078-05-1120", "a social security number"),
            ("证11010519491231002X", "an identity number"),
            ("MRN: 0012345", "a record number"),
            ("住院号：123456", "a record number"),
            ("DOB 03/04/1960", "a date of birth"),
            ("born on March 4, 1960", "a date of birth"),
            ("出生日期：1960年3月", "a date of birth"),
            ("Mrs. Alvarez says", "a name after a form of address"),
            ("姜先生", "a name after a form of address"),
        ] {
            let kinds: Vec<&str> = hints(text).into_iter().map(|(kind, _)| kind).collect();
            assert_eq!(kinds, [kind], "{text}");
        }
    }

    #[test]
    fn findings_of_medicine_are_none() {
        for text in [
            "A 35-year-old woman, pH 7.35, Na+ 140 mEq/L, BP 120/80 mmHg, 9,100/mm3",
            "She was born at 39 weeks; the birth weight was 3200 g.",
            "12-15-2020 lab: 4.5-11.0",
            "number 110105194912310021 fails its check digit",
            "这位先生和那位女士",
        ] {
            assert_eq!(hints(text), [], "{text}");
        }
    }

    #[test]
    fn the_place_counts_characters() {
        assert_eq!(hints("文文 a@b.org"), [("an e-mail address", 4)]);
    }
}
