//! Prompts: Jinja files, embedded at compile time and replaceable by a folder.
//!
//! A file is named `<solver>/<role>.<language>.jinja` and holds a system part and a user part,
//! separated by a line of three hyphens. Only files are templates: case text and replies are values
//! and are never compiled.

mod builtin;
mod library;
mod values;

pub use library::{PromptError, PromptLibrary, RenderedPrompt};
pub use values::case_values;
