//! Looking through a run: its samples in order, filtered and paged; one sample in full.
//!
//! A run of 100,000 samples is listed from a small index in memory (about 200 bytes a sample: key,
//! outcome, subgroups, scores), read once from narrow columns. Texts stay on disk and are read for
//! the rows of a page by their positions in the parts. Sums over the whole run are SQL.

mod conclusion;
mod index;
mod interner;
mod keyset;
mod open_run;
mod sample;
mod scores;
mod search;
mod selection;
mod summary;
mod texts;
mod transcript;

pub use conclusion::Conclusion;
pub use index::{CaseLabels, IndexedSample, RunIndex};
pub use keyset::{Edge, Positions, keyset};
pub use open_run::{BrowseError, OpenRun};
pub use sample::SampleRecord;
pub use scores::{IndexedScore, ScorerIndex};
pub use search::Matches;
pub use selection::{Filter, Selection};
pub use summary::{Headline, ModelCalls, Summary, headlines, summary};
pub use texts::{CARD_CHARACTERS, CardTexts};
pub use transcript::{CallChoice, Portion};
