//! Runs as the web pages see them.
//!
//! Pages ask the trait [`RunLibrary`]; what it takes is here: runs that are open and what is kept of
//! them, in [`shelf`]; sums of a run, in [`summary`]; the rest reads the run's index and parts, on
//! threads that may wait for files.

mod damage;
mod host;
mod list;
mod pairs;
mod samples;
mod shelf;
mod summary;
mod tables;
mod transcript;

use std::path::PathBuf;
use std::sync::Arc;

use crate::run::marks;
use consilium_core::{CallRow, EventRow, SampleKey, Table};
use consilium_query::browse::{BrowseError, Matches, OpenRun};
use consilium_review::{
    CallSelection, Counts, Facets, Figure, LibraryError, Neighbours, Page, Pair, PairFilter,
    PairPlace, Reply, RunLibrary, RunList, RunView, SampleCard, SampleFilter, SampleView, TextPart,
    Window,
};
use tokio::sync::Semaphore;

pub(crate) use host::{HostNames, check_host};
use shelf::{Shelf, ShelvedRun};

/// Searches through the texts of runs at one time: each keeps a core busy.
const SEARCHES: usize = 2;

/// The runs of a folder.
#[derive(Debug)]
pub(crate) struct Library {
    shelf: Arc<Shelf>,
    searching: Arc<Semaphore>,
}

impl Library {
    /// The runs in `root`, which need not exist yet.
    pub(crate) fn new(root: PathBuf) -> Self {
        Self {
            shelf: Arc::new(Shelf::new(root)),
            searching: Arc::new(Semaphore::new(SEARCHES)),
        }
    }

    async fn shelved(&self, run: &str) -> Result<Option<Arc<ShelvedRun>>, LibraryError> {
        let (shelf, name) = (Arc::clone(&self.shelf), run.to_owned());
        blocking(move || shelf.find(&name)).await
    }

    /// The answer about a run; a failure says what is wrong with the run, where something is.
    async fn about<T: Send + 'static>(
        &self,
        run: &str,
        answer: impl Future<Output = Result<T, LibraryError>> + Send,
    ) -> Result<T, LibraryError> {
        let error = match answer.await {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        let Some(folder) = self.shelf.folder(run) else {
            return Err(error);
        };
        let name = run.to_owned();
        blocking(move || Err(damage::explained(&name, &folder, error))).await
    }

    /// Asks an open run where waiting for files is allowed; `None` when there is no such run.
    async fn ask<T: Send + 'static>(
        &self,
        run: &str,
        question: impl FnOnce(&OpenRun) -> Result<T, BrowseError> + Send + 'static,
    ) -> Result<Option<T>, LibraryError> {
        let answer = async {
            let Some(shelved) = self.shelved(run).await? else {
                return Ok(None);
            };
            blocking(move || question(shelved.run()).map_err(unreadable))
                .await
                .map(Some)
        };
        self.about(run, answer).await
    }

    /// As [`Self::ask`], with the place where the filter's text occurs.
    async fn ask_filtered<T: Send + 'static>(
        &self,
        run: &str,
        text: Option<&str>,
        question: impl FnOnce(&OpenRun, Option<Arc<Matches>>) -> Result<T, BrowseError> + Send + 'static,
    ) -> Result<Option<T>, LibraryError> {
        let Some(text) = text.map(str::to_owned) else {
            return self.ask(run, |run| question(run, None)).await;
        };
        let permit = Arc::clone(&self.searching).acquire_owned().await;
        self.ask(run, move |run| {
            let matches = run.search(&*run.index()?, &text)?;
            drop(permit);
            question(run, Some(matches))
        })
        .await
    }
}

