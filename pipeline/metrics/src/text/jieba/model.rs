//! The hidden Markov model by which jieba finds words that are not in its dictionary.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::dictionary::TEXT;
use crate::text::embedded::section;

/// Position of a character in a word. The order decides between equally probable states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Begin,
    End,
    Middle,
    Single,
}

use State::{Begin, End, Middle, Single};

/// Logarithm of the probability of what cannot be, as jieba has it.
const IMPOSSIBLE: f64 = -3.14e100;

/// Logarithms of the probability of each state for the first character.
const START: [f64; 4] = [
    -0.262_686_608_092_500_16,
    IMPOSSIBLE,
    IMPOSSIBLE,
    -1.465_263_339_853_767_8,
];

/// The two states that may come before each state, and the logarithms of their probability.
const TRANSITIONS: [[(State, f64); 2]; 4] = [
    [
        (End, -0.589_714_973_685_451_3),
        (Single, -0.721_196_565_466_984_1),
    ],
    [
        (Begin, -0.510_825_623_765_990),
        (Middle, -0.333_448_568_119_485_14),
    ],
    [
        (Begin, -0.916_290_731_874_155),
        (Middle, -1.260_362_382_026_822_6),
    ],
    [
        (End, -0.808_525_047_466_993_7),
        (Single, -0.665_863_144_879_821_2),
    ],
];

static EMISSIONS: LazyLock<HashMap<char, [f64; 4]>> = LazyLock::new(|| {
    let mut emissions: HashMap<char, [f64; 4]> = HashMap::new();
    for (state, head) in ["=B", "=E", "=M", "=S"].into_iter().enumerate() {
        for line in section(&TEXT, head, &['=']) {
            let mut characters = line.chars();
            if let Some(character) = characters.next()
                && let Ok(value) = characters.as_str().trim_start().parse()
            {
                emissions.entry(character).or_insert([IMPOSSIBLE; 4])[state] = value;
            }
        }
    }
    emissions
});

/// Cuts a run of Chinese characters along the most probable states.
pub(super) fn cut<'text>(run: &'text str, words: &mut Vec<&'text str>) {
    let states = most_probable(run);
    let mut start = 0;
    let mut next = 0;
    for ((at, character), state) in run.char_indices().zip(states) {
        let end = at + character.len_utf8();
        match state {
            Begin => start = at,
            Middle => {}
            End => {
                words.push(&run[start..end]);
                next = end;
            }
            Single => {
                words.push(&run[at..end]);
                next = end;
            }
        }
    }
    if next < run.len() {
        words.push(&run[next..]);
    }
}

/// Viterbi's algorithm.
fn most_probable(run: &str) -> Vec<State> {
    let emission = |character| {
        EMISSIONS
            .get(&character)
            .copied()
            .unwrap_or([IMPOSSIBLE; 4])
    };
    let mut characters = run.chars();
    let Some(first) = characters.next() else {
        return Vec::new();
    };
    let first = emission(first);
    let mut values: [f64; 4] = std::array::from_fn(|state| START[state] + first[state]);
    let mut steps: Vec<[State; 4]> = Vec::new();
    for character in characters {
        let emission = emission(character);
        let chosen: [(f64, State); 4] = std::array::from_fn(|state| {
            let [one, other] = TRANSITIONS[state].map(|(before, transition)| {
                (
                    values[before as usize] + transition + emission[state],
                    before,
                )
            });
            if one.0 > other.0 { one } else { other }
        });
        values = chosen.map(|(value, _)| value);
        steps.push(chosen.map(|(_, before)| before));
    }
    let mut state = if values[End as usize] > values[Single as usize] {
        End
    } else {
        Single
    };
    let mut states = vec![state];
    for step in steps.iter().rev() {
        state = step[state as usize];
        states.push(state);
    }
    states.reverse();
    states
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_name() {
        let mut words = Vec::new();
        cut("杭研", &mut words);
        assert_eq!(words, ["杭研"]);
        assert_eq!(EMISSIONS.len(), 14_632);
    }
}
