//! The machine: what the kernel tells of it.

use super::{Backend, Place, absent, kernel_text, odd};
use crate::host::timers::Every;
use crate::host::{Host, Shared, sound};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::machine::{Fact, Watch};
use mclive_base::vocab::subjects::Machine;
use mclive_base::vocab::{Datum, HostError, Outcome};
use std::time::Duration;

/// Hot plugging is rare, and its announcement needs rights that we may not have.
const HOT_PLUG: Duration = Duration::from_secs(30);

impl Backend for Machine {
    absent! { probe step }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        match watch {
            Watch::Cpus => host.timers.add(ticket, Every::Period(HOT_PLUG)),
            // There is no connection to that service yet, which looks like a host without it.
            Watch::Firmware => {}
        }
        Ok(())
    }

    fn fact(_: &Shared, fact: &Fact) -> Result<Datum, HostError> {
        match fact {
            Fact::Load { .. } => {
                let text = kernel_text("/proc/loadavg")?;
                let loads: Vec<Datum> =
                    text.split_whitespace().take(3).filter_map(|word| word.parse().ok()).map(Datum::Float).collect();
                if loads.len() == 3 { Ok(Datum::List(loads)) } else { Err(odd("/proc/loadavg")) }
            }
            Fact::KernelModules => {
                let text = kernel_text("/proc/modules").unwrap_or_default();
                let names = text.lines().filter_map(|line| line.split_whitespace().next());
                Ok(Datum::List(names.map(Datum::text).collect()))
            }
            Fact::CpusOnline => kernel_text("/sys/devices/system/cpu/online").map(|text| Datum::text(text.trim())),
            Fact::Texts => {
                let dmi = ["product_name", "sys_vendor", "board_vendor", "bios_vendor", "product_version"];
                let files = dmi.iter().map(|name| format!("/sys/class/dmi/id/{name}"));
                let texts = std::iter::once("/proc/cpuinfo".to_owned()).chain(files);
                Ok(Datum::List(texts.filter_map(|path| std::fs::read(path).ok()).map(Datum::Bytes).collect()))
            }
            Fact::FirmwareUpdates => Ok(Datum::List(Vec::new())),
            Fact::AudioPeak => Err(HostError::unavailable("the peak of sound", "it is followed, not read")),
        }
    }

    /// The peak of each second of sound.
    fn stream(host: &mut Host, ticket: Ticket, _: &Fact) {
        host.follow_lines(ticket, sound::COMMAND, sound::peak);
    }
}
