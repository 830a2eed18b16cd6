//! How simulated answers are worded.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Sentences that fit any case and name no answer; none begins with a word that reads as a letter.
const PROSE: [&str; 6] = [
    "The findings were weighed against the alternatives.",
    "History and examination point in the same direction.",
    "The course over time fits best.",
    "None of the remaining findings speaks against this.",
    "The most telling finding was given the greatest weight.",
    "This agrees with established practice.",
];

const PROSE_ZH: [&str; 6] = [
    "已将各项所见与其他可能逐一比较。",
    "病史与查体所见相互吻合。",
    "病程演变也支持这一判断思路。",
    "其余所见均不与之矛盾。",
    "其中最具提示意义的所见已予重点权衡。",
    "这与公认的诊疗常规相符。",
];

/// Endings of a reply in words; `{}` is the answer. All are forms models use.
const ENDINGS: [&str; 4] = [
    "Answer: {}",
    "The answer is {}.",
    "Answer: {}.",
    "Final answer: {}",
];

const ENDINGS_ZH: [&str; 4] = ["答案：{}", "答案是{}。", "答案：{}。", "答案为：{}"];

/// The language of a prompt, as far as wording needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// English, and all others.
    English,
    /// Chinese.
    Chinese,
}

impl Language {
    /// Chinese where at least every fifth character is a Han character.
    pub fn of(text: &str) -> Self {
        let (han, all) = text
            .chars()
            .filter(|character| !character.is_whitespace())
            .fold((0_usize, 0_usize), |(han, all), character| {
                (
                    han + usize::from(matches!(character, '\u{4e00}'..='\u{9fff}')),
                    all + 1,
                )
            });
        if han * 5 > all {
            Self::Chinese
        } else {
            Self::English
        }
    }
}

/// One sentence that says nothing.
pub(crate) fn prose(language: Language, random: &mut ChaCha8Rng) -> String {
    let sentences = match language {
        Language::English => &PROSE,
        Language::Chinese => &PROSE_ZH,
    };
    sentences[random.random_range(0..sentences.len())].to_owned()
}

/// Sentences that say nothing, at least `bytes` of them in length.
pub fn prose_of(language: Language, bytes: usize, random: &mut ChaCha8Rng) -> String {
    let mut text = prose(language, random);
    while text.len() < bytes {
        if language == Language::English {
            text.push(' ');
        }
        text.push_str(&prose(language, random));
    }
    text
}

/// A reply in words that ends with the answer, after `bytes` bytes of prose or more.
pub fn reply(language: Language, answer: &str, bytes: usize, random: &mut ChaCha8Rng) -> String {
    // Some models answer with the bare answer.
    if bytes == 0 && random.random_range(0..5) == 0 {
        return answer.to_owned();
    }
    let endings = match language {
        Language::English => &ENDINGS,
        Language::Chinese => &ENDINGS_ZH,
    };
    let is_letter = answer.chars().count() == 1;
    let worded = if is_letter && random.random() {
        format!("({answer})")
    } else {
        answer.to_owned()
    };
    let mut ending = endings[random.random_range(0..endings.len())].replace("{}", &worded);
    // Prose ends with its own full stop.
    for stop in ['.', '。'] {
        if worded.ends_with(stop) && ending.ends_with(&format!("{stop}{stop}")) {
            ending.pop();
        }
    }
    format!("{}\n{ending}", prose_of(language, bytes, random))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn replies_hold_their_answer_last() {
        for (language, answer) in [(Language::English, "B"), (Language::Chinese, "脾肾阳虚证")]
        {
            for seed in 0..50 {
                let mut random = ChaCha8Rng::seed_from_u64(seed);
                let text = reply(language, answer, 0, &mut random);
                assert!(text.lines().last().unwrap().contains(answer), "{text}");
                assert_eq!(text.matches(answer).count(), 1, "{text}");
            }
        }
    }

    #[test]
    fn replies_are_as_long_as_asked() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let text = reply(Language::English, "maybe", 3000, &mut random);
        assert!((3000..3200).contains(&text.len()));
    }

    #[test]
    fn the_language_is_that_of_the_prompt() {
        assert_eq!(Language::of("患者男，60岁，CT 示 GGO。"), Language::Chinese);
        assert_eq!(Language::of("Which is right? (肺)"), Language::English);
    }
}
