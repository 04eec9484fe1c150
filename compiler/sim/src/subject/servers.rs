//! [`Servers`]: the servers of one subject on a simulated host.

use crate::host::ByTicket;
use crate::protocol::Ticket;

/// The servers, each by the ticket of the watch that opened it; `true`: it answers.
#[derive(Clone)]
pub(super) struct Servers<W>(ByTicket<(W, bool)>);

impl<W> Default for Servers<W> {
    fn default() -> Servers<W> {
        Servers(ByTicket::new())
    }
}

impl<W: PartialEq> Servers<W> {
    /// Adds a server, which does not answer yet.
    pub(super) fn add(&mut self, ticket: Ticket, server: W) {
        self.0.insert(ticket, Box::new((server, false)));
    }

    pub(super) fn remove(&mut self, ticket: Ticket) {
        self.0.remove(&ticket);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Everything to serve exists, so the server answers from now on.
    pub(super) fn ready(&mut self, server: &W) {
        for known in self.0.values_mut() {
            let (known, is_ready) = &mut **known;
            *is_ready |= known == server;
        }
    }

    /// Each server, and whether it answers.
    pub(super) fn all(&self) -> impl Iterator<Item = (&W, bool)> {
        self.0.values().map(|server| (&server.0, server.1))
    }

    /// The servers that answer.
    pub(super) fn answering(&self) -> impl Iterator<Item = &W> {
        self.all().filter(|(_, answers)| *answers).map(|(server, _)| server)
    }
}
