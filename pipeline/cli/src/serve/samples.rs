//! Lists of samples.

use std::sync::Arc;

use consilium_core::{Outcome, SampleKey};
use consilium_query::browse::{
    BrowseError, Conclusion, Edge as Place, Filter, Matches, OpenRun, RunIndex, Selection, keyset,
};
use consilium_review::{
    Counts, Edge, Facets, Neighbours, Page, SampleCard, SampleFilter, ScorerName, Verdict, Window,
};

/// Most values that a filter offers.
const FACETS: usize = 1000;
/// Most samples of one case.
const SAMPLES_OF_CASE: usize = 500;

/// A filter of the pages as one of the index.
pub(super) fn selection(filter: &SampleFilter, matches: Option<Arc<Matches>>) -> Selection {
    let filter = filter.clone();
    Selection {
        dataset: filter.dataset,
        system: filter.system,
        source: filter.source,
        specialty: filter.specialty,
        prevalence: filter.prevalence,
        case_id: filter.case_id,
        epoch: filter.epoch,
        outcome: filter.outcome,
        conclusion: filter.verdict.map(|verdict| match verdict {
            Verdict::Right => Conclusion::Right,
            Verdict::Wrong => Conclusion::Wrong,
            Verdict::Unread => Conclusion::Unread,
            Verdict::Missing => Conclusion::Missing,
        }),
        scorer: filter.scorer,
        matches,
    }
}

pub(super) const fn verdict(conclusion: Conclusion) -> Verdict {
    match conclusion {
        Conclusion::Right => Verdict::Right,
        Conclusion::Wrong => Verdict::Wrong,
        Conclusion::Unread => Verdict::Unread,
        Conclusion::Missing => Verdict::Missing,
    }
}

/// One page of the selected samples.
pub(super) fn page(
    run: &OpenRun,
    selection: &Selection,
    window: &Window<SampleKey>,
) -> Result<Page<SampleCard>, BrowseError> {
    let index = run.index()?;
    let filter = index.filter(selection);
    let edge = match &window.edge {
        Edge::Start => Place::From(0),
        Edge::From(key) => Place::From(index.lower_bound(key)),
        Edge::After(key) => Place::From(index.upper_bound(key)),
        Edge::Before(key) => Place::Before(index.lower_bound(key)),
    };
    let found = keyset(index.len(), edge, window.limit, |row| filter.passes(row));
    Ok(Page {
        rows: cards(run, &index, &filter, &found.rows)?,
        more_before: found.more_before,
        more_after: found.more_after,
    })
}

/// How the selected samples ended.
pub(super) fn counts(run: &OpenRun, selection: &Selection) -> Result<Counts, BrowseError> {
    let index = run.index()?;
    let filter = index.filter(selection);
    let mut outcomes = Outcome::ALL.map(|outcome| (outcome, 0));
    let mut verdicts = Verdict::ALL.map(|verdict| (verdict, 0));
    let mut concluded = true;
    for row in (0..index.len()).filter(|row| filter.passes(*row)) {
        outcomes[index.sample(row).outcome as usize].1 += 1;
        match filter.conclusion(row) {
            Some(conclusion) => verdicts[verdict(conclusion) as usize].1 += 1,
            None => concluded = false,
        }
    }
    let named = selection.scorer.as_deref();
    let scorer = named.and_then(|name| index.scorer(name));
    concluded &= scorer.is_none_or(|scorer| index.scorers()[scorer].concludes());
    Ok(Counts {
        outcomes: outcomes.into_iter().filter(|(_, n)| *n > 0).collect(),
        verdicts: if concluded {
            verdicts.into_iter().filter(|(_, n)| *n > 0).collect()
        } else {
            Vec::new()
        },
    })
}

/// The selected samples before and after a key.
pub(super) fn neighbours(
    run: &OpenRun,
    selection: &Selection,
    key: &SampleKey,
) -> Result<Neighbours, BrowseError> {
    let index = run.index()?;
    let filter = index.filter(selection);
    let (before, after) = (index.lower_bound(key), index.upper_bound(key));
    Ok(Neighbours {
        previous: (0..before)
            .rev()
            .find(|row| filter.passes(*row))
            .map(|row| index.key(row)),
        next: (after..index.len())
            .find(|row| filter.passes(*row))
            .map(|row| index.key(row)),
    })
}

