//! Starts that failed: when a unit may be started again, and when its resources are checked.

use super::super::starts::{May, SURVIVES};
use super::{Line, tell};
use crate::host::Shared;
use std::sync::Arc;
use std::time::Instant;

impl Line {
    /// Whether a unit may be started. If its file has changed since the last start, it may be started at once.
    pub(in super::super) fn may_start(&self, name: &str) -> May {
        let mut starts = self.starts.lock();
        if self.has_changed_since_its_start(name) {
            starts.forget(name);
        }
        starts.may(name, Instant::now())
    }

    /// Whether systemd's counters may be cleared before a unit is started.
    pub(in super::super) fn clears(&self, name: &str) -> bool {
        self.starts.lock().clears(name)
    }

    pub(super) fn has_changed_since_its_start(&self, name: &str) -> bool {
        self.files_started.lock().is_another(name, self.session)
    }

    /// Records that a unit did not survive its start; returns the number of successive failed starts.
    pub(in super::super) fn start_failed(&self, name: &str) -> u32 {
        self.files_started.lock().note(name, self.session);
        self.starts.lock().failed(name, Instant::now())
    }

    /// Records that a unit's process has survived its start.
    pub(in super::super) fn start_survived(&self, name: &str) {
        self.files_started.lock().note(name, self.session);
        self.starts.lock().survived(name, Instant::now());
    }

    /// Whether its last start has failed so recently that being down is not a change yet.
    pub(super) fn rests(&self, name: &str) -> bool {
        self.starts.lock().rests(name, Instant::now())
    }

    /// The holders of a unit check again after its rest, unless another start begins another rest.
    pub(in super::super) fn look_when_rested(self: &Arc<Line>, shared: &Arc<Shared>, name: &str) {
        let Some(until) = self.starts.lock().await_rest(name) else { return };
        let of = name.to_owned();
        self.look_at(shared, name, until, move |line| line.starts.lock().rests_until(&of, until));
    }

    /// A resting unit has started by itself, and is checked if it stays up.
    pub(super) fn look_if_it_stays_up(self: &Arc<Line>, shared: &Arc<Shared>, name: &str) {
        let of = name.to_owned();
        self.look_at(shared, name, Instant::now() + SURVIVES, move |line| line.board().is_active(&of));
    }

    /// The holders of a unit check again at a moment, if that is still useful then.
    fn look_at(
        self: &Arc<Line>,
        shared: &Arc<Shared>,
        name: &str,
        at: Instant,
        is_of_use: impl Fn(&Line) -> bool + Send + 'static,
    ) {
        // Without the network's thread no unit is watched at all.
        let Ok(handle) = shared.network.handle() else { return };
        let (line, shared, name) = (self.clone(), Arc::downgrade(shared), name.to_owned());
        handle.spawn(async move {
            tokio::time::sleep_until(at.into()).await;
            if is_of_use(&line)
                && let Some(shared) = shared.upgrade()
            {
                let concerned = line.board().holders(&name);
                tell(&shared, concerned);
            }
        });
    }
}
