//! [`Audience`]: watches that one thread serves. It starts with the first watch, and runs until the agent exits.

use super::SubjectState;
use crate::host::{Host, Shared};
use crate::lock::Mutex;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::HostError;
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
        host.pool.run_apart(open()?)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::contract::linux;
    use mclive_base::protocol::Output;
    use mclive_base::vocab::{HostErrorKind, hostname, mount};
    use std::cell::Cell;

    #[test]
    fn one_thread_serves_all_watches() {
        let (linux, _state) = linux("audience");
        let n_opened = Cell::new(0);
        let open = || {
            n_opened.set(n_opened.get() + 1);
            Ok::<_, HostError>(|| {})
        };
        let refused = || Err::<fn(), _>(HostError::new(HostErrorKind::Unavailable, "not now"));
        let audience = Audience::default();
        // The next watch tries again.
        assert!(audience.join(&linux.host, Ticket(1), "a", refused).is_err());
        for (ticket, watch) in [(2, "a"), (3, "b"), (3, "a")] {
            audience.join(&linux.host, Ticket(ticket), watch, open).unwrap();
        }
        assert_eq!(n_opened.get(), 1);
        assert_eq!(audience.concerned(|watch| *watch == "b"), [Ticket(3)]);
        audience.leave(&linux.host.shared, Ticket(3));
        assert_eq!(audience.concerned(|_| true), [Ticket(1), Ticket(2)]);
    }

    #[test]
    fn a_cancelled_ticket_is_left_by_each_subject() {
        let (mut linux, _state) = linux("left");
        let watches = vec![hostname::Watch.into(), mount::Watch.into()];
        linux.host.carry_out(Output::Watch(Ticket(1), watches));
        let subjects = |host: &Host| {
            let subjects = &host.shared.subjects;
            [subjects.hostname.concerned(|_| true), subjects.mount.audience().concerned(|_| true)]
        };
        assert_eq!(subjects(&linux.host), [[Ticket(1)], [Ticket(1)]]);
        linux.host.carry_out(Output::Unwatch(Ticket(1)));
        assert!(subjects(&linux.host).iter().all(Vec::is_empty));
    }
}
