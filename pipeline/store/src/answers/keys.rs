//! The keys of samples and cases, to bring both into order without their texts.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;

use arrow::array::RecordBatch;
use rayon::prelude::*;

use crate::lookup::{PartRows, RowPlace, TableParts, narrow};
use crate::rows::Columns;
use crate::{DecodeError, RunTable, StoreError};

/// A sample and where its attempt that counts and its case lie.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    key: Key,
    /// Row of the sample.
    pub(super) sample: RowPlace,
    /// Row of the case.
    pub(super) case: RowPlace,
}

impl Pair {
    pub(super) const fn epoch(&self) -> u32 {
        self.key.epoch
    }

    pub(super) const fn attempt(&self) -> u32 {
        self.key.attempt
    }
}

/// Pairs in the order of dataset, case, system and epoch, with the texts of their keys.
#[derive(Debug)]
pub(super) struct OrderedPairs {
    texts: Texts,
    pairs: Vec<Pair>,
}

impl OrderedPairs {
    pub(super) fn read(
        samples: &TableParts,
        cases: &TableParts,
        datasets: &[String],
    ) -> Result<Self, StoreError> {
        let mut texts = Texts::new(datasets);
        let mut asked = keys(cases, &mut texts, &["dataset", "case_id"])?;
        let columns = ["dataset", "case_id", "system", "epoch", "attempt"];
        let mut answered = keys(samples, &mut texts, &columns)?;
        let ranks = texts.ranks();
        for (key, _) in asked.iter_mut().chain(&mut answered) {
            key.dataset = ranks[key.dataset as usize];
            key.system = ranks[key.system as usize];
        }
        texts.sort(&ranks);
        for rows in [&mut asked, &mut answered] {
            rows.par_sort_unstable_by(|(left, _), (right, _)| texts.order(left, right));
        }
        // Only the last attempt counts, and attempts are in ascending order.
        answered.dedup_by(|(later, place), (earlier, earlier_place)| {
            let same = texts.case_order(later, earlier).is_eq()
                && (later.system, later.epoch) == (earlier.system, earlier.epoch);
            if same {
                (*earlier, *earlier_place) = (later.clone(), *place);
            }
            same
        });
        let mut asked = asked.into_iter().peekable();
        let mut pairs = Vec::with_capacity(answered.len());
        let mut alone: Vec<Key> = Vec::new();
        for (key, sample) in answered {
            while asked
                .next_if(|(case, _)| texts.case_order(case, &key).is_lt())
                .is_some()
            {}
            match asked.peek() {
                Some((case, place)) if texts.case_order(case, &key).is_eq() => pairs.push(Pair {
                    key,
                    sample,
                    case: *place,
                }),
                _ => alone.push(key),
            }
        }
        if let Some(first) = alone.first() {
            return Err(StoreError::NoCase {
                samples: alone.len(),
                dataset: texts.name(first.dataset).to_owned(),
                case_id: texts.id(first).to_owned(),
            });
        }
        Ok(Self { texts, pairs })
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    pub(super) fn range(&self, range: Range<usize>) -> &[Pair] {
        &self.pairs[range]
    }

    pub(super) fn dataset(&self, pair: &Pair) -> &str {
        self.texts.name(pair.key.dataset)
    }

    pub(super) fn system(&self, pair: &Pair) -> &str {
        self.texts.name(pair.key.system)
    }

    pub(super) fn case_id(&self, pair: &Pair) -> &str {
        self.texts.id(&pair.key)
    }
}

/// What a row is told apart by; the numbers of names become their ranks before keys are compared.
#[derive(Clone, Debug)]
struct Key {
    id_start: usize,
    id_length: u32,
    dataset: u32,
    system: u32,
    epoch: u32,
    attempt: u32,
}

/// The texts that keys point to: names of datasets and systems once, identifiers of cases end to end.
#[derive(Debug)]
struct Texts {
    wanted: usize,
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    ids: String,
}

impl Texts {
    /// Only rows of these datasets are taken.
    fn new(datasets: &[String]) -> Self {
        let mut texts = Self {
            wanted: 0,
            names: Vec::new(),
            numbers: HashMap::new(),
            ids: String::new(),
        };
        for dataset in datasets {
            texts.number(dataset);
        }
        texts.wanted = texts.names.len();
        texts
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = narrow(self.names.len());
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// The place of every name among all names in their order.
    fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_unstable_by(|left, right| self.names[*left].cmp(&self.names[*right]));
        let mut ranks = vec![0; order.len()];
        for (rank, number) in order.into_iter().enumerate() {
            ranks[number] = narrow(rank);
        }
        ranks
    }

    fn sort(&mut self, ranks: &[u32]) {
        let names = std::mem::take(&mut self.names);
        self.names = vec![String::new(); names.len()];
        for (name, rank) in names.into_iter().zip(ranks) {
            self.names[*rank as usize] = name;
        }
    }

    fn name(&self, rank: u32) -> &str {
        &self.names[rank as usize]
    }

    fn id(&self, key: &Key) -> &str {
        &self.ids[key.id_start..key.id_start + key.id_length as usize]
    }

    fn case_order(&self, left: &Key, right: &Key) -> Ordering {
        let datasets = left.dataset.cmp(&right.dataset);
        datasets.then_with(|| self.id(left).cmp(self.id(right)))
    }

    fn order(&self, left: &Key, right: &Key) -> Ordering {
        let rest = |key: &Key| (key.system, key.epoch, key.attempt);
        self.case_order(left, right)
            .then_with(|| rest(left).cmp(&rest(right)))
    }
}

fn keys(
    table: &TableParts,
    texts: &mut Texts,
    columns: &[&str],
) -> Result<Vec<(Key, RowPlace)>, StoreError> {
    let mut keys = Vec::new();
    for rows in table.scan(columns) {
        let PartRows { part, first, batch } = rows?;
        add_keys(&batch, table.table(), texts, |row, key| {
            let row = narrow(first + row);
            keys.push((key, RowPlace { part, row }));
        })
        .map_err(|source| StoreError::Decode {
            table: table.table(),
            source,
        })?;
    }
    Ok(keys)
}

fn add_keys(
    batch: &RecordBatch,
    table: RunTable,
    texts: &mut Texts,
    mut each: impl FnMut(usize, Key),
) -> Result<(), DecodeError> {
    let columns = Columns(batch);
    let (datasets, cases) = (columns.text("dataset")?, columns.text("case_id")?);
    let sample = if table == RunTable::Samples {
        let numbers = (columns.integer("epoch")?, columns.integer("attempt")?);
        Some((columns.text("system")?, numbers))
    } else {
        None
    };
    for row in 0..batch.num_rows() {
        let dataset = texts.numbers.get(datasets.value(row)?).copied();
        let Some(dataset) = dataset.filter(|number| (*number as usize) < texts.wanted) else {
            continue;
        };
        let (system, epoch, attempt) = match &sample {
            Some((systems, (epochs, attempts))) => (
                texts.number(systems.value(row)?),
                epochs.required(row)?,
                attempts.required(row)?,
            ),
            None => (dataset, 0, 0),
        };
        let id = cases.value(row)?;
        let id_start = texts.ids.len();
        texts.ids.push_str(id);
        let key = Key {
            id_start,
            id_length: narrow(id.len()),
            dataset,
            system,
            epoch,
            attempt,
        };
        each(row, key);
    }
    Ok(())
}
