//! Reading the index from the narrow columns of a run.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array as _, AsArray as _, Float64Array, RecordBatch, StringViewArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use consilium_core::Outcome;
use consilium_core::study::Study;
use consilium_store::{PartRows, RowPlace, RunTable, TableParts};

use super::super::interner::Interner;
use super::super::open_run::BrowseError;
use super::super::scores::read_scores;
use super::{IndexedCase, IndexedSample, RunIndex, headline_scorer};

impl RunIndex {
    /// Reads the index of a run from its tables.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub(in super::super) fn build(
        study: &Study,
        cases: &TableParts,
        samples: &TableParts,
        scores: &TableParts,
    ) -> Result<Self, BrowseError> {
        let mut builder = Builder::default();
        builder.read_cases(cases)?;
        builder.read_samples(samples)?;
        let mut index = builder.finish();
        index.scorers = read_scores(&index, study, scores)?;
        index.headlines = index
            .datasets
            .iter()
            .map(|dataset| {
                let name = headline_scorer(study, dataset)?;
                index.scorers.iter().position(|scorer| scorer.name == name)
            })
            .collect();
        Ok(index)
    }
}

#[derive(Default)]
struct Builder {
    datasets: Interner,
    systems: Interner,
    sources: Interner,
    specialties: Interner,
    prevalences: Interner,
    languages: Interner,
    cases: Vec<IndexedCase>,
    /// Cases by dataset and identifier.
    known: Vec<HashMap<Arc<str>, u32>>,
    samples: Vec<IndexedSample>,
}

impl Builder {
    fn read_cases(&mut self, table: &TableParts) -> Result<(), BrowseError> {
        let columns = [
            "dataset",
            "case_id",
            "source",
            "language",
            "specialty",
            "prevalence",
        ];
        for rows in table.scan(&columns) {
            let PartRows { part, first, batch } = rows?;
            let column = |name| text_column(&batch, RunTable::Cases, name);
            let (dataset, id, source) = (column("dataset")?, column("case_id")?, column("source")?);
            let (language, specialty, prevalence) = (
                column("language")?,
                column("specialty")?,
                column("prevalence")?,
            );
            for row in 0..batch.num_rows() {
                let optional = |array: &StringViewArray, names: &mut Interner| {
                    array.is_valid(row).then(|| names.number(array.value(row)))
                };
                let case = IndexedCase {
                    dataset: self.datasets.number(dataset.value(row)),
                    id: Arc::from(id.value(row)),
                    source: self.sources.number(source.value(row)),
                    specialty: optional(specialty, &mut self.specialties),
                    prevalence: optional(prevalence, &mut self.prevalences),
                    language: self.languages.number(language.value(row)),
                    place: Some(place(part, first + row)),
                };
                self.add_case(case);
            }
        }
        Ok(())
    }

    fn add_case(&mut self, case: IndexedCase) -> u32 {
        let number = u32::try_from(self.cases.len()).unwrap_or(u32::MAX);
        let dataset = case.dataset as usize;
        if self.known.len() <= dataset {
            self.known.resize_with(dataset + 1, HashMap::new);
        }
        self.known[dataset].insert(Arc::clone(&case.id), number);
        self.cases.push(case);
        number
    }

    /// The case of a sample; one that the table of cases lacks is known by its key alone.
    fn case(&mut self, dataset: &str, id: &str) -> u32 {
        let dataset = self.datasets.number(dataset);
        if let Some(number) = self
            .known
            .get(dataset as usize)
            .and_then(|cases| cases.get(id))
        {
            return *number;
        }
        let case = IndexedCase {
            dataset,
            id: Arc::from(id),
            source: self.sources.number(""),
            specialty: None,
            prevalence: None,
            language: self.languages.number(""),
            place: None,
        };
        self.add_case(case)
    }

    fn read_samples(&mut self, table: &TableParts) -> Result<(), BrowseError> {
        let columns = [
            "dataset", "case_id", "system", "epoch", "attempt", "outcome", "rounds", "calls",
            "cost_usd", "wall_ms",
        ];
        for rows in table.scan(&columns) {
            let PartRows { part, first, batch } = rows?;
            let text = |name| text_column(&batch, RunTable::Samples, name);
            let count = |name| Counts::of(&batch, RunTable::Samples, name);
            let (dataset, id, system) = (text("dataset")?, text("case_id")?, text("system")?);
            let outcome = text("outcome")?;
            let (epoch, attempt) = (count("epoch")?, count("attempt")?);
            let (rounds, calls, wall_ms) = (count("rounds")?, count("calls")?, count("wall_ms")?);
            let cost = number_column(&batch, RunTable::Samples, "cost_usd")?;
            for row in 0..batch.num_rows() {
                let sample = IndexedSample {
                    case: self.case(dataset.value(row), id.value(row)),
                    system: self.systems.number(system.value(row)),
                    epoch: small(epoch.at(row)),
                    attempt: small(attempt.at(row)),
                    outcome: Outcome::parse(outcome.value(row))
                        .ok_or_else(|| BrowseError::column(RunTable::Samples, "outcome"))?,
                    rounds: rounds.get(row).map(|rounds| small(rounds.unsigned_abs())),
                    calls: small(calls.at(row)),
                    cost_usd: cost.is_valid(row).then(|| cost.value(row)),
                    wall_ms: wall_ms.at(row),
                    place: place(part, first + row),
                };
                self.samples.push(sample);
            }
        }
        Ok(())
    }

