//! The machine, as the kernel reports it.

use super::{Backend, Context, absent, firmware, kernel_text, odd};
use crate::host::errno::io_failed;
use crate::host::timers::Every;
use crate::host::watch::Listener;
use crate::host::{Host, Shared, sound};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::machine::{Fact, Finding, Probe, Watch};
use mclive_base::vocab::subjects::Machine;
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome};
use std::io::ErrorKind;
use std::time::Duration;

/// Hot plugging is rare, and its notifications need rights that the agent may not have.
const HOT_PLUG: Duration = Duration::from_secs(30);

/// The file that makes the update service available; a host without it has none.
const FIRMWARE_SERVICE: &str = "/usr/share/dbus-1/system-services/org.freedesktop.fwupd.service";

impl Backend for Machine {
    type State = ();
    absent! { step }

    fn probe(_: &Context, _: &Probe) -> Result<Finding, HostError> {
        kernel_text("/proc/sys/kernel/random/boot_id").map(|id| Finding::Boot(id.trim().to_owned()))
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        match watch {
            Watch::Cpus => host.shared.timers.lock().add(ticket, Every::Period(HOT_PLUG)),
            Watch::Firmware => {
                host.shared.watcher.add(Listener(ticket.0), FIRMWARE_SERVICE, false);
                host.hear_daemon(ticket, &firmware::FWUPD, "")?;
            }
        }
        Ok(())
    }

    fn fact(shared: &Shared, fact: &Fact) -> Result<Datum, HostError> {
        match fact {
            Fact::Load { .. } => {
                let text = kernel_text("/proc/loadavg")?;
                let loads: Vec<Datum> =
                    text.split_whitespace().take(3).filter_map(|word| word.parse().ok()).map(Datum::Float).collect();
                if loads.len() == 3 { Ok(Datum::List(loads)) } else { Err(odd("/proc/loadavg")) }
            }
            Fact::KernelModules => {
                let text = match kernel_text("/proc/modules") {
                    // A kernel without modules has no such file, and one without readable module files has none at all.
                    Err(error) if error.kind == HostErrorKind::NotFound => {
                        kernel_text("/proc/version").map(|_| String::new())?
                    }
                    text => text?,
                };
                let names = text.lines().filter_map(|line| line.split_whitespace().next());
                Ok(Datum::List(names.map(Datum::text).collect()))
            }
            Fact::CpusOnline => kernel_text("/sys/devices/system/cpu/online").map(|text| Datum::text(text.trim())),
            Fact::Texts => {
                let dmi = ["product_name", "sys_vendor", "board_vendor", "bios_vendor", "product_version"];
                let mut texts = vec![Datum::text(kernel_text("/proc/cpuinfo")?)];
                for path in dmi.iter().map(|name| format!("/sys/class/dmi/id/{name}")) {
                    texts.extend(readable(&path)?.map(Datum::Bytes));
                }
                Ok(Datum::List(texts))
            }
            Fact::FirmwareUpdates => match std::fs::symlink_metadata(FIRMWARE_SERVICE) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(Datum::List(Vec::new())),
                Ok(_) => {
                    firmware::states(shared).map(|states| Datum::List(states.into_iter().map(Datum::Int).collect()))
                }
                Err(error) => Err(io_failed("stat", FIRMWARE_SERVICE, &error)),
            },
            Fact::AudioPeak => {
                Err(HostError::unavailable("the peak level of the sound input", "it can be watched, but not read"))
            }
        }
    }

    /// The peak of each second of sound.
    fn stream(host: &mut Host, ticket: Ticket, _: &Fact) {
        host.follow_lines(ticket, sound::COMMAND, |line| sound::peak(String::from_utf8_lossy(&line).into_owned()));
    }
}

/// Reads a file that not every machine has, and not every user may read.
fn readable(path: &str) -> Result<Option<Vec<u8>>, HostError> {
    match std::fs::read(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => Ok(None),
        Err(error) => Err(io_failed("read", path, &error)),
    }
}