impl RunLibrary for Library {
    fn check(&self) -> Reply<'_, ()> {
        let shelf = Arc::clone(&self.shelf);
        Box::pin(blocking(move || shelf.check()))
    }

    fn runs<'a>(&'a self, window: &'a Window<String>) -> Reply<'a, RunList> {
        Box::pin(self.list(window))
    }

    fn run<'a>(&'a self, run: &'a str) -> Reply<'a, Option<RunView>> {
        Box::pin(self.about(run, self.view(run)))
    }

    fn tables<'a>(&'a self, run: &'a str) -> Reply<'a, Option<Vec<Table>>> {
        Box::pin(self.about(run, async move {
            match self.shelved(run).await? {
                Some(shelved) => Ok(Some(tables::of_run(&shelved).await?.to_vec())),
                None => Ok(None),
            }
        }))
    }

    fn figures<'a>(&'a self, run: &'a str) -> Reply<'a, Option<Vec<Figure>>> {
        Box::pin(self.about(run, async move {
            let Some(shelved) = self.shelved(run).await? else {
                return Ok(None);
            };
            let tables = tables::of_run(&shelved).await?;
            let marks = marks(std::iter::once(shelved.run().manifest()));
            let figures = consilium_report::figures_of(&tables, &marks);
            let figure = |figure: consilium_report::Figure| Figure {
                name: figure.stem,
                title: figure.title,
                description: figure.description,
                svg: figure.file,
            };
            Ok(Some(figures.into_iter().map(figure).collect()))
        }))
    }

    fn facets<'a>(&'a self, run: &'a str) -> Reply<'a, Option<Facets>> {
        Box::pin(self.ask(run, samples::facets))
    }

    fn samples<'a>(
        &'a self,
        run: &'a str,
        filter: &'a SampleFilter,
        window: &'a Window<SampleKey>,
    ) -> Reply<'a, Option<Page<SampleCard>>> {
        let (wanted, window) = (filter.clone(), window.clone());
        Box::pin(
            self.ask_filtered(run, filter.text.as_deref(), move |run, matches| {
                samples::page(run, &samples::selection(&wanted, matches), &window)
            }),
        )
    }

    fn counts<'a>(&'a self, run: &'a str, filter: &'a SampleFilter) -> Reply<'a, Option<Counts>> {
        let wanted = filter.clone();
        Box::pin(
            self.ask_filtered(run, filter.text.as_deref(), move |run, matches| {
                samples::counts(run, &samples::selection(&wanted, matches))
            }),
        )
    }

    fn neighbours<'a>(
        &'a self,
        run: &'a str,
        filter: &'a SampleFilter,
        key: &'a SampleKey,
    ) -> Reply<'a, Option<Neighbours>> {
        let (wanted, key) = (filter.clone(), key.clone());
        Box::pin(
            self.ask_filtered(run, filter.text.as_deref(), move |run, matches| {
                samples::neighbours(run, &samples::selection(&wanted, matches), &key)
            }),
        )
    }

    fn sample<'a>(
        &'a self,
        run: &'a str,
        key: &'a SampleKey,
        attempt: Option<u32>,
    ) -> Reply<'a, Option<SampleView>> {
        let key = key.clone();
        Box::pin(async move {
            let found = self
                .ask(run, move |run| transcript::sample(run, &key, attempt))
                .await?;
            Ok(found.flatten())
        })
    }

    fn events<'a>(
        &'a self,
        run: &'a str,
        key: &'a SampleKey,
        attempt: u32,
        window: &'a Window<u32>,
        bytes: usize,
    ) -> Reply<'a, Page<EventRow>> {
        let (key, window) = (key.clone(), window.clone());
        Box::pin(async move {
            let page = self
                .ask(run, move |run| {
                    transcript::events(run, &key, attempt, &window, bytes)
                })
                .await?;
            Ok(page.unwrap_or_else(Page::empty))
        })
    }

    fn calls<'a>(
        &'a self,
        run: &'a str,
        key: &'a SampleKey,
        attempt: u32,
        selection: &'a CallSelection,
        bytes: usize,
    ) -> Reply<'a, Page<CallRow>> {
        let (key, selection) = (key.clone(), selection.clone());
        Box::pin(async move {
            let page = self
                .ask(run, move |run| {
                    transcript::calls(run, &key, attempt, &selection, bytes)
                })
                .await?;
            Ok(page.unwrap_or_else(Page::empty))
        })
    }

    fn text<'a>(
        &'a self,
        run: &'a str,
        key: &'a SampleKey,
        attempt: u32,
        part: &'a TextPart,
    ) -> Reply<'a, Option<String>> {
        let (key, part) = (key.clone(), part.clone());
        Box::pin(async move {
            let text = self
                .ask(run, move |run| transcript::text(run, &key, attempt, &part))
                .await?;
            Ok(text.flatten())
        })
    }

    fn pairs<'a>(
        &'a self,
        run: &'a str,
        filter: &'a PairFilter,
        window: &'a Window<PairPlace>,
    ) -> Reply<'a, Option<Page<Pair>>> {
        let (filter, window) = (filter.clone(), window.clone());
        Box::pin(self.ask(run, move |run| pairs::page(run, &filter, &window)))
    }

    fn samples_of_case<'a>(
        &'a self,
        run: &'a str,
        dataset: &'a str,
        case_id: &'a str,
    ) -> Reply<'a, Option<Vec<SampleCard>>> {
        let (dataset, case_id) = (dataset.to_owned(), case_id.to_owned());
        Box::pin(self.ask(run, move |run| samples::of_case(run, &dataset, &case_id)))
    }
}

/// Runs work that waits for files on a thread for such.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, LibraryError> + Send + 'static,
) -> Result<T, LibraryError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| LibraryError::because("a thread ended", error))?
}

/// A run whose parts cannot be read, in the words of the trait; no cause holds case text.
fn unreadable(error: BrowseError) -> LibraryError {
    LibraryError::because("a run cannot be looked through", error)
}
