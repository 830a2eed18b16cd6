//! Right and wrong answers.

use consilium_core::AnswerForm;
use consilium_core::study::{AccuracyRule, SimulatedAccuracy};
use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

use super::phrase::Language;
use crate::SimulatedCase;

/// Share of right answers where the study says nothing.
pub(super) const DEFAULT_ACCURACY: f64 = 0.5;

/// Diagnoses that fit no case well.
const WRONG_DISEASES: [&str; 5] = [
    "unspecified functional disorder",
    "nonspecific viral syndrome",
    "idiopathic pain syndrome",
    "unspecified metabolic disturbance",
    "transient adjustment disorder",
];

const WRONG_DISEASES_ZH: [&str; 5] = [
    "未特指的功能紊乱",
    "非特异性病毒感染",
    "特发性疼痛综合征",
    "未特指的代谢紊乱",
    "一过性适应障碍",
];

const WRONG_TEXT: &str = "No specific measure is needed; the complaint can be observed.";
const WRONG_TEXT_ZH: &str = "暂不需要特殊处理，可先行观察。";

/// The share of right answers for a case; the first rule whose conditions all hold decides.
pub(super) fn accuracy(
    setting: Option<&SimulatedAccuracy>,
    system: &str,
    case: &SimulatedCase,
) -> f64 {
    match setting {
        None => DEFAULT_ACCURACY,
        Some(SimulatedAccuracy::Everywhere(value)) => *value,
        Some(SimulatedAccuracy::Rules(rules)) => rules
            .iter()
            .find(|rule| applies(rule, system, case))
            .map_or(DEFAULT_ACCURACY, |rule| rule.value),
    }
}

/// As [`accuracy`], also where nothing is known of the case.
pub(super) fn share_of_right(
    setting: Option<&SimulatedAccuracy>,
    system: &str,
    case: Option<&SimulatedCase>,
) -> f64 {
    match (case, setting) {
        (Some(case), _) => accuracy(setting, system, case),
        (None, Some(SimulatedAccuracy::Everywhere(value))) => *value,
        (None, _) => DEFAULT_ACCURACY,
    }
}

fn applies(rule: &AccuracyRule, system: &str, case: &SimulatedCase) -> bool {
    let holds = |wanted: &Option<String>, found: Option<&str>| {
        wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
    };
    holds(&rule.system, Some(system))
        && holds(&rule.specialty, case.specialty.as_deref())
        && holds(&rule.prevalence, case.prevalence.as_deref())
}

/// Answers in order of belief: the right one first when `right`, else wrong ones only.
///
/// Lists of candidates take as many as they need; the right one is not among the later ones, so
/// that the first decides.
pub(super) fn answers(
    case: &SimulatedCase,
    right: bool,
    language: Language,
    random: &mut ChaCha8Rng,
) -> Vec<String> {
    let wrong = wrong_answers(case, language, random);
    if case.answer_form == AnswerForm::Text {
        let reference = case.reference.as_ref().or_else(|| case.gold.first());
        let graded = reference.map(|text| graded(text, right, &wrong[0], random));
        return graded.into_iter().chain(wrong).collect();
    }
    let right = case.gold.first().filter(|_| right);
    right.cloned().into_iter().chain(wrong).collect()
}

/// A text that shares much with the reference, or little: a good one leaves out a sentence, a poor
/// one keeps a single sentence.
fn graded(reference: &str, good: bool, poor: &str, random: &mut ChaCha8Rng) -> String {
    let mut sentences: Vec<&str> = reference.split_inclusive(['.', '。', '!', '?']).collect();
    sentences.retain(|sentence| !sentence.trim().is_empty());
    let chosen = random.random_range(0..sentences.len().max(1));
    if good {
        if sentences.len() > 2 {
            sentences.remove(chosen);
        }
        return sentences.concat().trim().to_owned();
    }
    match sentences.get(chosen) {
        Some(sentence) if sentences.len() > 1 => format!("{poor} {}", sentence.trim()),
        _ => poor.to_owned(),
    }
}

/// Wrong answers in seeded order, at least one.
fn wrong_answers(case: &SimulatedCase, language: Language, random: &mut ChaCha8Rng) -> Vec<String> {
    let is_gold = |text: &str| {
        case.gold
            .iter()
            .any(|gold| gold.to_lowercase() == text.to_lowercase())
    };
    let mut wrong: Vec<String> = match case.answer_form {
        AnswerForm::Choice | AnswerForm::Label | AnswerForm::Diagnosis => case
            .options
            .iter()
            .filter(|option| !is_gold(&option.label) && !is_gold(&option.text))
            .map(|option| match case.answer_form {
                AnswerForm::Diagnosis => option.text.clone(),
                _ => option.label.clone(),
            })
            .collect(),
        AnswerForm::Text => Vec::new(),
    };
    if wrong.is_empty() {
        let (diseases, text) = match language {
            Language::English => (&WRONG_DISEASES, WRONG_TEXT),
            Language::Chinese => (&WRONG_DISEASES_ZH, WRONG_TEXT_ZH),
        };
        wrong = match case.answer_form {
            AnswerForm::Text => vec![text.to_owned()],
            _ => diseases.iter().map(|&name| name.to_owned()).collect(),
        };
    }
    wrong.shuffle(random);
    wrong
}

