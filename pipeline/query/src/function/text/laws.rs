//! SQL gives what the library and `consilium metric` give, however the rows are partitioned.

#![expect(clippy::float_cmp, reason = "the same formula gives the same bits")]

use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef, AsArray as _, RecordBatch, StringViewArray};
use arrow::datatypes::Float64Type;
use consilium_metrics::catalog::{NAMES, sql_name, text_metric};
use consilium_metrics::{
    CaseStatistics, CaseSum, ExactSum, clustered_bootstrap_mean, clustered_bootstrap_text, metric,
};
use proptest::prelude::*;
use serde_json::json;

use crate::function::laws::answer;
use crate::session::query_session;

/// Case, hypothesis, reference.
type Row = (u8, String, String);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let text = "([ab]{1,2}|the|heart|hearts|脾虚|证|3[.]5|[.,。]| ){0,14}";
    proptest::collection::vec((0..5_u8, text, text), 2..12)
}

fn ask(rows: &[Row], partitions: usize, sql: &str) -> RecordBatch {
    let batches: Vec<Vec<RecordBatch>> = (0..partitions)
        .map(|partition| {
            let of: Vec<&Row> = rows.iter().skip(partition).step_by(partitions).collect();
            let column = |text: fn(&Row) -> String| {
                let texts = of.iter().map(|row| text(row));
                Arc::new(StringViewArray::from_iter_values(texts)) as ArrayRef
            };
            let batch = RecordBatch::try_from_iter_with_nullable([
                ("case_id", column(|row| format!("case {}", row.0)), true),
                ("hyp", column(|row| row.1.clone()), true),
                ("ref", column(|row| row.2.clone()), true),
            ]);
            vec![batch.unwrap()]
        })
        .collect();
    answer(batches, sql)
}

