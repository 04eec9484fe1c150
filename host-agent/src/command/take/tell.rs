//! [`Tell`]: what a host reports in the shared store about its deploys. The progress of a deploy is reported
//! immediately; whether the host has converged, and which resources fail, at most once per 10 s.

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
    /// The newest deploy, if it is not for this host.
    skipped: Option<u64>,
    /// Why the store's newest deploy cannot be dealt with, and its number, if it has one.
    trouble: Option<(Option<u64>, String)>,
    /// Since when it stands so.
    since: Instant,
    converged: bool,
    /// The resources that fail, in words; empty: none does.
    failing: String,
    told: Option<Told>,
}

/// What was told last, what of it was news of a deploy, and when.
struct Told {
    state: HostState,
    news: HostState,
    at: Instant,
}

impl Tell {
    pub(super) fn new(store: Arc<SharedStore>) -> Tell {
        let (text, skipped, trouble, failing, told) = Default::default();
        let (standing, since) = (Standing::Starting, Instant::now());
        Tell { store, deploy: 0, standing, text, skipped, trouble, since, converged: false, failing, told }
    }

    /// The state of a deploy. `text`: why it is not applied.
    pub(super) fn becomes(&mut self, deploy: u64, standing: Standing, text: &str) {
        if (self.deploy, self.standing) != (deploy, standing) {
            self.since = Instant::now();
        }
        (self.deploy, self.standing, self.text) = (deploy, standing, text.to_owned());
    }

    /// The newest deploy is not for this host; `None`: it is, or there is none.
    pub(super) fn skips(&mut self, newest: Option<u64>) {
        self.skipped = newest;
    }

    /// The newest deploy cannot be dealt with. `id`: its number, if it has one.
    pub(super) fn begins_trouble(&mut self, id: Option<u64>, why: &str) {
        self.trouble = Some((id, why.to_owned()));
    }

    /// It can be again, and what is known of it counts. Returns whether there was any trouble.
    pub(super) fn ends_trouble(&mut self) -> bool {
        self.trouble.take().is_some()
    }

    /// A graph of this deploy is in effect; 0: of none. One that runs again does not describe a newer one.
    pub(super) fn in_force(&mut self, deploy: u64) {
        if deploy >= self.deploy {
            self.becomes(deploy, Standing::Ok, "");
        }
    }

    pub(super) fn converged(&mut self, is_converged: bool) {
        self.converged = is_converged;
    }

    /// Other resources fail. `which`: in words; empty: none does.
    pub(super) fn failing(&mut self, which: String) {
        self.failing = which;
    }

    /// The state of the newest deploy for this host.
    pub(super) fn standing(&self) -> Standing {
        match (&self.trouble, self.skipped) {
            (Some(_), _) => Standing::Refused,
            (None, Some(_)) if self.standing == Standing::Ok => Standing::Skipped,
            (None, _) => self.standing,
        }
    }

    /// `failing`: the resources that fail, `converged`: whether the host has, as far as reported.
    fn state(&self, runs: u64, failing: &str, converged: bool) -> HostState {
        let Tell { deploy, standing, text, .. } = self;
        match (&self.trouble, self.skipped) {
            (Some((id, why)), _) => HostState::new(id.unwrap_or(*deploy), runs, Standing::Refused, why, converged),
            // The state of its own deploy comes first.
            (None, Some(newest)) if *standing != Standing::Starting => {
                let own = match standing {
                    Standing::Refused | Standing::Failed => format!("deploy {deploy} {}: {text}", standing.word()),
                    Standing::Ok | Standing::Starting | Standing::Skipped => failing.to_owned(),
                };
                HostState::new(newest, runs, Standing::Skipped, &own, converged)
            }
            (None, _) => {
                let text = if *standing == Standing::Ok { failing } else { text.as_str() };
                HostState::new(*deploy, runs, *standing, text, converged)
            }
        }
    }

    /// Writes what is new, if it is time. Returns when to try again.
    pub(super) fn write(&mut self, runs: u64, now: Instant) -> Option<Instant> {
        let (state, news) = (self.state(runs, &self.failing, self.converged), self.state(runs, "", false));
        // Usually it is over soon: every host reads what all the others write.
        if state.standing == Standing::Starting && now < self.since + PAUSE {
            return Some(self.since + PAUSE);
        }
        if let Some(told) = &self.told {
            if told.state == state {
                return None;
            }
            if told.news == news && now < told.at + PAUSE {
                return Some(told.at + PAUSE);
            }
        }
        self.store.tell_state(state.bytes());
        self.told = Some(Told { state, news, at: now });
        None
    }
}
