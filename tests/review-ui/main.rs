//! Tests of the web pages.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod health;
