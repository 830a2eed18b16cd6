//! The mapping file of `import-log`: which column of a plain table means what.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use consilium_core::study::{
    DatasetSpec, FieldSource, FileFormat, ScorerSpec, StudyHead, TableSpec,
};
use consilium_core::{AnswerForm, Outcome};
use serde::{Deserialize, Serialize};

/// A mapping file. Unknown keys are refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogMapping {
    /// Name and seed of the study that the run belongs to; repetitions are counted in the log.
    pub study: StudyHead,
    /// The cases that were asked.
    pub dataset: LogDataset,
    /// Columns of the log.
    pub log: LogSpec,
    /// How recorded answers are scored; by answer form when none is named.
    #[serde(default)]
    pub scorer: Vec<ScorerSpec>,
    /// Tables of the report; the standard ones that recorded logs can fill when none is named.
    #[serde(default)]
    pub table: Vec<TableSpec>,
}

/// The cases of a log: a file with an adapter, or columns of the log itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogDataset {
    /// Name of the dataset, part of every sample's key.
    pub name: String,
    /// Adapter of the file with the cases; absent when the log holds the cases.
    #[serde(default)]
    pub adapter: Option<String>,
    /// The file with the cases; `--dataset` replaces it.
    #[serde(default)]
    pub path: Option<PathBuf>,
    /// Its format; told from the name when absent.
    #[serde(default)]
    pub format: Option<FileFormat>,
    /// Kind of answer.
    #[serde(default)]
    pub answer_form: Option<AnswerForm>,
    /// Language where the rows do not say.
    #[serde(default)]
    pub language: Option<String>,
    /// Case column ← column: of the file for adapter `table`, of the log where there is no adapter.
    /// Columns that are not listed never become part of a case.
    #[serde(default)]
    pub fields: BTreeMap<String, FieldSource>,
}

/// Columns of the log. A rule works as in `fields` of a dataset; `@file` is the name of the file that
/// a row stands in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogSpec {
    /// Format; told from the name when absent.
    #[serde(default)]
    pub format: Option<FileFormat>,
    /// Identifier of the case.
    pub case_id: FieldSource,
    /// Name of the system.
    #[serde(default)]
    pub system: Option<FieldSource>,
    /// Number of the repetition.
    #[serde(default)]
    pub epoch: Option<FieldSource>,
    /// What the log calls the first repetition.
    #[serde(default = "one")]
    pub first_epoch: i64,
    /// The recorded answer; empty is an empty answer.
    #[serde(default)]
    pub answer: Option<FieldSource>,
    /// The ready score, read as `[log.score]` says.
    #[serde(default)]
    pub value: Option<FieldSource>,
    /// How the sample ended, in the words of `samples.outcome`.
    #[serde(default)]
    pub outcome: Option<FieldSource>,
    /// Subgroup labels of the case.
    #[serde(default)]
    pub labels: BTreeMap<String, FieldSource>,
    /// A wide table: one column for each system, way of asking or repetition. The columns hold scores
    /// where there is a `[log.score]`, answers otherwise.
    #[serde(default)]
    pub series: Vec<SeriesSpec>,
    /// How ready scores are read.
    #[serde(default)]
    pub score: Option<ScoreSpec>,
}

/// One column of a wide table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesSpec {
    /// The column.
    pub column: String,
    /// Name of its system; `{system}` is what the row says.
    #[serde(default)]
    pub system: Option<String>,
    /// Repetition that the column holds, from 1.
    #[serde(default)]
    pub epoch: Option<u32>,
}

/// How ready scores are read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreSpec {
    /// Name of the metric; `correct` is 1 or 0.
    #[serde(default = "correct")]
    pub metric: String,
    /// Who scored by what rules: part of the signature.
    pub policy: String,
    /// Score ← what stands in the log; numbers as they are when absent.
    #[serde(default)]
    pub values: BTreeMap<String, f64>,
    /// Why an answer counts as wrong without being read ← what stands in the log.
    #[serde(default)]
    pub reasons: BTreeMap<String, String>,
    /// How the sample ended ← what stands in the log.
    #[serde(default)]
    pub outcomes: BTreeMap<String, Outcome>,
}

