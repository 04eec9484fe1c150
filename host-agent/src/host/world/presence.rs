//! [`Presence`]: whether what this agent says about itself, that it is there and which deploy it applies, still is in the
//! store. Hosts do not follow what agents say: with a thousand of them, each would hear of all others at every deploy. So
//! what somebody has removed is found by looking: after a renewal, if the store has changed since the last look, and not
//! often.
//!
//! So is another agent with the name of this host that it has not met at its start: both have started at the same moment,
//! or one of them was cut off when the other one did.

use super::SharedStore;
use super::gateway::Failure;
use super::joining::other;
use std::time::Duration;
use tokio::time::Instant;

/// The time between two looks.
const PAUSE: Duration = Duration::from_secs(10);

#[derive(Default)]
pub(super) struct Presence {
    looked: Option<Instant>,
    /// The store's revision at the last look.
    revision: i64,
    /// It was reported that another agent has the name of this host.
    is_twin_told: bool,
}

impl Presence {
    /// Whether to look now, if the store is at this revision.
    fn is_due(&mut self, now: Instant, revision: i64) -> bool {
        let is_due = revision > self.revision && self.looked.is_none_or(|looked| now >= looked + PAUSE);
        if is_due {
            (self.looked, self.revision) = (Some(now), revision);
        }
        is_due
    }
}

impl SharedStore {
    /// Checks that the store still has what this agent says about itself, and writes it again if it does not.
    pub(super) async fn look_after_presence(&self, presence: &mut Presence, revision: i64) -> Result<(), Failure> {
        if !presence.is_due(Instant::now(), revision) {
            return Ok(());
        }
        let keys: Vec<String> = self.inside.lock().own.written().cloned().collect();
        if keys.is_empty() {
            return Ok(());
        }
        let found = self.gateway.values(&keys).await?;
        let (live, mut twin) = (self.live_key(), None);
        {
            let mut inside = self.inside.lock();
            for (key, found) in keys.into_iter().zip(found) {
                match found {
                    None => inside.mends.put(key),
                    Some(found) if key == live => twin = self.id.as_ref().and_then(|id| other(&found.value, id)),
                    Some(_) => {}
                }
            }
        }
        self.mends.notify_one();
        if let Some(since) = twin.as_ref().filter(|_| !presence.is_twin_told) {
            crate::output::tell(&format!(
                "mclive: warning: the host name {} is also used by another agent{since}: they overwrite each other's exports \
                 and values; use --hostname NAME",
                self.hostname
            ));
        }
        presence.is_twin_told = twin.is_some();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_looks_only_after_a_change_and_not_often() {
        let began = Instant::now();
        let mut presence = Presence::default();
        assert!(presence.is_due(began, 5) && !presence.is_due(began + 100 * PAUSE, 5), "nothing has changed");
        assert!(presence.is_due(began + 100 * PAUSE, 6) && !presence.is_due(began + 100 * PAUSE + PAUSE / 2, 7));
        assert!(presence.is_due(began + 101 * PAUSE, 7));
    }
}
