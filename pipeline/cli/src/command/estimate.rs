//! What a work list would take: calls, tokens, cost and time, of systems and of judges.

use std::collections::BTreeMap;

use anyhow::Result;
use consilium_core::study::{BackendSpec, ScorerSpec, SystemSpec};
use consilium_datasets::CaseReader;
use consilium_scorers::judge;

use crate::printer;
use crate::run::{PlannedWork, duration};
use crate::study::ResolvedStudy;

/// Characters of a token, on average; an estimate before anything is sent.
const CHARACTERS_PER_TOKEN: f64 = 4.0;

/// Tokens of a short answer, where no limit is set.
const ANSWER_TOKENS: f64 = 200.0;

/// Calls that a backend would get.
struct Asked<'a> {
    backend: &'a BackendSpec,
    calls: u64,
    /// Of one prompt.
    characters: usize,
    most_tokens: Option<u32>,
}

impl Asked<'_> {
    /// Tokens, cost and time.
    fn described(&self) -> String {
        let answer = self
            .most_tokens
            .map_or(ANSWER_TOKENS, |most| f64::from(most).min(ANSWER_TOKENS));
        let calls = self.calls as f64;
        let prompt = calls * self.characters as f64 / CHARACTERS_PER_TOKEN;
        let cost = self
            .backend
            .price
            .as_ref()
            .map_or("no price".to_owned(), |price| {
                format!(
                    "{:.2} USD",
                    (prompt * price.input + calls * answer * price.output) / 1e6
                )
            });
        let time = self.backend.limits.rpm.map_or(String::new(), |rpm| {
            format!(
                ", at least {} at {rpm} requests a minute",
                duration(calls * 60.0 / f64::from(rpm))
            )
        });
        format!(
            "about {prompt:.0} prompt and {:.0} completion tokens, {cost}{time}",
            calls * answer
        )
    }
}

/// Prints calls, tokens, cost and time of a work list and of judging its answers.
pub(super) fn print_estimates(
    study: &ResolvedStudy,
    planned: &PlannedWork,
    prompt_characters: &BTreeMap<String, usize>,
) -> Result<()> {
    printer::line("Estimates (one call a sample, four characters a token)")?;
    for (name, samples) in &planned.counts {
        let system = study.study.system.iter().find(|it| it.name == *name);
        let backend = system.and_then(|system| backend(study, backend_of(system)?));
        let (Some(system), Some(backend), Some(characters)) =
            (system, backend, prompt_characters.get(name))
        else {
            printer::line(&format!("  {name}: {samples} samples, no calls"))?;
            continue;
        };
        let asked = Asked {
            backend,
            calls: *samples,
            characters: *characters,
            most_tokens: backend.generation.overlaid(&system.generation).max_tokens,
        };
        printer::line(&format!(
            "  {name}: {samples} samples, {samples} calls, {}",
            asked.described()
        ))?;
    }
    for (name, answers) in &planned.judged {
        let scorers = &study.study.scorer;
        let Some(spec) = scorers.iter().find(|it| it.display_name() == name) else {
            continue;
        };
        let Some(backend) = spec.backend.as_deref().and_then(|it| backend(study, it)) else {
            continue;
        };
        let (labels, characters) = judged_cases(study, spec)?;
        let asked = Asked {
            backend,
            calls: whole(*answers as f64 * labels),
            characters,
            most_tokens: backend.generation.max_tokens,
        };
        printer::line(&format!(
            "  judge {name} with {}: {answers} answers, at most {} calls (one for each of {labels:.1} accepted \
             answers of a case), {}",
            backend.name,
            asked.calls,
            asked.described()
        ))?;
    }
    Ok(())
}

fn backend<'a>(study: &'a ResolvedStudy, name: &str) -> Option<&'a BackendSpec> {
    study
        .study
        .backend
        .iter()
        .find(|backend| backend.name == name)
}

/// The backend of a system, or that of its first role.
fn backend_of(system: &SystemSpec) -> Option<&str> {
    let own = system.backend.as_ref();
    own.or_else(|| system.role_backends.values().next())
        .map(String::as_str)
}

/// Accepted answers of a case on average, and characters of the longest prompt of a call about one.
fn judged_cases(study: &ResolvedStudy, spec: &ScorerSpec) -> Result<(f64, usize)> {
    let prompts = study.prompts()?;
    let (mut cases, mut labels) = (0_u64, 0_usize);
    let mut longest: BTreeMap<String, String> = BTreeMap::new();
    let datasets = study.study.dataset.iter();
    for dataset in datasets.filter(|dataset| spec.datasets.contains(&dataset.name)) {
        for case in CaseReader::open(dataset, &study.folder)? {
            let case = case?;
            cases += 1;
            labels += case.gold.len();
            let known = longest.entry(case.view.language).or_default();
            if let Some(label) = case.gold.into_iter().max_by_key(String::len)
                && label.len() > known.len()
            {
                *known = label;
            }
        }
    }
    let mut characters = 0;
    for (language, label) in &longest {
        let messages = judge::preview(spec, &prompts, language, label)?;
        let length = messages
            .iter()
            .map(|message| message.content.chars().count());
        characters = characters.max(length.sum());
    }
    Ok((labels as f64 / cases.max(1) as f64, characters))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float cast saturates, and counts are not negative"
)]
fn whole(number: f64) -> u64 {
    number.ceil() as u64
}
