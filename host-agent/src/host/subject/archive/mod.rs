//! Archives: written from the files of this host to a new file, which then replaces the old one.

mod compress;
mod pack;

use super::{Backend, Context, absent};
use crate::host::fs::{self, Bytes};
use crate::host::{Host, Shared};
use crate::policy::Permit;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::archive::{Finding, Probe, Step, entry, link};
use mclive_base::vocab::path::shown;
use mclive_base::vocab::subjects::Archive;
use mclive_base::vocab::{Attributes, Content, Datum, FileKind, HostError, HostErrorKind, Outcome};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Written to the disk, or hashed, between two checks for a stop.
const PIECE: usize = 256 << 10;

impl Backend for Archive {
    type State = ();
    absent! { watch fact }

    fn probe(at: &Context, Probe { inputs }: &Probe) -> Result<Finding, HostError> {
        let (work, reads) = (Work::new(at), at.shared.policy.reads());
        let mut manifest = Sha256::new();
        for packed in pack::entries(at, inputs)? {
            let hash = match (packed.stat.kind, &packed.stat.target) {
                (FileKind::Dir, _) => None,
                (_, Some(target)) => Some(link(target)),
                (_, None) => Some(fs::hash_file(reads, &packed.path, &|| work.is_over())?),
            };
            manifest.update(entry(&packed.path, &packed.stat, hash));
        }
        Ok(Finding::Manifest(manifest.finalize().into()))
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        let to = match step {
            Step::Compress { to, .. } | Step::Pack { to, .. } => to,
        };
        judge(step)?;
        let work = &Work::new(at);
        let by = |out: &mut dyn Write| match step {
            Step::Compress { from, level, .. } => match from {
                Content::Bytes(bytes) => compress::all(&mut &bytes[..], out, *level, work),
                Content::CopyOf(path) => {
                    let mut file = fs::open_regular(at.shared.policy.reads(), path)?;
                    compress::all(&mut file, out, *level, work)
                }
            },
            Step::Pack { inputs, format, .. } => pack::all(work, inputs, *format, out),
        };
        let _mine = at.shared.files.lock(to);
        let (changes, umask) = (at.shared.policy.changes(), at.shared.umask | closed(at, step)?);
        fs::write_file(changes, to, &Bytes::Written { by: &by }, &Attributes::default(), umask)?;
        Ok(Outcome::Done)
    }

    fn foresee(_: &Context, step: &Step) -> Result<(), HostError> {
        judge(step)
    }
}

/// Errors: an archive would contain itself, and be larger each time. Its place may be behind links.
fn judge(step: &Step) -> Result<(), HostError> {
    let Step::Pack { inputs, to, .. } = step else { return Ok(()) };
    let Ok(place) = fs::locate(Permit::ALL, "open", to, fs::Last::Followed) else { return Ok(()) };
    let holds = |input: &String| {
        let input = fs::native(input.trim_end_matches('/'));
        // A link is stored as such.
        let is_dir = std::fs::symlink_metadata(&*input).is_ok_and(|meta| meta.is_dir());
        is_dir && std::fs::canonicalize(&*input).is_ok_and(|input| Path::new(place.path()).starts_with(input))
    };
    match inputs.iter().any(holds) {
        true => Err(HostError::new(HostErrorKind::Other, format!("the archive {} would contain itself", shown(to)))),
        false => Ok(()),
    }
}

/// The mode bits that a new archive lacks: users who cannot read its inputs cannot read it either.
fn closed(at: &Context, step: &Step) -> Result<u32, HostError> {
    let (inputs, follow) = match step {
        Step::Compress { from: Content::CopyOf(path), .. } => (std::slice::from_ref(path), true),
        Step::Compress { from: Content::Bytes(_), .. } => (&[][..], true),
        Step::Pack { inputs, .. } => (&inputs[..], false),
    };
    inputs.iter().try_fold(0, |closed, input| {
        let found = fs::stat(at.shared.policy.reads(), input.trim_end_matches('/'), follow)?;
        Ok(closed | found.map_or(0, |stat| !stat.mode & 0o044))
    })
}

/// Work on an archive. It can be repeated, so the end of the agent does not wait for it.
struct Work<'a> {
    at: &'a Context<'a>,
    began: Instant,
}

impl<'a> Work<'a> {
    fn new(at: &'a Context<'a>) -> Work<'a> {
        Work { at, began: Instant::now() }
    }

    fn is_over(&self) -> bool {
        self.at.running.leaves_off(self.began)
    }

    fn goes_on(&self) -> Result<(), HostError> {
        match self.is_over() {
            true => Err(HostError::new(HostErrorKind::Cancelled, "creating the archive was stopped")),
            false => Ok(()),
        }
    }
}

/// Passes on a file's content, piece by piece.
fn pieces(
    work: &Work,
    file: &mut dyn std::io::Read,
    mut take: impl FnMut(&[u8]) -> Result<(), HostError>,
) -> Result<(), HostError> {
    let mut buffer = vec![0; PIECE];
    loop {
        work.goes_on()?;
        match file.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(n) => take(&buffer[..n])?,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(HostError::new(HostErrorKind::Other, format!("read: {error}"))),
        }
    }
}

fn write(out: &mut dyn Write, bytes: &[u8]) -> Result<(), HostError> {
    out.write_all(bytes).map_err(|error| crate::host::io_failed("write", "the archive", &error))
}

fn opened(at: &Context, path: &str) -> Result<File, HostError> {
    fs::open_regular(at.shared.policy.reads(), path)
}
