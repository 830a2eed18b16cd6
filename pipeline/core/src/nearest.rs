//! The known name that a misspelt one probably means.

/// Similarity from which a name is worth suggesting.
const SIMILAR: f64 = 0.75;

/// The most similar of the known names, when one is similar at all; the first of equals.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    ranked(name, known)
        .filter(|(similarity, _)| *similarity > SIMILAR)
        .map(|(_, known)| known)
}

/// The most similar of the known names, however little that is; empty when there are none.
pub fn most_similar<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    ranked(name, known).map_or_else(String::new, |(_, known)| known.to_owned())
}

fn ranked<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<(f64, &'a str)> {
    known
        .into_iter()
        .map(|known| (strsim::jaro_winkler(name, known), known))
        // The first of equals, so that a hint is stable.
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_name_is_found_and_a_far_one_is_not_suggested() {
        assert_eq!(nearest("dirct", ["constant", "direct"]), Some("direct"));
        assert_eq!(nearest("zzz", ["constant", "direct"]), None);
        assert_eq!(most_similar("zzz", ["constant", "direct"]), "constant");
        assert_eq!(nearest("x", []), None);
        assert_eq!(most_similar("x", []), "");
    }
}
