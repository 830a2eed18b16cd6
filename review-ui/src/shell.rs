//! What stands around every page.

use crate::assets::address;
use crate::link::Link;
use crate::view::text::{beginning, short};

/// Most characters of a title; two ids fit.
const TITLE_CHARACTERS: usize = 360;

/// Where in the navigation a page lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// The list of runs.
    Runs,
    /// Runs compared.
    Compare,
    /// One run.
    Overview,
    /// Samples of a run.
    Samples,
    /// Two systems of a run.
    Pairs,
    /// Outside.
    Nowhere,
}

/// Title and navigation of a page.
#[derive(Clone, Debug)]
pub(crate) struct Shell {
    /// Title of the window.
    pub title: String,
    /// Where the page lies.
    pub section: Section,
    /// The run it belongs to.
    pub run: Option<RunLinks>,
    /// Address of the style sheet.
    pub style: String,
    /// Address of the script.
    pub script: String,
    /// Address of the icon.
    pub icon: String,
}

/// The pages of one run.
#[derive(Clone, Debug)]
pub(crate) struct RunLinks {
    /// Name of the run.
    pub name: String,
    /// Its own page.
    pub overview: String,
    /// Its samples.
    pub samples: String,
    /// Two of its systems.
    pub pairs: String,
}

impl Shell {
    /// A page outside of any run.
    pub(crate) fn new(title: &str, section: Section) -> Self {
        Self {
            title: beginning(title, TITLE_CHARACTERS),
            section,
            run: None,
            style: address("site.css"),
            script: address("keys.js"),
            icon: address("icon.svg"),
        }
    }

    /// A page of a run.
    pub(crate) fn of_run(run: &str, title: &str, section: Section) -> Self {
        Self {
            run: Some(RunLinks {
                name: short(run),
                overview: Link::run(run).address(),
                samples: Link::run(run).segment("samples").address(),
                pairs: Link::run(run).segment("pairs").address(),
            }),
            ..Self::new(&format!("{title} · {}", short(run)), section)
        }
    }

    /// Whether the page lies there, for `aria-current`.
    pub(crate) fn is(&self, name: &str) -> bool {
        match self.section {
            Section::Runs => name == "runs",
            Section::Compare => name == "compare",
            Section::Overview => name == "overview",
            Section::Samples => name == "samples",
            Section::Pairs => name == "pairs",
            Section::Nowhere => false,
        }
    }
}
