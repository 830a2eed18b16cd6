//! A case as its systems saw it, and what they did not see.

use consilium_core::Case;

use super::text::{Text, short};
use crate::TextPart;
use crate::link::Link;

const FIELD_CHARACTERS: usize = 6_000;
const OPTION_CHARACTERS: usize = 400;
const MOST_OPTIONS: usize = 200;
const GOLD_CHARACTERS: usize = 400;
const MOST_GOLD: usize = 30;

/// A case ready for a template.
#[derive(Clone, Debug)]
pub(crate) struct CaseSheet {
    /// Source, specialty and other labels.
    pub facts: Vec<(String, String)>,
    /// Input fields in order.
    pub fields: Vec<(String, Text)>,
    /// Options in the order in which they were presented.
    pub options: Vec<(String, Text)>,
    /// Options left out.
    pub more_options: usize,
    /// Accepted answers, the preferred one first.
    pub gold: Vec<Text>,
    /// Reference answer in prose.
    pub reference: Option<Text>,
}

impl CaseSheet {
    /// A case with links to its whole texts.
    pub(crate) fn new(case: &Case, text: &Link) -> Self {
        let view = &case.view;
        let lang = Some(view.language.as_str());
        let piece = |content: &str, limit| Text::new(content, limit, lang, String::new());
        let mut facts = vec![("Source".to_owned(), short(&view.source))];
        let mut add = |label: &str, value: Option<&str>| {
            facts.extend(value.map(|value| (label.to_owned(), short(value))));
        };
        add("Specialty", view.specialty.as_deref());
        add("Prevalence", view.prevalence.as_deref());
        add("Language", Some(&view.language));
        facts.extend(
            view.labels
                .iter()
                .take(20)
                .map(|(label, value)| (short(label), short(value))),
        );
        Self {
            facts,
            fields: view
                .input
                .keys()
                .take(40)
                .filter_map(|field| {
                    let content = view.input_text(field)?;
                    let link = part(
                        text,
                        &TextPart::Input {
                            field: field.clone(),
                        },
                    );
                    Some((
                        short(field),
                        Text::new(&content, FIELD_CHARACTERS, lang, link),
                    ))
                })
                .collect(),
            options: view
                .options
                .iter()
                .take(MOST_OPTIONS)
                .map(|option| {
                    let content = if option.text == option.label {
                        ""
                    } else {
                        option.text.as_str()
                    };
                    (short(&option.label), piece(content, OPTION_CHARACTERS))
                })
                .collect(),
            more_options: view.options.len().saturating_sub(MOST_OPTIONS),
            gold: case
                .gold
                .iter()
                .take(MOST_GOLD)
                .map(|gold| piece(gold, GOLD_CHARACTERS))
                .collect(),
            reference: case.reference.as_deref().map(|reference| {
                Text::new(
                    reference,
                    FIELD_CHARACTERS,
                    lang,
                    part(text, &TextPart::Reference),
                )
            }),
        }
    }
}

/// The download of a part of a sample's texts.
pub(crate) fn part(text: &Link, part: &TextPart) -> String {
    let link = text.clone();
    match part {
        TextPart::Answer => link.pair("part", "answer"),
        TextPart::Payload => link.pair("part", "payload"),
        TextPart::Reference => link.pair("part", "reference"),
        TextPart::Input { field } => link.pair("part", "input").pair("field", field),
        TextPart::EventContent { seq } => link.pair("part", "event").pair("seq", &seq.to_string()),
        TextPart::EventPayload { seq } => link
            .pair("part", "event-payload")
            .pair("seq", &seq.to_string()),
        TextPart::Call { scorer, seq, field } => link
            .pair("part", "call")
            .pair_if("scorer", scorer.as_deref())
            .pair("seq", &seq.to_string())
            .pair("field", field.as_str()),
        TextPart::Explanation { scorer, metric } => link
            .pair("part", "explanation")
            .pair("scorer", scorer)
            .pair("metric", metric),
    }
    .address()
}
