//! Where encoders lie.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use crate::error::ModelError;

/// Environment variable with a folder of encoders that is looked into first.
pub const MODELS_VARIABLE: &str = "CONSILIUM_MODELS";

/// Folders that hold encoders: `$CONSILIUM_MODELS`, then the user's cache.
pub fn model_roots() -> Vec<PathBuf> {
    roots(
        std::env::var_os(MODELS_VARIABLE),
        std::env::var_os("XDG_CACHE_HOME"),
        std::env::home_dir(),
    )
}

fn roots(models: Option<OsString>, cache: Option<OsString>, home: Option<PathBuf>) -> Vec<PathBuf> {
    let given = |value: Option<OsString>| value.filter(|v| !v.is_empty()).map(PathBuf::from);
    let cache = given(cache)
        .filter(|cache| cache.is_absolute())
        .or_else(|| home.map(|home| home.join(".cache")));
    given(models)
        .into_iter()
        .chain(cache.map(|cache| cache.join("consilium").join("models")))
        .collect()
}

/// Finds the folder of an encoder by name.
///
/// A name such as `sentence-transformers/all-MiniLM-L6-v2` is looked for whole and by its last
/// part.
///
/// # Errors
/// When the name could leave the folders of models, or none of them holds it.
pub fn encoder_folder(name: &str) -> Result<PathBuf, ModelError> {
    find(name, &model_roots())
}

fn find(name: &str, roots: &[PathBuf]) -> Result<PathBuf, ModelError> {
    let relative = Path::new(name);
    let is_plain = !name.is_empty()
        && !name.contains(['\\', '\0', ':'])
        && relative
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
    if !is_plain {
        return Err(ModelError::Name {
            name: name.to_owned(),
        });
    }
    let last = relative.file_name().map(Path::new);
    roots
        .iter()
        .flat_map(|root| {
            [Some(relative), last]
                .into_iter()
                .flatten()
                .map(|part| root.join(part))
        })
        .find(|folder| folder.join("config.json").is_file())
        .ok_or_else(|| ModelError::NotFound {
            name: name.to_owned(),
            roots: roots.to_vec(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_comes_before_the_cache() {
        let home = Some(PathBuf::from("/home/x"));
        assert_eq!(
            roots(Some("/m".into()), Some("/c".into()), home.clone()),
            [Path::new("/m"), Path::new("/c/consilium/models")]
        );
        // A relative cache folder is to be ignored, says the base directory specification.
        assert_eq!(
            roots(Some(OsString::new()), Some("c".into()), home),
            [Path::new("/home/x/.cache/consilium/models")]
        );
        assert!(roots(None, None, None).is_empty());
    }

    #[test]
    fn names_are_found_whole_and_by_their_last_part() {
        let root = tempfile::tempdir().unwrap();
        let roots = [root.path().join("none"), root.path().to_owned()];
        let folder = root.path().join("mini");
        std::fs::create_dir_all(&folder).unwrap();
        let missing = find("mini", &roots).unwrap_err().to_string();
        assert!(
            missing.contains("hint") && missing.contains("mini"),
            "{missing}"
        );
        std::fs::write(folder.join("config.json"), "{}").unwrap();
        assert_eq!(find("mini", &roots).unwrap(), folder);
        assert_eq!(find("maker/mini", &roots).unwrap(), folder);
    }

    #[test]
    fn names_cannot_leave_the_folder() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("config.json"), "{}").unwrap();
        let roots = [root.path().join("models")];
        for name in ["", "..", "../x", "/etc", "a/../..", "."] {
            let error = find(name, &roots).unwrap_err();
            assert!(matches!(error, ModelError::Name { .. }), "{name}");
        }
    }
}
