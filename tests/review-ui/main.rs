//! Tests of the web pages.

mod health;
