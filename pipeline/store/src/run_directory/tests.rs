use super::*;
use crate::fixtures::{FixedClock, manifest, new_run};

fn run_with_manifest(root: &Path, name: &str, created_at: i64) -> RunDirectory {
    let path = root.join(name);
    fs::create_dir(&path).unwrap();
    let directory = RunDirectory::at(&path).unwrap();
    directory
        .write_manifest(&RunManifest {
            created_at,
            run: name.to_owned(),
            ..manifest()
        })
        .unwrap();
    directory
}

#[test]
fn names_hold_study_and_time_and_never_collide() {
    let folder = tempfile::tempdir().unwrap();
    let clock = FixedClock(1_796_040_245_000_000);
    let names: Vec<String> = (0..30)
        .map(|_| {
            RunDirectory::create(folder.path(), "pilot", &clock)
                .unwrap()
                .name()
                .to_owned()
        })
        .collect();
    assert!(
        names[0].starts_with("pilot-20261130-120405-"),
        "{}",
        names[0]
    );
    assert_eq!(names[0].len(), "pilot-20261130-120405-ffff".len());
    let distinct: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
}

#[test]
fn a_new_run_has_its_folders_inside_the_root() {
    let folder = tempfile::tempdir().unwrap();
    let clock = FixedClock(0);
    let directory = RunDirectory::create(folder.path(), "../a/b 试验", &clock).unwrap();
    assert_eq!(directory.root().parent(), Some(folder.path()));
    assert!(
        directory.name().starts_with("-a-b-试验-19700101-000000-"),
        "{}",
        directory.name()
    );
    for table in RunTable::ALL {
        assert!(directory.table_folder(table).is_dir());
    }
    assert!(directory.journal_folder().is_dir());
}

#[test]
fn a_manifest_reads_back() {
    let (_folder, directory) = new_run();
    directory.write_manifest(&manifest()).unwrap();
    let reopened = RunDirectory::open(directory.root()).unwrap();
    assert_eq!(reopened.name(), directory.name());
    assert_eq!(reopened.manifest().unwrap(), manifest());
}

#[test]
fn opening_says_what_is_wrong() {
    let (folder, directory) = new_run();
    let missing = RunDirectory::open(&folder.path().join("nowhere")).unwrap_err();
    assert!(
        missing
            .to_string()
            .ends_with("nowhere: there is no such folder"),
        "{missing}"
    );
    let bare = RunDirectory::open(directory.root()).unwrap_err();
    assert!(
        bare.to_string()
            .ends_with("not a run folder, it has no manifest.json"),
        "{bare}"
    );

    directory.write_manifest(&manifest()).unwrap();
    let path = directory.root().join(MANIFEST);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        text.replace("\"epochs\": 1,", "\"epochs\": \"one\","),
    )
    .unwrap();
    let line = 1 + text
        .lines()
        .position(|line| line.contains("epochs"))
        .unwrap();
    let damaged = RunDirectory::open(directory.root())
        .unwrap_err()
        .to_string();
    assert!(
        damaged.contains(&format!("manifest.json:{line}: ")),
        "{damaged}"
    );
}

#[test]
fn a_newer_run_is_not_called_damaged() {
    let (_folder, directory) = new_run();
    let path = directory.root().join(MANIFEST);
    fs::write(path, r#"{"format_version": 99, "shape": "unheard of"}"#).unwrap();
    let error = RunDirectory::open(directory.root())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("made by a newer version (format 99"),
        "{error}"
    );
}

#[test]
fn a_run_is_found_by_path_name_or_unique_prefix() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let pilot = run_with_manifest(root, "pilot-1", 1);
    run_with_manifest(root, "pilot-12", 2);
    run_with_manifest(root, "ward-1", 3);
    fs::create_dir(root.join("studies")).unwrap();

    let find = |text: &str| RunDirectory::find(root, text).map(|run| run.name().to_owned());
    assert_eq!(
        find("pilot-1").unwrap(),
        "pilot-1",
        "a full name wins over a longer one"
    );
    assert_eq!(find("war").unwrap(), "ward-1");
    assert_eq!(find(pilot.root().to_str().unwrap()).unwrap(), "pilot-1");

    let ambiguous = find("pilot").unwrap_err().to_string();
    assert!(ambiguous.contains("pilot-12, pilot-1;"), "{ambiguous}");
    let unknown = find("wrad-1").unwrap_err().to_string();
    assert!(unknown.contains("the nearest are ward-1, "), "{unknown}");
    assert!(!unknown.contains("studies"), "{unknown}");
}

#[test]
fn an_empty_folder_has_no_runs() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none");
    assert!(RunDirectory::list(&missing).unwrap().runs.is_empty());
    let error = RunDirectory::find(&missing, "x").unwrap_err().to_string();
    assert!(error.ends_with("there are no runs"), "{error}");
}

#[test]
fn a_damaged_run_does_not_hide_the_others() {
    let folder = tempfile::tempdir().unwrap();
    run_with_manifest(folder.path(), "old", 1);
    run_with_manifest(folder.path(), "new", 2);
    let broken = run_with_manifest(folder.path(), "broken", 3);
    fs::write(broken.root().join(MANIFEST), "{").unwrap();
    let list = RunDirectory::list(folder.path()).unwrap();
    let names: Vec<_> = list.runs.iter().map(|run| run.directory.name()).collect();
    assert_eq!(names, ["new", "old"]);
    assert_eq!(list.unreadable.len(), 1);
    assert!(list.unreadable[0].0.ends_with("broken"));
}
