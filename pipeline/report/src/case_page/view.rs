//! A case as it is printed, before any markup.

use consilium_core::{Outcome, SampleRow, ScoreRow, Unit};
use serde::Serialize;

use super::{CasePage, RecordedCase};
use crate::number::{NumberStyle, print_count};
use crate::visible::{one_line, visible};

/// Everything the page prints.
#[derive(Debug, Serialize)]
pub(crate) struct CaseView {
    pub title: String,
    pub parts: Vec<PartView>,
}

/// The case in one run and dataset.
#[derive(Debug, Serialize)]
pub(crate) struct PartView {
    pub title: String,
    pub language: String,
    pub facts: Vec<(String, String)>,
    pub marks: Vec<String>,
    /// Label and text of each input field.
    pub inputs: Vec<(String, String)>,
    pub options: Vec<OptionView>,
    pub gold: Vec<String>,
    pub reference: Option<String>,
    pub systems: Vec<SystemView>,
}

#[derive(Debug, Serialize)]
pub(crate) struct OptionView {
    pub label: String,
    /// Empty where it would repeat the label.
    pub text: String,
    pub gold: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct SystemView {
    pub name: String,
    pub samples: Vec<SampleView>,
}

#[derive(Debug, Serialize)]
pub(crate) struct SampleView {
    /// `Repetition 2`; empty when there is only one.
    pub title: String,
    pub verdict: Verdict,
    /// The verdict and the outcome in words.
    pub summary: String,
    pub answer: Option<String>,
    pub facts: Vec<(String, String)>,
    pub scores: Vec<ScoreView>,
}

/// What the headline score says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    Right,
    Wrong,
    Open,
}

#[derive(Debug, Serialize)]
pub(crate) struct ScoreView {
    pub scorer: String,
    pub metric: String,
    pub value: String,
    /// Label and text of whatever the scorer said about it.
    pub details: Vec<(String, String)>,
}

impl CaseView {
    pub(crate) fn new(page: &CasePage) -> Self {
        let several_runs = page.recorded.windows(2).any(|two| two[0].run != two[1].run);
        Self {
            title: format!("Case {}", one_line(&page.case_id)),
            parts: page
                .recorded
                .iter()
                .map(|recorded| PartView::new(recorded, several_runs))
                .collect(),
        }
    }
}

impl PartView {
    fn new(recorded: &RecordedCase, several_runs: bool) -> Self {
        let case = &recorded.case;
        let view = &case.view;
        let dataset = one_line(&view.dataset);
        let mut facts = vec![
            ("Run".to_owned(), one_line(&recorded.run)),
            ("Source".to_owned(), one_line(&view.source)),
            ("Language".to_owned(), one_line(&view.language)),
            ("Asks for".to_owned(), view.answer_form.as_str().to_owned()),
            ("Specialty".to_owned(), known(view.specialty.as_deref())),
            ("Prevalence".to_owned(), known(view.prevalence.as_deref())),
        ];
        let labels = view.labels.iter();
        facts.extend(labels.map(|(label, value)| (one_line(label), one_line(value))));
        let inputs = view.input.keys().filter_map(|field| {
            let text = view.input_text(field)?;
            Some((capitalised(&one_line(field)), text_block(&text)))
        });
        let options = view.options.iter().map(|option| {
            let label = one_line(&option.label);
            let text = one_line(&option.text);
            OptionView {
                gold: case.gold.contains(&option.label),
                text: if text == label { String::new() } else { text },
                label,
            }
        });
        let mut systems: Vec<SystemView> = Vec::new();
        for sample in &recorded.samples {
            let repeated = recorded.samples.iter().any(|other| other.epoch > 1);
            let sample_view = SampleView::new(sample, &recorded.scores, repeated);
            let name = one_line(&sample.system);
            match systems.iter_mut().find(|system| system.name == name) {
                Some(system) => system.samples.push(sample_view),
                None => systems.push(SystemView {
                    name,
                    samples: vec![sample_view],
                }),
            }
        }
        Self {
            title: if several_runs {
                format!("{dataset}, {}", one_line(&recorded.run))
            } else {
                dataset
            },
            language: language_tag(&view.language),
            facts,
            marks: recorded.marks.iter().map(|mark| one_line(mark)).collect(),
            inputs: inputs.collect(),
            options: options.collect(),
            gold: case.gold.iter().map(|gold| one_line(gold)).collect(),
            reference: case.reference.as_deref().map(text_block),
            systems,
        }
    }
}

