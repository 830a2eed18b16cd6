//! Where the planned samples of one system went: planned, answered or not, outcome, result.

use consilium_core::{Cell, Table};

use super::Chart;
use super::drawing::{Anchor, Drawing, Theme, fitted, tone};
use crate::number::{NumberStyle, print_count};
use crate::visible::one_line;

/// Outcomes in which no model answered.
const FAILED: [&str; 4] = ["error", "timeout", "budget", "cancelled"];
const NOT_RUN: &str = "not run";
/// Order of outcomes from top to bottom, with what is printed.
const OUTCOMES: [(&str, &str); 12] = [
    ("ok", "Complete"),
    ("refused", "Refused"),
    ("content_filter", "Filtered"),
    ("context_overflow", "Overflow"),
    ("truncated", "Truncated"),
    ("empty", "Empty"),
    ("malformed", "Malformed"),
    ("error", "Error"),
    ("timeout", "Timeout"),
    ("budget", "Budget"),
    ("cancelled", "Cancelled"),
    (NOT_RUN, ""),
];
/// Order of results, with what is printed and its tone.
const RESULTS: [(&str, &str, &str); 6] = [
    ("right", "Right", tone::BLUE),
    ("partly right", "Partly right", tone::TEAL),
    ("wrong", "Wrong", tone::ORANGE),
    ("unreadable", "Unreadable", tone::YELLOW),
    ("compared as text", "Compared as text", tone::TEAL),
    ("no score", "No score", tone::GREY),
];

/// Left edges of the four columns of nodes.
const COLUMNS: [f64; 4] = [0.0, 190.0, 400.0, 600.0];
const WIDTH: f64 = 800.0;
const NODE: f64 = 12.0;
/// Height of all planned samples.
const HEIGHT: f64 = 190.0;
/// Least room of a node, so that its label stands free.
const SLOT: f64 = 17.0;
const GAP: f64 = 6.0;

/// The flow of one system.
pub(super) struct Flow {
    system: String,
    /// Outcome, result and samples.
    paths: Vec<(String, String, u64)>,
}

/// A block in one of the columns.
struct Node {
    column: usize,
    label: String,
    tone: &'static str,
    count: u64,
    top: f64,
}

impl Flow {
    /// One flow per system; none when the table is of another shape.
    pub(super) fn of_table(table: &Table) -> Vec<Self> {
        let position = |name: &str| table.columns.iter().position(|column| column.name == name);
        let (Some(system), Some(outcome), Some(result), Some(count)) = (
            position("system"),
            position("outcome"),
            position("result"),
            position("n"),
        ) else {
            return Vec::new();
        };
        let run = position("run");
        let text = |cell: &Cell| match cell {
            Cell::Text { text } => one_line(text),
            _ => String::new(),
        };
        let mut flows: Vec<Self> = Vec::new();
        for row in &table.rows {
            let Cell::Integer { value } = row[count] else {
                continue;
            };
            let name = match run {
                Some(run) => format!("{}, {}", text(&row[system]), text(&row[run])),
                None => text(&row[system]),
            };
            let path = (
                text(&row[outcome]),
                text(&row[result]),
                value.unsigned_abs(),
            );
            match flows.iter_mut().find(|flow| flow.system == name) {
                Some(flow) => flow.paths.push(path),
                None => flows.push(Self {
                    system: name,
                    paths: vec![path],
                }),
            }
        }
        flows.retain(|flow| flow.total() > 0);
        flows
    }

    fn total(&self) -> u64 {
        self.paths.iter().map(|(.., count)| count).sum()
    }

    fn count(&self, keep: impl Fn(&str, &str) -> bool) -> u64 {
        self.paths
            .iter()
            .filter(|(outcome, result, _)| keep(outcome, result))
            .map(|(.., count)| count)
            .sum()
    }

    /// Outcomes that occur, in order.
    fn outcomes(&self) -> Vec<&str> {
        let mut outcomes: Vec<&str> = self.paths.iter().map(|(outcome, ..)| &**outcome).collect();
        outcomes.sort_by_key(|outcome| (place(&OUTCOMES.map(|(name, _)| name), outcome), *outcome));
        outcomes.dedup();
        outcomes
    }

