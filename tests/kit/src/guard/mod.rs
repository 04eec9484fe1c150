//! Compares this machine before and after a run of tests: a test may change nothing of it.
//!
//! Each kind of state is a map from a name to a value ([`Sort`]). State that changes on an idle machine is skipped,
//! with the reason in the code. Unreadable state is an error, never "no difference".

mod network;
mod packets;
mod system;
mod tasks;

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Values by name.
type State = BTreeMap<String, String>;

/// One kind of state.
struct Sort {
    name: &'static str,
    look: fn() -> Result<State, String>,
    /// Whether a change of one value counts as a difference; new and removed ones too.
    counts: fn(Option<&str>, Option<&str>) -> bool,
}

/// Every difference counts.
fn always(_: Option<&str>, _: Option<&str>) -> bool {
    true
}

const SORTS: [Sort; 12] = [
    Sort { name: "addresses", look: network::addresses, counts: always },
    Sort { name: "routes", look: network::routes, counts: always },
    Sort { name: "packet filter", look: packets::rules, counts: always },
    Sort { name: "mounts", look: system::mounts, counts: always },
    Sort { name: "accounts", look: system::accounts, counts: always },
    Sort { name: "kernel parameters", look: system::parameters, counts: always },
    Sort { name: "names", look: system::names, counts: always },
    Sort { name: "clock", look: system::clock, counts: system::is_set },
    Sort { name: "unit files", look: system::unit_files, counts: always },
    Sort { name: "units", look: system::units, counts: always },
    Sort { name: "control groups", look: tasks::groups, counts: tasks::is_left },
    Sort { name: "processes", look: tasks::processes, counts: tasks::is_left },
];

/// The state of a machine at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<String, State>);

impl Snapshot {
    /// Reads the state of this machine, as far as this process sees it.
    pub fn take() -> Result<Snapshot, String> {
        let look = |sort: &Sort| {
            let state = (sort.look)().map_err(|why| format!("cannot read the {}: {why}", sort.name))?;
            Ok((sort.name.to_owned(), state))
        };
        Ok(Snapshot(SORTS.iter().map(look).collect::<Result<_, String>>()?))
    }

    /// Writes the snapshot to a file.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let text = serde_json::to_string_pretty(&self.0).expect("it is made of texts");
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Reads a snapshot from a file.
    pub fn read(path: &Path) -> Result<Snapshot, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let sorts: Map<String, Value> =
            serde_json::from_str(&text).map_err(|error| format!("{} is not a snapshot: {error}", path.display()))?;
        let state =
            |value: Value| serde_json::from_value(value).map_err(|error| format!("{}: {error}", path.display()));
        Ok(Snapshot(sorts.into_iter().map(|(name, value)| Ok((name, state(value)?))).collect::<Result<_, String>>()?))
    }

    /// The same without one kind of state, about which the caller knows more.
    pub fn without(mut self, sort: &str) -> Result<Snapshot, String> {
        match self.0.remove(sort) {
            Some(_) => Ok(self),
            None => Err(format!(
                "unknown sort of state: {sort}; expected one of {}",
                SORTS.map(|sort| sort.name).join(", ")
            )),
        }
    }

    /// The differences of a later snapshot: a sentence for each, in the order of their kinds.
    pub fn differences(&self, after: &Snapshot) -> Vec<String> {
        let none = State::new();
        let mut found = Vec::new();
        for Sort { name, counts, .. } in SORTS.iter().filter(|sort| self.0.contains_key(sort.name)) {
            let (old, new) = (&self.0[*name], after.0.get(*name).unwrap_or(&none));
            let mut about: Vec<&String> = old.keys().chain(new.keys()).collect();
            about.sort();
            about.dedup();
            for what in about {
                let (was, is) = (old.get(what), new.get(what));
                if was != is && counts(was.map(String::as_str), is.map(String::as_str)) {
                    found.push(format!("{name}: {}", sentence(what, was, is)));
                }
            }
        }
        found
    }
}

fn sentence(what: &str, was: Option<&String>, is: Option<&String>) -> String {
    let of = |value: &str| if value.is_empty() { String::new() } else { format!(": {value}") };
    match (was, is) {
        (Some(was), Some(is)) => format!("{what} was {was:?} and is {is:?}"),
        (Some(was), None) => format!("{what} is gone{}", of(was)),
        (None, is) => format!("{what} is new{}", of(is.map_or("", String::as_str))),
    }
}

/// The current differences that persist for a while: processes about to end are not leftovers.
pub fn compare(before: &Snapshot, patience: Duration) -> Result<Vec<String>, String> {
    let began = Instant::now();
    loop {
        let found = before.differences(&Snapshot::take()?);
        if found.is_empty() || began.elapsed() > patience {
            return Ok(found);
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}