/// The samples of one case.
pub(super) fn of_case(
    run: &OpenRun,
    dataset: &str,
    case_id: &str,
) -> Result<Vec<SampleCard>, BrowseError> {
    let index = run.index()?;
    let rows: Vec<usize> = index
        .of_case(dataset, case_id)
        .take(SAMPLES_OF_CASE)
        .collect();
    cards(run, &index, &index.filter(&Selection::default()), &rows)
}

/// What filters of a run offer.
pub(super) fn facets(run: &OpenRun) -> Result<Facets, BrowseError> {
    let index = run.index()?;
    let values = |values: &[Arc<str>]| -> Vec<String> {
        values
            .iter()
            .filter(|value| !value.is_empty())
            .take(FACETS)
            .map(ToString::to_string)
            .collect()
    };
    let mut seen = Outcome::ALL.map(|outcome| (outcome, false));
    let mut epochs = 0;
    for row in 0..index.len() {
        let sample = index.sample(row);
        seen[sample.outcome as usize].1 = true;
        epochs = epochs.max(sample.epoch);
    }
    let mut systems: Vec<String> = run.manifest().systems.clone();
    systems.retain(|system| index.system(system).is_some());
    for system in index.systems() {
        if !systems.iter().any(|known| **known == **system) {
            systems.push(system.to_string());
        }
    }
    systems.truncate(FACETS);
    Ok(Facets {
        datasets: values(index.datasets()),
        systems,
        sources: values(index.sources()),
        specialties: values(index.specialties()),
        prevalences: values(index.prevalences()),
        outcomes: seen
            .into_iter()
            .filter_map(|(outcome, seen)| seen.then_some(outcome))
            .collect(),
        scorers: index
            .scorers()
            .iter()
            .take(FACETS)
            .map(|scorer| ScorerName {
                scorer: scorer.name.clone(),
                metric: scorer.metric.clone(),
            })
            .collect(),
        epochs,
    })
}

/// The cards of some samples, with the texts of their cases and answers.
pub(super) fn cards(
    run: &OpenRun,
    index: &RunIndex,
    filter: &Filter<'_>,
    rows: &[usize],
) -> Result<Vec<SampleCard>, BrowseError> {
    let texts = run.card_texts(index, rows)?;
    let cards = rows.iter().zip(texts).map(|(&row, texts)| {
        let (sample, labels) = (index.sample(row), index.labels(row));
        let scored = filter
            .scorer(row)
            .and_then(|scorer| Some((&index.scorers()[scorer], index.score(row, scorer)?)));
        let text = |text: Option<&str>| text.map(str::to_owned);
        SampleCard {
            key: index.key(row),
            attempt: sample.attempt,
            outcome: sample.outcome,
            language: labels.language.to_owned(),
            source: labels.source.to_owned(),
            specialty: text(labels.specialty),
            prevalence: text(labels.prevalence),
            question: texts.question,
            answer: texts.answer,
            metric: scored.map(|(scorer, _)| scorer.metric.clone()),
            value: scored.and_then(|(_, score)| score.value),
            reason: scored.and_then(|(scorer, score)| text(scorer.reason(score))),
            predicted: scored.and_then(|(scorer, score)| text(scorer.predicted(score))),
            truth: scored
                .and_then(|(scorer, score)| text(scorer.truth(score)))
                .or(texts.truth),
            rounds: sample.rounds,
            calls: sample.calls,
            cost_usd: sample.cost_usd,
            wall_ms: sample.wall_ms,
        }
    });
    Ok(cards.collect())
}

#[cfg(test)]
mod tests {
    use consilium_query::browse::CARD_CHARACTERS;

    use super::*;

    #[test]
    fn enumerations_stand_in_the_order_in_which_they_are_counted() {
        for (place, outcome) in Outcome::ALL.into_iter().enumerate() {
            assert_eq!(outcome as usize, place);
        }
        for (place, conclusion) in Conclusion::ALL.into_iter().enumerate() {
            assert_eq!(verdict(conclusion) as usize, place);
            assert_eq!(verdict(conclusion), Verdict::ALL[place]);
        }
    }

    #[test]
    fn conclusions_are_those_of_the_pages() {
        for value in [None, Some(0.0), Some(0.5), Some(1.0)] {
            for reason in [None, Some("unextractable")] {
                assert_eq!(
                    verdict(Conclusion::of(value, reason.is_some())),
                    Verdict::of(value, reason)
                );
            }
        }
    }

    #[test]
    fn texts_are_cut_where_pages_expect_it() {
        assert_eq!(CARD_CHARACTERS, consilium_review::CARD_CHARACTERS);
    }
}