    /// Results that occur, in order.
    fn results(&self) -> Vec<&str> {
        let mut results: Vec<&str> = self.paths.iter().map(|(_, result, _)| &**result).collect();
        results.sort_by_key(|result| (place(&RESULTS.map(|(name, ..)| name), result), *result));
        results.dedup();
        results
    }
}

/// Place in a list; what is not in it comes last.
fn place(known: &[&str], name: &str) -> usize {
    known
        .iter()
        .position(|known| *known == name)
        .unwrap_or(known.len())
}

fn outcome_label(outcome: &str) -> String {
    let known = OUTCOMES.iter().find(|(name, _)| *name == outcome);
    known.map_or_else(|| outcome.to_owned(), |(_, label)| (*label).to_owned())
}

fn result_label(result: &str) -> (String, &'static str) {
    let known = RESULTS.iter().find(|(name, ..)| *name == result);
    known.map_or_else(
        || (result.to_owned(), tone::GREY),
        |(_, label, tone)| ((*label).to_owned(), *tone),
    )
}

/// What became of the request, by its outcome.
fn stage(outcome: &str) -> (&'static str, &'static str) {
    if outcome == NOT_RUN {
        ("Not run", tone::GREY)
    } else if FAILED.contains(&outcome) {
        ("No answer", tone::GREY)
    } else {
        ("Answered", tone::TEAL)
    }
}

const STAGES: [&str; 3] = ["Answered", "No answer", "Not run"];

