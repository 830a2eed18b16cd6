//! File names and anchors of tables: names come from users and are never trusted as paths.

/// One distinct stem of `[A-Za-z0-9_-]` per name, in the order of the names.
pub(crate) fn stems<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut stems = Stems::default();
    names.into_iter().map(|name| stems.next(name)).collect()
}

/// Stems that are taken.
#[derive(Debug, Default)]
pub(crate) struct Stems {
    taken: Vec<String>,
}

impl Stems {
    /// A stem for the name that no earlier name has.
    pub(crate) fn next(&mut self, name: &str) -> String {
        let base = stem(name);
        let mut candidate = base.clone();
        let mut copy = 1_u32;
        // Case is folded because some file systems do.
        while self.taken.contains(&candidate.to_ascii_lowercase()) {
            copy += 1;
            candidate = format!("{base}-{copy}");
        }
        self.taken.push(candidate.to_ascii_lowercase());
        candidate
    }

    /// How many stems have been given.
    pub(crate) fn count(&self) -> usize {
        self.taken.len()
    }
}

const LONGEST: usize = 80;

fn stem(name: &str) -> String {
    let kept: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' || c == '-' {
                c
            } else {
                '-'
            }
        })
        .take(LONGEST)
        .collect();
    let kept = kept.trim_matches('-');
    if kept.is_empty() {
        "table".to_owned()
    } else {
        kept.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_the_folder() {
        assert_eq!(stems(["../../etc/passwd"]), ["etc-passwd"]);
        assert_eq!(
            stems(["systems-by-source", "a_b"]),
            ["systems-by-source", "a_b"]
        );
    }

    #[test]
    fn equal_names_stay_apart() {
        assert_eq!(
            stems(["a", "A", "a-2", "", "表"]),
            ["a", "A-2", "a-2-2", "table", "table-2"]
        );
    }
}
