//! Scenarios as users run them, each archive a test: `mclive test` through the sandbox on simulated hosts, and with
//! `--real` on a real one, in separate namespaces. They are the project's own (`tests/scenarios`), the lessons of the
//! page, whose good programs must all pass, and external acceptance scenarios (`../shared/conformance/scenarios`, or
//! those below `MCLIVE_CONFORMANCE`). `cargo test -p mclive --features agent --test scenarios real/a-folder` plays some
//! of them.

use mclive_cases::{Case, Trial, below, run_at_once, trial};
use mclive_tests::left_out;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

mclive_kit::supervised!();

/// The minimum numbers of scenarios played on a simulated host and on a real one: some need one of them.
const LEAST: usize = 165;
static N_PLAYED: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// The hosts for scenarios: the word in the test names, and the flag.
const HOSTS: [(&str, Option<&str>); 2] = [("simulated", None), ("real", Some("--real"))];

/// Plays the scenarios of an archive; returns their number. Errors are the agent's messages.
fn play(path: &Path, flag: Option<&str>) -> Result<usize, String> {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scenarios-home");
    std::fs::create_dir_all(&scratch).map_err(|error| error.to_string())?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_mclive"));
    command.args(["test", "--json"]).args(flag).arg(path).stdin(Stdio::null()).env("STATE_DIRECTORY", &scratch);
    let output = command.current_dir(&scratch).output().map_err(|error| error.to_string())?;
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let told = || format!("{}: {lines}{}", output.status, String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(told());
    }
    let summary = lines.lines().last().and_then(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let n = |key: &str| summary.as_ref()?["summary"][key].as_u64();
    match (n("scenarios"), n("left_out"), n("failed")) {
        (Some(all), Some(left_out), Some(0)) => Ok((all - left_out) as usize),
        _ => Err(told()),
    }
}

/// The archives of a folder on both hosts.
fn on_both(cases: &[Case], group: &str, counts: bool) -> Vec<Trial> {
    let one = |(at, case): (usize, &Case)| {
        let ((host, flag), path) = (HOSTS[at], case.path.clone());
        trial(format!("{group}{host}/{}", case.stem()), move || {
            let n_played = play(&path, flag)?;
            if counts {
                N_PLAYED[at].fetch_add(n_played, Ordering::Relaxed);
            }
            Ok(())
        })
    };
    (0..HOSTS.len()).flat_map(|at| cases.iter().map(move |case| (at, case))).map(one).collect()
}

/// The acceptance scenarios as archives; `None`: they are not next to this clone.
fn acceptance() -> Option<PathBuf> {
    let named = std::env::var_os("MCLIVE_CONFORMANCE").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/conformance"));
    let folder = folder.join("scenarios");
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join("acceptance");
    folder.is_dir().then(|| {
        mclive_tests::scenario::archives(&folder, &made).unwrap_or_else(|why| panic!("{why}"));
        made
    })
}

fn main() -> ExitCode {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    let mut trials = on_both(&below(&tests.join("scenarios"), "txtar"), "", true);
    for case in below(&tests.join("../playground/lessons"), "txtar") {
        trials.push(case.trial(|case| match play(&case.path, None)? {
            0 | 1 => Err("two good programs are needed".into()),
            _ => Ok(()),
        }));
    }
    match acceptance() {
        Some(folder) => trials.extend(on_both(&below(&folder, "txtar"), "conformance/", false)),
        None => trials.push(trial("conformance", || {
            left_out("the acceptance scenarios outside the project, which are not available here");
            Ok(())
        })),
    }
    // Real hosts run in real time: more of them than cores would slow each other down, and a retry would come too
    // early.
    let end = run_at_once(None, trials);
    for (n_played, (host, _)) in N_PLAYED.iter().zip(HOSTS) {
        let n_played = n_played.load(Ordering::Relaxed);
        // With a filter, or after a failure, there are fewer.
        if !end.has_failed() && end.num_filtered_out == 0 && end.num_passed > 0 && n_played < LEAST {
            println!("only {n_played} scenarios were played on a {host} host: the others say why they were skipped");
            return ExitCode::FAILURE;
        }
    }
    end.exit_code()
}
