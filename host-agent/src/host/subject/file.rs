//! Files, with [`crate::host::fs`].

mod links;

use super::{Backend, Context, Effect, mount, sysctl};
use crate::host::{Host, Shared, io_failed, subscribe};
use mclive_base::protocol::Ticket;

use crate::host::fs::{self, Bytes};
use crate::host::watch::Listener;
use links::Links;
use mclive_base::vocab::file::{self, Attributes, Fact, Finding, Probe, Step, Watch};
use mclive_base::vocab::path::native;
use mclive_base::vocab::subjects::File;
use mclive_base::vocab::{self, Content, Datum, FileKind, HostError, HostErrorKind, Outcome};

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The maximum size of a file that a function reads.
const LARGEST: u64 = 64 << 20;
/// How often a missing parameter of the kernel is looked for: that it comes, with its module or its network interface,
/// is not reported.
pub(super) const FOR_PARAMETERS: Duration = Duration::from_secs(5);

impl Backend for File {
    type State = Links;

    fn probe(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
        let (reads, began) = (at.shared.policy.reads(), Instant::now());
        match probe {
            Probe::Stat { path, follow } => fs::stat(reads, path, *follow).map(Finding::Stat),
            Probe::Read { path, limit } => fs::read_file(reads, path, *limit).map(Finding::Bytes),
            Probe::Hash { path } => fs::hash_file(reads, path, &|| at.running.leaves_off(began)).map(Finding::Hash),
            Probe::List { path, recursive } => {
                let entries = fs::list_dir(reads, path, *recursive)?;
                at.shared.subjects.file.listed(at.shared, path, &entries);
                Ok(Finding::Entries(entries))
            }
            Probe::Label { path } => fs::label(reads, path).map(Finding::Label),
            Probe::Umask => Ok(Finding::Umask(at.shared.umask)),
        }
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        let (umask, policy) = (at.shared.umask, &at.shared.policy);
        let changes = policy.changes();
        match step {
            Step::Edit { path, edit, mode } => {
                let changes = mount::judge_table(at, path, edit, false)?.unwrap_or(changes);
                let mine = at.shared.files.lock(path);
                let began = Instant::now();
                let editing = fs::Editing {
                    path,
                    reads: policy.reads(),
                    changes,
                    attributes: &Attributes::of_mode(*mode),
                    umask,
                    limit: LARGEST,
                    patience: fs::PATIENCE,
                    stopped: &|| at.running.leaves_off(began),
                };
                fs::edit_file(&editing, &|text| edit.apply(text))?;
                drop(mine);
                mount::reread(at, path, edit);
            }
            Step::Write { path, content, attributes } => {
                let _mine = at.shared.files.lock(path);
                let began = Instant::now();
                let (reads, stopped) = (policy.reads(), &|| at.running.leaves_off(began));
                let bytes = match content {
                    Content::Bytes(bytes) => Bytes::These(bytes),
                    Content::CopyOf(path) => Bytes::Of { path, reads, stopped },
                };
                fs::write_file(changes, path, &bytes, attributes, umask)?;
                if let (Bytes::These(text), "sysctl") = (&bytes, &*at.id.kind) {
                    sysctl::warn_of_later(at, path, text, &|_| false);
                }
            }
            Step::Create { path, mode } => fs::create_file(changes, path, *mode, umask)?,
            Step::MakeDir { path, parents, mode } => fs::make_dir(changes, path, *parents, *mode, umask)?,
            Step::Remove { path, recursive } => fs::remove(changes, path, *recursive)?,
            Step::Symlink { path, target } => fs::symlink(changes, policy.targets(), path, target)?,
            Step::SetMode { path, mode } => fs::set_mode(changes, path, *mode)?,
            Step::SetOwner { path, uid, gid } => fs::set_owner(changes, path, *uid, *gid)?,
            Step::SetLabel { path, label } => fs::set_label(changes, path, label.as_deref())?,
        }
        Ok(Outcome::Done)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        let (shared, listener) = (host.shared.clone(), Listener(ticket.0));
        shared.subjects.file.watched(ticket, &watch.path);
        if watch.path.starts_with("/proc/sys/") && !Path::new(&watch.path).exists() {
            shared.timers.lock().look_for(ticket, &watch.path, FOR_PARAMETERS);
        }
        if !shared.far.has(&watch.path) {
            shared.watcher.add(listener, &watch.path, watch.recursive);
            return Ok(());
        }
        host.awaits(ticket);
        let later = Arc::downgrade(&shared);
        let in_place = move || {
            if let Some(shared) = later.upgrade() {
                subscribe::in_place(&shared, ticket);
            }
        };
        let started = shared.far.add(listener, &watch.path, watch.recursive, in_place);
        started.map_err(|error| io_failed("watch", &watch.path, &error))
    }

    fn fact(shared: &Shared, fact: &Fact) -> Result<Datum, HostError> {
        let reads = shared.policy.reads();
        match fact {
            Fact::Content { path } => fs::read_file(reads, path, LARGEST).map(Datum::Bytes),
            Fact::State { path } => fs::stat(reads, path, true).map(|found| file::state(found.as_ref())),
            Fact::LinkTarget { path } => fs::link_target(reads, path).map(Datum::Bytes),
            Fact::RealPath { path } => fs::real_path(reads, path).map(Datum::Bytes),
            Fact::Glob { pattern } => {
                let found = fs::glob(reads, pattern)?;
                Ok(Datum::List(found.iter().map(|path| Datum::Bytes(native(path).into_owned())).collect()))
            }
            Fact::TempDir { dir, pattern, nonce: _ } => temp_dir(shared, dir, pattern),
        }
    }
}

/// For an entry that is not a link, the state is the same with links followed, so a second probe is unnecessary.
pub(in crate::host) fn seen_before(
    asked: &[vocab::Probe],
    found: &[vocab::Finding],
    probe: &vocab::Probe,
) -> Option<vocab::Finding> {
    let vocab::Probe::File(Probe::Stat { path, follow: true }) = probe else { return None };
    match (asked.last()?, found.last()?) {
        (
            vocab::Probe::File(Probe::Stat { path: before, follow: false }),
            vocab::Finding::File(Finding::Stat(stat)),
        ) if before == path => {
            let is_link = stat.as_ref().is_some_and(|stat| stat.kind == FileKind::Symlink);
            (!is_link).then(|| Finding::Stat(stat.clone()).into())
        }
        _ => None,
    }
}

fn temp_dir(shared: &Shared, dir: &str, pattern: &str) -> Result<Datum, HostError> {
    let dir = if dir.is_empty() { std::env::temp_dir().to_string_lossy().into_owned() } else { dir.to_owned() };
    let (before, after) = pattern.rsplit_once('*').unwrap_or((pattern, ""));
    for _ in 0..100 {
        let digits = super::program::random(4)?.iter().fold(0u32, |number, byte| number << 8 | u32::from(*byte));
        let path = format!("{}/{before}{digits}{after}", dir.trim_end_matches('/'));
        let effect = Effect { function: "golang/os.mkdir_temp", words: format!("make directory {path}") };
        match effect.carry_out(shared, || fs::make_new_dir(shared.policy.changes(), &path, 0o700)) {
            Ok(()) => return Ok(Datum::text(path)),
            Err(error) if error.kind == HostErrorKind::Exists => {}
            Err(error) => return Err(error),
        }
    }
    Err(HostError::new(HostErrorKind::Exists, format!("mkdir {dir}/{pattern}: no unused name found")))
}
