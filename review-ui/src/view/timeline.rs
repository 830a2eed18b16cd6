//! Events and calls of a sample, round by round.

use consilium_core::{CallRow, EventRow};

use super::call::{Call, CallLinks};
use super::case::part;
use super::text::{Budget, Text, short};
use crate::TextPart;
use crate::link::Link;

const CONTENT_CHARACTERS: usize = 4_000;
const PAYLOAD_CHARACTERS: usize = 2_000;

/// What is shown of each text once a page is full.
const FULL_PAGE_CHARACTERS: usize = 300;

/// Consecutive events of one round, and the calls of that round.
#[derive(Clone, Debug)]
pub(crate) struct Round {
    /// Number; `None` outside of rounds.
    pub number: Option<u32>,
    /// What happened.
    pub turns: Vec<Turn>,
    /// The calls that were made.
    pub calls: Vec<Call>,
}

/// One event.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// Anchor on its page.
    pub anchor: String,
    /// Agent that speaks.
    pub agent: String,
    /// What kind of turn it is.
    pub kind: String,
    /// What is said.
    pub content: Option<Text>,
    /// Structured part.
    pub payload: Option<Text>,
}

impl Turn {
    /// An event with links to its whole texts; shortened when the page is full.
    pub(crate) fn new(
        event: &EventRow,
        text: &Link,
        lang: Option<&str>,
        budget: &mut Budget,
    ) -> Self {
        let turn = Self::cut(event, text, lang, (CONTENT_CHARACTERS, PAYLOAD_CHARACTERS));
        if budget.take(turn.cost()) {
            return turn;
        }
        Self::cut(
            event,
            text,
            lang,
            (FULL_PAGE_CHARACTERS, FULL_PAGE_CHARACTERS),
        )
    }

    fn cut(
        event: &EventRow,
        text: &Link,
        lang: Option<&str>,
        (content, payload): (usize, usize),
    ) -> Self {
        let seq = event.seq;
        Self {
            anchor: format!("event-{}", event.seq),
            agent: short(&event.agent),
            kind: short(&event.kind.replace('_', " ")),
            content: event.content.as_deref().map(|said| {
                Text::new(
                    said,
                    content,
                    lang,
                    part(text, &TextPart::EventContent { seq }),
                )
            }),
            payload: event.payload.as_deref().map(|facts| {
                Text::new(
                    facts,
                    payload,
                    None,
                    part(text, &TextPart::EventPayload { seq }),
                )
            }),
        }
    }

    fn cost(&self) -> usize {
        let texts = [&self.content, &self.payload];
        texts.into_iter().flatten().map(Text::cost).sum::<usize>() + 500
    }
}

/// Events in order, with the calls of their round after the round's last event.
///
/// Calls whose round has no event here come back as the second part, in order.
pub(crate) fn rounds(
    events: &[EventRow],
    calls: &[CallRow],
    links: &CallLinks<'_>,
    budget: &mut Budget,
) -> (Vec<Round>, Vec<Call>) {
    let mut rounds: Vec<Round> = Vec::new();
    for event in events {
        let turn = Turn::new(event, &links.text, links.lang, budget);
        match rounds.last_mut() {
            Some(round) if round.number == event.round => round.turns.push(turn),
            _ => rounds.push(Round {
                number: event.round,
                turns: vec![turn],
                calls: Vec::new(),
            }),
        }
    }
    let mut loose = Vec::new();
    for (index, row) in calls.iter().enumerate() {
        let place = row.scorer.is_none().then_some(row.seq as usize);
        let call = Call::new(row, place, links, budget, index == 0);
        let home = rounds
            .iter_mut()
            .rev()
            .find(|round| row.scorer.is_none() && round.number == row.round);
        match home {
            Some(round) => round.calls.push(call),
            None => loose.push(call),
        }
    }
    (rounds, loose)
}
