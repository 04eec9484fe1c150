//! [`Audience`]: watches that one thread serves. It is started with the first of them, and runs until the agent ends.

use super::SubjectState;
use crate::host::{Host, Shared};
use crate::lock::Mutex;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::{HostError, HostErrorKind};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) struct Audience<W> {
    watches: Mutex<BTreeMap<Ticket, Vec<W>>>,
    is_served: AtomicBool,
}

impl<W> Default for Audience<W> {
    fn default() -> Audience<W> {
        Audience { watches: Mutex::default(), is_served: AtomicBool::new(false) }
    }
}

impl<W> Audience<W> {
    /// Adds a watch. The thread runs what `open` returns, which is called before the first probe, so that no change is
    /// missed in between. Only the driver's thread calls this.
    pub(super) fn join<S: FnOnce() + Send + 'static>(
        &self,
        host: &Host,
        ticket: Ticket,
        watch: W,
        open: impl FnOnce() -> Result<S, HostError>,
    ) -> Result<(), HostError> {
        self.watches.lock().entry(ticket).or_default().push(watch);
        if self.is_served.load(Ordering::Relaxed) {
            return Ok(());
        }
        let serve = open()?;
        if !host.pool.run_apart(serve) {
            return Err(HostError::new(HostErrorKind::Unavailable, "cannot start another thread"));
        }
        self.is_served.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The tickets with a watch that an event concerns.
    pub(super) fn concerned(&self, concerns: impl Fn(&W) -> bool) -> Vec<Ticket> {
        let watches = self.watches.lock();
        watches.iter().filter(|(_, all)| all.iter().any(&concerns)).map(|(ticket, _)| *ticket).collect()
    }
}

impl<W> SubjectState for Audience<W> {
    fn leave(&self, _: &Arc<Shared>, ticket: Ticket) {
        self.watches.lock().remove(&ticket);
    }
}
