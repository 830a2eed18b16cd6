//! The binary in a folder of its own.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// The binary under test.
const BINARY: &str = env!("CARGO_BIN_EXE_consilium");

/// A temporary folder in which commands are run.
pub(crate) struct Workplace {
    folder: TempDir,
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// The run's folder, printed last on stdout.
    pub(crate) fn run(&self) -> &str {
        assert_eq!(self.code, 0, "{self:?}");
        self.stdout.trim()
    }
}

impl Workplace {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    /// The run that is there.
    pub(crate) fn only_run(&self) -> String {
        let mut runs = std::fs::read_dir(self.path("runs")).unwrap();
        let run = runs.next().unwrap().unwrap().path();
        run.to_str().unwrap().to_owned()
    }

    pub(crate) fn write(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        command
            .current_dir(self.folder.path())
            .args(arguments)
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Outcome {
        let output = self.command(arguments).output().unwrap();
        Outcome {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// One number from a run's tables.
    pub(crate) fn count(&self, run: &str, sql: &str) -> i64 {
        let outcome = self.run(&["sql", run, sql, "--format", "csv"]);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        outcome.stdout.lines().nth(1).unwrap().parse().unwrap()
    }
}

/// A mock server that ends with the test.
pub(crate) struct MockServer {
    process: Child,
    /// Address up to and including `/v1`.
    pub(crate) base_url: String,
}

impl MockServer {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut process = Command::new(BINARY)
            .arg("mock-server")
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        Self {
            process,
            base_url: line.trim().to_owned(),
        }
    }
}

impl Drop for MockServer {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// The public data sets, when they are at hand: `$CONSILIUM_DATA`, else `../shared/data`.
pub(crate) fn public_data(relative: &str) -> Option<PathBuf> {
    let root = std::env::var_os("CONSILIUM_DATA").map_or_else(
        // Asked when the test runs: clones that share a target folder share its binary too.
        || {
            PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap())
                .join("../../../shared/data")
        },
        PathBuf::from,
    );
    let path = root.join(relative);
    if path.exists() {
        return Some(path.canonicalize().unwrap());
    }
    eprintln!(
        "skipped: {} is not here; set CONSILIUM_DATA to the folder of the public sets",
        path.display()
    );
    None
}

/// Choice questions as JSON Lines: `count` cases, the gold letter by turns.
pub(crate) fn choice_cases(count: usize) -> String {
    let mut cases = String::new();
    for index in 0..count {
        let gold = ["A", "B", "C", "D"][index % 4];
        let case = serde_json::json!({
            "id": format!("case-{index:05}"),
            "question": format!("Question {index}: which one?"),
            "options": {
                "A": format!("alpha {index}"), "B": format!("beta {index}"),
                "C": format!("gamma {index}"), "D": format!("delta {index}"),
            },
            "answer": gold,
        });
        cases.push_str(&case.to_string());
        cases.push('\n');
    }
    cases
}

/// A study over `cases.jsonl` of choice questions with one system on the given backend.
pub(crate) fn choice_study(backend: &str) -> String {
    format!(
        "[study]\nname = \"choices\"\nseed = 7\n\n[[dataset]]\nname = \"cases\"\nadapter = \"table\"\npath = \
         \"cases.jsonl\"\nanswer_form = \"choice\"\nfields = {{ id = \"id\", question = \"question\", options \
         = \"options\", gold = \"answer\" }}\n\n[[backend]]\nname = \"model\"\n{backend}\n\n[[system]]\nname = \
         \"direct\"\nsolver = \"direct\"\nbackend = \"model\"\n"
    )
}
