//! [`Boot`]: the TFTP servers of a simulated host, and the files that booting machines get from them.

use crate::host::ByTicket;
use crate::protocol::Ticket;
use crate::subject::SubjectState;
use crate::tree::Tree;
use crate::vocab::tftp::{Found, Watch};
use crate::vocab::{HostError, HostErrorKind};

/// Each server, by the ticket of the watch that opened it; `true`: it answers.
#[derive(Clone, Default)]
pub struct Boot(ByTicket<(Watch, bool)>);

impl SubjectState for Boot {
    fn of_new_host(_: &str) -> Boot {
        Boot::default()
    }

    fn n_entries(&self) -> usize {
        self.0.len()
    }

    fn forget(&mut self) {
        self.0.clear();
    }
}

impl Boot {
    /// Errors: another server has the address.
    pub(super) fn open(&mut self, ticket: Ticket, server: Watch) -> Result<(), HostError> {
        if self.0.values().any(|other| other.0.address == server.address) {
            let why = format!("could not start listener: listen {}: address already in use", server.address);
            return Err(HostError::new(HostErrorKind::Exists, why));
        }
        self.0.insert(ticket, Box::new((server, false)));
        Ok(())
    }

    pub(super) fn close(&mut self, ticket: Ticket) {
        self.0.remove(&ticket);
    }

    /// Everything to serve exists, so the server answers from now on.
    pub(super) fn ready(&mut self, server: &Watch) {
        for known in self.0.values_mut() {
            let (known, is_ready) = &mut **known;
            *is_ready |= known == server;
        }
    }

    /// The answer of the server on a port; `None`: there is no server.
    pub(crate) fn get(&self, tree: &Tree, port: u16, name: &str) -> Option<Result<Vec<u8>, String>> {
        let ends = |server: &Watch| server.address.rsplit_once(':').is_some_and(|(_, at)| at == port.to_string());
        let server = self.0.values().filter(|server| server.1).map(|server| &server.0).find(|server| ends(server))?;
        let missing = || format!("cannot find file `{name}`");
        Some(match server.find(name) {
            Some(Found::Data(bytes)) => Ok(bytes.to_vec()),
            Some(Found::File(path)) => tree.read(path).map(<[u8]>::to_vec).map_err(|_| missing()),
            Some(Found::Below(root, rest)) => {
                let inside = |path: &str| tree.resolve(path, true).ok();
                let full = format!("{root}{rest}");
                let is_inside = inside(root).zip(inside(&full)).is_some_and(|(root, path)| path.starts_with(&root));
                let read = tree.read(&full).map(<[u8]>::to_vec).ok();
                read.filter(|_| is_inside).ok_or_else(missing)
            }
            None => Err(missing()),
        })
    }
}
