//! How replies are read: reasoning set aside, JSON found in prose.

mod json;
mod reasoning;

pub(crate) use json::json_objects;
pub(crate) use reasoning::without_reasoning;
