//! [`Rehearsal`]: the host of a plan. No step is carried out; the files and accounts that planned steps would produce
//! are recorded separately, and later probes see them.
//!
//! Places that no planned step affects are read from the host itself. The policy judges steps as in a run. The effects
//! of steps other than those of files are unknown, and such steps succeed unless a prerequisite is missing: the folder
//! of an archive, the program of a command, the place of a mount.

mod accounts;
mod change;
mod command;
mod look;
mod others;
mod tree;

use super::program::Asker;
use super::subject::{Context, foresee, judge_account};
use crate::lock::Mutex;
use accounts::Accounts;
use mclive_base::vocab::{Finding, HostError, Outcome, Power, Probe, Step};
use tree::Tree;

#[derive(Default)]
pub(super) struct Rehearsal {
    tree: Mutex<Tree>,
    accounts: Mutex<Accounts>,
}

impl Rehearsal {
    /// The predicted finding of a probe; `None`: the current one.
    pub(super) fn probe(&self, at: &Context, probe: &Probe) -> Option<Result<Finding, HostError>> {
        match probe {
            Probe::File(probe) => {
                let tree = self.tree.lock();
                look::probe(&tree, at, probe).map(|seen| seen.map(Finding::File))
            }
            Probe::Account(probe) => {
                let accounts = self.accounts.lock();
                accounts.probe(probe).map(|seen| seen.map(Finding::Account))
            }
            Probe::Archive(probe) => {
                let tree = self.tree.lock();
                others::probe(&tree, at, probe).map(|seen| seen.map(Finding::Archive))
            }
            _ => None,
        }
    }

    /// The predicted outcome of a step, which the policy has already judged by its text.
    pub(super) fn step(&self, at: &Context, step: &Step) -> Result<Outcome, HostError> {
        if !matches!(step, Step::File(_)) {
            // It may remove files, or mount another disk.
            self.tree.lock().freed = u64::MAX;
        }
        match step {
            Step::File(step) => {
                let mut tree = self.tree.lock();
                change::step(&mut tree, at, step)?;
            }
            Step::Account(step) => {
                let chosen = judge_account(at, step)?;
                self.accounts.lock().step(step, chosen);
            }
            Step::Archive(step) => others::archive(&mut self.tree.lock(), at, step)?,
            Step::Mount(step) => others::mount(&self.tree.lock(), step)?,
            _ => {}
        }
        foresee(at, step)?;
        if let Step::Mount(step) = step {
            self.tree.lock().mounts(step);
        }
        for power in step.powers() {
            if let Power::Run(spec) = power {
                let program = at.shared.may_run(Asker::Resource(&at.id.kind), &spec)?;
                if let Step::Command(spec) = step {
                    self.begins(spec, &program)?;
                }
            }
        }
        Ok(Outcome::Done)
    }
}
