//! The TFTP servers that watches open, on the network's thread.

use crate::host::subject::SubjectState;
use crate::host::subject::server::bind_address;
use crate::host::{Shared, fs};
use crate::lock::Mutex;
use crate::network::Task;
use crate::network::tftp::{Code, Content, Failure, Files, Server};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::serve::Unread;
use mclive_base::vocab::tftp::{Found, Watch};
use mclive_base::vocab::{FileKind, HostError, HostErrorKind};
use std::collections::BTreeMap;
use std::net::UdpSocket;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The default for 0.
const USUAL_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Default)]
pub(in crate::host::subject) struct Boot(Mutex<BTreeMap<Ticket, Running>>);

struct Running {
    spec: Arc<Watch>,
    answers: watch::Sender<bool>,
    _serving: Task,
}

/// The files that the policy lets a server read.
struct Served {
    shared: Arc<Shared>,
    spec: Arc<Watch>,
}

/// The key of a server. It differs from those of other kinds of servers with the same address.
pub(super) fn door(address: &str) -> String {
    format!("{address} (TFTP)")
}

impl Shared {
    /// Errors: the address is unavailable.
    pub(super) fn open_tftp(self: &Arc<Shared>, ticket: Ticket, spec: Watch) -> Result<(), HostError> {
        let failed = |error| {
            let message = format!("could not start listener: listen {}: {error}", spec.address);
            HostError::new(HostErrorKind::Other, message)
        };
        let socket = bind_address(&spec.address, |address| UdpSocket::bind(address)).map_err(failed)?;
        socket.set_nonblocking(true).map_err(failed)?;
        let runtime = self.network.handle().map_err(failed)?;
        let socket = {
            let _in_runtime = runtime.enter();
            tokio::net::UdpSocket::from_std(socket).map_err(failed)?
        };
        let (answers, answered) = watch::channel(false);
        let timeout = if spec.timeout_s == 0 { USUAL_TIMEOUT } else { Duration::from_secs(spec.timeout_s.min(255)) };
        let spec = Arc::new(spec.clone());
        let files = Arc::new(Served { shared: self.clone(), spec: spec.clone() });
        let serving = self.network.spawn(Server { socket, files, timeout, answers: answered }.run()).map_err(failed)?;
        let running = Running { spec, answers, _serving: serving };
        self.subjects.tftp.0.lock().insert(ticket, running);
        Ok(())
    }

    /// Checks that all files exist and that the server answers. Errors: what is missing.
    pub(super) fn look_at_tftp(&self, spec: &Watch) -> Result<(), HostError> {
        if let Some(why) = self.doors.closed(&door(&spec.address)) {
            return Err(why);
        }
        let reads = || self.policy.reads();
        if !spec.root.is_empty() {
            let stat = fs::stat(reads(), &spec.root, true)?;
            if stat.is_none_or(|stat| stat.kind != FileKind::Dir) {
                let why = format!("the root {} is not a directory", spec.root);
                return Err(HostError::new(HostErrorKind::NotADirectory, why));
            }
        }
        for path in spec.paths() {
            fs::open_regular(reads(), path)?;
        }
        for running in self.subjects.tftp.0.lock().values() {
            if *running.spec == *spec {
                running.answers.send_replace(true);
            }
        }
        Ok(())
    }
}

impl SubjectState for Boot {
    /// Ends its transfers as well.
    fn leave(&self, _: &Arc<Shared>, ticket: Ticket) {
        self.0.lock().remove(&ticket);
    }
}

impl Files for Served {
    fn open(&self, name: &str) -> Result<Content, Failure> {
        let missing = || Failure(Code::NotFound, "file not found".into());
        let reads = || self.shared.policy.reads();
        let file = match self.spec.find(name).ok_or_else(missing)? {
            Found::Data(bytes) => return Ok(Content::Bytes(bytes.into())),
            Found::File(path) => fs::open_regular(reads(), path),
            Found::Below(root, rest) => fs::open_regular_below(reads(), root, rest),
        };
        Content::file(file.map_err(|error| match Unread::from(error.kind) {
            Unread::Missing => missing(),
            Unread::Forbidden => Failure(Code::Access, "access denied".into()),
            Unread::Failed => Failure(Code::Other, "cannot read this file".into()),
        })?)
    }
}
