//! Markdown as GitHub reads it.

mod case;
mod escape;

use unicode_width::UnicodeWidthStr;

use crate::footnote::superscript;
use crate::sheet::{Alignment, Entry, Page, Remark, Sheet};
pub(crate) use case::case;
use escape::{code_block, code_span, escape};

/// Cells are padded to align in the source, up to this many characters.
const WIDEST_PADDING: usize = 48;

/// Renders the page as one Markdown file.
pub(crate) fn markdown(page: &Page) -> String {
    let mut blocks = vec![format!("# {}", escape(&page.title))];
    if !page.facts.is_empty() {
        let fact = |(label, value): &(String, String)| {
            format!("- **{}:** {}", escape(label), escape(value))
        };
        blocks.push(page.facts.iter().map(fact).collect::<Vec<_>>().join("\n"));
    }
    if !page.warnings.is_empty() {
        let warning = |text: &String| format!("> ⚠ **Warning:** {}", escape(text));
        blocks.push(
            page.warnings
                .iter()
                .map(warning)
                .collect::<Vec<_>>()
                .join("\n>\n"),
        );
    }
    for (index, sheet) in page.sheets.iter().enumerate() {
        blocks.push(format!("## Table {}. {}", index + 1, escape(&sheet.title)));
        for figure in &sheet.figures {
            // Stems hold only letters, digits, hyphens and underscores.
            blocks.push(format!(
                "![{title}](figures/{}.svg)\n\n*Figure {}. {title}*",
                figure.stem,
                figure.number,
                title = escape(&figure.title),
            ));
        }
        if !sheet.headings.is_empty() {
            blocks.push(grid(sheet));
        }
        if sheet.rows.is_empty() {
            blocks.push("No rows: the query returned none.".to_owned());
        }
        let below = below(sheet);
        if !below.is_empty() {
            blocks.push(below.join("\n"));
        }
        if !sheet.sql.is_empty() {
            blocks.push(format!(
                "<details>\n<summary>Query</summary>\n\n{}\n\n</details>",
                code_block("sql", &sheet.sql)
            ));
        }
    }
    blocks.join("\n\n") + "\n"
}

fn grid(sheet: &Sheet) -> String {
    let head: Vec<String> = sheet
        .headings
        .iter()
        .map(|heading| escape(&heading.title))
        .collect();
    let body: Vec<Vec<String>> = sheet
        .rows
        .iter()
        .map(|row| row.iter().map(print).collect())
        .collect();
    let widths: Vec<usize> = (0..head.len())
        .map(|index| {
            let cells = body.iter().map(|row| row[index].width());
            let width = cells
                .filter(|width| *width <= WIDEST_PADDING)
                .max()
                .unwrap_or(0);
            width.max(head[index].width().min(WIDEST_PADDING)).max(3)
        })
        .collect();
    let rule = sheet.headings.iter().zip(&widths).map(|(heading, width)| {
        let dashes = "-".repeat(width - 1);
        match heading.alignment {
            Alignment::Left => format!(":{dashes}"),
            Alignment::Right => format!("{dashes}:"),
        }
    });
    let rule = format!("| {} |", rule.collect::<Vec<_>>().join(" | "));
    let line = |cells: &Vec<String>| {
        let cells = cells.iter().zip(&sheet.headings).zip(&widths);
        let padded = cells.map(|((cell, heading), width)| pad(cell, heading.alignment, *width));
        format!("| {} |", padded.collect::<Vec<_>>().join(" | "))
    };
    let mut lines = vec![line(&head), rule];
    lines.extend(body.iter().map(line));
    lines.join("\n")
}

fn pad(cell: &str, alignment: Alignment, width: usize) -> String {
    let blanks = " ".repeat(width.saturating_sub(cell.width()));
    match alignment {
        Alignment::Left => format!("{cell}{blanks}"),
        Alignment::Right => format!("{blanks}{cell}"),
    }
}

fn print(entry: &Entry) -> String {
    let mut out = escape(&entry.text);
    if let Some(interval) = &entry.interval {
        out.push(' ');
        out.push_str(&escape(interval));
    }
    let marks: Vec<String> = entry.marks.iter().map(|mark| superscript(*mark)).collect();
    out + &marks.join(",")
}

/// Remarks, footnotes and notes, one list item each.
fn below(sheet: &Sheet) -> Vec<String> {
    let remarks = sheet
        .remarks
        .iter()
        .map(|remark| format!("- {}", print_remark(remark)));
    let footnotes = sheet.footnotes.iter().enumerate();
    let footnotes =
        footnotes.map(|(index, text)| format!("- {} {}", superscript(index + 1), escape(text)));
    let notes = sheet.notes.iter().map(|note| format!("- {}", escape(note)));
    remarks.chain(footnotes).chain(notes).collect()
}

fn print_remark(remark: &Remark) -> String {
    let method = remark.method.as_deref().map(escape);
    let n = remark.n.as_deref().map(|n| format!("n = {n}"));
    let signature = remark
        .signature
        .as_deref()
        .map(|signature| format!("signature {}", code_span(signature)));
    let parts: Vec<String> = [method, n, signature].into_iter().flatten().collect();
    format!("{}: {}.", escape(&remark.columns), parts.join(", "))
}
