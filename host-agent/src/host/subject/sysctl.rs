//! Parameters of the kernel: files below `/proc/sys`, written with one call.
//!
//! inotify only reports writes to such a file. So a watch also listens to the files of the parameters that change this one,
//! to the kernel's report of a new host name, and to the network interface that the parameter belongs to.

mod index;
mod later;

pub(in crate::host) use later::warn_of_later;

use super::file::FOR_PARAMETERS;
use super::{Backend, Context, SubjectState, absent};
use crate::host::watch::Listener;
use crate::host::{Host, Shared, io_failed};
use crate::lock::Mutex;
use later::SetAtBoot;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::subjects::Sysctl;
use mclive_base::vocab::sysctl::{Finding, Probe, Step, Watch, changed_with, interface, path, source};
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome, hostname, link};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};
use std::sync::Arc;

/// What is known of parameters while the agent runs.
#[derive(Default)]
pub(super) struct Parameters {
    set_at_boot: SetAtBoot,
    watched: Mutex<BTreeMap<Ticket, String>>,
}

impl SubjectState for Parameters {
    fn leave(&self, _: &Arc<Shared>, ticket: Ticket) {
        self.watched.lock().remove(&ticket);
    }
}

impl Parameters {
    /// Looks for a parameter that a probe has missed, for those that watch it: the kernel does not report that it comes, nor
    /// that it has gone.
    fn look_for(&self, shared: &Shared, name: &str) {
        let watched = self.watched.lock();
        for (ticket, _) in watched.iter().filter(|(_, watched)| *watched == name) {
            shared.timers.lock().look_for(*ticket, &path(name), FOR_PARAMETERS);
        }
    }
}

impl Backend for Sysctl {
    type State = Parameters;
    absent! { fact }

    fn probe(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
        let path = path(plain(&probe.name)?);
        if interface(&probe.name).is_some() {
            // With another interface of that name the file is a different one, which inotify does not report.
            at.shared.watcher.renew(&path);
        }
        let text = std::fs::read_to_string(path).map_err(|error| {
            if error.kind() == ErrorKind::NotFound {
                at.shared.subjects.sysctl.look_for(at.shared, &probe.name);
            }
            failed("read", &probe.name, error)
        })?;
        Ok(Finding::Value(text.trim_end_matches('\n').to_owned()))
    }

    fn step(_: &Context, step: &Step) -> Result<Outcome, HostError> {
        let write = |path: String| {
            let mut file = std::fs::File::options().write(true).open(path)?;
            // The kernel needs the whole value in one call.
            let n = file.write(format!("{}\n", step.value).as_bytes())?;
            if n > step.value.len() {
                Ok(())
            } else {
                Err(std::io::Error::other("the kernel accepted only part of the value"))
            }
        };
        write(path(plain(&step.name)?)).map_err(|error| failed("write", &step.name, error))?;
        Ok(Outcome::Done)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        let name = plain(&watch.name)?;
        host.shared.subjects.sysctl.watched.lock().insert(ticket, name.to_owned());
        for name in std::iter::once(name.to_owned()).chain(changed_with(name)) {
            host.shared.watcher.add(Listener(ticket.0), &path(&name), false);
        }
        if matches!(name, "kernel.hostname" | "kernel.domainname") {
            super::hostname::join(host, ticket, hostname::Watch)?;
        }
        match interface(name) {
            Some(link) => super::link::join(host, ticket, link::Watch::One { link: link.to_owned() }),
            None => Ok(()),
        }
    }
}

/// Checks that a name stays below `/proc/sys`.
fn plain(name: &str) -> Result<&str, HostError> {
    let is_plain = !name.contains(['/', '\0']) && name.split('.').all(|part| !part.is_empty());
    is_plain
        .then_some(name)
        .ok_or_else(|| HostError::new(HostErrorKind::Refused, format!("`{name}` is not a valid kernel parameter name")))
}

fn failed(what: &str, name: &str, error: std::io::Error) -> HostError {
    if error.kind() == ErrorKind::NotFound {
        let message = format!("unknown kernel parameter {name}{}", source(name));
        return HostError::new(HostErrorKind::NotFound, message);
    }
    io_failed(what, &path(name), &error)
}
