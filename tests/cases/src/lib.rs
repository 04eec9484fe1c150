//! A folder of text cases as individually named tests: `cargo test --test scenarios purge` runs those with that word in
//! their names, and a failure names the case. A separate crate, so that the tests of every crate can use it.
//!
//! A test target with `harness = false` lists its trials and hands them to [`run`]:
//!
//! ```no_run
//! use std::path::Path;
//!
//! fn main() -> std::process::ExitCode {
//!     mclive_cases::run(mclive_cases::trials(Path::new("tests/scenarios"), "txtar", |case| {
//!         if case.bytes().is_empty() { Err("it is empty".into()) } else { Ok(()) }
//!     }))
//! }
//! ```
//!
//! The flags and the output are those of the standard harness, except that output of tests is not captured. Trials run
//! in parallel, so a case must not write to standard output.

mod slow;

pub use libtest_mimic::{Conclusion, Trial};

use libtest_mimic::Arguments;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A file that is a test.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Case {
    /// The folder's name and the path below it, without the extension: `scenarios/a-folder-is-purged`.
    pub name: String,
    /// Path of the file.
    pub path: PathBuf,
}

impl Case {
    /// Its content.
    ///
    /// Panics: it cannot be read.
    pub fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.path).unwrap_or_else(|error| panic!("{}: {error}", self.path.display()))
    }

    /// The last part of its name.
    pub fn stem(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// A test of the case. The closure's error or panic is the reason for a failure.
    pub fn trial(self, play: impl FnOnce(&Case) -> Result<(), String> + Send + 'static) -> Trial {
        trial(self.name.clone(), move || play(&self))
    }
}

/// A test by its name. The closure's error or panic is the reason for a failure.
pub fn trial(name: impl Into<String>, play: impl FnOnce() -> Result<(), String> + Send + 'static) -> Trial {
    let name = name.into();
    Trial::test(name.clone(), move || {
        let _at_work = slow::Work::begins(&name);
        Ok(play()?)
    })
}

/// The files below a folder with this extension, sorted by name.
///
/// Panics: a folder cannot be read, or there is no such file, since a folder without cases is a mistake.
pub fn below(folder: &Path, ending: &str) -> Vec<Case> {
    let (mut ahead, mut cases) = (vec![folder.to_owned()], Vec::new());
    let top = folder.file_name().unwrap_or_default().to_string_lossy();
    while let Some(dir) = ahead.pop() {
        let entries = std::fs::read_dir(&dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
        for path in entries.map(|entry| entry.expect("an entry can be read").path()) {
            if path.is_dir() {
                ahead.push(path);
            } else if path.extension().is_some_and(|end| end == ending) {
                let below = path.strip_prefix(folder).expect("it is below the folder").with_extension("");
                cases.push(Case { name: format!("{top}/{}", below.display()), path });
            }
        }
    }
    assert!(!cases.is_empty(), "there is no *.{ending} below {}", folder.display());
    cases.sort();
    cases
}

/// A trial for each file below a folder with this extension. The closure's error or panic is the reason for a failure.
pub fn trials<P>(folder: &Path, ending: &str, play: P) -> Vec<Trial>
where
    P: Fn(&Case) -> Result<(), String> + Clone + Send + 'static,
{
    below(folder, ending).into_iter().map(|case| case.trial(play.clone())).collect()
}

/// Functions beside the cases, as trials: `plain![every_code_has_a_page, pages::are_short]`.
#[macro_export]
macro_rules! plain {
    ($($test:path),* $(,)?) => {
        vec![$($crate::trial(stringify!($test).replace(' ', ""), || {
            $test();
            Ok(())
        })),*]
    };
}

/// Runs the trials selected by the arguments; returns the status for `main`.
pub fn run(trials: Vec<Trial>) -> ExitCode {
    run_at_once(None, trials).exit_code()
}

/// The same with a number of parallel trials, unless the arguments or `RUST_TEST_THREADS` specify another one.
///
/// Panics: two trials have the same name, so that a filter could not distinguish them.
pub fn run_at_once(n: Option<usize>, trials: Vec<Trial>) -> Conclusion {
    let mut names: Vec<&str> = trials.iter().map(Trial::name).collect();
    names.sort_unstable();
    let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
    assert!(twice.is_none(), "two tests have the name {}", twice.map_or("", |pair| pair[0]));
    let mut arguments = Arguments::from_args();
    let asked = std::env::var("RUST_TEST_THREADS").ok().and_then(|n| n.parse().ok());
    arguments.test_threads = arguments.test_threads.or(asked).or(n);
    slow::watch();
    libtest_mimic::run(&arguments, trials)
}

/// Whether expectations are to be rewritten, as by `make bless`.
pub fn blesses() -> bool {
    std::env::var_os("MCLIVE_BLESS").is_some()
}
