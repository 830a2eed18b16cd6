//! Seeds derived from the study, never from the machine.

use sha2::{Digest, Sha256};

use crate::SampleKey;

/// Seed of one call: hash of (study seed, key, scorer, seq).
///
/// The parts are length-prefixed, so that no two different calls share an input.
pub fn call_seed(study_seed: u64, key: &SampleKey, scorer: Option<&str>, seq: u32) -> u64 {
    derive_seed(
        study_seed,
        &[
            &key.dataset,
            &key.case_id,
            &key.system,
            &key.epoch.to_string(),
            scorer.unwrap_or(""),
            &seq.to_string(),
        ],
    )
}

/// Seed derived from the study's seed and a list of texts.
pub fn derive_seed(study_seed: u64, parts: &[&str]) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update(study_seed.to_le_bytes());
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let digest = hasher.finalize();
    digest
        .iter()
        .take(8)
        .fold(0, |seed, byte| (seed << 8) | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_changes_the_seed() {
        let key = SampleKey::new("d", "c", "s", 1);
        let base = call_seed(1, &key, None, 0);
        assert_eq!(base, call_seed(1, &key, None, 0));
        let others = [
            call_seed(2, &key, None, 0),
            call_seed(1, &SampleKey::new("dc", "", "s", 1), None, 0),
            call_seed(1, &SampleKey::new("d", "c", "s", 2), None, 0),
            call_seed(1, &key, Some("judge"), 0),
            call_seed(1, &key, None, 1),
        ];
        assert!(others.iter().all(|other| *other != base));
    }
}