fn one() -> i64 {
    1
}

fn correct() -> String {
    "correct".to_owned()
}

/// A mapping that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MappingError {
    /// The text is no mapping.
    #[error("{message}")]
    Grammar {
        /// Line, from 1, where known.
        line: Option<usize>,
        /// What is wrong.
        message: String,
    },
    /// Its settings contradict each other or lack something.
    #[error("{0}")]
    Settings(String),
}

impl LogMapping {
    /// Reads the text of a mapping.
    ///
    /// # Errors
    /// When it is no TOML or not of the grammar.
    pub fn parse(text: &str) -> Result<Self, MappingError> {
        toml::from_str(text).map_err(|error| MappingError::Grammar {
            line: error.span().map(|span| {
                let before = text.get(..span.start).unwrap_or(text);
                before.matches('\n').count() + 1
            }),
            message: error.message().trim().replace('\n', " "),
        })
    }

    /// Checks what the grammar cannot say.
    ///
    /// # Errors
    /// When something is lacking or contradictory.
    pub fn check(&self) -> Result<(), MappingError> {
        let wrong = |message: &str| Err(MappingError::Settings(message.to_owned()));
        let LogSpec {
            system,
            epoch,
            answer,
            value,
            series,
            score,
            outcome: _,
            format: _,
            case_id: _,
            first_epoch: _,
            labels: _,
        } = &self.log;
        match (answer.is_some(), value.is_some(), series.is_empty()) {
            (false, false, true) => {
                return wrong("`log` names neither answer, value nor series: nothing is recorded");
            }
            (_, true, false) => {
                return wrong("`log` has both value and series: one of them holds the scores");
            }
            (true, _, false) if score.is_none() => {
                return wrong("`log` has both answer and series without `log.score`");
            }
            _ => {}
        }
        if value.is_some() && score.is_none() {
            return wrong("`log.value` needs [log.score] with the policy by which it was scored");
        }
        if score.is_some() && value.is_none() && series.is_empty() {
            return wrong("[log.score] needs `log.value` or [[log.series]]");
        }
        if system.is_none() && !series.iter().all(|series| series.system.is_some())
            || system.is_none() && series.is_empty()
        {
            return wrong(
                "`log.system` is missing; for one system write system = { constant = \"name\" }",
            );
        }
        if epoch.is_some() && series.iter().any(|series| series.epoch.is_some()) {
            return wrong("`log.epoch` and `epoch` of a series both number the repetitions");
        }
        if let Some(series) = series
            .iter()
            .find(|series| system.is_none() && mentions_system(series))
        {
            return Err(MappingError::Settings(format!(
                "series '{}' names {{system}}, and `log.system` is missing",
                series.column
            )));
        }
        let mut seen = BTreeSet::new();
        if let Some(series) = series.iter().find(|series| !seen.insert(&series.column)) {
            return Err(MappingError::Settings(format!(
                "series '{}' stands twice",
                series.column
            )));
        }
        if let Some(score) = score {
            check_score(score)?;
        }
        let LogDataset {
            name,
            adapter,
            path,
            fields,
            ..
        } = &self.dataset;
        if name.is_empty() {
            return wrong("dataset.name is empty");
        }
        if adapter.is_none() && path.is_some() {
            return wrong("dataset.path needs dataset.adapter, which says how the file is read");
        }
        if fields.contains_key("id") && adapter.is_none() {
            return wrong("dataset.fields.id has no use: `log.case_id` identifies the case");
        }
        Ok(())
    }

