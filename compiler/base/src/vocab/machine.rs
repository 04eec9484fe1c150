//! The machine: its load, its processors, its kernel's modules, its firmware, its sound.

use super::subject::never;
use super::{Changes, Learn, Listen, Look, time};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Step }

/// → `Boot`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// Names the time since the machine was started: another one after each boot.
    Boot(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Watch {
    /// A processor came or went.
    Cpus,
    /// The firmware service said something.
    Firmware,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Fact {
    /// `List` of three `Float`: the load averages over 1, 5 and 15 minutes, at each full period.
    /// Units: milliseconds.
    Load { period_ms: u64 },
    /// `List` of `Bytes`: the names of loaded kernel modules. Sampled.
    KernelModules,
    /// `Bytes`: a range list such as `0-1,3`: the processors that are online, again on hot plug.
    CpusOnline,
    /// `List` of `Bytes`: texts that tell a virtual machine: the content of `/proc/cpuinfo` first, then each
    /// readable DMI file (product_name, sys_vendor, board_vendor, bios_vendor, product_version). Sampled.
    Texts,
    /// `List` of `Int`: the update state of each device that the firmware service knows; empty without
    /// that service. Again on each of its signals.
    FirmwareUpdates,
    /// `Float`: the peak of one second of sound, as a ratio, each second.
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
