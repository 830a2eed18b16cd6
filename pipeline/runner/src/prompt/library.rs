//! The prompts of a study.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use consilium_core::canonical::sha256_hex;
use consilium_core::most_similar;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};
use serde::Serialize;

use super::builtin::BUILT_IN;
use consilium_backends::Message;

/// The line between the system part and the user part of a file.
const SEPARATOR: &str = "---";

/// Languages prompts are written in; the first serves every other language.
const LANGUAGES: [&str; 2] = ["en", "zh"];

/// The prompt files of a study, compiled.
pub struct PromptLibrary {
    environment: Environment<'static>,
    /// SHA-256 by file name.
    hashes: BTreeMap<String, String>,
}

/// A prompt that cannot be loaded or rendered.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// The override folder or a file in it cannot be read.
    #[error("read prompts from {}", path.display())]
    Read {
        /// Folder or file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file replaces nothing.
    #[error("load prompt {}: there is no built-in prompt '{name}'; did you mean '{nearest}'?", path.display())]
    UnknownFile {
        /// The file.
        path: PathBuf,
        /// Its name relative to the folder.
        name: String,
        /// The built-in prompt with the most similar name.
        nearest: String,
    },
    /// A file has no line of three hyphens.
    #[error("load prompt '{name}': a line `---` must separate the system part from the user part")]
    Separator {
        /// Name of the file.
        name: String,
    },
    /// A file is not a template.
    #[error("load prompt '{name}' (line {line})")]
    Syntax {
        /// Name of the file.
        name: String,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        #[source]
        source: minijinja::Error,
    },
    /// No such prompt.
    #[error("find prompt '{name}'")]
    Missing {
        /// Name without language.
        name: String,
    },
    /// A template asks for a value that it is not given, or cannot use.
    #[error("render prompt '{name}' (line {line})")]
    Render {
        /// Name of the file.
        name: String,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        #[source]
        source: minijinja::Error,
    },
}

/// A prompt with its values filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedPrompt {
    /// The system part, when it is not empty.
    pub system: Option<String>,
    /// The user part.
    pub user: String,
}

impl RenderedPrompt {
    /// The prompt as the beginning of a chat.
    pub fn messages(self) -> Vec<Message> {
        self.system
            .map(Message::system)
            .into_iter()
            .chain([Message::user(self.user)])
            .collect()
    }
}

impl PromptLibrary {
    /// The built-in prompts, with those of the same name in `folder` in their place.
    ///
    /// # Errors
    /// When the folder cannot be read, or a file in it replaces nothing or is no template.
    pub fn load(folder: Option<&Path>) -> Result<Self, PromptError> {
        let mut sources: BTreeMap<String, String> = BUILT_IN
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        if let Some(folder) = folder {
            replace_from(folder, folder, &mut sources)?;
        }
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        if let Ok(syntax) = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build()
        {
            environment.set_syntax(syntax);
        }
        let mut hashes = BTreeMap::new();
        for (name, text) in sources {
            let [system, user] = parts(&name, &text)?;
            for (part, source) in [("system", system), ("user", user)] {
                environment
                    .add_template_owned(format!("{name}#{part}"), source)
                    .map_err(|source| PromptError::Syntax {
                        name: name.clone(),
                        line: source.line().unwrap_or(1),
                        source,
                    })?;
            }
            hashes.insert(name, sha256_hex(text.as_bytes()));
        }
        Ok(Self {
            environment,
            hashes,
        })
    }

    /// Fills in a prompt, named without language, for instance `direct/answer`.
    ///
    /// # Errors
    /// When there is no such prompt, or it asks for a value that it is not given.
    pub fn render(
        &self,
        prompt: &str,
        language: &str,
        values: &impl Serialize,
    ) -> Result<RenderedPrompt, PromptError> {
        let name = file_name(prompt, language);
        let values = Value::from(Serde(values));
        let part = |part: &str| {
            let template = self
                .environment
                .get_template(&format!("{name}#{part}"))
                .map_err(|_| PromptError::Missing {
                    name: prompt.to_owned(),
                })?;
            let text = template
                .render(values.clone())
                .map_err(|source| PromptError::Render {
                    name: name.clone(),
                    line: source.line().unwrap_or(1),
                    source,
                })?;
            Ok(text.trim().to_owned())
        };
        let system = part("system")?;
        Ok(RenderedPrompt {
            system: (!system.is_empty()).then_some(system),
            user: part("user")?,
        })
    }

    /// SHA-256 of the files of the prompts named, in every language; for the manifest.
    pub fn hashes<'a>(
        &self,
        prompts: impl IntoIterator<Item = &'a str>,
    ) -> BTreeMap<String, String> {
        prompts
            .into_iter()
            .flat_map(|prompt| LANGUAGES.map(|language| file_name(prompt, language)))
            .filter_map(|name| Some((name.clone(), self.hashes.get(&name)?.clone())))
            .collect()
    }
}

impl fmt::Debug for PromptLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptLibrary")
            .field("hashes", &self.hashes)
            .finish_non_exhaustive()
    }
}

/// The file of a prompt in the language closest to a case's.
fn file_name(prompt: &str, language: &str) -> String {
    let primary = language.split(['-', '_']).next().unwrap_or_default();
    let known = LANGUAGES
        .into_iter()
        .find(|known| primary.eq_ignore_ascii_case(known));
    format!("{prompt}.{}.jinja", known.unwrap_or(LANGUAGES[0]))
}

/// The two parts of a file. The user part keeps its line numbers.
fn parts(name: &str, text: &str) -> Result<[String; 2], PromptError> {
    let text = text.replace("\r\n", "\n");
    let mut at = 0;
    for (line, content) in text.split_inclusive('\n').enumerate() {
        if content.trim_end() == SEPARATOR {
            let user = "\n".repeat(line + 1) + &text[at + content.len()..];
            return Ok([text[..at].to_owned(), user]);
        }
        at += content.len();
    }
    Err(PromptError::Separator {
        name: name.to_owned(),
    })
}

fn replace_from(
    root: &Path,
    folder: &Path,
    sources: &mut BTreeMap<String, String>,
) -> Result<(), PromptError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| PromptError::Read { path, source }
    };
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let path = entry.map_err(failed(folder))?.path();
        // Editors and version control leave hidden files.
        if path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'))
        {
            continue;
        }
        if path.is_dir() {
            replace_from(root, &path, sources)?;
            continue;
        }
        let name = path
            .strip_prefix(root)
            .unwrap_or(&path)
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect::<Vec<_>>()
            .join("/");
        let Some(source) = sources.get_mut(&name) else {
            let nearest = most_similar(&name, sources.keys().map(String::as_str));
            return Err(PromptError::UnknownFile {
                path,
                name,
                nearest,
            });
        };
        *source = fs::read_to_string(&path).map_err(failed(&path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
