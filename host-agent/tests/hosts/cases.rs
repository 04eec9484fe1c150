//! Programs on real machines: `tests/hosts/*.txtar`, each a test on a fresh machine, with a program `main.mcl` and its steps,
//! one a line. Other sections are files of the machine: those with a leading slash at that path, the rest in `/root`. A section
//! `machine` says how it is booted: `daemons` lays the layer of daemons over its root, `etcd` is the etcd of the tests as
//! `/usr/bin/etcd`, `NAME=VALUE` is a variable of all that is run in it, `long` begins it before the others because it takes minutes, the rest are flags of
//! `systemd-nspawn`, in which `@REPOSITORY@` is the root of this repository.
//!
//! | step | |
//! |---|---|
//! | `sh SCRIPT` | runs in the machine, and ends well |
//! | `tells SCRIPT` | the same, and what it says is shown: times that are compared by people |
//! | `program NAME` | another section is the program from here on |
//! | `applies FLAG...` | a run ends well, and a second one makes no step |
//! | `fails WORDS` | a run does not end well, and says these words |
//! | `plans WORDS` | a plan says these words, and nothing is done |
//! | `keep FLAG...` | starts an agent that stays, and waits until it is at rest |
//! | `begin FLAG...` | the same without waiting, where something fails at first |
//! | `drift SCRIPT => CHECK` | spoils something; the agent notices by itself and makes a step, after which the check ends well |
//! | `is CHECK` | ends well soon |
//! | `says WORDS` | the agent that stays soon says these words |
//! | `ends` | interrupts it; a further run makes no step |
//!
//! `cargo test -p mclive --features agent --test hosts cron`, or `MCLIVE_HOST=cron`, plays those with that word in their
//! names, `MCLIVE_REPEAT=5` each five times. At the end it is told how soon drifts were repaired. Scripts are of `sh`, run as root. A drift of several operations, like `rm -r`, races with
//! its repair, and may end with an error: it says `|| true`.

use crate::latencies::{Latencies, Latency};
use crate::machine::{Keeping, Machine, told};
use mclive_cases::{Case, Trial, below, trial};
use mclive_tests::txtar::Archive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// The number of concurrent machines: most of a case is waiting.
pub(crate) const AT_ONCE: usize = 3;

struct Stage<'a> {
    machine: &'a Machine,
    archive: &'a Archive,
    keeping: Option<Keeping<'a>>,
    latencies: Vec<Latency>,
}

impl Stage<'_> {
    fn program(&self, name: &str) {
        let text = self.archive.get(name).unwrap_or_else(|| panic!("there is no section {name}"));
        self.machine.write("/root/main.mcl", text);
    }

    fn step(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let flags = || rest.split_whitespace().collect::<Vec<_>>();
        let machine = self.machine;
        match word {
            "sh" => drop(machine.sh(rest)),
            "tells" => eprintln!("{}", machine.sh(rest)),
            "program" => self.program(rest),
            "applies" => {
                machine.applies(&flags());
                machine.is_clean(&flags());
            }
            "fails" => {
                let output = machine.once(&[]);
                assert!(!output.status.success() && told(&output).contains(rest), "{}", told(&output));
            }
            "plans" => {
                let before = machine.steps().len();
                let output = machine.agent(&["plan", "main.mcl"]);
                assert!(told(&output).contains(rest), "{}", told(&output));
                assert_eq!(machine.steps().len(), before, "a plan makes no step");
            }
            "keep" | "begin" => {
                let mut keeping = machine.keep(&[&flags()[..], &["--converger-timeout", "0"]].concat());
                if word == "keep" {
                    keeping.says("\"type\":\"converged\"");
                }
                self.keeping = Some(keeping);
            }
            "drift" => {
                let (spoil, is_right) = rest.split_once(" => ").expect("drift SCRIPT => CHECK");
                let latency = self.keeping.as_ref().expect("an agent is kept").repairs(spoil, is_right);
                self.latencies.extend(latency);
            }
            "is" => machine.soon(rest),
            "says" => self.keeping.as_mut().expect("an agent is kept").says(rest),
            "ends" => {
                self.keeping.take().expect("an agent is kept").stop();
                machine.is_clean(&[]);
            }
            _ => panic!("`{word}` is no step"),
        }
    }
}

/// The flag of a case that takes minutes: it starts early, since the last one would be awaited alone.
const LONG: &str = "long";

/// The boot flags of a case's machine, one per line.
fn flags(archive: &Archive) -> String {
    String::from_utf8_lossy(archive.get("machine").unwrap_or_default()).into_owned()
}

/// Plays one on a machine, and returns the repair times of its drifts. `None`: no machine is available.
fn play(case: &Case) -> Option<Vec<Latency>> {
    let name = case.stem();
    let archive = Archive::parse(&case.bytes());
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("it is there");
    let flags = flags(&archive).replace("@REPOSITORY@", &repository.display().to_string());
    let flags: Vec<&str> = flags.lines().filter(|flag| *flag != LONG).collect();
    let machine = Machine::boot(name, &flags)?;
    for (name, content) in archive.files.iter().filter(|(name, _)| !["machine", "steps"].contains(&name.as_str())) {
        machine.write(&if name.starts_with('/') { name.clone() } else { format!("/root/{name}") }, content);
    }
    let steps = String::from_utf8_lossy(archive.get("steps").expect("a section of steps")).into_owned();
    let mut stage = Stage { machine: &machine, archive: &archive, keeping: None, latencies: Vec::new() };
    for (at, line) in steps.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        // The panic message of a step does not name the step.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| stage.step(line))) {
            let words = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            let said = stage.keeping.as_ref().map(|keeping| keeping.last_words()).unwrap_or_default();
            panic!("step {} `{line}`: {words}\n{said}", at + 1);
        }
    }
    Some(std::mem::take(&mut stage.latencies))
}

/// A test for each case; the times of its drifts are added to the table.
pub(crate) fn trials(latencies: &Arc<Mutex<Latencies>>) -> Vec<Trial> {
    let only = std::env::var("MCLIVE_HOST").unwrap_or_default();
    let n_times = std::env::var("MCLIVE_REPEAT").map_or(1, |times| times.parse().expect("a number of times"));
    let cases = below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/hosts"), "txtar");
    let mut cases: Vec<Case> = cases.into_iter().filter(|case| case.name.contains(&only)).collect();
    cases.sort_by_key(|case| !flags(&Archive::parse(&case.bytes())).lines().any(|flag| flag == LONG));
    assert!(!cases.is_empty(), "no case has `{only}` in its name");
    let runs = (1..=n_times).flat_map(|time: u32| cases.iter().map(move |case| (time, case.clone())));
    let trials = runs.map(|(time, case)| {
        let latencies = Arc::clone(latencies);
        let name = if time == 1 { case.name.clone() } else { format!("{} again {time}", case.name) };
        trial(name.clone(), move || {
            let began = Instant::now();
            // Without a machine the reason is reported.
            if let Some(of_case) = play(&case) {
                eprintln!("{name}: {:.1?}", began.elapsed());
                let mut latencies = latencies.lock().expect("nobody panics with it");
                of_case.into_iter().for_each(|latency| latencies.add(latency));
            }
            Ok(())
        })
    });
    trials.collect()
}
