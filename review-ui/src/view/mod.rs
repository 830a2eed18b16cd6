//! What pages are made of: texts, numbers, words and tables, ready for a template.

pub(crate) mod call;
pub(crate) mod card;
pub(crate) mod case;
pub(crate) mod filter;
pub(crate) mod number;
pub(crate) mod pager;
pub(crate) mod sheet;
pub(crate) mod text;
pub(crate) mod timeline;
pub(crate) mod words;
