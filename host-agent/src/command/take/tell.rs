//! [`Tell`]: what a host says in the shared store about its deploys. News of a deploy is told at once; whether the host
//! has converged at most once per 10 s.

use crate::deploy::{HostState, Standing};
use crate::host::SharedStore;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The pause between two writes that are not urgent.
const PAUSE: Duration = Duration::from_secs(10);

pub(super) struct Tell {
    store: Arc<SharedStore>,
    /// The newest deploy that was dealt with; 0: none.
    deploy: u64,
    standing: Standing,
    text: String,
    /// Why the store's newest deploy cannot be dealt with, and its number, if it has one.
    trouble: Option<(Option<u64>, String)>,
    /// Since when it stands so.
    since: Instant,
    converged: bool,
    told: Option<(HostState, Instant)>,
}

impl Tell {
    pub(super) fn new(store: Arc<SharedStore>) -> Tell {
        let (text, trouble, told) = Default::default();
        let (standing, since) = (Standing::Starting, Instant::now());
        Tell { store, deploy: 0, standing, text, trouble, since, converged: false, told }
    }

    /// What has become of a deploy. `text`: why it is not applied.
    pub(super) fn becomes(&mut self, deploy: u64, standing: Standing, text: &str) {
        if (self.deploy, self.standing) != (deploy, standing) {
            self.since = Instant::now();
        }
        (self.deploy, self.standing, self.text) = (deploy, standing, text.to_owned());
    }

    /// The newest deploy cannot be dealt with. `id`: its number, if it has one.
    pub(super) fn begins_trouble(&mut self, id: Option<u64>, why: &str) {
        self.trouble = Some((id, why.to_owned()));
    }

    /// It can be again, and what is known of it counts. Returns whether there was any trouble.
    pub(super) fn ends_trouble(&mut self) -> bool {
        self.trouble.take().is_some()
    }

    /// A graph of this deploy is in force; 0: of none. One that runs again says nothing about a newer one.
    pub(super) fn in_force(&mut self, deploy: u64) {
        if deploy >= self.deploy {
            self.becomes(deploy, Standing::Ok, "");
        }
    }

    pub(super) fn converged(&mut self, is_converged: bool) {
        self.converged = is_converged;
    }

    /// Writes what is new, if it is time. Returns when to try again.
    pub(super) fn write(&mut self, runs: u64, now: Instant) -> Option<Instant> {
        let state = match &self.trouble {
            Some((id, why)) => HostState::new(id.unwrap_or(self.deploy), runs, Standing::Refused, why, self.converged),
            None => HostState::new(self.deploy, runs, self.standing, &self.text, self.converged),
        };
        // Usually it is over soon: every host reads what all the others write.
        if state.standing == Standing::Starting && now < self.since + PAUSE {
            return Some(self.since + PAUSE);
        }
        if let Some((told, at)) = &self.told {
            if *told == state {
                return None;
            }
            let but_converged = |state: &HostState| (state.deploy, state.runs, state.standing, state.text.clone());
            let is_urgent = but_converged(told) != but_converged(&state);
            if !is_urgent && now < *at + PAUSE {
                return Some(*at + PAUSE);
            }
        }
        self.store.tell_state(state.bytes());
        self.told = Some((state, now));
        None
    }
}