    /// Sorts by key and keeps the last attempt at every sample.
    fn finish(self) -> RunIndex {
        let (datasets, dataset_places) = self.datasets.into_sorted();
        let (systems, system_places) = self.systems.into_sorted();
        let (sources, source_places) = self.sources.into_sorted();
        let (specialties, specialty_places) = self.specialties.into_sorted();
        let (prevalences, prevalence_places) = self.prevalences.into_sorted();
        let (languages, language_places) = self.languages.into_sorted();

        let mut cases = self.cases;
        for case in &mut cases {
            case.dataset = dataset_places[case.dataset as usize];
            case.source = source_places[case.source as usize];
            case.specialty = case.specialty.map(|n| specialty_places[n as usize]);
            case.prevalence = case.prevalence.map(|n| prevalence_places[n as usize]);
            case.language = language_places[case.language as usize];
        }
        let mut order: Vec<usize> = (0..cases.len()).collect();
        order.sort_unstable_by(|left, right| {
            let (left, right) = (&cases[*left], &cases[*right]);
            (left.dataset, &left.id).cmp(&(right.dataset, &right.id))
        });
        let mut case_places = vec![0; cases.len()];
        for (place, number) in order.iter().enumerate() {
            case_places[*number] = u32::try_from(place).unwrap_or(u32::MAX);
        }
        let cases = order.iter().map(|number| cases[*number].clone()).collect();

        let mut samples = self.samples;
        for sample in &mut samples {
            sample.case = case_places[sample.case as usize];
            sample.system = system_places[sample.system as usize];
        }
        // The last attempt comes first, and is the one that stays.
        samples.sort_unstable_by_key(|sample| {
            let last_first = u32::MAX - sample.attempt;
            (sample.case, sample.system, sample.epoch, last_first)
        });
        samples.dedup_by_key(|sample| (sample.case, sample.system, sample.epoch));
        samples.shrink_to_fit();
        RunIndex {
            datasets,
            systems,
            sources,
            specialties,
            prevalences,
            languages,
            cases,
            samples,
            scorers: Vec::new(),
            headlines: Vec::new(),
        }
    }
}

fn place(part: u32, row: usize) -> RowPlace {
    RowPlace {
        part,
        row: u32::try_from(row).unwrap_or(u32::MAX),
    }
}

fn small(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A text column as it is stored.
pub(in super::super) fn text_column<'a>(
    batch: &'a RecordBatch,
    table: RunTable,
    name: &'static str,
) -> Result<&'a StringViewArray, BrowseError> {
    batch
        .column_by_name(name)
        .and_then(|column| column.as_string_view_opt())
        .ok_or_else(|| BrowseError::column(table, name))
}

pub(in super::super) fn number_column<'a>(
    batch: &'a RecordBatch,
    table: RunTable,
    name: &'static str,
) -> Result<&'a Float64Array, BrowseError> {
    batch
        .column_by_name(name)
        .and_then(|column| column.as_primitive_opt::<Float64Type>())
        .ok_or_else(|| BrowseError::column(table, name))
}

/// Integers of either width.
pub(in super::super) struct Counts(arrow::array::Int64Array);

impl Counts {
    pub(in super::super) fn of(
        batch: &RecordBatch,
        table: RunTable,
        name: &'static str,
    ) -> Result<Self, BrowseError> {
        let column = batch
            .column_by_name(name)
            .ok_or_else(|| BrowseError::column(table, name))?;
        let wide = cast(column, &DataType::Int64).map_err(|_| BrowseError::column(table, name))?;
        Ok(Self(wide.as_primitive::<Int64Type>().clone()))
    }

    pub(in super::super) fn get(&self, row: usize) -> Option<i64> {
        self.0.is_valid(row).then(|| self.0.value(row))
    }

    /// The value of a column that is never NULL nor negative.
    pub(in super::super) fn at(&self, row: usize) -> u64 {
        self.get(row).unwrap_or_default().unsigned_abs()
    }
}
