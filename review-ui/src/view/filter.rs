//! The filter over samples: as an address, as a form, as removable conditions.

use consilium_core::Outcome;

use super::text::short;
use super::words;
use crate::error::PageError;
use crate::link::{Link, query_text};
use crate::params::Params;
use crate::{Facets, SampleFilter, Verdict};

/// Most characters of a search.
pub(crate) const SEARCH_CHARACTERS: usize = 200;

/// Most values that a list in the form offers; more are typed.
const MOST_OPTIONS: usize = 150;

/// Keys of a filter, in the order of the form.
pub(crate) const FILTER_KEYS: [&str; 11] = [
    "q",
    "dataset",
    "system",
    "source",
    "specialty",
    "prevalence",
    "verdict",
    "outcome",
    "case",
    "epoch",
    "scorer",
];

/// Reads a filter from an address; a value that cannot be is refused rather than passed over.
pub(crate) fn parse(params: &Params) -> Result<SampleFilter, PageError> {
    let text = |key| params.get(key).map(str::to_owned);
    Ok(SampleFilter {
        dataset: text("dataset"),
        system: text("system"),
        source: text("source"),
        specialty: text("specialty"),
        prevalence: text("prevalence"),
        case_id: text("case"),
        epoch: params.number("epoch")?,
        outcome: params
            .get("outcome")
            .map(|name| Outcome::parse(name).ok_or(PageError::Bad("There is no such outcome.")))
            .transpose()?,
        verdict: params
            .get("verdict")
            .map(|name| {
                Verdict::parse(name).ok_or(PageError::Bad("There is no such scoring result."))
            })
            .transpose()?,
        scorer: text("scorer"),
        text: params
            .get("q")
            .map(|q| q.trim().chars().take(SEARCH_CHARACTERS).collect::<String>())
            .filter(|q| !q.is_empty()),
    })
}

/// The filter as pairs of an address, in the order of the form.
pub(crate) fn pairs(filter: &SampleFilter) -> Vec<(&'static str, String)> {
    let mut pairs = Vec::new();
    let mut add = |key, value: Option<String>| pairs.extend(value.map(|value| (key, value)));
    add("q", filter.text.clone());
    add("dataset", filter.dataset.clone());
    add("system", filter.system.clone());
    add("source", filter.source.clone());
    add("specialty", filter.specialty.clone());
    add("prevalence", filter.prevalence.clone());
    add("verdict", filter.verdict.map(|v| v.as_str().to_owned()));
    add("outcome", filter.outcome.map(|o| o.as_str().to_owned()));
    add("case", filter.case_id.clone());
    add("epoch", filter.epoch.map(|epoch| epoch.to_string()));
    add("scorer", filter.scorer.clone());
    pairs
}

/// The filter as a query that another link can carry; empty when all samples pass.
pub(crate) fn carried(filter: &SampleFilter) -> Option<String> {
    let pairs = pairs(filter);
    (!pairs.is_empty()).then(|| query_text(pairs.iter().map(|(k, v)| (*k, v.as_str()))))
}

/// The list of samples that pass the filter.
pub(crate) fn list(run: &str, filter: &SampleFilter) -> Link {
    let pairs = pairs(filter);
    Link::run(run)
        .segment("samples")
        .pairs(pairs.iter().map(|(k, v)| (*k, v.as_str())))
}

/// One field of the form.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// Name in the address.
    pub name: &'static str,
    /// Label.
    pub label: &'static str,
    /// Values to choose from; a text field when there are none.
    pub options: Vec<Choice>,
    /// The value in effect.
    pub value: String,
}

/// A value of a list.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// Value in the address.
    pub value: String,
    /// On the page.
    pub label: String,
    /// Whether it is in effect.
    pub selected: bool,
}

/// A condition in effect, and the address without it.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    /// What is filtered by.
    pub label: &'static str,
    /// To what.
    pub value: String,
    /// The list without it.
    pub without: String,
}

