//! [`Presence`]: whether what this agent says about itself, that it is there and which deploy it applies, still is in the
//! store. Hosts do not follow what agents say: with a thousand of them, each would hear of all others at every deploy. So
//! what somebody has removed is found by looking: after a renewal, if the store has changed since the last look, and not
//! often.

use super::SharedStore;
use super::gateway::Failure;
use std::time::Duration;
use tokio::time::Instant;

/// The time between two looks.
const PAUSE: Duration = Duration::from_secs(10);

#[derive(Default)]
pub(super) struct Presence {
    looked: Option<Instant>,
    /// The store's revision at the last look.
    revision: i64,
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
        let gone = keys.into_iter().zip(found).filter(|(_, found)| found.is_none());
        {
            let mut inside = self.inside.lock();
            gone.for_each(|(key, _)| inside.mends.put(key));
        }
        self.mends.notify_one();
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
