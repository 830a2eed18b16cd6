//! Study files: read, checked, completed.

mod backend_checks;
mod checks;
mod chinese;
mod identity;
mod judges;
mod load;
mod resolve;

pub(crate) use chinese::ChineseReferences;
pub(crate) use identity::{difference, study_sha256};
pub(crate) use load::load;
pub(crate) use resolve::ResolvedStudy;
