//! Two transcripts, round beside round.

use consilium_core::EventRow;

use crate::link::Link;
use crate::view::text::Budget;
use crate::view::timeline::Turn;

/// A stretch of both transcripts.
#[derive(Debug)]
pub(crate) struct Stretch {
    /// `Round 3`, `Before the first round`, ….
    pub label: String,
    /// Turns of the left system.
    pub left: Vec<Turn>,
    /// Turns of the right-hand one.
    pub right: Vec<Turn>,
}

/// Where a turn lies: before all rounds, in one, or after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    Opening,
    Round(u32),
    Closing,
}

/// Turns with their stage, in order of stage and then as they happened.
pub(super) fn turns(
    events: &[EventRow],
    text: &Link,
    lang: Option<&str>,
    budget: &mut Budget,
) -> Vec<(Stage, Turn)> {
    let mut begun = false;
    let mut turns: Vec<(Stage, Turn)> = events
        .iter()
        .map(|event| {
            begun |= event.round.is_some();
            let stage = match event.round {
                Some(round) => Stage::Round(round),
                None if begun => Stage::Closing,
                None => Stage::Opening,
            };
            (stage, Turn::new(event, text, lang, budget))
        })
        .collect();
    turns.sort_by_key(|(stage, _)| *stage);
    turns
}

/// Puts equal stages beside each other.
pub(super) fn align(left: Vec<(Stage, Turn)>, right: Vec<(Stage, Turn)>) -> Vec<Stretch> {
    let rounds = left
        .iter()
        .chain(&right)
        .any(|(stage, _)| matches!(stage, Stage::Round(_)));
    let mut stages: Vec<Stage> = left.iter().chain(&right).map(|(stage, _)| *stage).collect();
    stages.sort_unstable();
    stages.dedup();
    let mut stretches: Vec<(Stage, Stretch)> = stages
        .into_iter()
        .map(|stage| {
            let label = match stage {
                Stage::Round(round) => format!("Round {round}"),
                Stage::Opening if rounds => "Before the first round".to_owned(),
                Stage::Opening => "Transcript".to_owned(),
                Stage::Closing => "After the last round".to_owned(),
            };
            (
                stage,
                Stretch {
                    label,
                    left: Vec::new(),
                    right: Vec::new(),
                },
            )
        })
        .collect();
    for (is_left, turns) in [(true, left), (false, right)] {
        for (stage, turn) in turns {
            if let Some((_, stretch)) = stretches.iter_mut().find(|(other, _)| *other == stage) {
                let column = if is_left {
                    &mut stretch.left
                } else {
                    &mut stretch.right
                };
                column.push(turn);
            }
        }
    }
    stretches.into_iter().map(|(_, stretch)| stretch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(rounds: &[Option<u32>]) -> Vec<(Stage, Turn)> {
        let rows: Vec<EventRow> = rounds
            .iter()
            .zip(0..)
            .map(|(round, seq)| EventRow {
                dataset: String::new(),
                case_id: String::new(),
                system: String::new(),
                epoch: 1,
                attempt: 1,
                seq,
                round: *round,
                agent: "a".to_owned(),
                kind: "k".to_owned(),
                content: None,
                payload: None,
            })
            .collect();
        turns(&rows, &Link::to(""), None, &mut Budget::new(9_999))
    }

    #[test]
    fn rounds_stand_beside_each_other_and_the_rest_around_them() {
        let stretches = align(
            events(&[None, Some(1), Some(1), Some(3), None]),
            events(&[Some(1), Some(2)]),
        );
        let sizes: Vec<_> = stretches
            .iter()
            .map(|s| (s.label.as_str(), s.left.len(), s.right.len()))
            .collect();
        assert_eq!(
            sizes,
            [
                ("Before the first round", 1, 0),
                ("Round 1", 2, 1),
                ("Round 2", 0, 1),
                ("Round 3", 1, 0),
                ("After the last round", 1, 0),
            ]
        );
    }

    #[test]
    fn transcripts_without_rounds_stand_beside_each_other() {
        let stretches = align(events(&[None, None]), events(&[None]));
        assert_eq!(stretches.len(), 1);
        assert_eq!(stretches[0].label, "Transcript");
    }
}
