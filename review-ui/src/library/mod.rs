//! How pages get at runs.
//!
//! The crate never opens a run: it asks a [`RunLibrary`], which the binary implements. Rows come in
//! the words of `consilium-core`; what is typed here is only what a page asks for (a filter, a place
//! in an order) and what it shows at once (a card, a headline).
//!
//! Rules for an implementation:
//!
//! - **Speed.** Every method answers in well under 100 ms on a run of 100,000 samples, so that a
//!   page that asks two or three of them stays under 150 ms. A finished run never changes: indexes,
//!   facets, headlines, tables and counts may be kept by run name and manifest.
//! - **Which attempt counts.** Lists and counts see one row per sample key, its counting attempt,
//!   as the SQL table `samples` does. Only [`sample`](RunLibrary::sample) and what hangs on it takes
//!   an attempt.
//! - **Ids are opaque.** Names of runs, datasets, cases and systems are compared as they stand, byte
//!   by byte; a run's name is never joined to a path before it was found among the runs.
//! - **Unknown is `None`,** not an error: a page then says 404. An error becomes a 500 with a
//!   general text; its message goes to the log, so it never holds case text.
//! - **A run that is being written** shows what its manifest lists.

mod error;
mod order;
mod pair;
mod run;
mod sample;
mod transcript;

use std::fmt::Debug;
use std::pin::Pin;

use consilium_core::{CallRow, EventRow, SampleKey, Table};

pub use error::LibraryError;
pub use order::{Edge, Page, Window};
pub use pair::{Agreement, Pair, PairFilter, PairPlace};
pub use run::{Figure, Headline, ModelUse, RunCard, RunList, RunView, UnreadableRun};
pub use sample::{
    CARD_CHARACTERS, Counts, Facets, Neighbours, SampleCard, SampleFilter, ScorerName, Verdict,
};
pub use transcript::{AttemptCard, CallField, CallSelection, SampleView, TextPart};

/// An answer that is being looked up.
pub type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, LibraryError>> + Send + 'a>>;

/// The runs that pages may show.
///
/// A future borrows the library and its arguments; it does its work when polled and may be dropped
/// at any point, since readers leave.
pub trait RunLibrary: Debug + Send + Sync {
    /// Whether the runs can be listed; for `/healthz`, so it opens no run.
    ///
    /// # Errors
    /// When the folder of the runs cannot be read.
    fn check(&self) -> Reply<'_, ()>;

    /// Runs, the newest first (by start, then by name); the place of a run is its name.
    ///
    /// A run that cannot be read (a newer format, a broken manifest) is named in
    /// [`RunList::unreadable`] and does not make the list fail.
    fn runs<'a>(&'a self, window: &'a Window<String>) -> Reply<'a, RunList>;

    /// One run: its card, manifest, models and warnings.
    fn run<'a>(&'a self, run: &'a str) -> Reply<'a, Option<RunView>>;

    /// The result tables of a run in the order of its report, as `consilium report` computes them;
    /// empty before the run was scored.
    fn tables<'a>(&'a self, run: &'a str) -> Reply<'a, Option<Vec<Table>>>;

    /// The figures of a run in the order of its report; empty when there are none.
    fn figures<'a>(&'a self, run: &'a str) -> Reply<'a, Option<Vec<Figure>>>;

    /// The values that filters of a run offer.
    fn facets<'a>(&'a self, run: &'a str) -> Reply<'a, Option<Facets>>;

    /// Samples that pass the filter, ascending by key: (dataset, `case_id`, system, epoch), texts by
    /// bytes. The place of a sample is its key; the key need not exist or pass the filter.
    fn samples<'a>(
        &'a self,
        run: &'a str,
        filter: &'a SampleFilter,
        window: &'a Window<SampleKey>,
    ) -> Reply<'a, Option<Page<SampleCard>>>;

    /// How the samples that pass the filter ended.
    fn counts<'a>(&'a self, run: &'a str, filter: &'a SampleFilter) -> Reply<'a, Option<Counts>>;

    /// The samples before and after a key among those that pass the filter, in the order of
    /// [`samples`](Self::samples).
    fn neighbours<'a>(
        &'a self,
        run: &'a str,
        filter: &'a SampleFilter,
        key: &'a SampleKey,
    ) -> Reply<'a, Option<Neighbours>>;

    /// One sample with its case and scores; the counting attempt when none is named.
    fn sample<'a>(
        &'a self,
        run: &'a str,
        key: &'a SampleKey,
        attempt: Option<u32>,
    ) -> Reply<'a, Option<SampleView>>;

    /// Events of an attempt, ascending by `seq`; the place of an event is its `seq`.
    ///
    /// A page holds at most the window's rows and ends early after the row with which the texts
    /// exceed `bytes` (at least one row is given), so that a page of huge events stays small.
    fn events<'a>(
        &'a self,
        run: &'a str,
        key: &'a SampleKey,
        attempt: u32,
        window: &'a Window<u32>,
        bytes: usize,
    ) -> Reply<'a, Page<EventRow>>;

    /// Calls of an attempt, ascending by (`scorer`, solver first; `seq`), whole.
    ///
    /// At most `limit` rows after the first `skip` of the selection, ending early as
    /// [`events`](Self::events) does. `more_before` is whether anything was skipped.
    fn calls<'a>(
        &'a self,
        run: &'a str,
        key: &'a SampleKey,
        attempt: u32,
        selection: &'a CallSelection,
        bytes: usize,
    ) -> Reply<'a, Page<CallRow>>;

    /// One text of a sample in full, for a download; `None` when it does not exist.
    fn text<'a>(
        &'a self,
        run: &'a str,
        key: &'a SampleKey,
        attempt: u32,
        part: &'a TextPart,
    ) -> Reply<'a, Option<String>>;

    /// Cases on which both systems have a sample of the same epoch, ascending by
    /// (dataset, `case_id`, epoch).
    fn pairs<'a>(
        &'a self,
        run: &'a str,
        filter: &'a PairFilter,
        window: &'a Window<PairPlace>,
    ) -> Reply<'a, Option<Page<Pair>>>;

    /// Every sample of one case, ascending by (system, epoch), at most 500.
    fn samples_of_case<'a>(
        &'a self,
        run: &'a str,
        dataset: &'a str,
        case_id: &'a str,
    ) -> Reply<'a, Option<Vec<SampleCard>>>;
}
