//! Web pages of Consilium.
//!
//! This crate never opens a run itself: it asks a [`RunLibrary`], which the binary implements, so
//! that the identities of systems stay behind that trait.

mod app;
mod assets;
mod error;
mod health;
mod library;
mod link;
mod page;
mod params;
mod place;
mod security;
mod shell;
mod view;

pub use app::{AppState, app};
pub use library::{
    Agreement, AttemptCard, CARD_CHARACTERS, CallField, CallSelection, Counts, Edge, Facets,
    Figure, Headline, LibraryError, ModelUse, Neighbours, Page, Pair, PairFilter, PairPlace, Reply,
    RunCard, RunLibrary, RunList, RunView, SampleCard, SampleFilter, SampleView, ScorerName,
    TextPart, UnreadableRun, Verdict, Window,
};
