//! [`Doors`]: servers that a watch should open and that cannot be opened yet, because the port is taken, or the address
//! or the interface is not there.
//!
//! The watch stays, and opening is tried again with growing delay. Meanwhile a check fails with the reason; once the
//! server is open the resource is looked at again.

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
    /// Opens a server, now or later. Errors: it cannot even be tried again.
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
                    // Who leaves meanwhile waits for this lock, and finds a server to close.
                    let mut doors = shared.doors.0.lock();
                    let Some(closed) = doors.get_mut(&ticket) else { return };
                    match open(&shared) {
                        Ok(()) => {
                            // With it goes the task, which ends here.
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
    /// Nobody waits for this server any more.
    pub(super) fn leave(&self, ticket: Ticket) {
        self.0.lock().remove(&ticket);
    }

    /// Why the server at an address is not open, if one should be.
    pub(super) fn closed(&self, address: &str) -> Option<HostError> {
        let doors = self.0.lock();
        doors.values().find(|closed| closed.address == address).map(|closed| closed.why.clone())
    }
}
