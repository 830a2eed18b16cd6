//! Shares by subgroup and system, each with its interval on one scale.

use consilium_core::{Cell, Estimate, Table, Unit};

use super::Chart;
use super::drawing::{Anchor, Drawing, Theme, fitted, tone};
use crate::number::{DASH, NumberStyle, print_count};
use crate::visible::one_line;

const TONES: [&str; 6] = [
    tone::BLUE,
    tone::ORANGE,
    tone::TEAL,
    tone::MAUVE,
    tone::YELLOW,
    tone::GREY,
];

/// Subgroups drawn at most; the table has all.
const MOST_GROUPS: usize = 16;
const WIDTH: f64 = 760.0;
/// Left end and length of the scale from 0 to 100 %.
const SCALE: (f64, f64) = (210.0, 330.0);
const VALUES: f64 = 556.0;
const ROW: f64 = 18.0;
const BETWEEN: f64 = 10.0;

/// Estimates of the systems in each subgroup.
pub(super) struct Forest {
    name: String,
    title: String,
    groups: Vec<Group>,
    /// Subgroups that are not drawn.
    left_out: usize,
}

struct Group {
    label: String,
    rows: Vec<(String, Option<Estimate>)>,
}

impl Forest {
    /// One forest per run of a table with a row per subgroup and a column of estimates per system.
    pub(super) fn of_table(table: &Table) -> Vec<Self> {
        let is_estimate = |index: &usize| {
            let mut cells = table.rows.iter().map(|row| &row[*index]);
            table.columns[*index].unit == Unit::Share
                && cells.any(|cell| matches!(cell, Cell::Estimate(_)))
        };
        let systems: Vec<usize> = (0..table.columns.len()).filter(is_estimate).collect();
        if systems.is_empty() {
            return Vec::new();
        }
        let run = table.columns.iter().position(|column| column.name == "run");
        let run_of = |row: &[Cell]| run.and_then(|run| text(&row[run]));
        let mut runs: Vec<Option<String>> = table.rows.iter().map(|row| run_of(row)).collect();
        runs.dedup();
        let title = one_line(&table.title);
        runs.into_iter()
            .map(|name| {
                let rows = table.rows.iter().filter(|row| run_of(row) == name);
                let mut groups: Vec<Group> = rows
                    .map(|row| Group::new(table, row, run, &systems))
                    .collect();
                // All cases stand last in the table and first in the figure, to compare with.
                if let Some(all) = groups.pop() {
                    groups.insert(0, all);
                }
                let left_out = groups.len().saturating_sub(MOST_GROUPS + 1);
                groups.truncate(MOST_GROUPS + 1);
                let (name, title) = match name {
                    Some(run) => (format!("{}-{run}", table.name), format!("{title}, {run}")),
                    None => (table.name.clone(), title.clone()),
                };
                Self {
                    name,
                    title,
                    groups,
                    left_out,
                }
            })
            .collect()
    }
}

impl Group {
    fn new(table: &Table, row: &[Cell], run: Option<usize>, systems: &[usize]) -> Self {
        let texts: Vec<String> = (0..row.len())
            .filter(|index| Some(*index) != run)
            .filter_map(|index| text(&row[index]))
            .collect();
        let name = fitted(&texts.join(" · "), 60);
        let cases = row.iter().find_map(|cell| match cell {
            Cell::Integer { value } => Some(print_count(*value)),
            _ => None,
        });
        let estimate = |index: &usize| {
            let estimate = match &row[*index] {
                Cell::Estimate(estimate) => Some(estimate.clone()),
                _ => None,
            };
            (one_line(&table.columns[*index].title), estimate)
        };
        Self {
            label: match cases {
                Some(cases) => format!("{name}, {cases} cases"),
                None => name,
            },
            rows: systems.iter().map(estimate).collect(),
        }
    }
}

fn text(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Text { text } => Some(one_line(text)),
        _ => None,
    }
}

fn printed(estimate: &Estimate) -> String {
    let numbers: Vec<f64> = [estimate.value, estimate.low, estimate.high]
        .into_iter()
        .flatten()
        .collect();
    let style = NumberStyle::choose(Unit::Share, &numbers);
    let value = estimate
        .value
        .map_or_else(|| DASH.to_owned(), |value| style.print(value));
    let interval = style
        .print_interval(estimate.low, estimate.high)
        .map_or_else(String::new, |interval| format!(" {interval}"));
    let n = print_count(i64::try_from(estimate.n).unwrap_or(i64::MAX));
    format!("{value}{interval}, n {n}")
}

impl Chart for Forest {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn description(&self) -> String {
        let groups = self.groups.iter().map(|group| {
            let rows = group.rows.iter().map(|(system, estimate)| {
                let estimate = estimate.as_ref().map_or_else(|| DASH.to_owned(), printed);
                format!("{system} {estimate}")
            });
            format!("{}: {}", group.label, rows.collect::<Vec<_>>().join("; "))
        });
        format!(
            "Percentages with 95 % intervals. {}.",
            groups.collect::<Vec<_>>().join(". ")
        )
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn draw(&self, theme: &Theme) -> Drawing {
        let mut drawing = Drawing::new(WIDTH);
        let (left, length) = SCALE;
        let x = |share: f64| left + share.clamp(0.0, 1.0) * length;
        let rows: usize = self.groups.iter().map(|group| group.rows.len() + 1).sum();
        let bottom = 24.0 + rows as f64 * ROW + self.groups.len() as f64 * BETWEEN;
        for percent in [0, 25, 50, 75, 100] {
            let place = x(f64::from(percent) / 100.0);
            drawing.line((place, 16.0), (place, bottom), theme.hair, 1.0);
            let text = percent.to_string();
            for y in [6.0, bottom + 10.0] {
                drawing.text((place, y), &text, theme.soft, Anchor::Middle);
            }
        }
        drawing.text(
            (VALUES, 6.0),
            "% (95 % interval)",
            theme.soft,
            Anchor::Start,
        );
        let mut y = 24.0 + ROW / 2.0;
        for group in &self.groups {
            drawing.bold((0.0, y), &group.label, theme.text);
            y += ROW;
            for (index, (system, estimate)) in group.rows.iter().enumerate() {
                let tone = TONES[index % TONES.len()];
                drawing.text((12.0, y), &fitted(system, 28), theme.text, Anchor::Start);
                let text = match estimate {
                    Some(estimate) => {
                        mark(&mut drawing, estimate, y, x, tone);
                        printed(estimate)
                    }
                    None => DASH.to_owned(),
                };
                drawing.text((VALUES, y), &text, theme.text, Anchor::Start);
                y += ROW;
            }
            y += BETWEEN;
        }
        if self.left_out > 0 {
            let text = format!(
                "{} smaller subgroups are not drawn; the table has them.",
                self.left_out
            );
            drawing.mark(&text, theme);
        }
        drawing
    }
}

/// Whisker and dot of one estimate.
fn mark(drawing: &mut Drawing, estimate: &Estimate, y: f64, x: impl Fn(f64) -> f64, tone: &str) {
    if let (Some(low), Some(high)) = (estimate.low, estimate.high) {
        drawing.line((x(low), y), (x(high), y), tone, 2.0);
        for end in [low, high] {
            drawing.line((x(end), y - 4.0), (x(end), y + 4.0), tone, 2.0);
        }
    }
    if let Some(value) = estimate.value {
        drawing.dot((x(value), y), 4.0, tone);
    }
}
