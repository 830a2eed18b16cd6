//! The output formats and their names on the command line.

use std::str::FromStr;

use thiserror::Error;

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// GitHub-flavoured Markdown, `report.md`.
    Markdown,
    /// LaTeX with booktabs, `report.tex` and one `tables/<name>.tex` per table.
    Latex,
    /// Comma-separated values, one `tables/<name>.csv` per table.
    Csv,
    /// One Excel workbook, `report.xlsx`.
    Xlsx,
    /// One self-contained page, `report.html`.
    Html,
    /// The report itself, `report.json`.
    Json,
}

impl Format {
    /// Every format, in the order in which they are listed.
    pub const ALL: [Self; 6] = [
        Self::Markdown,
        Self::Latex,
        Self::Csv,
        Self::Xlsx,
        Self::Html,
        Self::Json,
    ];

    /// Whether figures go with it: pages show them, and a paper takes them as files.
    pub(crate) const fn has_figures(self) -> bool {
        matches!(self, Self::Markdown | Self::Latex | Self::Html)
    }
}

/// The name is not one of a format.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("unknown report format `{name}`; one of md, tex, csv, xlsx, html, json is expected")]
pub struct UnknownFormat {
    name: String,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name.trim().to_ascii_lowercase().as_str() {
            "md" | "markdown" => Ok(Self::Markdown),
            "tex" | "latex" => Ok(Self::Latex),
            "csv" => Ok(Self::Csv),
            "xlsx" => Ok(Self::Xlsx),
            "html" => Ok(Self::Html),
            "json" => Ok(Self::Json),
            _ => Err(UnknownFormat {
                name: name.to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_extensions_of_the_files() {
        assert_eq!("md".parse(), Ok(Format::Markdown));
        assert_eq!("tex".parse(), Ok(Format::Latex));
        assert_eq!(" HTML ".parse(), Ok(Format::Html));
        let error = "docx".parse::<Format>().unwrap_err();
        assert!(error.to_string().contains("`docx`"), "{error}");
    }
}
