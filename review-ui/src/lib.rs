//! Web pages of Consilium.
//!
//! This crate never opens a run itself: it asks a [`RunLibrary`], which the binary implements, so
//! that the identities of systems stay behind that trait.

mod app;
mod health;
mod library;
mod security;

pub use app::{AppState, app};
pub use library::{LibraryError, RunCard, RunLibrary};
