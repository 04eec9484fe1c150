//! The host's names: the kernel's, whose changes `poll(2)` reports, and the two files. The name service on the bus
//! reads the same files, so it is not needed.

use super::{Audience, Backend, Context};
use crate::host::errno::failed;
use crate::host::fs::{self, Bytes};
use crate::host::watch::Listener;
use crate::host::{Host, Shared, io_failed, subscribe};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::file::Attributes;
use mclive_base::vocab::hostname::{
    Fact, Finding, Names, PRETTY_FILE, Probe, STATIC_FILE, Step, Watch, Which, fixed, pretty, with_pretty,
};
use mclive_base::vocab::subjects::Hostname;
use mclive_base::vocab::{Datum, FileKind, HostError, HostErrorKind, Outcome};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::fs::File;
use std::sync::Arc;
use std::time::Instant;

/// Larger than any file of names.
const LONGEST: u64 = 64 << 10;
const KERNEL: &str = "/proc/sys/kernel/hostname";
/// The name of its domain changes in the same way.
const DOMAIN: &str = "/proc/sys/kernel/domainname";

impl Backend for Hostname {
    type State = Audience<Watch>;

    fn probe(at: &Context, _: &Probe) -> Result<Finding, HostError> {
        let (fixed, pretty) = (fixed(&text(at, STATIC_FILE)?), pretty(&text(at, PRETTY_FILE)?));
        Ok(Finding::Names(Names { fixed, pretty, transient: transient() }))
    }

    fn step(at: &Context, Step { which, name, .. }: &Step) -> Result<Outcome, HostError> {
        let (policy, attributes) = (&at.shared.policy, &Attributes::of_mode(Some(0o644)));
        match which {
            Which::Static => {
                let _mine = at.shared.files.lock(STATIC_FILE);
                unmask(at, STATIC_FILE)?;
                let line = format!("{name}\n");
                fs::write_file(policy.changes(), STATIC_FILE, &Bytes::These(line.as_bytes()), attributes, 0o022)?;
            }
            // Other lines of this file belong to others.
            Which::Pretty => {
                let _mine = at.shared.files.lock(PRETTY_FILE);
                unmask(at, PRETTY_FILE)?;
                let began = Instant::now();
                let editing = fs::Editing {
                    path: PRETTY_FILE,
                    reads: policy.reads(),
                    changes: policy.changes(),
                    attributes,
                    umask: 0o022,
                    limit: LONGEST,
                    patience: fs::PATIENCE,
                    stopped: &|| at.running.leaves_off(began),
                };
                let is_set = |text: &[u8]| pretty(&String::from_utf8_lossy(text)) == *name;
                fs::edit_file(&editing, &|text| (!is_set(text)).then(|| with_pretty(text, name)))?;
            }
            Which::Transient => {
                rustix::system::sethostname(name.as_bytes()).map_err(|errno| failed("sethostname", name, errno))?;
            }
        }
        Ok(Outcome::Done)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        for file in [STATIC_FILE, PRETTY_FILE] {
            host.shared.watcher.add(Listener(ticket.0), file, false);
        }
        join(host, ticket, *watch)
    }

    fn fact(_: &Shared, _: &Fact) -> Result<Datum, HostError> {
        Ok(Datum::text(transient()))
    }
}

/// Watches the kernel's names for a ticket. Errors: they cannot be watched.
pub(super) fn join(host: &Host, ticket: Ticket, watch: Watch) -> Result<(), HostError> {
    let shared = host.shared.clone();
    shared.subjects.hostname.join(host, ticket, watch, || hear(shared.clone()))
}

/// Waits for changes of the kernel's names, once it runs. Errors: they cannot be watched.
fn hear(shared: Arc<Shared>) -> Result<impl FnOnce() + Send + 'static, HostError> {
    let open = |path| File::open(path).map_err(|error| io_failed("open", path, &error));
    let files: Vec<File> = std::iter::once(open(KERNEL)?).chain(open(DOMAIN).ok()).collect();
    Ok(move || {
        loop {
            let flags = PollFlags::ERR | PollFlags::PRI;
            let mut doors: Vec<PollFd> = files.iter().map(|file| PollFd::new(file, flags)).collect();
            match poll(&mut doors, None) {
                Ok(_) => {
                    let concerned = shared.subjects.hostname.concerned(|_| true);
                    let what = || Some("the host name".to_owned());
                    concerned.into_iter().for_each(|ticket| subscribe::changed(&shared, ticket, what()));
                }
                Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    })
}

fn text(at: &Context, file: &str) -> Result<String, HostError> {
    match fs::read_file(at.shared.policy.reads(), file, LONGEST) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind == HostErrorKind::NotFound => Ok(String::new()),
        Err(_) if is_masked(at, file) => Ok(String::new()),
        Err(error) => Err(error),
    }
}

/// Whether a link to a device such as `/dev/null` is in the place of a file, which says that there is none.
fn is_masked(at: &Context, file: &str) -> bool {
    let is = |follow, kind| {
        let stat = fs::stat(at.shared.policy.reads(), file, follow);
        stat.is_ok_and(|stat| stat.is_some_and(|stat| stat.kind == kind))
    };
    is(false, FileKind::Symlink) && is(true, FileKind::Other)
}

/// Removes such a link: what is written would go to the device.
fn unmask(at: &Context, file: &str) -> Result<(), HostError> {
    if is_masked(at, file) { fs::remove(at.shared.policy.changes(), file, false) } else { Ok(()) }
}

/// The kernel says `(none)` if there is no name.
fn transient() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    if name == "(none)" { String::new() } else { name }
}
