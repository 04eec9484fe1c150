//! The golden cases, each a test: the project's own (`tests/corpus`), all of which pass, and those outside of it
//! (`../shared/conformance`, or what `MCLIVE_CONFORMANCE` names), of which `tests/passing.txt` lists what passes.
//! `cargo test -p mclive-tests --test corpus resource-graph/except` runs those with that in their names.
//!
//! What passed once passes for ever: `MCLIVE_BLESS=1` lists a case outside that passes now. A case that `compiler/DIFFERENCES.md` lists differs on purpose: it fails once it comes out as expected. One with
//! the very text of a case of the project is that case, and runs once.

use mclive_cases::{Trial, blesses, run_at_once, trial};
use mclive_tests::case::{Case, collect};
use mclive_tests::family::{Family, difference};
use mclive_tests::{differences, left_out};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The cases of the folders in a folder that are families.
fn cases(folder: &Path) -> Vec<Case> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut families: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    // Scenarios are played by the agent.
    families.retain(|path| !path.ends_with("scenarios"));
    families.sort();
    families.iter().flat_map(|family| collect(family).unwrap_or_else(|why| panic!("{why}"))).collect()
}

/// What came instead of what was expected; `None`: the case comes out as it is to.
fn wrong(case: &Case, on_purpose: &BTreeSet<String>) -> Option<String> {
    let verdict = case.run();
    match (verdict.pass, on_purpose.contains(&case.id())) {
        (true, true) => Some("compiler/DIFFERENCES.md lists it as a difference, and it passes".into()),
        (false, false) => Some(difference(&verdict.expected, &verdict.actual)),
        _ => None,
    }
}

fn own(on_purpose: &Arc<BTreeSet<String>>) -> Vec<Trial> {
    let cases = cases(&here().join("corpus")).into_iter().map(|case| {
        let on_purpose = Arc::clone(on_purpose);
        trial(format!("corpus/{}", case.id()), move || wrong(&case, &on_purpose).map_or(Ok(()), Err))
    });
    cases.collect()
}

/// The list of cases outside that pass, and those of them that are new.
struct Passing {
    listed: BTreeSet<String>,
    new: Mutex<BTreeSet<String>>,
}

impl Passing {
    fn path() -> PathBuf {
        here().join("passing.txt")
    }

    fn read() -> Passing {
        let text = std::fs::read_to_string(Passing::path()).expect("the list of what passes");
        Passing { listed: text.lines().map(str::to_owned).collect(), new: Mutex::default() }
    }

    /// Whether it is as it should be that a case comes out so.
    fn judge(&self, id: &str, wrong: Option<String>) -> Result<(), String> {
        match wrong {
            Some(wrong) if self.listed.contains(id) => Err(format!("it passed before\n{wrong}")),
            // Nobody has got there yet: that is what the list tells.
            Some(_) => Ok(()),
            None if self.listed.contains(id) => Ok(()),
            None => {
                self.new.lock().expect("nobody panics with it").insert(id.to_owned());
                Ok(())
            }
        }
    }

    fn n_new(&self) -> usize {
        self.new.lock().expect("nobody panics with it").len()
    }

    fn write(&self) {
        let new = self.new.lock().expect("nobody panics with it");
        let all: Vec<&str> = self.listed.union(&new).map(String::as_str).collect();
        std::fs::write(Passing::path(), all.join("\n") + "\n").expect("the list can be written");
    }
}

fn outside(on_purpose: &Arc<BTreeSet<String>>, passing: &Arc<Passing>) -> Vec<Trial> {
    let named = std::env::var_os("MCLIVE_CONFORMANCE").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| here().join("../../shared/conformance"));
    if !folder.is_dir() {
        return vec![trial("conformance", || {
            left_out("the golden cases outside the project, which are not available here");
            Ok(())
        })];
    }
    let same =
        |path: &Path, own: &Path| std::fs::read(path).is_ok_and(|text| std::fs::read(own).is_ok_and(|own| text == own));
    let is_own = |case: &Case| {
        let own = here().join("corpus").join(case.id());
        // What a `badmcl` comes to is in the file beside it.
        same(&case.path, &own) && same(&case.path.with_extension("mcl"), &own.with_extension("mcl"))
            || case.family != Family::Format && same(&case.path, &own)
    };
    let cases = cases(&folder).into_iter().filter(|case| !is_own(case)).map(|case| {
        let (on_purpose, passing) = (Arc::clone(on_purpose), Arc::clone(passing));
        trial(format!("conformance/{}", case.id()), move || passing.judge(&case.id(), wrong(&case, &on_purpose)))
    });
    cases.collect()
}

fn main() -> ExitCode {
    let (on_purpose, passing) = (Arc::new(differences::cases()), Arc::new(Passing::read()));
    let mut trials = own(&on_purpose);
    trials.extend(outside(&on_purpose, &passing));
    let end = run_at_once(None, trials);
    if blesses() {
        passing.write();
    } else if let n @ 1.. = passing.n_new() {
        println!(
            "{n} cases pass that are not listed: `MCLIVE_BLESS=1 cargo test -p mclive-tests --test corpus` lists them"
        );
    }
    end.exit_code()
}
