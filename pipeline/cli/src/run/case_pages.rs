//! One case across systems.

use std::path::Path;

use anyhow::{Context as _, Result};
use consilium_query::{RunSource, one_case};
use consilium_report::{CasePage, RecordedCase};

use super::provenance;
use crate::failure::hinted;

/// Everything the runs recorded about the case of this identifier.
pub(crate) async fn case_page(runs: &[RunSource], case_id: &str) -> Result<CasePage> {
    let mut recorded = Vec::new();
    for run in runs {
        let session = super::session_over(std::slice::from_ref(run)).await?;
        for found in one_case(&session, case_id).await? {
            let mut manifest = run.manifest.clone();
            manifest
                .datasets
                .retain(|dataset| *dataset.name == *found.case.view.dataset);
            recorded.push(RecordedCase {
                run: run.manifest.run.clone(),
                marks: provenance::marks(std::iter::once(&manifest)),
                case: found.case,
                samples: found.samples,
                scores: found.scores,
            });
        }
    }
    if recorded.is_empty() {
        let names: Vec<&str> = runs.iter().map(|run| run.manifest.run.as_str()).collect();
        return Err(hinted(
            format!(
                "show case '{case_id}': no dataset of {} has it",
                names.join(", ")
            ),
            format!(
                "consilium sql {} \"SELECT dataset, case_id FROM cases\" lists the cases",
                names.join(" ")
            ),
        ));
    }
    Ok(CasePage {
        case_id: case_id.to_owned(),
        recorded,
    })
}

/// Identifiers of the cases that a report has pages of.
pub(crate) fn recorded_pages(report: &Path) -> Result<Vec<String>> {
    let folder = report.join("cases");
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut ids = Vec::new();
    let entries =
        std::fs::read_dir(&folder).with_context(|| format!("list {}", folder.display()))?;
    for entry in entries {
        let path = entry
            .with_context(|| format!("list {}", folder.display()))?
            .path();
        if path.extension().is_some_and(|ending| ending == "json") {
            let bytes = std::fs::read(&path).with_context(|| format!("read {}", path.display()))?;
            let page: CasePage = serde_json::from_slice(&bytes)
                .with_context(|| format!("read {}", path.display()))?;
            ids.push(page.case_id);
        }
    }
    ids.sort();
    Ok(ids)
}
