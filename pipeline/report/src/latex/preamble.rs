//! The document around the tables: compiles as it stands with pdflatex and xelatex.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::escape::{escape, needs_other_font};
use crate::sheet::Page;

const HEAD: &str = "\\documentclass[10pt,a4paper]{article}
\\usepackage[margin=22mm]{geometry}
\\usepackage{array}
\\usepackage{booktabs}
\\usepackage{longtable}
";

/// Everything before the tables, with `body` to see which characters need a font.
pub(super) fn preamble(page: &Page, body: &str) -> String {
    let mut out = HEAD.to_owned();
    let front = front(page);
    let others: BTreeSet<char> = front
        .chars()
        .chain(uncommented(body))
        .filter(|c| needs_other_font(*c))
        .collect();
    out.push_str("\\ifdefined\\pdftexversion\n");
    out.push_str("  \\usepackage[T1]{fontenc}\n  \\usepackage[utf8]{inputenc}\n");
    out.push_str("  \\usepackage{textcomp}\n");
    if !others.is_empty() {
        out.push_str(
            "  % pdflatex prints these by their number; xelatex prints them as they are.\n",
        );
    }
    for character in &others {
        let code = u32::from(*character);
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "  \\DeclareUnicodeCharacter{{{code:04X}}}{{{{[}}U+{code:04X}{{]}}}}"
        );
    }
    out.push_str("\\else\n  \\usepackage{fontspec}\n");
    if others.iter().any(|character| is_east_asian(*character)) {
        out.push_str(
            "  \\ifdefined\\XeTeXversion\n    \\usepackage{xeCJK}\n    \
             \\IfFontExistsTF{Noto Serif CJK SC}{\\setCJKmainfont{Noto Serif CJK SC}}{}\n  \\fi\n",
        );
    }
    out.push_str("\\fi\n\\begin{document}\n");
    out + &front
}

fn front(page: &Page) -> String {
    let mut out = format!("\\section*{{{}}}\n", escape(&page.title));
    if !page.facts.is_empty() {
        out.push_str(
            "\\noindent{\\small\n\\begin{tabular}{@{}>{\\raggedright\\arraybackslash}\
             p{0.24\\linewidth}>{\\raggedright\\arraybackslash}p{0.70\\linewidth}@{}}\n",
        );
        for (label, value) in &page.facts {
            let _ = writeln!(out, "{} & {} \\\\", escape(label), escape(value));
        }
        out.push_str("\\end{tabular}}\n\n");
    }
    for warning in &page.warnings {
        let _ = writeln!(
            out,
            "\\medskip\\noindent\\textbf{{Warning:}} {}\n",
            escape(warning)
        );
    }
    out
}

fn uncommented(body: &str) -> impl Iterator<Item = char> {
    body.lines()
        .filter(|line| !line.starts_with('%'))
        .flat_map(str::chars)
}

fn is_east_asian(character: char) -> bool {
    matches!(u32::from(character), 0x1100..=0x11FF | 0x2E80..=0x9FFF | 0xAC00..=0xD7AF
        | 0xF900..=0xFAFF | 0xFE30..=0xFE4F | 0xFF00..=0xFFEF | 0x20000..=0x3FFFF)
}
