//! One case across systems: what was asked, what is right, what each system answered.

mod view;

use consilium_core::canonical::sha256_hex;
use consilium_core::{Case, SampleRow, ScoreRow};
use serde::{Deserialize, Serialize};

use crate::format::Format;
use crate::render::{RenderedFile, ReportError};
use crate::{html, markdown};
pub(crate) use view::CaseView;

/// A case with everything that one run recorded about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedCase {
    /// Name of the run.
    pub run: String,
    /// What must be said wherever the case is shown, for example that it is synthetic.
    pub marks: Vec<String>,
    /// The case with its gold.
    pub case: Case,
    /// One per system and repetition.
    pub samples: Vec<SampleRow>,
    /// Scores of these samples.
    pub scores: Vec<ScoreRow>,
}

/// One case across systems, and across the runs and datasets that have its identifier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CasePage {
    /// The identifier; opaque.
    pub case_id: String,
    /// One per run and dataset.
    pub recorded: Vec<RecordedCase>,
}

impl CasePage {
    /// Path of one of its files below the report's folder, without the ending.
    ///
    /// Identifiers may hold anything, so the name is made of their hash.
    pub fn stem(case_id: &str) -> String {
        let hash = sha256_hex(case_id.as_bytes());
        format!("cases/{}", &hash[..16])
    }
}

/// Renders the page as JSON, which `verify` reads, and as HTML and Markdown where these are asked for.
///
/// The same page gives the same bytes.
pub fn render_case(page: &CasePage, formats: &[Format]) -> Result<Vec<RenderedFile>, ReportError> {
    let stem = CasePage::stem(&page.case_id);
    let view = CaseView::new(page);
    let mut files = Vec::new();
    let mut push = |ending: &str, content: String| {
        files.push(RenderedFile {
            path: format!("{stem}.{ending}"),
            bytes: content.into_bytes(),
        });
    };
    let json = serde_json::to_string_pretty(page).map_err(ReportError::Json)?;
    push("json", json + "\n");
    if formats.contains(&Format::Html) {
        push("html", html::case(&view).map_err(ReportError::CaseHtml)?);
    }
    if formats.contains(&Format::Markdown) {
        push("md", markdown::case(&view));
    }
    Ok(files)
}

#[cfg(test)]
mod tests;
