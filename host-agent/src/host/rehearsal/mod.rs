//! [`Rehearsal`]: a plan's host. No step is carried out; what files and accounts would be there after those that were
//! planned is kept beside the host, and whoever looks later sees that.
//!
//! A place that no planned step has touched is looked at on the host itself. Steps are asked of the policy as in a
//! run. What steps other than those of files would lead to is not known, and they go well, unless what they need is
//! missing: the folder of an archive, the program of a command, the place of a mount.

mod accounts;
mod change;
mod look;
mod others;
mod tree;

use super::program::Asker;
use super::subject::{Place, foresee_mount};
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
    /// What a probe would see after the planned steps; `None`: what it sees now.
    pub(super) fn probe(&self, at: &Place, probe: &Probe) -> Option<Result<Finding, HostError>> {
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

    /// How a step would go, of which the policy allows what can be told from its text.
    pub(super) fn step(&self, at: &Place, step: &Step) -> Result<Outcome, HostError> {
        match step {
            Step::File(step) => {
                let mut tree = self.tree.lock();
                change::step(&mut tree, at, step)?;
            }
            Step::Account(step) => self.accounts.lock().step(step),
            Step::Archive(step) => others::archive(&mut self.tree.lock(), at, step)?,
            Step::Mount(step) => {
                others::mount(&self.tree.lock(), step)?;
                foresee_mount(at, step)?;
            }
            _ => {}
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
