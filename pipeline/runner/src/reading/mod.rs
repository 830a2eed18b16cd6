//! How replies are read: reasoning set aside, JSON found in prose.

mod final_answer;
mod json;
mod reasoning;

pub(crate) use final_answer::final_answer;
pub(crate) use json::json_objects;
pub(crate) use reasoning::without_reasoning;