/// The fields of the form; a list with nothing to choose from is left out unless it is in effect.
pub(crate) fn fields(filter: &SampleFilter, facets: &Facets) -> Vec<Field> {
    let named = |values: &[String]| {
        values
            .iter()
            .map(|value| (value.clone(), short(value)))
            .collect::<Vec<_>>()
    };
    let outcomes = facets
        .outcomes
        .iter()
        .map(|o| (o.as_str().to_owned(), words::outcome(*o).to_owned()))
        .collect();
    let verdicts = Verdict::ALL
        .iter()
        .map(|v| (v.as_str().to_owned(), words::verdict(*v).to_owned()))
        .collect();
    let scorers = facets
        .scorers
        .iter()
        .map(|s| (s.scorer.clone(), short(&s.scorer)))
        .collect();
    let epochs = (1..=facets.epochs.min(200))
        .map(|epoch| (epoch.to_string(), epoch.to_string()))
        .collect();
    let mut fields = Vec::new();
    let mut add = |name, label, values: Vec<(String, String)>, value: Option<String>| {
        if values.len() < 2 && value.is_none() {
            return;
        }
        fields.push(field(name, label, values, value));
    };
    add(
        "verdict",
        "Result",
        verdicts,
        filter.verdict.map(|v| v.as_str().to_owned()),
    );
    add(
        "system",
        "System",
        named(&facets.systems),
        filter.system.clone(),
    );
    add(
        "dataset",
        "Dataset",
        named(&facets.datasets),
        filter.dataset.clone(),
    );
    add(
        "source",
        "Source",
        named(&facets.sources),
        filter.source.clone(),
    );
    add(
        "specialty",
        "Specialty",
        named(&facets.specialties),
        filter.specialty.clone(),
    );
    add(
        "prevalence",
        "Prevalence",
        named(&facets.prevalences),
        filter.prevalence.clone(),
    );
    add(
        "outcome",
        "How it ended",
        outcomes,
        filter.outcome.map(|o| o.as_str().to_owned()),
    );
    add(
        "epoch",
        "Repetition",
        epochs,
        filter.epoch.map(|epoch| epoch.to_string()),
    );
    add("scorer", "Scored by", scorers, filter.scorer.clone());
    fields.push(Field {
        name: "case",
        label: "Case id",
        options: Vec::new(),
        value: filter.case_id.clone().unwrap_or_default(),
    });
    fields
}

fn field(
    name: &'static str,
    label: &'static str,
    mut values: Vec<(String, String)>,
    value: Option<String>,
) -> Field {
    if values.len() > MOST_OPTIONS {
        values.clear();
    } else if let Some(value) = &value
        && values.iter().all(|(known, _)| known != value)
    {
        values.push((value.clone(), short(value)));
    }
    Field {
        name,
        label,
        options: values
            .into_iter()
            .map(|(known, label)| Choice {
                selected: value.as_ref() == Some(&known),
                value: known,
                label,
            })
            .collect(),
        value: value.unwrap_or_default(),
    }
}

/// The conditions in effect.
pub(crate) fn conditions(run: &str, filter: &SampleFilter) -> Vec<Condition> {
    let all = pairs(filter);
    all.iter()
        .map(|(key, value)| {
            let rest = all
                .iter()
                .filter(|(other, _)| other != key)
                .map(|(k, v)| (*k, v.as_str()));
            Condition {
                label: label(key),
                value: match *key {
                    "verdict" => Verdict::parse(value).map_or("", words::verdict).to_owned(),
                    "outcome" => Outcome::parse(value).map_or("", words::outcome).to_owned(),
                    _ => short(value),
                },
                without: Link::run(run).segment("samples").pairs(rest).address(),
            }
        })
        .collect()
}

fn label(key: &str) -> &'static str {
    match key {
        "q" => "Text",
        "dataset" => "Dataset",
        "system" => "System",
        "source" => "Source",
        "specialty" => "Specialty",
        "prevalence" => "Prevalence",
        "verdict" => "Result",
        "outcome" => "How it ended",
        "case" => "Case id",
        "epoch" => "Repetition",
        _ => "Scored by",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> SampleFilter {
        parse(&Params::parse(query).unwrap()).unwrap()
    }

    #[test]
    fn a_filter_reads_back_from_its_address() {
        let query =
            "q=%E8%83%B8%E7%97%9B&system=a%2Fb&verdict=unread&outcome=ok&case=c%26d&epoch=2";
        let filter = read(query);
        assert_eq!(filter.text.as_deref(), Some("胸痛"));
        assert_eq!(read(&carried(&filter).unwrap()), filter);
        assert_eq!(carried(&SampleFilter::default()), None);
    }

    #[test]
    fn a_search_is_short_and_a_value_that_cannot_be_is_refused() {
        let long = read(&format!("q={}", "a".repeat(900)));
        assert_eq!(long.text.unwrap().len(), SEARCH_CHARACTERS);
        for query in ["outcome=fine", "verdict=1", "epoch=x"] {
            assert!(parse(&Params::parse(query).unwrap()).is_err(), "{query}");
        }
    }

    #[test]
    fn each_condition_can_be_taken_away_alone() {
        let filter = read("system=a&verdict=wrong");
        let conditions = conditions("r", &filter);
        assert_eq!(conditions[0].without, "/runs/r/samples?verdict=wrong");
        assert_eq!(conditions[1].without, "/runs/r/samples?system=a");
    }

    #[test]
    fn a_choice_of_one_is_no_choice_and_hundreds_are_typed() {
        let facets = Facets {
            systems: vec!["only".to_owned()],
            specialties: (0..400).map(|n| n.to_string()).collect(),
            ..Facets::default()
        };
        let names = |fields: &[Field]| fields.iter().map(|f| f.name).collect::<Vec<_>>();
        let fields = fields(&SampleFilter::default(), &facets);
        assert_eq!(names(&fields), ["verdict", "specialty", "case"]);
        assert!(fields[1].options.is_empty());
    }
}
