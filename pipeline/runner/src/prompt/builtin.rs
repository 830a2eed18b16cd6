//! The prompt files of this build.

macro_rules! embedded {
    ($($name:literal),+ $(,)?) => {
        /// Name and text of every built-in prompt file.
        pub(super) const BUILT_IN: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../../../templates/prompts/", $name)))),+
        ];
    };
}

embedded! {
    "chain_of_thought/answer.en.jinja",
    "chain_of_thought/answer.zh.jinja",
    "direct/answer.en.jinja",
    "direct/answer.zh.jinja",
    "judge/same.en.jinja",
    "judge/same.zh.jinja",
    "shared/repair.en.jinja",
    "shared/repair.zh.jinja",
}
