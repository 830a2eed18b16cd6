//! Figures of a report, each drawn from one of its tables.
//!
//! The chart types are our own and kuva only draws their shapes: its Sankey stretches every column to
//! the same height, which would show one count at several sizes, and its forest plot has no groups.

mod drawing;
mod flow;
mod forest;

use consilium_core::Table;
use serde::Serialize;

use crate::stem::Stems;
use drawing::{Drawing, Theme};
use flow::Flow;
use forest::Forest;

/// A figure in its two forms.
#[derive(Debug, Serialize)]
pub struct Figure {
    /// Place among the figures of the report, from 1.
    pub number: usize,
    /// File stem and anchor.
    pub stem: String,
    /// Heading.
    pub title: String,
    /// What the figure shows, for those who do not see it.
    pub description: String,
    /// For a page, in the colours of the text around it.
    pub inline: String,
    /// For a file, on white.
    pub file: String,
}

/// A chart that can be drawn.
trait Chart {
    fn title(&self) -> String;
    fn description(&self) -> String;
    /// What tells this chart from others of its table.
    fn name(&self) -> String;
    fn draw(&self, theme: &Theme) -> Drawing;
}

/// The figures of a report's tables, in their order.
pub fn figures_of(tables: &[Table], marks: &[String]) -> Vec<Figure> {
    let mut stems = Stems::default();
    tables
        .iter()
        .flat_map(|table| figures(table, marks, &mut stems))
        .collect()
}

/// Figures of a table, none for most; `marks` are printed in each.
pub(crate) fn figures(table: &Table, marks: &[String], stems: &mut Stems) -> Vec<Figure> {
    let charts: Vec<Box<dyn Chart>> = if table.name == "outcome-flow" {
        Flow::of_table(table)
            .into_iter()
            .map(|flow| Box::new(flow) as Box<dyn Chart>)
            .collect()
    } else if table.name.starts_with("accuracy-by-") {
        Forest::of_table(table)
            .into_iter()
            .map(|forest| Box::new(forest) as Box<dyn Chart>)
            .collect()
    } else {
        Vec::new()
    };
    charts
        .iter()
        .map(|chart| {
            let stem = stems.next(&chart.name());
            figure(chart.as_ref(), (stems.count(), stem), marks)
        })
        .collect()
}

fn figure(chart: &dyn Chart, (number, stem): (usize, String), marks: &[String]) -> Figure {
    let (title, description) = (chart.title(), chart.description());
    let render = |theme: &Theme| {
        let mut drawing = chart.draw(theme);
        for mark in marks {
            drawing.mark(mark, theme);
        }
        drawing.render(&stem, &title, &description, theme)
    };
    Figure {
        number,
        inline: render(&Theme::PAGE),
        file: format!("{}\n", render(&Theme::FILE)),
        title,
        description,
        stem,
    }
}

#[cfg(test)]
mod tests;
