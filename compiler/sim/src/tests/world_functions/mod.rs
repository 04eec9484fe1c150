//! Every function that reads facts, on the simulated host: its first value, its next one after a change (immediately if
//! it is reported, otherwise at the next evaluation), its error, and the value after that. Functions spec, 7 and 14.

mod clock;
mod files;
mod machine;
mod sampled;
mod stores;

use super::running::{Running, Seen};
use crate::World;
use crate::corelib::{self, FnDef, Long, Run};
use Seen::{Catchable, Fatal, Value, Waiting};

type Change = fn(&mut World);

/// One function in a changing world.
struct Row {
    path: &'static str,
    call: &'static str,
    first: Seen,
    /// Changes, each with the delay in milliseconds until the check, and the expected result.
    then: &'static [(Change, u64, Seen)],
}

const NOTHING: Change = |_| {};

fn row(path: &'static str, call: &'static str, first: Seen, then: &'static [(Change, u64, Seen)]) -> Row {
    Row { path, call, first, then }
}

/// The facts that report changes.
fn told() -> Vec<Row> {
    [clock::rows(), files::rows(), machine::rows(), stores::rows()].into_iter().flatten().collect()
}

/// Functions about the agent itself, randomness, or the program's own files: there is no event and nothing to recover
/// from. Their examples run on a host with fixed answers.
const WITHOUT_EVENTS: &[&str] = &[
    "_collect",
    "deploy.",
    "datetime.",
    "embedded/provisioner.",
    "golang.template",
    "golang/math/rand.",
    "golang/os.executable",
    "golang/os.get",
    "golang/path/filepath.abs",
    "golang/runtime.",
    "value.get",
];

/// Compares a call and its twin with a fallback, on hosts with the same history; returns the differences.
fn look(twins: &mut [Running; 2], after_ms: u64, seen: Seen, what: &str) -> Option<String> {
    let [plain, caught] = twins.each_mut().map(|running| running.after(after_ms));
    let is_failure = |words: &str| plain.starts_with("error: ") && plain.contains(words);
    let fits = match seen {
        Value(value) => plain == value && caught == value,
        Waiting => plain == "waiting" && caught == "waiting",
        Catchable(words) => is_failure(words) && caught == "\"caught\"",
        Fatal(words) => is_failure(words) && caught == plain,
    };
    (!fits).then(|| format!("{what}: {seen:?}, but {plain} and {caught}"))
}

fn twins(before: &[Change], row: &Row) -> [Running; 2] {
    let is_text = row
        .then
        .iter()
        .map(|(_, _, seen)| seen)
        .chain([&row.first])
        .any(|seen| matches!(seen, Value(value) if value.starts_with('"')) || matches!(seen, Catchable(_)));
    let caught = if is_text { format!("{} <|> \"caught\"", row.call) } else { row.call.to_string() };
    [Running::on(before, row.path, row.call), Running::on(before, row.path, &caught)]
}

#[test]
fn facts_that_are_told_change_by_themselves() {
    let mut wrong = Vec::new();
    for row in told() {
        let mut twins = twins(&[], &row);
        wrong.extend(look(&mut twins, 100, row.first, &format!("{} at first", row.path)));
        for (index, (change, after_ms, seen)) in row.then.iter().enumerate() {
            twins.iter_mut().for_each(|running| running.change(*change));
            wrong.extend(look(&mut twins, *after_ms, *seen, &format!("{} after change {index}", row.path)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn facts_that_are_sampled_are_those_of_the_start() {
    let mut wrong = Vec::new();
    for row in sampled::rows() {
        let mut before: Vec<Change> = Vec::new();
        wrong.extend(look(&mut twins(&before, &row), 100, row.first, &format!("{} at first", row.path)));
        for (index, (change, _, seen)) in row.then.iter().enumerate() {
            before.push(*change);
            wrong.extend(look(&mut twins(&before, &row), 100, *seen, &format!("{} after change {index}", row.path)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_function_of_the_world_is_left_out() {
    let rows: Vec<&str> = told().iter().chain(&sampled::rows()).map(|row| row.path).collect();
    let looks = |def: &&FnDef| matches!(def.run, Run::World(_) | Run::Long(Long { is_pure: false, .. }));
    for def in corelib::all().filter(looks) {
        let is_apart = WITHOUT_EVENTS.iter().any(|prefix| def.path.starts_with(prefix));
        assert!(is_apart || rows.contains(&def.path), "{} has no test", def.path);
    }
}