/// An answer where nothing is known of the case but what its prompt offers.
pub fn guess(prompt: &str, language: Language, random: &mut ChaCha8Rng) -> Vec<String> {
    let mut offered = super::offered::offered(prompt);
    offered.shuffle(random);
    if offered.is_empty() {
        let diseases = match language {
            Language::English => &WRONG_DISEASES,
            Language::Chinese => &WRONG_DISEASES_ZH,
        };
        offered.extend(diseases.choose(random).map(|&name| name.to_owned()));
    }
    offered
}

/// Whether a draw at a share succeeds.
pub(super) fn draw(share: f64, random: &mut ChaCha8Rng) -> bool {
    random.random::<f64>() < share
}

#[cfg(test)]
mod tests {
    use consilium_core::ChoiceOption;
    use rand::SeedableRng;

    use super::*;

    fn case(form: AnswerForm, gold: &str, options: &[(&str, &str)]) -> SimulatedCase {
        SimulatedCase {
            gold: vec![gold.to_owned()],
            options: options
                .iter()
                .map(|(label, text)| ChoiceOption {
                    label: (*label).to_owned(),
                    text: (*text).to_owned(),
                })
                .collect(),
            answer_form: form,
            specialty: Some("Cardiology".to_owned()),
            prevalence: Some("rare".to_owned()),
            reference: None,
        }
    }

    #[test]
    fn wrong_answers_are_never_gold() {
        let cases = [
            case(
                AnswerForm::Choice,
                "B",
                &[("A", "x"), ("B", "y"), ("C", "z")],
            ),
            case(AnswerForm::Label, "yes", &[("yes", ""), ("No", "No")]),
            case(AnswerForm::Label, "yes", &[("Yes", "Yes")]),
            case(AnswerForm::Diagnosis, "gout", &[]),
            case(AnswerForm::Text, "rest", &[]),
        ];
        for case in cases {
            for seed in 0..20 {
                let mut random = ChaCha8Rng::seed_from_u64(seed);
                let wrong = answers(&case, false, Language::English, &mut random);
                assert!(
                    !wrong.is_empty() && !wrong.contains(&case.gold[0]),
                    "{wrong:?}"
                );
                let right = answers(&case, true, Language::English, &mut random);
                assert_eq!(right[0], case.gold[0], "{case:?}");
                assert!(!right[1..].contains(&case.gold[0]));
            }
        }
    }

    #[test]
    fn good_texts_share_more_with_the_reference_than_poor_ones() {
        let sentences = ["Rest today.", " Cool the knee.", " Come back if it swells."];
        let case = SimulatedCase {
            reference: Some(sentences.concat()),
            ..case(AnswerForm::Text, "", &[])
        };
        for seed in 0..20 {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let shared = |text: &str| sentences.iter().filter(|s| text.contains(s.trim())).count();
            let good = answers(&case, true, Language::English, &mut random);
            assert_eq!(shared(&good[0]), 2, "{good:?}");
            let poor = answers(&case, false, Language::English, &mut random);
            assert_eq!(shared(&poor[0]), 1, "{poor:?}");
        }
    }

    #[test]
    fn the_first_rule_that_applies_decides() {
        let rules: SimulatedAccuracy = serde_json::from_value(serde_json::json!([
            {"system": "weak", "prevalence": "rare", "value": 0.2},
            {"specialty": "Cardiology", "value": 0.7},
            {"value": 0.9},
        ]))
        .unwrap();
        let heart = case(AnswerForm::Diagnosis, "gout", &[]);
        let skin = SimulatedCase {
            specialty: Some("Dermatology".to_owned()),
            ..heart.clone()
        };
        let unknown = SimulatedCase {
            specialty: None,
            ..heart.clone()
        };
        for (system, case, expected) in [
            ("weak", &heart, 0.2),
            ("strong", &heart, 0.7),
            ("strong", &skin, 0.9),
            ("strong", &unknown, 0.9),
        ] {
            assert!((accuracy(Some(&rules), system, case) - expected).abs() < 1e-12);
        }
    }
}
