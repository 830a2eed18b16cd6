//! Result tables as Markdown, LaTeX, CSV, XLSX, HTML and JSON, with figures as SVG.
//!
//! This crate prints [`consilium_core::Table`] and cannot query. Shares are printed as percentages
//! with one decimal, `55.2 (52.1–58.3)`; what was done to get a number stands below its table.
//! Text of models and datasets is hostile: every format escapes it, and none may let it become
//! markup, a command or a formula.

mod case_page;
mod chart;
mod comma;
mod footnote;
mod format;
mod html;
mod latex;
mod markdown;
mod number;
mod render;
mod report;
mod sheet;
mod stem;
mod visible;
mod workbook;

pub use case_page::{CasePage, RecordedCase, render_case};
pub use chart::{Figure, figures_of};
pub use format::{Format, UnknownFormat};
pub use render::{RenderedFile, ReportError, render};
pub use report::Report;
