//! One route per module.

pub(crate) mod calls;
pub(crate) mod compare;
pub(crate) mod figure;
pub(crate) mod pair;
pub(crate) mod pairs;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod sample;
pub(crate) mod samples;
pub(crate) mod table;
pub(crate) mod text;
