//! [`Folder`]: programs as files, which any number of processes can share, also over a network file system.
//!
//! ```text
//! DIR/programs/ab/abcdefghij   1024 folders by the first two characters: for a million programs a thousand in each
//! DIR/incoming/                files being written, if the file system has no files without a name
//! DIR/taken-down               the operator's list
//! ```
//!
//! A program is written and synced before it gets its name, the name never replaces another, and the folder is synced
//! before the answer. Only a damaged program is replaced, by a rename. A file without a name disappears with its
//! process. A file in `incoming` is locked by its writer, so a starting server removes exactly those whose writers have
//! ended.

use super::{Answer, Blobs, Created};
use crate::host::io_words;
use crate::network::http::Bytes;
use crate::share::Id;
use rustix::fs::{
    AtFlags, CWD, FileType, FlockOperation, Mode, OFlags, flock, fstat, fsync, linkat, open, openat, renameat, statat,
    unlinkat,
};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;

/// More than any stored program: larger files from elsewhere are not read.
const LARGEST: u64 = 16 << 20;
const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK);
const TAKEN_DOWN: &str = "taken-down";
/// The longest wait for a disk. Over a network it may hang, and anyone who waits keeps a connection from others.
const PATIENCE: Duration = Duration::from_secs(10);
/// The maximum number of operations at a time. One on a disk that hangs keeps its thread, and there are other uses for
/// threads.
const MOST_AT_ONCE: usize = 6;
const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::DIRECTORY);

#[derive(Clone)]
pub(crate) struct Folder(Arc<Opened>);

struct Opened {
    path: PathBuf,
    root: OwnedFd,
    programs: OwnedFd,
    incoming: OwnedFd,
    n_written: AtomicU64,
    /// The file system has files without a name.
    has_nameless: bool,
    patience: Duration,
    turns: Arc<Semaphore>,
}

impl Folder {
    /// Creates missing folders, and removes leftovers of writers that have ended.
    pub(crate) fn open(path: &Path) -> io::Result<Folder> {
        Folder::open_with(path, true)
    }

    fn open_with(path: &Path, has_nameless: bool) -> io::Result<Folder> {
        let (programs, incoming) = (path.join("programs"), path.join("incoming"));
        std::fs::create_dir_all(&incoming)?;
        std::fs::create_dir_all(&programs)?;
        // All at once and synced: a power failure cannot remove the folder of a program.
        for shelf in Id::shelves() {
            match std::fs::create_dir(programs.join(shelf)) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        let root = open(path, DIRECTORY, Mode::empty())?;
        let programs = open(&programs, DIRECTORY, Mode::empty())?;
        let incoming = open(&incoming, DIRECTORY, Mode::empty())?;
        [&programs, &incoming, &root].into_iter().try_for_each(fsync)?;
        let (path, n_written, patience) = (path.to_owned(), AtomicU64::new(0), PATIENCE);
        let turns = Arc::new(Semaphore::new(MOST_AT_ONCE));
        let opened = Opened { path, root, programs, incoming, n_written, has_nameless, patience, turns };
        opened.sweep()?;
        Ok(Folder(Arc::new(opened)))
    }

    /// Runs on a thread that may block on the disk. `place`: what the work is on, for the operator.
    fn answer<T: Send + 'static>(
        &self,
        verb: &'static str,
        place: String,
        work: impl FnOnce(&Opened) -> io::Result<T> + Send + 'static,
    ) -> Answer<'static, T> {
        let opened = self.0.clone();
        Box::pin(async move {
            let (patience, turns) = (opened.patience, opened.turns.clone());
            let working = async move {
                // Work that waits for its turn can be abandoned: otherwise it would pile up while a disk hangs.
                let turn = turns.acquire_owned().await.map_err(io::Error::other)?;
                let worked = tokio::task::spawn_blocking(move || {
                    let done = work(&opened);
                    drop(turn);
                    done
                });
                worked.await.unwrap_or_else(|error| Err(io::Error::other(error)))
            };
            let Ok(done) = tokio::time::timeout(patience, working).await else {
                return Err(format!("cannot {verb} {place}: no answer within {} s", patience.as_secs()));
            };
            done.map_err(|error| format!("cannot {verb} {place}: {}", io_words(&error)))
        })
    }
}

