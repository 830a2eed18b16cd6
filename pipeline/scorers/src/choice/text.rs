//! Answers that name an option by its text.

use super::frame;
use super::listing;
use super::options::Options;
use crate::extraction::Extraction;
use crate::fold::{fold, has_content};
use crate::mention::{mentions, unanimous};
use crate::sentence::sentences;
use crate::stance::{Stance, is_question, stance};

/// The option whose text is the whole answer.
pub(super) fn whole(text: &str, options: &Options<'_>) -> Option<Extraction> {
    exact(text, "text.whole", options)
}

/// The option whose text is the last line.
pub(super) fn last_line(text: &str, options: &Options<'_>) -> Option<Extraction> {
    let line = text.lines().rev().find(|line| has_content(line))?;
    exact(line, "text.last_line", options)
}

fn exact(text: &str, rule: &'static str, options: &Options<'_>) -> Option<Extraction> {
    if options.is_lone_letter(text) || is_question(text) {
        return None;
    }
    match options.equal_to(text) {
        Ok(index) => Some(Extraction::found(options.label(index?), rule, text)),
        Err(()) => Some(Extraction::ambiguous(text)),
    }
}

/// The one option whose text the last sentence states as the answer.
pub(super) fn contained(text: &str, options: &Options<'_>) -> Option<Extraction> {
    let range = sentences(text).pop()?;
    let line = text[..range.start].rfind('\n').map_or(0, |end| end + 1);
    let sentence = &text[range];
    if listing::is_echo(text, &text[line..], options) || is_question(sentence) {
        return None;
    }
    let folded = fold(sentence);
    let mentions = mentions(&folded, options.forms());
    let Ok(index) = unanimous(&mentions) else {
        return Some(Extraction::ambiguous(sentence));
    };
    let index = index?;
    let mut stated = false;
    for mention in &mentions {
        let (before, after) = (&folded[..mention.start], &folded[mention.end..]);
        if stance(before, after) != Stance::Asserted {
            return None;
        }
        stated |= frame::states(before, after);
    }
    stated.then(|| Extraction::found(options.label(index), "text.last_sentence", sentence))
}
