//! A simulated table with the published margins of `MeDxBench`, for tables and scale.
//!
//! Nothing of the benchmark itself is here: cases, diagnoses and texts are numbered inventions, and
//! only the counts by source, prevalence, specialty and number of labels are those of the paper's
//! 4,421 cases. The counts by specialty are not published and are ours.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use serde::Serialize;

/// Cases by source.
const SOURCES: [(&str, usize); 5] = [
    ("CRAFT-MD", 200),
    ("MedMCQA", 847),
    ("PubMed", 988),
    ("MedQA", 1_489),
    ("DiagnosisArena", 897),
];
/// Cases by prevalence.
const PREVALENCES: [(&str, usize); 3] = [("common", 822), ("uncommon", 1_351), ("rare", 2_248)];
/// Cases by specialty; the first holds every case of the first source, as in the benchmark.
const SPECIALTIES: [(&str, usize); 20] = [
    ("Dermatology", 432),
    ("Infectious Disease", 408),
    ("Neurology", 391),
    ("Gastroenterology", 352),
    ("Cardiology", 318),
    ("Hematology", 297),
    ("Endocrinology", 281),
    ("Pediatrics", 268),
    ("Pulmonology", 246),
    ("Nephrology", 221),
    ("Rheumatology", 207),
    ("Oncology", 188),
    ("Ophthalmology", 172),
    ("Obstetrics and Gynecology", 151),
    ("Psychiatry", 137),
    ("Orthopaedics", 112),
    ("ENT", 89),
    ("Urology", 64),
    ("Immunology", 52),
    ("Others", 35),
];
/// Cases with two accepted diagnoses.
const SEVERAL_LABELS: usize = 546;
/// Cases in all.
pub const MARGIN_CASES: usize = 4_421;
/// Diagnoses of each specialty.
const DIAGNOSES: u64 = 40;

/// One simulated case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MarginCase {
    /// Identifier.
    pub id: String,
    /// Numbered sentences of no clinical meaning.
    pub text: String,
    /// What is asked.
    pub question: &'static str,
    /// Accepted diagnoses.
    pub gold: Vec<String>,
    /// Source whose count it fills.
    pub source: &'static str,
    /// Specialty.
    pub specialty: &'static str,
    /// Prevalence class.
    pub prevalence: &'static str,
    /// Language.
    pub language: &'static str,
}

/// The cases; the same seed gives the same cases.
///
/// Sources, prevalences, specialties and labels are independent of each other, but that every case
/// of CRAFT-MD is one of dermatology. Texts have `text_bytes` bytes or a little more.
pub fn margin_cases(seed: u64, text_bytes: usize) -> Vec<MarginCase> {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let sources = spread(&SOURCES);
    let mut prevalences = spread(&PREVALENCES);
    shuffle(&mut prevalences, &mut generator);
    let first_source = SOURCES[0].1;
    let mut specialties = spread(&SPECIALTIES);
    shuffle(&mut specialties[first_source..], &mut generator);
    let mut several: Vec<bool> = (0..MARGIN_CASES).map(|at| at < SEVERAL_LABELS).collect();
    shuffle(&mut several, &mut generator);
    let mut cases: Vec<MarginCase> = (0..MARGIN_CASES)
        .map(|at| {
            let specialty = specialties[at];
            let first = below(DIAGNOSES, &mut generator);
            let mut gold = vec![diagnosis(specialty, first)];
            if several[at] {
                gold.push(diagnosis(specialty, (first + 1) % DIAGNOSES));
            }
            MarginCase {
                id: String::new(),
                text: text(text_bytes, &mut generator),
                question: "What is the most likely diagnosis?",
                gold,
                source: sources[at],
                specialty,
                prevalence: prevalences[at],
                language: "en",
            }
        })
        .collect();
    shuffle(&mut cases, &mut generator);
    for (number, case) in cases.iter_mut().enumerate() {
        case.id = format!("simulated-{:04}", number + 1);
    }
    cases
}

fn spread(counts: &[(&'static str, usize)]) -> Vec<&'static str> {
    counts
        .iter()
        .flat_map(|&(name, count)| std::iter::repeat_n(name, count))
        .collect()
}

fn below(bound: u64, generator: &mut ChaCha8Rng) -> u64 {
    let product = u128::from(generator.next_u64()) * u128::from(bound);
    u64::try_from(product >> 64).unwrap_or_default()
}

/// Fisher and Yates.
fn shuffle<T>(items: &mut [T], generator: &mut ChaCha8Rng) {
    for last in (1..items.len()).rev() {
        let other = below(last as u64 + 1, generator);
        items.swap(last, usize::try_from(other).unwrap_or_default());
    }
}

fn diagnosis(specialty: &str, number: u64) -> String {
    format!("{specialty} disease {}", number + 1)
}

fn text(bytes: usize, generator: &mut ChaCha8Rng) -> String {
    const WHAT: [&str; 8] = [
        "Finding",
        "Measurement",
        "Observation",
        "Report",
        "Reading",
        "Remark",
        "Value",
        "Note",
    ];
    let mut text = String::from("Simulated record without clinical content.");
    while text.len() < bytes {
        let what = WHAT[usize::try_from(below(8, generator)).unwrap_or_default()];
        let (number, value) = (below(900, generator) + 100, below(10_000, generator));
        for part in [
            " ",
            what,
            " ",
            &number.to_string(),
            " stands at ",
            &value.to_string(),
            ".",
        ] {
            text.push_str(part);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn counts<'a>(values: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, usize> {
        let mut counts = BTreeMap::new();
        for value in values {
            *counts.entry(value).or_default() += 1;
        }
        counts
    }

    #[test]
    fn margins_are_those_published() {
        let cases = margin_cases(7, 200);
        assert_eq!(cases.len(), MARGIN_CASES);
        assert_eq!(counts(cases.iter().map(|c| c.source)), SOURCES.into());
        assert_eq!(
            counts(cases.iter().map(|c| c.prevalence)),
            PREVALENCES.into()
        );
        assert_eq!(
            counts(cases.iter().map(|c| c.specialty)),
            SPECIALTIES.into()
        );
        let several = cases.iter().filter(|case| case.gold.len() > 1).count();
        assert_eq!(several, SEVERAL_LABELS);
        let ids: BTreeSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
        assert_eq!(ids.len(), MARGIN_CASES);
        assert!(
            cases
                .iter()
                .all(|case| { case.source != "CRAFT-MD" || case.specialty == "Dermatology" })
        );
        assert!(cases.iter().all(|case| case.text.len() >= 200));
        assert!(
            cases
                .iter()
                .all(|case| !case.gold.iter().any(|g| case.text.contains(g)))
        );
    }

    #[test]
    fn the_seed_decides() {
        assert_eq!(margin_cases(1, 0), margin_cases(1, 0));
        assert_ne!(margin_cases(1, 0), margin_cases(2, 0));
    }
}
