//! What `check` and `import` are pointed at: a data file, a study or a card.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use consilium_core::study::{DatasetSpec, FieldSource, ScorerKind};
use consilium_core::{AnswerForm, nearest};
use consilium_datasets::{Card, CardFile, read_cards};
use consilium_scorers::AliasTable;
use consilium_store::sha256_file;

use crate::failure::hinted;
use crate::study;

/// How a data file is read that neither a study nor a card describes.
#[derive(Debug, Args)]
pub(super) struct ReadingArguments {
    /// Adapter of a data file.
    #[arg(long)]
    adapter: Option<String>,

    /// Case column and source column, for the adapter `table`; repeatable.
    #[arg(long = "field", value_name = "CASE=SOURCE")]
    fields: Vec<String>,

    /// Kind of answer: choice, label, diagnosis, text.
    #[arg(long, value_name = "FORM")]
    answer_form: Option<String>,

    /// Folder with the files of a card.
    #[arg(long, value_name = "DIR", default_value = ".")]
    data: PathBuf,
}

/// One dataset to be read.
pub(super) struct Target {
    pub(super) spec: DatasetSpec,
    /// Folder that the dataset's path is taken from.
    pub(super) folder: PathBuf,
    /// Seed of draws.
    pub(super) seed: u64,
    /// Other names of gold answers: (alias, canonical).
    pub(super) aliases: Vec<(String, String)>,
    /// The card that describes the file.
    pub(super) card: Option<CardFile>,
}

/// The datasets that a word on the command line means.
pub(super) fn targets(word: &Path, given: &ReadingArguments) -> Result<Vec<Target>> {
    if let Some(adapter) = &given.adapter {
        return Ok(vec![plain(spec_of(word, adapter, given)?)]);
    }
    if word
        .extension()
        .is_some_and(|extension| extension == "toml")
    {
        if let Some(card) = card_file(word) {
            let name = word.parent().and_then(Path::file_name);
            let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            return of_card(&name, &card, &given.data);
        }
        return of_study(word);
    }
    let cards = read_cards()?;
    if !word.exists()
        && let Some((name, card)) = cards.iter().find(|(name, _)| Path::new(name) == word)
    {
        return of_card(name, card, &given.data);
    }
    of_file(word, &cards, given)
}

/// A file that is a card, not a study.
fn card_file(path: &Path) -> Option<Card> {
    toml::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

fn plain(spec: DatasetSpec) -> Target {
    Target {
        spec,
        folder: PathBuf::new(),
        seed: 1,
        aliases: Vec::new(),
        card: None,
    }
}

fn of_study(path: &Path) -> Result<Vec<Target>> {
    let loaded = study::load(path)?;
    let study = loaded.study;
    let mut targets = Vec::new();
    for spec in study.dataset {
        let mut aliases = Vec::new();
        for scorer in &study.scorer {
            let scores = scorer.datasets.is_empty() || scorer.datasets.contains(&spec.name);
            if let (ScorerKind::Label, true, Some(path)) = (scorer.kind, scores, &scorer.aliases) {
                let table = AliasTable::read(&loaded.folder.join(path))?;
                aliases.extend(table.entries().to_vec());
            }
        }
        targets.push(Target {
            spec,
            folder: loaded.folder.clone(),
            seed: study.study.seed,
            aliases,
            card: None,
        });
    }
    if targets.is_empty() {
        return Err(hinted(
            format!("use study {}: it has no dataset", path.display()),
            "add a [[dataset]]",
        ));
    }
    Ok(targets)
}

fn of_card(name: &str, card: &Card, data: &Path) -> Result<Vec<Target>> {
    let mut targets = Vec::new();
    for file in &card.files {
        let path = data.join(&file.name);
        if let Some(spec) = file.dataset(name, path.clone())
            && path.is_file()
        {
            targets.push(Target {
                card: Some(file.clone()),
                ..plain(spec)
            });
        }
    }
    if targets.is_empty() {
        let names: Vec<&str> = card
            .files
            .iter()
            .filter(|file| file.adapter.is_some())
            .map(|file| file.name.as_str())
            .collect();
        return Err(hinted(
            format!(
                "use card '{name}': none of its files is in {}: {}",
                data.display(),
                names.join(", ")
            ),
            format!("obtain them ({}), then give --data DIR", card.source),
        ));
    }
    Ok(targets)
}

/// A file that some card knows, by its hash or else by its name.
fn of_file(path: &Path, cards: &[(String, Card)], given: &ReadingArguments) -> Result<Vec<Target>> {
    if !path.is_file() {
        let known = cards.iter().map(|(name, _)| name.as_str());
        let word = path.to_string_lossy();
        let hint = match nearest(&word, known) {
            Some(nearest) => format!("did you mean the card '{nearest}'?"),
            None => "give a data file, a study (.toml) or the name of a card".to_owned(),
        };
        return Err(hinted(format!("read {word}: there is no such file"), hint));
    }
    let sha256 = sha256_file(path)?;
    let files = || {
        cards
            .iter()
            .flat_map(|(name, card)| card.files.iter().map(move |file| (name, file)))
            .filter(|(_, file)| file.adapter.is_some())
    };
    let named = |file: &CardFile| {
        path.file_name()
            .is_some_and(|name| name == file.name.as_str())
    };
    let found = files()
        .find(|(_, file)| file.sha256 == sha256)
        .or_else(|| files().find(|(_, file)| named(file)));
    let spec = found.and_then(|(name, file)| {
        let mut spec = file.dataset(name, path.to_owned())?;
        if given.answer_form.is_some() {
            spec.answer_form = answer_form(given).ok()?;
        }
        Some((spec, file.clone()))
    });
    match spec {
        Some((spec, file)) => Ok(vec![Target {
            card: Some(file),
            ..plain(spec)
        }]),
        None => Err(hinted(
            format!("read {}: how is the file to be read?", path.display()),
            "name an adapter, for example --adapter pubmedqa, or give a study file; consilium datasets \
             list shows the adapters",
        )),
    }
}

fn answer_form(given: &ReadingArguments) -> Result<Option<AnswerForm>> {
    match &given.answer_form {
        Some(name) => AnswerForm::parse(name).map(Some).ok_or_else(|| {
            hinted(
                format!("read --answer-form {name}"),
                "there are choice, label, diagnosis, text",
            )
        }),
        None => Ok(None),
    }
}

fn spec_of(path: &Path, adapter: &str, given: &ReadingArguments) -> Result<DatasetSpec> {
    let fields = given
        .fields
        .iter()
        .map(|field| match field.split_once('=') {
            Some((case, source)) => Ok((case.to_owned(), FieldSource::Column(source.to_owned()))),
            None => Err(hinted(
                format!("read --field {field}"),
                "write it as case column = source column, for example --field question=prompt",
            )),
        })
        .collect::<Result<BTreeMap<_, _>>>()?;
    Ok(DatasetSpec {
        name: path
            .file_stem()
            .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
        adapter: adapter.to_owned(),
        path: path.to_owned(),
        format: None,
        answer_form: answer_form(given)?,
        language: None,
        fields,
        filter: BTreeMap::new(),
        predicate: None,
        limit: None,
        stratify: None,
        strict: false,
    })
}
