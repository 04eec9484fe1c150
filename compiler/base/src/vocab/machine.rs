//! The machine: its load, processors, kernel modules, firmware and sound.

use super::subject::never;
use super::{Changes, Learn, Listen, Look, time};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Step }

/// → `Boot`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe;

/// The answer to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The boot id, different after each boot.
    Boot(String),
}

/// A watch of hardware.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Watch {
    /// A processor was added or removed.
    Cpus,
    /// The firmware service sent a signal.
    Firmware,
}

/// A property of the machine.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Fact {
    /// `List` of three `Float`: the load averages over 1, 5 and 15 minutes, reported at each full period. Units:
    /// milliseconds.
    Load { period_ms: u64 },
    /// `List` of `Bytes`: the names of loaded kernel modules. Sampled.
    KernelModules,
    /// `Bytes`: the online processors as a range list such as `0-1,3`, reported again on hot plug.
    CpusOnline,
    /// `List` of `Bytes`: texts that identify a virtual machine: the content of `/proc/cpuinfo` first, then each
    /// readable DMI file (product_name, sys_vendor, board_vendor, bios_vendor, product_version). Sampled.
    Texts,
    /// `List` of `Int`: the update state of each device known to the firmware service; empty without that service.
    /// Reported again on each of its signals.
    FirmwareUpdates,
    /// `Float`: the peak level of each second of sound, as a ratio, once a second.
    AudioPeak,
}

impl Look for Probe {
    type Finding = Finding;
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str(match self {
            Watch::Cpus => "the processors",
            Watch::Firmware => "the firmware",
        })
    }
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str(match self {
            Fact::Load { .. } => "the load",
            Fact::KernelModules => "the kernel modules",
            Fact::CpusOnline => "the processors",
            Fact::Texts => "the hardware description",
            Fact::FirmwareUpdates => "the firmware updates",
            Fact::AudioPeak => "the peak level of the sound input",
        })
    }

    fn changes(&self) -> Changes {
        match self {
            Fact::Load { period_ms } => Changes::With(vec![time::Watch::Full { ms: (*period_ms).max(1) }.into()]),
            Fact::CpusOnline => Changes::With(vec![Watch::Cpus.into()]),
            Fact::FirmwareUpdates => Changes::With(vec![Watch::Firmware.into()]),
            Fact::AudioPeak => Changes::Streams,
            Fact::KernelModules | Fact::Texts => Changes::Never,
        }
    }
}
