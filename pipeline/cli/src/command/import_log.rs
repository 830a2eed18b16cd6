//! `consilium import-log`: recorded answers or scores become a run.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use consilium_datasets::log::{LogMapping, MappingError};
use consilium_datasets::{card_mapping, mapped_cards};

use crate::failure::{CHECK_MISSED, hinted};
use crate::printer;
use crate::run::{LogImport, import};

/// Make a run of recorded answers or ready scores in plain tables: CSV, TSV, JSON, JSON Lines or Parquet.
///
/// The mapping says which column holds case, system, repetition, answer or score; one column for each system,
/// way of asking or repetition works as well. The run is scored, reported, queried and verified as any other.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  consilium import-log results_labels_wide.csv.gz --map craftmd --dataset \
                  usmle_and_derm_dataset.csv\n  consilium import-log predictions/test*.csv --map acibench\n  \
                  consilium import-log answers.csv --map import.toml --name pilot\n\nA mapping:\n  \
                  [study]\n  name = \"pilot\"\n  [dataset]\n  name = \"medqa\"\n  adapter = \"medqa\"\n  path = \
                  \"phrases_no_exclude_test.jsonl\"\n  [log]\n  case_id = \"id\"\n  system = \"model\"\n  epoch = \
                  \"trial\"\n  answer = \"reply\"        # or value = \"grade\" and a [log.score]"
)]
pub(crate) struct ImportLogArguments {
    /// Files of the log.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Mapping file, or the name of a card that has one (acibench, craftmd).
    #[arg(long, value_name = "FILE")]
    map: String,

    /// File with the cases that were asked, in place of the mapping's own.
    #[arg(long, value_name = "FILE")]
    dataset: Option<PathBuf>,

    /// Name of the study, in place of the mapping's own.
    #[arg(long)]
    name: Option<String>,

    /// Leave scoring to `consilium score`.
    #[arg(long)]
    no_score: bool,
}

pub(crate) async fn import_log(given: &ImportLogArguments, runs: &Path) -> Result<ExitCode> {
    let (text, folder) = mapping_text(&given.map)?;
    let mut mapping = LogMapping::parse(&text)
        .and_then(|mapping| mapping.check().map(|()| mapping))
        .map_err(|error| unreadable(&given.map, &error))?;
    if let Some(name) = &given.name {
        mapping.study.name.clone_from(name);
    }
    let log = LogImport {
        mapping,
        mapping_text: text,
        mapping_folder: folder,
        dataset: given.dataset.clone(),
        files: given.files.clone(),
        score: !given.no_score,
    };
    let imported = Box::pin(import(&log, runs)).await?;
    printer::line(&imported.root.display().to_string())?;
    Ok(if imported.complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(CHECK_MISSED)
    })
}

/// The text of a mapping and the folder that its paths are taken from.
fn mapping_text(name: &str) -> Result<(String, PathBuf)> {
    let path = Path::new(name);
    if !path.exists()
        && let Some(text) = card_mapping(name)
    {
        return Ok((text.to_owned(), PathBuf::new()));
    }
    let text = std::fs::read_to_string(path).map_err(|error| {
        let cards: Vec<&str> = mapped_cards().collect();
        hinted(
            format!("read mapping {name}: {error}"),
            format!(
                "give a mapping file, or one of the cards with a mapping: {}",
                cards.join(", ")
            ),
        )
    })?;
    let folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
    Ok((text, folder))
}

fn unreadable(name: &str, error: &MappingError) -> anyhow::Error {
    let place = match error {
        MappingError::Grammar {
            line: Some(line), ..
        } => format!("{name}:{line}"),
        _ => name.to_owned(),
    };
    hinted(
        format!("read mapping {place}: {error}"),
        "consilium import-log --help shows a mapping; those under datasets/ are longer examples",
    )
}