impl Blobs for Folder {
    fn read<'a>(&'a self, id: &'a Id) -> Answer<'a, Option<Bytes>> {
        let own = id.clone();
        self.answer("read", self.place(id), move |opened| opened.read(&own))
    }

    fn create<'a>(&'a self, id: &'a Id, content: Bytes) -> Answer<'a, Created> {
        let own = id.clone();
        self.answer("write", self.place(id), move |opened| opened.create(&own, &content))
    }

    fn replace<'a>(&'a self, id: &'a Id, content: Bytes) -> Answer<'a, ()> {
        let own = id.clone();
        self.answer("replace", self.place(id), move |opened| opened.replace(&own, &content))
    }

    fn sync<'a>(&'a self, id: &'a Id) -> Answer<'a, ()> {
        let own = id.clone();
        self.answer("sync", self.place(id), move |opened| opened.sync(&own))
    }

    fn place(&self, id: &Id) -> String {
        self.0.path.join("programs").join(id.shelf()).join(id.as_str()).display().to_string()
    }

    fn taken_down(&self) -> Answer<'_, Option<Bytes>> {
        let place = self.0.path.join(TAKEN_DOWN).display().to_string();
        self.answer("read", place, |opened| {
            // All folders were created at the start: without them this is not the store any more.
            Id::shelves().take(1).try_for_each(|shelf| opened.has(&shelf))?;
            match read(&opened.root, TAKEN_DOWN)? {
                Stored::File(list) => Ok(Some(list)),
                Stored::Missing => Ok(None),
                Stored::Foreign => Err(io::Error::other("it is not a regular file, or too large for a program")),
            }
        })
    }
}

impl Opened {
    /// `None`: it was never stored. If its folder is missing, this is unknown.
    fn read(&self, id: &Id) -> io::Result<Option<Bytes>> {
        match read(&self.programs, &format!("{}/{id}", id.shelf()))? {
            Stored::File(content) => Ok(Some(content)),
            Stored::Missing => self.has(id.shelf()).map(|()| None),
            // Like a file without its bytes: it is told as damaged, and replaced when the program is shared again.
            Stored::Foreign => Ok(Some(Bytes::new())),
        }
    }

    /// Errors: the folder is missing.
    fn has(&self, shelf: &str) -> io::Result<()> {
        Ok(statat(&self.programs, shelf, AtFlags::empty()).map(drop)?)
    }

    fn create(&self, id: &Id, content: &[u8]) -> io::Result<Created> {
        let shelf = openat(&self.programs, id.shelf(), DIRECTORY, Mode::empty())?;
        let nameless = match self.has_nameless {
            true => nameless(&shelf)?,
            false => None,
        };
        let linked = match nameless {
            Some(file) => {
                let file = filled(file, content)?;
                let from = format!("/proc/self/fd/{}", file.as_raw_fd());
                linkat(CWD, from.as_str(), &shelf, id.as_str(), AtFlags::SYMLINK_FOLLOW)
            }
            None => {
                let (name, file) = self.incoming()?;
                let linked = filled(file, content)
                    .map(|held| (linkat(&self.incoming, &name, &shelf, id.as_str(), AtFlags::empty()), held));
                unlinkat(&self.incoming, &name, AtFlags::empty())?;
                linked?.0
            }
        };
        let created = match linked {
            Ok(()) => Created::New,
            Err(Errno::EXIST) => Created::NameTaken,
            Err(errno) => return Err(errno.into()),
        };
        // Also if another process was faster: it may have crashed before the sync.
        fsync(&shelf)?;
        Ok(created)
    }

