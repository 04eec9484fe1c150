//! The golden cases of the language, each a test: it is compiled and its output compared line by line. Those of the project
//! (`cases/`) each stand for a difference that was mended, and `near-*` for a neighbour of a case outside, with what follows
//! from the specification. Those outside, `../shared/inmanta` or what
//! `MCLIVE_INMANTA_CASES` names, have a test of the formatter as well (`layout`), and `passing.txt` lists those that pass:
//! none of them may fail, and `MCLIVE_BLESS=1` lists those that pass now.
//! `cargo test -p mclive-inmanta --test golden index-03` looks at one.

#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test reads its cases, keeps the list of what passes and says what could be listed"
)]

mod case;
mod compare;
mod layout;
mod output;

use mclive_cases::{Case, Trial, below, blesses, run_at_once, trial, trials};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

/// `../shared/inmanta` beside the project, or what `MCLIVE_INMANTA_CASES` names.
fn folder() -> Option<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = std::env::var("MCLIVE_INMANTA_CASES").ok().map(PathBuf::from);
    let beside = ["../shared/inmanta", "../../shared/inmanta"].map(|path| project.join(path));
    named.into_iter().chain(beside).find(|folder| folder.is_dir())
}

fn parsed(case: &Case) -> case::Case {
    case::Case::parse(&String::from_utf8(case.bytes()).expect("a case is UTF-8"))
}

/// A case comes to what it says.
fn comes_out(case: &Case) -> Result<(), String> {
    let case = parsed(case);
    compare::difference(&case.output, &output::run(&case)).map_or(Ok(()), Err)
}

/// The cases outside that pass: the lines of `passing.txt` without its remarks, and what is to be added.
struct Passing {
    listed: BTreeSet<String>,
    new: Mutex<BTreeSet<String>>,
}

impl Passing {
    fn path() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/passing.txt")
    }

    fn read() -> Passing {
        let text = std::fs::read_to_string(Passing::path()).expect("the list of what passes");
        let listed =
            text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(str::to_owned).collect();
        Passing { listed, new: Mutex::default() }
    }

    fn judge(&self, name: &str, result: Result<(), String>) -> Result<(), String> {
        match (result, self.listed.contains(name)) {
            (Err(why), true) => Err(format!("it passed before\n{why}")),
            // The head of the list says why.
            (Err(_), false) | (Ok(()), true) => Ok(()),
            (Ok(()), false) => {
                self.new.lock().expect("nobody panics with it").insert(name.to_owned());
                Ok(())
            }
        }
    }

    fn n_new(&self) -> usize {
        self.new.lock().expect("nobody panics with it").len()
    }

    fn write(&self) {
        let text = std::fs::read_to_string(Passing::path()).expect("the list of what passes");
        let remarks: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
        let new = self.new.lock().expect("nobody panics with it");
        let all = remarks.into_iter().chain(self.listed.union(&new).map(String::as_str));
        let text: String = all.flat_map(|line| [line, "\n"]).collect();
        std::fs::write(Passing::path(), text).expect("the list can be written");
    }
}

fn outside(passing: &Arc<Passing>) -> Vec<Trial> {
    let Some(folder) = folder() else {
        return vec![trial("inmanta", || {
            mclive_kit::left_out("the golden cases of Inmanta models, which are not beside this clone");
            Ok(())
        })];
    };
    let mut all = Vec::new();
    for case in below(&folder, "txtar") {
        let (passing, name) = (Arc::clone(passing), case.stem().to_owned());
        let laid_out = case.clone();
        all.push(trial(format!("layout/{name}"), move || layout::keeps_the_meaning(&laid_out)));
        all.push(case.trial(move |case| passing.judge(&name, comes_out(case))));
    }
    all
}

fn main() -> ExitCode {
    let passing = Arc::new(Passing::read());
    let mut all = trials(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/cases"), "txtar", comes_out);
    all.extend(outside(&passing));
    let end = run_at_once(None, all);
    if blesses() {
        passing.write();
    } else if let n @ 1.. = passing.n_new() {
        println!(
            "{n} cases pass that are not listed: `MCLIVE_BLESS=1 cargo test -p mclive-inmanta --test golden` lists them"
        );
    }
    end.exit_code()
}
