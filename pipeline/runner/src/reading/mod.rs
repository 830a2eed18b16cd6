//! How replies are read: reasoning set aside, JSON found in prose.

mod final_answer;
mod json;
mod reasoning;

pub use final_answer::final_answer;
pub use json::json_objects;
pub use reasoning::without_reasoning;
