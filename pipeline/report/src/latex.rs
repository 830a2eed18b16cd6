//! LaTeX with booktabs: a document of its own, and each table alone for `\input`.

mod escape;
mod panel;
mod preamble;

use std::fmt::Write as _;

use crate::number::DASH;
use crate::sheet::{Alignment, Entry, Heading, Page, Remark, Sheet};
use escape::{comment, escape};

/// Floats that LaTeX is given before it must place them.
const FLOATS: usize = 8;

/// The whole report as a document.
pub(crate) fn document(page: &Page) -> String {
    let mut body = String::new();
    let mut floats = 0;
    for sheet in &page.sheets {
        body.push('\n');
        body.push_str(&table(sheet));
        floats += panel::panels(sheet).len();
        if floats >= FLOATS {
            body.push_str("\\clearpage\n");
            floats = 0;
        }
    }
    preamble::preamble(page, &body) + &body + "\n\\end{document}\n"
}

/// One table, for `\input`.
pub(crate) fn table(sheet: &Sheet) -> String {
    let mut out = "% Needs the packages array, booktabs and longtable.\n".to_owned();
    let panels = panel::panels(sheet);
    for (index, columns) in panels.iter().enumerate() {
        let part = Part {
            sheet,
            columns,
            number: index + 1,
            of: panels.len(),
        };
        out.push_str(&if panel::is_long(sheet) {
            part.long()
        } else {
            part.float()
        });
        if index > 0 && index % FLOATS == 0 {
            out.push_str("\\clearpage\n");
        }
    }
    if !sheet.sql.is_empty() {
        out.push_str("% Query:\n");
        out.push_str(&comment(&sheet.sql));
    }
    out
}

/// A panel of the table.
struct Part<'a> {
    sheet: &'a Sheet,
    columns: &'a [usize],
    number: usize,
    of: usize,
}

