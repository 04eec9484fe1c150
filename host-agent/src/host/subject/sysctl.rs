//! Parameters of the kernel: files below `/proc/sys`, written with one call.

use super::{Backend, Place, absent};
use crate::host::watch::Listener;
use crate::host::{Host, Shared, io_failed};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::subjects::Sysctl;
use mclive_base::vocab::sysctl::{Finding, Probe, Step, Watch, path};
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome};
use std::io::Write;

impl Backend for Sysctl {
    absent! { fact }

    fn probe(_: &Place, probe: &Probe) -> Result<Finding, HostError> {
        let text =
            std::fs::read_to_string(path(plain(&probe.name)?)).map_err(|error| failed("read", &probe.name, error))?;
        Ok(Finding::Value(text.trim_end_matches('\n').to_owned()))
    }

    fn step(_: &Place, step: &Step) -> Result<Outcome, HostError> {
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
        host.shared.watcher.add(Listener(ticket.0), &path(plain(&watch.name)?), false);
        Ok(())
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
    if error.kind() == std::io::ErrorKind::NotFound {
        return HostError::new(HostErrorKind::NotFound, format!("unknown kernel parameter {name}"));
    }
    io_failed(what, &path(name), &error)
}
