//! [`Doors`]: servers that watches request and that cannot be opened yet, because the port is taken, or the address
//! or the interface does not exist.
//!
//! The watch stays, and opening is retried with a growing delay. In the meantime, a check fails with the reason; once
//! the server is open the resource is checked again.

use super::{Shared, subscribe};
use crate::lock::Mutex;
use crate::network::Task;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::HostError;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const FIRST_DELAY: Duration = Duration::from_millis(100);
const LONGEST_DELAY: Duration = Duration::from_secs(10);

#[derive(Default)]
pub(super) struct Doors(Mutex<BTreeMap<Ticket, Closed>>);

/// A server that is not open.
struct Closed {
    address: String,
    why: HostError,
    _trying: Task,
}

impl Shared {
    /// Opens a server, now or later. Errors: a retry is impossible.
    pub(super) fn open_or_wait(
        &self,
        ticket: Ticket,
        address: &str,
        open: impl Fn(&Arc<Shared>) -> Result<(), HostError> + Send + Sync + 'static,
    ) -> Result<(), HostError> {
        let Some(me) = self.me.upgrade() else { return Ok(()) };
        let Err(why) = open(&me) else { return Ok(()) };
        let trying = {
            let (me, address) = (self.me.clone(), address.to_owned());
            async move {
                let mut delay = FIRST_DELAY;
                loop {
                    tokio::time::sleep(delay).await;
                    delay = (delay * 2).min(LONGEST_DELAY);
                    let Some(shared) = me.upgrade() else { return };
                    // A concurrent `leave` waits for this lock, and then finds a server to close.
                    let mut doors = shared.doors.0.lock();
                    let Some(closed) = doors.get_mut(&ticket) else { return };
                    match open(&shared) {
                        Ok(()) => {
                            // This drops the task, which ends here.
                            let closed = doors.remove(&ticket);
                            drop(doors);
                            subscribe::changed(&shared, ticket, Some(format!("{address} can be opened")));
                            return drop(closed);
                        }
                        Err(why) => closed.why = why,
                    }
                }
            }
        };
        let mut doors = self.doors.0.lock();
        match self.network.spawn(trying) {
            Ok(trying) => drop(doors.insert(ticket, Closed { address: address.to_owned(), why, _trying: trying })),
            Err(_) => return Err(why),
        }
        Ok(())
    }
}

impl Doors {
    /// Cancels the request for a server.
    pub(super) fn leave(&self, ticket: Ticket) {
        self.0.lock().remove(&ticket);
    }

    /// Why the server at an address is not open, if one is requested.
    pub(super) fn closed(&self, address: &str) -> Option<HostError> {
        let doors = self.0.lock();
        doors.values().find(|closed| closed.address == address).map(|closed| closed.why.clone())
    }
}