impl Part<'_> {
    /// On one page.
    fn float(&self) -> String {
        let mut out = format!(
            "\\begin{{table}}[htbp]\n\\centering\\footnotesize\n{}\n\\label{{{}}}\n",
            self.caption(),
            self.label()
        );
        if self.columns.is_empty() {
            out.push_str("No rows: the query returned none.\n");
        } else {
            let _ = writeln!(
                out,
                "\\begin{{tabular}}{{{}}}\n\\toprule",
                self.specification()
            );
            let _ = writeln!(out, "{}\n\\midrule", self.head());
            out.push_str(&self.body());
            out.push_str("\\bottomrule\n\\end{tabular}\n");
        }
        let below = self.below();
        if !below.is_empty() {
            let _ = writeln!(
                out,
                "\n\\smallskip\n\\begin{{minipage}}{{\\linewidth}}\\footnotesize\\raggedright\n\
                 {below}\n\\end{{minipage}}"
            );
        }
        out + "\\end{table}\n"
    }

    /// Over pages, with the head repeated.
    fn long(&self) -> String {
        let head = format!("\\toprule\n{}\n\\midrule\n", self.head());
        let mut out = format!(
            "{{\\footnotesize\n\\begin{{longtable}}{{{}}}\n{}\\label{{{}}}\\\\\n{head}\
             \\endfirsthead\n{head}\\endhead\n\\bottomrule\n\\endfoot\n",
            self.specification(),
            self.caption(),
            self.label(),
        );
        out.push_str(&self.body());
        out.push_str("\\end{longtable}\n");
        let below = self.below();
        if !below.is_empty() {
            let _ = writeln!(
                out,
                "\\noindent\\begin{{minipage}}{{\\linewidth}}\\raggedright\n{below}\n\\end{{minipage}}\\par\\medskip"
            );
        }
        out + "}\n"
    }

    fn caption(&self) -> String {
        let title = escape(&self.sheet.title);
        match self.of {
            1 => format!("\\caption{{{title}}}"),
            of => format!("\\caption{{{title} (part {} of {of})}}", self.number),
        }
    }

    fn label(&self) -> String {
        let stem = &self.sheet.stem;
        if self.number == 1 {
            format!("tab:{stem}")
        } else {
            format!("tab:{stem}-{}", self.number)
        }
    }

    fn headings(&self) -> impl Iterator<Item = &Heading> {
        self.columns
            .iter()
            .map(|index| &self.sheet.headings[*index])
    }

    fn specification(&self) -> String {
        let column = |heading: &Heading| match heading.alignment {
            // Values and intervals are aligned apart, so that the points of both stand in line.
            Alignment::Right if heading.interval => "r@{\\ }l".to_owned(),
            Alignment::Right => "r".to_owned(),
            Alignment::Left if panel::wraps(heading) => format!(
                ">{{\\raggedright\\arraybackslash}}p{{0.{:02}\\linewidth}}",
                panel::wrapped_share()
            ),
            Alignment::Left => "l".to_owned(),
        };
        format!(
            "@{{}}{}@{{}}",
            self.headings().map(column).collect::<String>()
        )
    }

    fn head(&self) -> String {
        let title = |heading: &Heading| {
            let title = escape(&heading.title);
            if heading.interval {
                format!("\\multicolumn{{2}}{{c}}{{{title}}}")
            } else {
                title
            }
        };
        self.headings().map(title).collect::<Vec<_>>().join(" & ") + " \\\\"
    }

    fn body(&self) -> String {
        if self.sheet.rows.is_empty() {
            let width: usize = self.headings().map(|h| 1 + usize::from(h.interval)).sum();
            return format!(
                "\\multicolumn{{{width}}}{{@{{}}l@{{}}}}{{No rows: the query returned none.}} \\\\\n"
            );
        }
        let mut out = String::new();
        for row in &self.sheet.rows {
            let cells = self
                .columns
                .iter()
                .map(|i| cell(&row[*i], &self.sheet.headings[*i]));
            out.push_str(&cells.collect::<Vec<_>>().join(" & "));
            out.push_str(" \\\\\n");
        }
        out
    }

    /// Remarks, footnotes and notes; below the last panel only.
    fn below(&self) -> String {
        if self.number < self.of {
            return String::new();
        }
        let footnotes = self.sheet.footnotes.iter().enumerate();
        let footnotes = footnotes
            .map(|(index, text)| format!("\\textsuperscript{{{}}}{}", index + 1, escape(text)));
        let remarks = self.sheet.remarks.iter().map(print_remark);
        let notes = self.sheet.notes.iter().map(|note| escape(note));
        remarks
            .chain(footnotes)
            .chain(notes)
            .collect::<Vec<_>>()
            .join("\\par\n")
    }
}

fn cell(entry: &Entry, heading: &Heading) -> String {
    let marks: Vec<String> = entry.marks.iter().map(ToString::to_string).collect();
    // A mark hangs into the gap, so that it does not push the number out of line.
    let marks = match marks.as_slice() {
        [] => String::new(),
        marks => format!("\\rlap{{\\textsuperscript{{{}}}}}", marks.join(",")),
    };
    let text = if entry.text == DASH {
        "---".to_owned()
    } else {
        escape(&entry.text)
    };
    match &entry.interval {
        Some(interval) => format!("{text} & {}{marks}", escape(interval)),
        None if heading.interval => format!("{text}{marks} &"),
        None => format!("{text}{marks}"),
    }
}

fn print_remark(remark: &Remark) -> String {
    let method = remark.method.as_deref().map(escape);
    let n = remark
        .n
        .as_deref()
        .map(|n| format!("$n = {}$", n.replace(',', "{,}")));
    // A typewriter font does not hyphenate; a signature may break behind its bars.
    let code = |signature: &str| escape(signature).replace("bar{}", "bar{}\\allowbreak{}");
    let signature = remark
        .signature
        .as_deref()
        .map(|signature| format!("signature \\texttt{{{}}}", code(signature)));
    let parts: Vec<String> = [method, n, signature].into_iter().flatten().collect();
    format!("{}: {}.", escape(&remark.columns), parts.join(", "))
}
