//! The known name a misspelt one probably means.

/// The most similar of the known names; empty when there are none.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    known
        .into_iter()
        .map(|known| (strsim::normalized_damerau_levenshtein(name, known), known))
        // The first one of equals, so that the hint is stable.
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, known)| known.to_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_name_is_found() {
        assert_eq!(nearest("dirct", ["constant", "direct"]), "direct");
        assert_eq!(nearest("x", []), "");
    }
}