    /// The dataset as a study would name it, with the file that holds the cases.
    pub fn dataset_spec(&self, path: PathBuf) -> DatasetSpec {
        let dataset = &self.dataset;
        DatasetSpec {
            name: dataset.name.clone(),
            adapter: dataset
                .adapter
                .clone()
                .unwrap_or_else(|| "table".to_owned()),
            path,
            format: dataset.format,
            answer_form: dataset.answer_form,
            language: dataset.language.clone(),
            fields: dataset.fields.clone(),
            filter: BTreeMap::new(),
            predicate: None,
            limit: None,
            stratify: None,
            strict: false,
        }
    }
}

fn mentions_system(series: &SeriesSpec) -> bool {
    series
        .system
        .as_ref()
        .is_some_and(|name| name.contains("{system}"))
}

fn check_score(score: &ScoreSpec) -> Result<(), MappingError> {
    let wrong = |message: String| Err(MappingError::Settings(message));
    if score.policy.trim().is_empty() {
        return wrong(
            "log.score.policy is empty: scores of unknown origin cannot be compared".to_owned(),
        );
    }
    for (recorded, value) in &score.values {
        let fits = value.is_finite() && (score.metric != "correct" || [0.0, 1.0].contains(value));
        if !fits {
            return wrong(format!(
                "log.score.values.'{recorded}' is {value}; metric '{}' {}",
                score.metric,
                if score.metric == "correct" {
                    "is 1 or 0"
                } else {
                    "needs a finite number"
                }
            ));
        }
    }
    let unlisted = score
        .reasons
        .keys()
        .chain(score.outcomes.keys())
        .find(|recorded| !score.values.is_empty() && !score.values.contains_key(*recorded));
    match unlisted {
        Some(recorded) => wrong(format!(
            "log.score has a reason or outcome for '{recorded}', which log.score.values does not list"
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "[study]\nname = \"s\"\n[dataset]\nname = \"d\"\n";

    fn problem(log: &str) -> String {
        match LogMapping::parse(&format!("{HEAD}[log]\ncase_id = \"id\"\n{log}")) {
            Ok(mapping) => mapping.check().unwrap_err().to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn what_contradicts_or_lacks_is_said() {
        for (log, words) in [
            ("system = \"m\"", "nothing is recorded"),
            ("answer = \"a\"", "`log.system` is missing"),
            ("system = \"m\"\nvalue = \"v\"", "needs [log.score]"),
            (
                "system = \"m\"\nanswer = \"a\"\n[log.score]\npolicy = \"p\"",
                "needs `log.value`",
            ),
            (
                "system = \"m\"\nvalue = \"v\"\n[log.score]\npolicy = \" \"",
                "policy is empty",
            ),
            (
                "system = \"m\"\nvalue = \"v\"\n[log.score]\npolicy = \"p\"\nvalues = { \"x\" = 0.5 }",
                "is 1 or 0",
            ),
            (
                "system = \"m\"\nvalue = \"v\"\n[log.score]\npolicy = \"p\"\nvalues = { \"x\" = 1 }\nreasons = { \"y\" = \"r\" }",
                "does not list",
            ),
            (
                "[[log.series]]\ncolumn = \"a\"\nsystem = \"{system} x\"",
                "`log.system` is missing",
            ),
            (
                "system = \"m\"\n[[log.series]]\ncolumn = \"a\"\n[[log.series]]\ncolumn = \"a\"",
                "stands twice",
            ),
            (
                "system = \"m\"\nepoch = \"e\"\n[[log.series]]\ncolumn = \"a\"\nepoch = 1",
                "both number",
            ),
            ("sistem = \"m\"", "unknown field `sistem`"),
        ] {
            let message = problem(log);
            assert!(message.contains(words), "{log}: {message}");
        }
    }

    #[test]
    fn a_grammar_error_names_its_line() {
        let Err(MappingError::Grammar { line, .. }) =
            LogMapping::parse(&format!("{HEAD}[log]\ncase_id = 7\n"))
        else {
            panic!("a number is no column");
        };
        assert_eq!(line, Some(6));
    }
}
