//! How the numbers of a table were obtained, in words below it.

use consilium_core::{Estimate, Table};
use serde::Serialize;

use super::column::{EstimateColumn, plain_title};
use super::print_size;
use crate::visible::one_line;

/// Method, n and signature that whole columns share.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Remark {
    /// Headings of the columns it is about.
    pub columns: String,
    pub method: Option<String>,
    pub n: Option<String>,
    pub signature: Option<String>,
}

/// One remark per group of columns with the same method, n and signature.
pub(super) fn remarks(table: &Table, estimates: &[EstimateColumn]) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = Vec::new();
    for (column, estimate) in table
        .columns
        .iter()
        .zip(estimates)
        .filter(|(_, e)| e.is_some())
    {
        let remark = Remark {
            columns: plain_title(column),
            method: only(&estimate.methods),
            n: estimate.common_size().map(print_size),
            signature: only(&estimate.signatures),
        };
        if remark.method.is_none() && remark.n.is_none() && remark.signature.is_none() {
            continue;
        }
        let same = |known: &&mut Remark| {
            known.method == remark.method
                && known.n == remark.n
                && known.signature == remark.signature
        };
        match remarks.iter_mut().find(same) {
            Some(known) => known.columns = format!("{}; {}", known.columns, remark.columns),
            None => remarks.push(remark),
        }
    }
    remarks
}

fn only(texts: &[String]) -> Option<String> {
    match texts {
        [text] => Some(one_line(text)),
        _ => None,
    }
}

/// `Wilson 95 %, signature …`.
pub(super) fn method_and_signature(
    method: Option<&str>,
    signature: Option<&str>,
) -> Option<String> {
    let signature = signature.map(|signature| format!("signature {}", one_line(signature)));
    let parts: Vec<String> = method.map(one_line).into_iter().chain(signature).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Everything about one number on one line.
pub(super) fn hint(estimate: &Estimate) -> String {
    let rest = method_and_signature(estimate.method.as_deref(), estimate.signature.as_deref());
    let n = format!("n = {}", print_size(estimate.n));
    [Some(n), rest]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ")
}
