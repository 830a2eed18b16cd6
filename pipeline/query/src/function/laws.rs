//! SQL gives what the library gives, however the rows are partitioned.

#![expect(clippy::float_cmp, reason = "the same formula gives the same bits")]

use std::sync::Arc;

use arrow::array::{
    Array as _, ArrayRef, AsArray as _, Float64Array, RecordBatch, StringViewArray,
};
use arrow::datatypes::{Float64Type, Int64Type};
use consilium_metrics::{CaseSum, ClusteredConfusion, Interval, clustered_bootstrap_mean, wilson};
use datafusion::catalog::MemTable;
use proptest::prelude::*;

use crate::session::query_session;

/// One scored sample: case, truth, prediction.
type Row = (u8, u8, Option<u8>);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec((0..12_u8, 0..4_u8, proptest::option::of(0..4_u8)), 2..60)
}

fn case(row: Row) -> String {
    format!("case '{}'", row.0)
}

fn label(label: u8) -> String {
    format!("标签{label}")
}

/// Runs a query over the rows, spread over partitions in turn.
fn ask(rows: &[Row], partitions: usize, sql: &str) -> RecordBatch {
    let batches: Vec<Vec<RecordBatch>> = (0..partitions)
        .map(|partition| {
            let of: Vec<&Row> = rows.iter().skip(partition).step_by(partitions).collect();
            let text =
                |of: Vec<Option<String>>| Arc::new(StringViewArray::from_iter(of)) as ArrayRef;
            let values = Float64Array::from_iter_values(
                of.iter()
                    .map(|row| f64::from(u8::from(row.2 == Some(row.1)))),
            );
            let batch = RecordBatch::try_from_iter_with_nullable([
                (
                    "case_id",
                    text(of.iter().map(|row| Some(case(**row))).collect()),
                    true,
                ),
                (
                    "truth",
                    text(of.iter().map(|row| Some(label(row.1))).collect()),
                    true,
                ),
                (
                    "predicted",
                    text(of.iter().map(|row| row.2.map(label)).collect()),
                    true,
                ),
                ("value", Arc::new(values) as ArrayRef, true),
            ]);
            vec![batch.unwrap()]
        })
        .collect();
    answer(batches, sql)
}

/// The rows that a query gives over the table `t`, which has these partitions.
pub(super) fn answer(batches: Vec<Vec<RecordBatch>>, sql: &str) -> RecordBatch {
    let schema = batches[0][0].schema();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let session = query_session(batches.len()).unwrap();
        session
            .register_table("t", Arc::new(MemTable::try_new(schema, batches).unwrap()))
            .unwrap();
        let batches = session.sql(sql).await.unwrap().collect().await.unwrap();
        arrow::compute::concat_batches(&batches[0].schema(), &batches).unwrap()
    })
}

/// Value, low, high and n of a struct column's only row.
fn estimate(batch: &RecordBatch, column: &str) -> (Option<f64>, Option<f64>, Option<f64>, i64) {
    let fields = batch.column_by_name(column).unwrap().as_struct();
    let number = |name: &str| {
        let numbers = fields
            .column_by_name(name)
            .unwrap()
            .as_primitive::<Float64Type>();
        numbers.is_valid(0).then(|| numbers.value(0))
    };
    let n = fields
        .column_by_name("n")
        .unwrap()
        .as_primitive::<Int64Type>()
        .value(0);
    (number("value"), number("low"), number("high"), n)
}

fn expected(
    value: f64,
    interval: Option<Interval>,
    n: usize,
) -> (Option<f64>, Option<f64>, Option<f64>, i64) {
    let (low, high) = (interval.map(|i| i.low), interval.map(|i| i.high));
    (Some(value), low, high, i64::try_from(n).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn proportions_and_means_equal_the_library(rows in rows()) {
        let right = rows.iter().filter(|row| row.2 == Some(row.1)).count();
        let mean = right as f64 / rows.len() as f64;
        let sums: Vec<CaseSum> = rows
            .iter()
            .map(|row| CaseSum { case: case(*row), sum: f64::from(u8::from(row.2 == Some(row.1))), n: 1 })
            .collect();
        for partitions in [1, 4] {
            let batch = ask(
                &rows,
                partitions,
                "SELECT wilson_ci(value) AS w, bootstrap_ci(value, case_id, 7, 200) AS b, accuracy(truth, \
                 predicted) AS a FROM t",
            );
            let interval = wilson(right as u64, rows.len() as u64, 0.95);
            prop_assert_eq!(estimate(&batch, "w"), expected(mean, interval, rows.len()));
            let interval = clustered_bootstrap_mean(&sums, 7, 200, 0.95);
            prop_assert_eq!(estimate(&batch, "b"), expected(mean, interval, rows.len()));
            let accuracy = batch.column_by_name("a").unwrap().as_primitive::<Float64Type>().value(0);
            prop_assert_eq!(accuracy, mean);
        }
    }

    #[test]
    fn precision_recall_and_f1_equal_the_library(rows in rows()) {
        let mut counts = ClusteredConfusion::new();
        for row in &rows {
            counts.add(&case(*row), &label(row.1), row.2.map(label).as_deref(), 1);
        }
        let summary = counts.total().summary().unwrap();
        let intervals = counts.bootstrap(7, 100, 0.95);
        for partitions in [1, 4] {
            let batch = ask(
                &rows,
                partitions,
                "SELECT p['macro_f1'] AS macro_f1, p['weighted_recall'] AS weighted_recall, q['macro_f1'] AS \
                 plain FROM (SELECT prf_ci(truth, predicted, case_id, 7, 100) AS p, prf(truth, predicted) AS \
                 q FROM t)",
            );
            let interval = intervals.as_ref().and_then(|i| i.macro_average.f1);
            prop_assert_eq!(
                estimate(&batch, "macro_f1"),
                expected(summary.macro_average.f1, interval, rows.len())
            );
            let interval = intervals.as_ref().and_then(|i| i.weighted.recall);
            prop_assert_eq!(
                estimate(&batch, "weighted_recall"),
                expected(summary.weighted.recall, interval, rows.len())
            );
            let plain = batch.column_by_name("plain").unwrap().as_primitive::<Float64Type>().value(0);
            prop_assert_eq!(plain, summary.macro_average.f1);

            let classes = ask(
                &rows,
                partitions,
                "SELECT c['class'] AS class, c['support'] AS support FROM (SELECT \
                 unnest(prf_by_class(truth, predicted)) AS c FROM t)",
            );
            prop_assert_eq!(classes.num_rows(), summary.classes.len());
            let confusion = ask(
                &rows,
                partitions,
                "SELECT sum(c['n']) AS n FROM (SELECT unnest(confusion(truth, predicted)) AS c FROM t)",
            );
            let n = confusion.column(0).as_primitive::<Int64Type>().value(0);
            prop_assert_eq!(n, i64::try_from(rows.len()).unwrap());
        }
    }
}
