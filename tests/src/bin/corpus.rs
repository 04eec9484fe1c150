//! `corpus [--json] [--passing FILE [--bless]] DIR...`: runs every golden case of the folders, of both languages:
//! `corpus tests/corpus ../shared/conformance ../shared/inmanta`. A folder is a family of cases, or contains some.
//!
//! Without `--json`: a diff for each failing case, then a table. With it: one JSON line per case (`name`, `folder`,
//! `pass`, `expected`, `actual`). With `--passing` a case that the file lists must pass. A case in
//! `compiler/DIFFERENCES.md` differs on purpose: it counts as passed if it fails, and as failed if it passes. `--bless`
//! adds newly passing cases to the file. The status is 0 when every case (or, with `--passing`, every listed one)
//! passes.
//!
//! Cases of models that cannot pass, such as those that run Python, are listed with their reasons after the table; they do
//! not count as failed.

use mclive_tests::case::{self, Case};
use mclive_tests::differences;
use mclive_tests::family::{Verdict, difference};
use mclive_tests::models;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Args {
    json: bool,
    quiet: bool,
    bless: bool,
    passing: Option<PathBuf>,
    folders: Vec<PathBuf>,
}

const USAGE: &str = "usage: corpus [--json] [--quiet] [--passing FILE [--bless]] DIR...";

fn parse_args() -> Result<Args, String> {
    let mut parsed = Args { json: false, quiet: false, bless: false, passing: None, folders: Vec::new() };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--json" => parsed.json = true,
            "--quiet" => parsed.quiet = true,
            "--bless" => parsed.bless = true,
            "--passing" => parsed.passing = Some(args.next().ok_or(USAGE)?.into()),
            _ if arg.starts_with("--") => return Err(format!("unknown option `{arg}`\n{USAGE}")),
            _ => parsed.folders.push(arg.into()),
        }
    }
    if parsed.folders.is_empty() { Err(USAGE.into()) } else { Ok(parsed) }
}

fn main() -> ExitCode {
    match parse_args().and_then(|args| run(&args)) {
        Ok(status) => status,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<ExitCode, String> {
    let mut cases = Vec::new();
    for folder in &args.folders {
        cases.extend(case::collect_below(folder)?);
    }
    let mut verdicts = run_all(&cases);
    let on_purpose = differences::cases();
    for (case, verdict) in cases.iter().zip(&mut verdicts).filter(|(case, _)| on_purpose.contains(&case.id())) {
        if verdict.pass {
            eprintln!("listed as a difference, but passes: {}", case.id());
        }
        verdict.pass = !verdict.pass;
    }
    let mut left_out = models::left_out();
    left_out.retain(|id, _| cases.iter().zip(&verdicts).any(|(case, verdict)| case.id() == *id && !verdict.pass));
    for (case, verdict) in cases.iter().zip(&verdicts) {
        if args.json {
            println!("{}", json_line(case, verdict, left_out.get(&case.id())));
        } else if !verdict.pass && !args.quiet && !left_out.contains_key(&case.id()) {
            println!("== {}", case.id());
            print!("{}", difference(&verdict.expected, &verdict.actual));
        }
    }
    let passing: BTreeSet<String> =
        cases.iter().zip(&verdicts).filter(|(_, verdict)| verdict.pass).map(|(case, _)| case.id()).collect();
    if !args.json {
        table(&cases, &passing, &left_out);
    }
    let Some(file) = &args.passing else {
        let is_good = passing.len() + left_out.len() == cases.len();
        return Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    };
    let listed = std::fs::read_to_string(file).unwrap_or_default();
    let listed: BTreeSet<String> = listed.lines().map(str::to_owned).collect();
    if args.bless {
        let all: Vec<&str> = listed.union(&passing).map(String::as_str).collect();
        std::fs::write(file, all.join("\n") + "\n").map_err(|error| format!("{}: {error}", file.display()))?;
    }
    let present: BTreeSet<String> = cases.iter().map(Case::id).collect();
    let lost: Vec<&String> = listed.intersection(&present).filter(|id| !passing.contains(*id)).collect();
    for id in &lost {
        eprintln!("passed before, fails now: {id}");
    }
    Ok(if lost.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs the cases on every core; a case that panics fails, and the others continue.
fn run_all(cases: &[Case]) -> Vec<Verdict> {
    let next = AtomicUsize::new(0);
    let done: Mutex<BTreeMap<usize, Verdict>> = Mutex::new(BTreeMap::new());
    let n_workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::scope(|scope| {
        for _ in 0..n_workers {
            scope.spawn(|| {
                while let Some((index, case)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    cases.get(index).map(|case| (index, case))
                } {
                    let verdict = std::panic::catch_unwind(|| case.run()).unwrap_or_else(|panic| {
                        let text = panic.downcast_ref::<String>().cloned();
                        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                        Verdict {
                            pass: false,
                            expected: String::new(),
                            actual: format!("panic: {}", text.unwrap_or_default()),
                        }
                    });
                    done.lock().expect("no worker panics while it holds the lock").insert(index, verdict);
                }
            });
        }
    });
    let _ = std::panic::take_hook();
    done.into_inner().expect("the workers have ended").into_values().collect()
}

fn json_line(case: &Case, verdict: &Verdict, left_out: Option<&String>) -> String {
    serde_json::json!({
        "name": case.name,
        "folder": case.folder,
        "pass": verdict.pass,
        "expected": verdict.expected,
        "actual": verdict.actual,
        "left_out": left_out,
    })
    .to_string()
}

fn table(cases: &[Case], passing: &BTreeSet<String>, left_out: &BTreeMap<String, String>) {
    let mut counts: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    for case in cases {
        let count = counts.entry(&case.folder).or_default();
        count.0 += usize::from(passing.contains(&case.id()));
        count.1 += 1;
        count.2 += usize::from(left_out.contains_key(&case.id()));
    }
    for (folder, (passed, all, out)) in &counts {
        let out = if *out > 0 { format!(", {out} left out") } else { String::new() };
        println!("{folder:<16} {passed:>5} of {all:>5}{out}");
    }
    let n_failed = cases.len() - passing.len() - left_out.len();
    println!("{} passed, {n_failed} failed, {} left out", passing.len(), left_out.len());
    for (id, reason) in left_out {
        println!("left out: {id}: {reason}");
    }
}