    /// Replaces what has this name, at once.
    fn replace(&self, id: &Id, content: &[u8]) -> io::Result<()> {
        let shelf = openat(&self.programs, id.shelf(), DIRECTORY, Mode::empty())?;
        let (name, file) = self.incoming()?;
        let renamed = filled(file, content).and_then(|held| {
            renameat(&self.incoming, &name, &shelf, id.as_str()).map(|()| held).map_err(io::Error::from)
        });
        if renamed.is_err() {
            unlinkat(&self.incoming, &name, AtFlags::empty())?;
        }
        drop(renamed?);
        Ok(fsync(&shelf)?)
    }

    /// A file is synced before it gets its name, so only the name may be lost.
    fn sync(&self, id: &Id) -> io::Result<()> {
        let shelf = openat(&self.programs, id.shelf(), DIRECTORY, Mode::empty())?;
        Ok(fsync(&shelf)?)
    }

    /// Creates a locked file in `incoming`.
    fn incoming(&self) -> io::Result<(String, File)> {
        loop {
            let number = self.n_written.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}-{number}", std::process::id());
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            let file = match openat(&self.incoming, &name, flags, Mode::from_raw_mode(0o644)) {
                Ok(file) => file,
                // A process on another machine has the same number.
                Err(Errno::EXIST) => continue,
                Err(errno) => return Err(errno.into()),
            };
            flock(&file, FlockOperation::LockExclusive)?;
            // A starting server may have removed it before it was locked.
            if fstat(&file)?.st_nlink > 0 {
                return Ok((name, file.into()));
            }
        }
    }

    /// Removes the files in `incoming` without a writer.
    fn sweep(&self) -> io::Result<()> {
        for name in std::fs::read_dir(self.path.join("incoming"))?.map(|entry| entry.map(|entry| entry.file_name())) {
            let name = name?;
            let file = match openat(&self.incoming, &name, READ, Mode::empty()) {
                Ok(file) => file,
                // Someone else removed it, or it is a link, a socket or not readable: no writer left it.
                Err(Errno::NOENT | Errno::LOOP | Errno::NXIO | Errno::ACCESS) => continue,
                Err(errno) => return Err(errno.into()),
            };
            if !FileType::from_raw_mode(fstat(&file)?.st_mode).is_file() {
                continue;
            }
            if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                match unlinkat(&self.incoming, &name, AtFlags::empty()) {
                    Ok(()) | Err(Errno::NOENT) => {}
                    Err(errno) => return Err(errno.into()),
                }
            }
        }
        Ok(())
    }
}

/// A file that has no name yet and disappears with this process. `None`: the file system has none.
fn nameless(shelf: impl AsFd) -> io::Result<Option<File>> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    match openat(shelf, ".", flags, Mode::from_raw_mode(0o644)) {
        Ok(file) => Ok(Some(file.into())),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT | Errno::INVAL) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

fn filled(mut file: File, content: &[u8]) -> io::Result<File> {
    file.write_all(content)?;
    file.sync_all()?;
    Ok(file)
}

/// What has a name in the store.
enum Stored {
    Missing,
    File(Bytes),
    /// A link, a directory, a pipe and the like, or a file that is larger than any program.
    Foreign,
}

/// Reads a regular file below a folder; never the target of a link, and never a pipe, which could block.
fn read(folder: &OwnedFd, path: &str) -> io::Result<Stored> {
    let file: File = match openat(folder, path, READ, Mode::empty()) {
        Ok(file) => file.into(),
        Err(Errno::NOENT) => return Ok(Stored::Missing),
        // A link, or a socket.
        Err(Errno::LOOP | Errno::NXIO) => return Ok(Stored::Foreign),
        Err(errno) => return Err(errno.into()),
    };
    let about = file.metadata()?;
    if !about.is_file() || about.len() > LARGEST {
        return Ok(Stored::Foreign);
    }
    let mut content = Vec::with_capacity(usize::try_from(about.len()).unwrap_or(0));
    file.take(LARGEST).read_to_end(&mut content)?;
    Ok(Stored::File(content.into()))
}

#[cfg(test)]
mod tests;
