//! Jobs that panic under each lock that they take. Each gets one answer that reports it; the lock is released and its
//! data stays consistent, and the host still fulfils its whole contract.

use super::contract::{Linux, linux};
use super::scratch::Scratch;
use super::subject::{self, Context};
use super::{Running, Shared, subscribe};
use crate::lock::fuse::Fuse;
use mclive_base::protocol::contract::{Body, run};
use mclive_base::protocol::{Input, Output, ResourceId, Ticket};
use mclive_base::vocab::{CommandSpec, Finding, HostError, Outcome, Probe, Step, account};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// The ticket of the job that panics.
const OURS: Ticket = Ticket(u64::MAX);
const SAYS: &str = "under the lock of ";

/// A host on which every request is first tried with a panic under its first lock, its second, and so on.
struct Struck {
    linux: Linux,
    /// Inputs for other tickets that arrived in the meantime.
    waiting: VecDeque<Input>,
    /// The types of data under the locks.
    held: BTreeSet<String>,
}

type Job = Arc<dyn Fn(&Shared, &Running) + Send + Sync>;

impl Struck {
    fn strike(&mut self, waits: bool, job: Job) {
        for n_locks in 0.. {
            let job = job.clone();
            let answer = |findings| Input::Probed(OURS, findings);
            let failed = move |error: HostError| answer(vec![Finding::Failed(error)]);
            self.linux.host.work(OURS, waits, Running::look(), failed, move |shared, running| {
                let _fuse = Fuse::after(n_locks);
                job(shared, running);
                answer(Vec::new())
            });
            let findings = loop {
                match self.linux.next().expect("each job is answered") {
                    Input::Probed(OURS, findings) => break findings,
                    other => self.waiting.push_back(other),
                }
            };
            let Some(Finding::Failed(error)) = findings.first() else { return };
            let (_, held) = error.message.split_once(SAYS).unwrap_or_else(|| panic!("{error:?}"));
            self.held.insert(held.split(';').next().unwrap_or_default().to_owned());
        }
    }

    fn looks(&mut self, id: &ResourceId, probes: &[Probe]) {
        let (id, probes) = (id.clone(), probes.to_vec());
        let waits = probes.iter().any(Probe::waits);
        self.strike(
            waits,
            Arc::new(move |shared, running| {
                for probe in &probes {
                    subject::probe(&Context { shared, id: &id, running }, probe);
                }
            }),
        );
    }
}

impl Body for Struck {
    fn take(&mut self, output: Output) {
        match &output {
            Output::Probe(_, id, probes) => self.looks(id, probes),
            Output::Apply(_, id, steps) if steps.iter().all(Step::repeats) => {
                let (id, steps) = (id.clone(), steps.clone());
                let waits = steps.iter().any(Step::waits);
                self.strike(
                    waits,
                    Arc::new(move |shared, running| {
                        let fails = |step| {
                            matches!(subject::step(&Context { shared, id: &id, running }, step), Outcome::Failed(_))
                        };
                        let _ = steps.iter().any(fails);
                    }),
                );
            }
            Output::Subscribe(ticket, spec) => {
                let (ticket, spec) = (*ticket, spec.clone());
                self.strike(
                    false,
                    Arc::new(move |shared, _| {
                        let _ = subject::fact(shared, &spec);
                        subscribe::changed(shared, ticket, None);
                    }),
                );
            }
            _ => {}
        }
        self.linux.take(output);
    }

    fn next(&mut self) -> Option<Input> {
        self.waiting.pop_front().or_else(|| self.linux.next())
    }
}

#[test]
fn a_panic_under_a_lock_is_one_failed_answer_and_the_host_goes_on() {
    let files = Scratch::new("panics");
    let (linux, _state) = linux("panics-state");
    let mut struck = Struck { linux, waiting: VecDeque::new(), held: BTreeSet::new() };
    run(&mut struck, files.to_str().unwrap(), "host1");
    let unknown = Probe::from(account::Probe::UserId { name: "no-such-user".into() });
    struck.looks(&ResourceId::new("file", "/x"), &[unknown]);
    let command = CommandSpec { argv: vec!["/bin/true".into()], ..CommandSpec::default() };
    struck.looks(&ResourceId::new("exec", "x"), &[Probe::from(command)]);
    let shared = [
        "events::Queue",
        "readers::Queue",
        "Subscriptions",
        "UnderWay",
        "Led",
        "Reaper",
        "Rotating",
        "Accounts",
        "Datum",
        "BTreeSet<(mclive_base::vocab::store::KeyStore",
        "()",
    ];
    for name in shared {
        assert!(
            struck.held.iter().any(|held| held.contains(name)),
            "no panic under the lock of {name}: {:#?}",
            struck.held
        );
    }
}
