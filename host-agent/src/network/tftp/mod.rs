//! A TFTP server that answers read requests. Each transfer has a separate socket and future.
//!
//! The address of a packet can be forged. So a client that has not answered yet receives at most one window, and
//! further requests of a host with many transfers, or for the same transfer, are ignored.

mod packet;
mod transfer;

use crate::lock::Mutex;
use packet::{Request, Said};
use std::collections::BTreeSet;
use std::fs::File;
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

pub(crate) use packet::Code;

const LARGEST_REQUEST: usize = 2048;
const MOST_TRANSFERS: usize = 256;
/// The maximum number of transfers to one host.
const MOST_ALIKE: usize = 16;
/// The maximum size of a text, which is converted as a whole. Units: bytes.
const LARGEST_TEXT: u64 = 16 << 20;

/// The error reported to the client.
pub(crate) struct Failure(pub(crate) Code, pub(crate) String);

/// The served files.
pub(crate) trait Files: Send + Sync + 'static {
    /// Must not block for long; called on a thread that may block.
    fn open(&self, name: &str) -> Result<Content, Failure>;
}

/// A file at the time of the request.
pub(crate) enum Content {
    Bytes(Arc<[u8]>),
    File { file: Arc<File>, state: FileState },
}

/// Identifies a file, to detect writes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileState {
    size: u64,
    changed: (i64, i64),
}

impl Content {
    pub(crate) fn file(file: File) -> Result<Content, Failure> {
        let state = state(&file)?;
        Ok(Content::File { file: Arc::new(file), state })
    }

    fn size(&self) -> u64 {
        match self {
            Content::Bytes(bytes) => bytes.len() as u64,
            Content::File { state, .. } => state.size,
        }
    }

    /// Reads a part. Errors: the file has changed.
    async fn read(&self, part: Range<u64>) -> Result<Vec<u8>, Failure> {
        match self {
            Content::Bytes(bytes) => Ok(bytes[part.start as usize..part.end as usize].to_vec()),
            Content::File { file, state: begun } => {
                let (file, begun) = (file.clone(), *begun);
                let read = spawn_blocking(move || {
                    let mut bytes = vec![0; (part.end - part.start) as usize];
                    file.read_exact_at(&mut bytes, part.start).map_err(|_| changed())?;
                    if state(&file)? == begun { Ok(bytes) } else { Err(changed()) }
                });
                read.await.unwrap_or_else(|_| Err(changed()))
            }
        }
    }

    fn into_text(self) -> Result<Content, Failure> {
        if self.size() > LARGEST_TEXT {
            return Err(Failure(Code::Other, "the file is too large for netascii mode".into()));
        }
        let lines = match &self {
            Content::Bytes(bytes) => packet::netascii(bytes),
            Content::File { file, state } => {
                let mut bytes = vec![0; state.size as usize];
                file.read_exact_at(&mut bytes, 0).map_err(|_| changed())?;
                packet::netascii(&bytes)
            }
        };
        Ok(Content::Bytes(lines.into()))
    }
}

fn state(file: &File) -> Result<FileState, Failure> {
    let meta = file.metadata().map_err(|error| Failure(Code::Other, error.to_string()))?;
    Ok(FileState { size: meta.len(), changed: (meta.mtime(), meta.mtime_nsec()) })
}

fn changed() -> Failure {
    Failure(Code::Other, "the file changed during the transfer".into())
}

/// A server on a socket.
pub(crate) struct Server<F> {
    pub(crate) socket: UdpSocket,
    pub(crate) files: Arc<F>,
    pub(crate) timeout: Duration,
    /// Requests are ignored until this is true.
    pub(crate) answers: watch::Receiver<bool>,
}

/// The addresses of active clients: limits their number, and detects repeated requests.
type Clients = Arc<Mutex<BTreeSet<SocketAddr>>>;

impl<F: Files> Server<F> {
    /// Serves until it is dropped; so do its transfers.
    pub(crate) async fn run(self) {
        let clients = Clients::default();
        let mut transfers = tokio::task::JoinSet::new();
        let mut buffer = vec![0; LARGEST_REQUEST];
        loop {
            let received = tokio::select! {
                received = self.socket.recv_from(&mut buffer) => received,
                Some(_) = transfers.join_next() => continue,
            };
            // Errors from clients that have disappeared are ignored.
            let Ok((n, client)) = received else {
                tokio::time::sleep(Duration::from_millis(10)).await;
                continue;
            };
            if !*self.answers.borrow() {
                continue;
            }
            match packet::parse(&buffer[..n]) {
                Said::Read(request) => {
                    if let Some(slot) = Slot::take(&clients, client) {
                        let (files, timeout) = (self.files.clone(), self.timeout);
                        let from = self.socket.local_addr().map(|own| own.ip());
                        transfers.spawn(async move {
                            let _slot = slot;
                            if let Ok(from) = from {
                                serve(from, client, request, files, timeout).await;
                            }
                        });
                    }
                }
                Said::Refused(code, why) => drop(self.socket.try_send_to(&packet::error(code, why), client)),
                Said::Ack(_) | Said::Error | Said::Nonsense => {}
            }
        }
    }
}

/// The entry of an active client.
struct Slot(Clients, SocketAddr);

impl Slot {
    /// `None`: it has one already, or there is no room.
    fn take(clients: &Clients, client: SocketAddr) -> Option<Slot> {
        let mut taken = clients.lock();
        let n_alike = taken.iter().filter(|other| other.ip() == client.ip()).count();
        if taken.len() >= MOST_TRANSFERS || n_alike >= MOST_ALIKE || taken.contains(&client) {
            return None;
        }
        taken.insert(client);
        Some(Slot(clients.clone(), client))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.lock().remove(&self.1);
    }
}

async fn serve(from: IpAddr, client: SocketAddr, request: Request, files: Arc<impl Files>, timeout: Duration) {
    let Ok(socket) = UdpSocket::bind(SocketAddr::new(from, 0)).await else { return };
    if socket.connect(client).await.is_err() {
        return;
    }
    let Request { name, is_text, options } = request;
    let opened = spawn_blocking(move || {
        let content = files.open(&name)?;
        if is_text { content.into_text() } else { Ok(content) }
    });
    match opened.await.unwrap_or_else(|_| Err(Failure(Code::Other, "cannot read the file".into()))) {
        Ok(content) => {
            let timeout = options.timeout_s.map_or(timeout, |seconds| Duration::from_secs(seconds.into()));
            transfer::send(&socket, &content, &options, timeout).await;
        }
        Err(Failure(code, why)) => drop(socket.send(&packet::error(code, &why)).await),
    }
}

#[cfg(test)]
mod tests;