/// The column's nodes from top to bottom, each in a slot that has room for its label.
fn column(column: usize, nodes: Vec<(String, &'static str, u64)>, scale: f64) -> Vec<Node> {
    let mut y = 0.0;
    nodes
        .into_iter()
        .map(|(label, tone, count)| {
            let height = count as f64 * scale;
            let slot = height.max(SLOT);
            let top = y + (slot - height) / 2.0;
            y += slot + GAP;
            Node {
                column,
                label,
                tone,
                count,
                top,
            }
        })
        .collect()
}

impl Chart for Flow {
    fn title(&self) -> String {
        format!("Outcome flow of {}", self.system)
    }

    fn description(&self) -> String {
        let count = |count: u64| print_count(i64::try_from(count).unwrap_or(i64::MAX));
        let stages = STAGES.map(|name| (name, self.count(|outcome, _| stage(outcome).0 == name)));
        let outcomes = self.outcomes().into_iter().map(|name| {
            let of_outcome = self.count(|outcome, _| outcome == name);
            (outcome_label(name), of_outcome)
        });
        let results = self.results().into_iter().map(|name| {
            let of_result = self.count(|_, result| result == name);
            (result_label(name).0, of_result)
        });
        let list = |parts: Vec<(String, u64)>| {
            parts
                .into_iter()
                .filter(|(label, number)| *number > 0 && !label.is_empty())
                .map(|(label, number)| format!("{} {}", label.to_lowercase(), count(number)))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let stages = stages.map(|(name, number)| (name.to_owned(), number));
        format!(
            "Of {} planned samples: {}. By outcome: {}. By result: {}.",
            count(self.total()),
            list(stages.to_vec()),
            list(outcomes.collect()),
            list(results.collect())
        )
    }

    fn name(&self) -> String {
        format!("outcome-flow-{}", self.system)
    }

    fn draw(&self, theme: &Theme) -> Drawing {
        let total = self.total();
        let scale = HEIGHT / total as f64;
        let (outcomes, results) = (self.outcomes(), self.results());
        let planned = column(0, vec![("Planned".to_owned(), tone::GREY, total)], scale);
        let stages: Vec<(String, &str, u64)> = STAGES
            .iter()
            .map(|name| {
                let tone = outcomes
                    .iter()
                    .map(|outcome| stage(outcome))
                    .find(|(stage, _)| stage == name)
                    .map_or(tone::GREY, |(_, tone)| tone);
                let count = self.count(|outcome, _| stage(outcome).0 == *name);
                ((*name).to_owned(), tone, count)
            })
            .filter(|(.., count)| *count > 0)
            .collect();
        let stage_names: Vec<String> = stages.iter().map(|(name, ..)| name.clone()).collect();
        let stages = column(1, stages, scale);
        let outcome_nodes = outcomes
            .iter()
            .map(|name| {
                let tone = match *name {
                    "ok" => tone::TEAL,
                    _ if stage(name).0 == "Answered" => tone::MAUVE,
                    _ => tone::GREY,
                };
                let count = self.count(|outcome, _| outcome == *name);
                (outcome_label(name), tone, count)
            })
            .collect();
        let outcome_nodes = column(2, outcome_nodes, scale);
        let result_nodes = results
            .iter()
            .map(|name| {
                let (label, tone) = result_label(name);
                (label, tone, self.count(|_, result| result == *name))
            })
            .collect();
        let result_nodes = column(3, result_nodes, scale);

        let stage_of = |outcome: &str| place_of(&stage_names, stage(outcome).0);
        let mut drawing = Drawing::new(WIDTH);
        let first: Vec<(usize, usize, u64)> = stages
            .iter()
            .enumerate()
            .map(|(index, node)| (0, index, node.count))
            .collect();
        connect(&mut drawing, &planned, &stages, &first, scale);
        let second: Vec<(usize, usize, u64)> = outcomes
            .iter()
            .enumerate()
            .map(|(index, name)| (stage_of(name), index, outcome_nodes[index].count))
            .collect();
        connect(&mut drawing, &stages, &outcome_nodes, &second, scale);
        let mut third = Vec::new();
        for (from, outcome_name) in outcomes.iter().enumerate() {
            for (to, result_name) in results.iter().enumerate() {
                let both = |outcome: &str, result: &str| {
                    outcome == *outcome_name && result == *result_name
                };
                third.push((from, to, self.count(both)));
            }
        }
        connect(&mut drawing, &outcome_nodes, &result_nodes, &third, scale);
        for node in [planned, stages, outcome_nodes, result_nodes]
            .iter()
            .flatten()
        {
            label(&mut drawing, node, total, scale, theme);
        }
        drawing
    }
}

fn place_of(names: &[String], name: &str) -> usize {
    names.iter().position(|known| known == name).unwrap_or(0)
}

/// Bands between two columns, in the tone of where they lead.
fn connect(
    drawing: &mut Drawing,
    from: &[Node],
    to: &[Node],
    links: &[(usize, usize, u64)],
    scale: f64,
) {
    let mut leaving: Vec<f64> = from.iter().map(|node| node.top).collect();
    let mut entering: Vec<f64> = to.iter().map(|node| node.top).collect();
    for &(source, target, count) in links.iter().filter(|(.., count)| *count > 0) {
        let height = count as f64 * scale;
        let (left, right) = (leaving[source], entering[target]);
        drawing.band(
            (COLUMNS[from[source].column] + NODE, left, left + height),
            (COLUMNS[to[target].column], right, right + height),
            to[target].tone,
        );
        leaving[source] += height;
        entering[target] += height;
    }
}

fn label(drawing: &mut Drawing, node: &Node, total: u64, scale: f64, theme: &Theme) {
    let x = COLUMNS[node.column];
    let height = node.count as f64 * scale;
    drawing.block((x, node.top), (NODE, height.max(1.0)), node.tone);
    if node.label.is_empty() {
        return;
    }
    let share = node.count as f64 / total as f64;
    let percent = NumberStyle::choose(consilium_core::Unit::Share, &[share]).print_bounded(share);
    let count = print_count(i64::try_from(node.count).unwrap_or(i64::MAX));
    let text = if node.column == 0 {
        format!("{} {count}", node.label)
    } else {
        format!("{} {count} · {percent} %", fitted(&node.label, 18))
    };
    let at = (x + NODE + 6.0, node.top + height / 2.0);
    if height < SLOT && node.column + 1 < COLUMNS.len() {
        drawing.veiled_text(at, &text, theme);
    } else {
        drawing.text(at, &text, theme.text, Anchor::Start);
    }
}
