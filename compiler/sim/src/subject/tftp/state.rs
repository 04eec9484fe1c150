//! [`Boot`]: the TFTP servers of a simulated host, and the files that booting machines get from them.

use crate::protocol::Ticket;
use crate::subject::SubjectState;
use crate::subject::servers::Servers;
use crate::tree::Tree;
use crate::vocab::tftp::{Found, Watch};
use crate::vocab::{HostError, HostErrorKind};

/// The servers, and the files that machines have fetched from them.
#[derive(Clone, Default)]
pub struct Boot {
    pub(super) servers: Servers<Watch>,
    /// The last transfers, each name of a server once.
    transfers: Vec<Transfer>,
}

/// A request for a file, and its result.
#[derive(Clone)]
pub(super) struct Transfer {
    /// The address of the server.
    pub(super) server: String,
    /// The requested name.
    pub(super) name: String,
    /// The number of bytes, or why there are none.
    pub(super) result: Result<usize, String>,
}

/// So many transfers are kept.
const KEPT: usize = 20;

impl SubjectState for Boot {
    fn of_new_host(_: &str) -> Boot {
        Boot::default()
    }

    fn n_entries(&self) -> usize {
        self.servers.len() + self.transfers.len()
    }

    fn forget(&mut self) {
        self.servers.clear();
    }
}

impl Boot {
    /// Errors: another server has the address.
    pub(super) fn open(&mut self, ticket: Ticket, server: Watch) -> Result<(), HostError> {
        if self.servers.all().any(|(other, _)| other.address == server.address) {
            let why = format!("could not start listener: listen {}: address already in use", server.address);
            return Err(HostError::new(HostErrorKind::Exists, why));
        }
        self.servers.add(ticket, server);
        Ok(())
    }

    /// The answer of the server on a port; `None`: there is no server.
    pub(crate) fn get(&self, tree: &Tree, port: u16, name: &str) -> Option<Result<Vec<u8>, String>> {
        let ends = |server: &Watch| server.address.rsplit_once(':').is_some_and(|(_, at)| at == port.to_string());
        self.servers.answering().find(|server| ends(server)).map(|server| answer(server, tree, name))
    }

    /// A machine asks the server at an address for a file. `None`: there is no server.
    pub(super) fn fetch(&mut self, tree: &Tree, address: &str, name: &str) -> Option<()> {
        let server = self.servers.answering().find(|server| server.address == address)?;
        let result = answer(server, tree, name).map(|bytes| bytes.len());
        self.transfers.retain(|known| known.server != address || known.name != name);
        if self.transfers.len() == KEPT {
            self.transfers.remove(0);
        }
        self.transfers.push(Transfer { server: address.to_owned(), name: name.to_owned(), result });
        Some(())
    }

    /// The last transfers, the latest at the end.
    pub(super) fn transfers(&self) -> &[Transfer] {
        &self.transfers
    }
}

/// The answer of a server.
fn answer(server: &Watch, tree: &Tree, name: &str) -> Result<Vec<u8>, String> {
    let missing = || format!("cannot find file `{name}`");
    match server.find(name) {
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
    }
}
