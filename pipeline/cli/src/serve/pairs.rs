//! Two systems on the same cases.

use std::sync::Arc;

use consilium_core::SampleKey;
use consilium_query::browse::{BrowseError, Edge as Place, OpenRun, Selection, keyset};
use consilium_review::{Agreement, Edge, Page, Pair, PairFilter, PairPlace, Verdict, Window};

use super::samples::{cards, verdict};

/// One page of the pairs of two systems.
pub(super) fn page(
    run: &OpenRun,
    filter: &PairFilter,
    window: &Window<PairPlace>,
) -> Result<Page<Pair>, BrowseError> {
    let index = run.index()?;
    let (Some(left), Some(right)) = (index.system(&filter.left), index.system(&filter.right))
    else {
        return Ok(Page::empty());
    };
    let selection = Selection {
        dataset: filter.dataset.clone(),
        specialty: filter.specialty.clone(),
        ..Selection::default()
    };
    let selected = index.filter(&selection);
    // The samples of one system are in the order of cases and epochs.
    let partner = |row: usize| {
        if !index.is_of(row, left) || !selected.passes(row) {
            return None;
        }
        let partner = index.counterpart(row, right)?;
        let agrees = filter.agreement.is_none_or(|wanted| {
            let verdicts = [row, partner].map(|row| selected.conclusion(row).map(verdict));
            holds(wanted, verdicts)
        });
        agrees.then_some(partner)
    };
    let at = |place: &PairPlace| {
        SampleKey::new(
            place.dataset.as_str(),
            place.case_id.as_str(),
            Arc::clone(&index.systems()[left]),
            place.epoch,
        )
    };
    let edge = match &window.edge {
        Edge::Start => Place::From(0),
        Edge::From(place) => Place::From(index.lower_bound(&at(place))),
        Edge::After(place) => Place::From(index.upper_bound(&at(place))),
        Edge::Before(place) => Place::Before(index.lower_bound(&at(place))),
    };
    let found = keyset(index.len(), edge, window.limit, |row| {
        partner(row).is_some()
    });
    let partners: Vec<usize> = found.rows.iter().filter_map(|row| partner(*row)).collect();
    let both: Vec<usize> = found.rows.iter().chain(&partners).copied().collect();
    let mut cards = cards(run, &index, &selected, &both)?;
    let right_cards = cards.split_off(found.rows.len());
    Ok(Page {
        rows: cards
            .into_iter()
            .zip(right_cards)
            .map(|(left, right)| Pair { left, right })
            .collect(),
        more_before: found.more_before,
        more_after: found.more_after,
    })
}

/// Whether two verdicts agree as wanted; without both of them nothing does.
fn holds(wanted: Agreement, verdicts: [Option<Verdict>; 2]) -> bool {
    let [Some(left), Some(right)] = verdicts else {
        return false;
    };
    if left == Verdict::Missing || right == Verdict::Missing {
        return false;
    }
    let (left, right) = (left == Verdict::Right, right == Verdict::Right);
    match wanted {
        Agreement::Differ => left != right,
        Agreement::OnlyLeft => left && !right,
        Agreement::OnlyRight => right && !left,
        Agreement::Both => left && right,
        Agreement::Neither => !left && !right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agreement_needs_two_verdicts() {
        let passing = |left, right| -> Vec<&str> {
            Agreement::ALL
                .into_iter()
                .filter(|wanted| holds(*wanted, [left, right]))
                .map(Agreement::as_str)
                .collect()
        };
        let [right, wrong, unread, missing] = Verdict::ALL.map(Some);
        assert_eq!(passing(right, wrong), ["differ", "only-left"]);
        assert_eq!(passing(unread, right), ["differ", "only-right"]);
        assert_eq!(passing(right, right), ["both"]);
        assert_eq!(passing(unread, wrong), ["neither"]);
        assert_eq!(passing(missing, wrong).len(), 0);
        assert_eq!(passing(right, None).len(), 0);
    }
}