impl SampleView {
    fn new(sample: &SampleRow, scores: &[ScoreRow], repeated: bool) -> Self {
        let of_sample =
            |score: &&ScoreRow| score.system == sample.system && score.epoch == sample.epoch;
        let scores: Vec<&ScoreRow> = scores.iter().filter(of_sample).collect();
        let correct = scores
            .iter()
            .find(|score| score.metric == "correct")
            .and_then(|score| score.value);
        let verdict = match correct {
            Some(value) if value >= 1.0 => Verdict::Right,
            Some(value) if value <= 0.0 => Verdict::Wrong,
            _ => Verdict::Open,
        };
        let outcome = sample.outcome.as_str().replace('_', " ");
        let summary = match (verdict, sample.outcome) {
            (Verdict::Right, Outcome::Ok) => "right".to_owned(),
            (Verdict::Wrong, Outcome::Ok) => "wrong".to_owned(),
            (Verdict::Right, _) => format!("right, {outcome}"),
            (Verdict::Wrong, _) => format!("wrong, {outcome}"),
            (Verdict::Open, Outcome::Ok) => "answered".to_owned(),
            (Verdict::Open, _) => outcome,
        };
        Self {
            title: if repeated {
                format!("Repetition {}", sample.epoch)
            } else {
                String::new()
            },
            verdict,
            summary,
            answer: sample.answer.as_deref().map(text_block),
            facts: sample_facts(sample),
            scores: scores.into_iter().map(ScoreView::new).collect(),
        }
    }
}

fn sample_facts(sample: &SampleRow) -> Vec<(String, String)> {
    let count = |count: u64| print_count(i64::try_from(count).unwrap_or(i64::MAX));
    let tokens = match (sample.prompt_tokens, sample.completion_tokens) {
        (Some(prompt), Some(completion)) => {
            format!("{} in, {} out", count(prompt), count(completion))
        }
        _ => "not reported".to_owned(),
    };
    let cost = sample.cost_usd.map_or_else(
        || "no price".to_owned(),
        |cost| {
            let style = NumberStyle::choose(Unit::Usd, &[cost]);
            format!("US$ {}", style.print_bounded(cost))
        },
    );
    let mut facts = vec![
        ("Calls".to_owned(), count(u64::from(sample.calls))),
        ("Tokens".to_owned(), tokens),
        ("Cost".to_owned(), cost),
        (
            "Duration".to_owned(),
            format!("{} ms", count(sample.wall_ms)),
        ),
    ];
    if sample.attempt > 1 {
        facts.push(("Attempt".to_owned(), sample.attempt.to_string()));
    }
    if let Some(rounds) = sample.rounds {
        facts.push(("Rounds".to_owned(), rounds.to_string()));
    }
    let optional = [
        ("Stopped", sample.stop_reason.as_deref()),
        ("Error", sample.error.as_deref()),
    ];
    for (label, text) in optional {
        if let Some(text) = text {
            facts.push((label.to_owned(), one_line(text)));
        }
    }
    facts
}

impl ScoreView {
    fn new(score: &ScoreRow) -> Self {
        let style = |value: f64| NumberStyle::choose(Unit::Score, &[value]).print(value);
        let value = match score.value {
            None => "no score".to_owned(),
            Some(1.0) if score.metric == "correct" => "right".to_owned(),
            Some(0.0) if score.metric == "correct" => "wrong".to_owned(),
            Some(value) => style(value),
        };
        let details = [
            ("read as", score.predicted.as_deref()),
            ("truth", score.truth.as_deref()),
            ("rule", score.rule.as_deref()),
            ("reason", score.reason.as_deref()),
            ("explanation", score.explanation.as_deref()),
        ];
        Self {
            scorer: one_line(&score.scorer),
            metric: one_line(&score.metric),
            value,
            details: details
                .into_iter()
                .filter_map(|(label, text)| Some((label.to_owned(), one_line(text?))))
                .filter(|(_, text)| !text.is_empty())
                .collect(),
        }
    }
}

/// The subgroup, or that there is none.
fn known(value: Option<&str>) -> String {
    value
        .map(one_line)
        .filter(|value| !value.is_empty())
        .unwrap_or_else(|| "unknown".to_owned())
}

fn text_block(text: &str) -> String {
    visible(text).trim().to_owned()
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + characters.as_str()
    })
}

/// A tag fit for `lang`; undetermined where the case's is none.
fn language_tag(language: &str) -> String {
    let fits = !language.is_empty()
        && language.len() <= 35
        && language
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if fits { language } else { "und" }.to_owned()
}
