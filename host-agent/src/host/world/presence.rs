//! [`Presence`]: whether the keys under which this agent reports that it is running, and which deploy it applies, are
//! still in the store. Hosts do not follow what agents report: with a thousand of them, each would be notified of all
//! others at every deploy. So a removed key is found by checking: after a renewal, if the store has changed since the
//! last check, and at a limited rate.
//!
//! In the same way, it finds another agent with the name of this host that it did not find when it started: both
//! started at the same moment, or one of them was disconnected when the other one started. Neither takes the key from
//! the other: the one that finds it taken reports this, and tries again later.

use super::SharedStore;
use super::gateway::{Failure, If};
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
    /// Checks that the store still has what this agent reports about itself, and writes it again if it does not.
    pub(super) async fn look_after_presence(&self, presence: &mut Presence, revision: i64) -> Result<(), Failure> {
        if !presence.is_due(Instant::now(), revision) {
            return Ok(());
        }
        let keys: Vec<String> = self.inside.lock().own.written().cloned().collect();
        if keys.is_empty() {
            return Ok(());
        }
        let found = self.gateway.values(&keys).await?;
        let (live, mut of_live) = (self.live_key(), None);
        {
            let mut inside = self.inside.lock();
            for (key, found) in keys.into_iter().zip(found) {
                match found {
                    None => inside.mends.put(key),
                    Some(found) if key == live => of_live = Some(found.value),
                    Some(_) => {}
                }
            }
        }
        self.mends.notify_one();
        if let (Some(value), Some(id)) = (of_live, &self.id) {
            self.meets(other(&value, id).as_deref());
        }
        Ok(())
    }

    /// The conditions under which a key of this host may be put. `None`: another agent with its name is there, which is
    /// reported.
    pub(super) async fn conditions_of(&self, key: &str) -> Result<Option<Vec<If>>, Failure> {
        let Some(id) = self.id.as_ref().filter(|_| key == self.live_key()) else { return Ok(Some(Vec::new())) };
        let found = self.gateway.values(&[key.to_owned()]).await?.pop().flatten();
        let twin = found.as_ref().and_then(|found| other(&found.value, id));
        self.meets(twin.as_deref());
        let revision = found.map_or(0, |found| found.modified);
        Ok(twin.is_none().then(|| vec![If::Is(key.to_owned(), revision)]))
    }

    /// Another agent with the name of this host is there, `since` then, in words; `None`: there is none. Reports it once.
    fn meets(&self, since: Option<&str>) {
        let was_told = std::mem::replace(&mut self.inside.lock().mends.is_twin_told, since.is_some());
        if let Some(since) = since.filter(|_| !was_told) {
            crate::output::tell(&format!(
                "mclive: warning: the host name {} is also used by another agent{since}: they overwrite each other's exports \
                 and values; use --hostname NAME",
                self.hostname
            ));
        }
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