fn number(column: &ArrayRef) -> Option<f64> {
    let numbers = column.as_primitive::<Float64Type>();
    numbers.is_valid(0).then(|| numbers.value(0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn every_text_metric_equals_the_library(rows in rows()) {
        for name in NAMES {
            let known = text_metric(name).unwrap();
            let statistics: Vec<Vec<i64>> = rows
                .iter()
                .map(|(_, hypothesis, reference)| known.statistics(hypothesis, &[reference]))
                .collect();
            let values: ExactSum = statistics.iter().map(|row| known.score(row)).collect();
            let mean = values.value() / rows.len() as f64;
            let corpus = if known.is_additive() { known.score(&metric::sum(&statistics)) } else { mean };
            let of_case = |row: &Row| format!("case {}", row.0);
            let interval = if known.is_additive() {
                let cases: Vec<CaseStatistics> = rows
                    .iter()
                    .zip(&statistics)
                    .map(|(row, statistics)| CaseStatistics { case: of_case(row), statistics: statistics.clone() })
                    .collect();
                clustered_bootstrap_text(known.as_ref(), &cases, 3, 40, 0.95)
            } else {
                // One exact sum a case, as rows of a case may come in any order.
                let mut sums = std::collections::BTreeMap::<String, (ExactSum, u64)>::new();
                for (row, statistics) in rows.iter().zip(&statistics) {
                    let (sum, n) = sums.entry(of_case(row)).or_default();
                    sum.add(known.score(statistics));
                    *n += 1;
                }
                let cases: Vec<CaseSum> = sums
                    .into_iter()
                    .map(|(case, (sum, n))| CaseSum { case, sum: sum.value(), n })
                    .collect();
                clustered_bootstrap_mean(&cases, 3, 40, 0.95)
            };
            let short = sql_name(name);
            let spelled = if known.is_additive() { short.clone() } else { format!("corpus_{short}") };
            for partitions in [1, 4] {
                let sql = format!(
                    "SELECT {spelled}({short}_stats(hyp, ref)) AS corpus, bootstrap_ci(sentence_{short}(hyp, \
                     ref), case_id, 3, 40)['value'] AS mean, text_ci('{name}', {short}_stats(hyp, \
                     make_array(ref)), case_id, 3, 40) AS ci FROM t"
                );
                let batch = ask(&rows, partitions, &sql);
                prop_assert_eq!(number(batch.column(0)), Some(corpus), "{}", name);
                prop_assert_eq!(number(batch.column(1)), Some(mean), "{}", name);
                let ci = batch.column(2).as_struct();
                prop_assert_eq!(number(ci.column(0)), Some(corpus), "{}", name);
                prop_assert_eq!(number(ci.column(1)), interval.map(|i| i.low), "{}", name);
                prop_assert_eq!(number(ci.column(2)), interval.map(|i| i.high), "{}", name);
            }
        }
    }

    #[test]
    fn distinct_and_the_metric_command_agree(rows in rows()) {
        let texts: Vec<&str> = rows.iter().map(|row| row.1.as_str()).collect();
        let answer = crate::evaluate_metric("distinct_n", &json!({"n": 2}), &json!({"hyps": texts}));
        let (hypothesis, reference) = (rows[0].1.as_str(), rows[0].2.as_str());
        let rouge = crate::evaluate_metric(
            "rouge_score.score",
            &json!({"rouge_types": ["rougeL"], "use_stemmer": false}),
            &json!({"target": reference, "prediction": hypothesis}),
        ).unwrap();
        for partitions in [1, 4] {
            let batch = ask(&rows, partitions, "SELECT distinct_n(hyp, 2, 'split') AS d FROM t");
            let value = number(batch.column(0));
            if let Ok(answer) = &answer {
                prop_assert_eq!(value.unwrap_or(0.0), answer["score"].as_f64().unwrap_or(0.0));
            }
        }
        let batch = ask(&rows[..1], 1, "SELECT rouge_l(hyp, ref) AS f FROM t");
        prop_assert_eq!(number(batch.column(0)), rouge["rougeL"]["fmeasure"].as_f64().or(rouge["rougeL"]["f"].as_f64()));
    }
}

#[test]
fn missing_texts_are_null_and_wrong_arguments_are_told() {
    let rows = vec![(1, "a b".to_owned(), "a b".to_owned())];
    let batch = ask(
        &rows,
        1,
        "SELECT rouge_l(CAST(NULL AS VARCHAR), ref) AS a, rouge_l(hyp, CAST(NULL AS VARCHAR)) AS b, \
         rouge_l(hyp, make_array(NULL, 'x', 'a b')) AS c FROM t",
    );
    let values: Vec<Option<f64>> = batch.columns().iter().map(number).collect();
    assert_eq!(values, [None, None, Some(1.0)]);
    let batch = ask(
        &rows,
        1,
        "SELECT corpus_rouge_l(rouge_l_stats(NULL, ref)) AS v FROM t",
    );
    assert_eq!(number(batch.column(0)), None);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    for (sql, said) in [
        ("SELECT rouge_l('a')", "takes a hypothesis and a reference"),
        ("SELECT rouge_l(1, 'a')", "must be a text"),
        (
            "SELECT text_ci('nothing', rouge_l_stats('a', 'b'), 'c', 1, 10)",
            "no text metric 'nothing'",
        ),
        (
            "SELECT bleu(rouge_l_stats('a', 'a'))",
            "no statistics of it",
        ),
        ("SELECT bleu([-1])", "no statistics of it"),
        (
            "SELECT text_ci('bleu', rouge_l_stats('a', 'a'), 'c', 1, 10)",
            "no statistics of bleu",
        ),
        ("SELECT distinct_n('a', 0, 'split')", "from 1 to 9"),
        ("SELECT distinct_n('a', 1, 'tokens')", "'chars'"),
    ] {
        let error = runtime.block_on(async {
            let session = query_session(1).unwrap();
            match session.sql(sql).await {
                Ok(frame) => frame.collect().await.unwrap_err(),
                Err(error) => error,
            }
        });
        assert!(error.to_string().contains(said), "{sql}: {error}");
    }
}
