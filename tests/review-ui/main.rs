//! Tests of the web pages.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod fixture;
mod headers;
mod health;
mod hostile;
mod pages;
mod paging;
mod routes;
mod size;

#[path = "../browser/mod.rs"]
mod browser;
