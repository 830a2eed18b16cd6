//! Cases that an aggregate has seen.

use arrow::array::{Array, FixedSizeBinaryArray};
use arrow::buffer::Buffer;
use arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::common::cast::as_fixed_size_binary_array;
use hashbrown::HashTable;
use siphasher::sip128::SipHasher13;

/// Bytes of a case's hash.
const WIDTH: usize = size_of::<u128>();

/// What the cases of an aggregate are in its state.
pub(super) const CASE_TYPE: DataType = DataType::FixedSizeBinary(16);

/// What stands for a case: 128 bits of its text, since nothing ever asks for the text again.
///
/// Among 10⁹ cases two alike have a probability of 10⁻²¹. A million cases take 26 MB, their texts took
/// 90 MB, and a table holds an aggregate for each of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Case(u128);

impl Case {
    /// The case of this text.
    pub(super) fn named(text: &str) -> Self {
        Self(SipHasher13::new().hash(text.as_bytes()).as_u128())
    }

    /// Its place in a table that it is spread over.
    fn bits(self) -> u64 {
        #[expect(clippy::cast_possible_truncation, reason = "any 64 bits of a hash do")]
        let bits = self.0 as u64;
        bits
    }
}

/// Cases of an aggregate's state.
pub(super) fn case_column(cases: impl Iterator<Item = Case>) -> Result<FixedSizeBinaryArray> {
    let bytes: Vec<u8> = cases.flat_map(|case| case.0.to_le_bytes()).collect();
    Ok(FixedSizeBinaryArray::try_new(
        16,
        Buffer::from_vec(bytes),
        None,
    )?)
}

/// The cases that [`case_column`] wrote.
pub(super) fn cases_of(column: &dyn Array) -> Result<impl Iterator<Item = Case>> {
    let column = as_fixed_size_binary_array(column)?;
    let bytes = column.value_data();
    Ok(bytes
        .chunks_exact(WIDTH)
        .filter_map(|bytes| bytes.try_into().ok())
        .map(|bytes| Case(u128::from_le_bytes(bytes))))
}

/// Numbers cases in the order in which they first come, so that what is known of them can stand in plain
/// columns: an aggregate over 100,000 samples keeps one entry for each.
#[derive(Debug, Default)]
pub(super) struct CaseNumbers {
    cases: Vec<Case>,
    /// The numbers, found by their cases.
    numbers: HashTable<u32>,
}

impl CaseNumbers {
    /// The case's number; a case that is new has the next one.
    pub(super) fn number(&mut self, case: Case) -> usize {
        let Self { cases, numbers } = self;
        let is_case = |number: &u32| cases[*number as usize] == case;
        if let Some(number) = numbers.find(case.bits(), is_case) {
            return *number as usize;
        }
        let next = cases.len();
        let number = u32::try_from(next).expect("fewer cases than four thousand million");
        cases.push(case);
        numbers.insert_unique(case.bits(), number, |number| cases[*number as usize].bits());
        next
    }

    /// The cases in the order of their numbers.
    pub(super) fn cases(&self) -> impl Iterator<Item = Case> {
        self.cases.iter().copied()
    }

    /// Size in memory.
    pub(super) fn bytes(&self) -> usize {
        self.cases.capacity() * size_of::<Case>() + self.numbers.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_has_one_number_and_survives_the_state() {
        let mut numbers = CaseNumbers::default();
        let texts: Vec<String> = (0..5000).map(|index| format!("5:cases/{index}")).collect();
        for _ in 0..2 {
            for (index, text) in texts.iter().enumerate() {
                assert_eq!(numbers.number(Case::named(text)), index);
            }
        }
        let column = case_column(numbers.cases()).unwrap();
        assert_eq!(column.data_type(), &CASE_TYPE);
        let read: Vec<Case> = cases_of(&column).unwrap().collect();
        let named: Vec<Case> = texts.iter().map(|text| Case::named(text)).collect();
        assert_eq!(read, named);
        let part = column.slice(7, 2);
        assert_eq!(cases_of(&part).unwrap().collect::<Vec<_>>(), named[7..9]);
        assert!(numbers.bytes() > 5000 * 20);
    }
}
