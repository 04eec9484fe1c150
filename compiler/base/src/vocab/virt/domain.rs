//! [`Domain`]: a virtual machine, its running and its stored configuration.

use super::{Part, startup};
use crate::vocab::Power;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

/// A virtual machine.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Domain {
    /// Its state.
    pub stand: Stand,
    /// Whether it starts with its host.
    pub autostart: bool,
    /// The running configuration; `None`: it is off.
    pub live: Option<Setup>,
    /// The stored configuration; `None`: it is transient.
    pub stored: Option<Setup>,
    /// CPUs online in the guest, if the guest agent reports them.
    pub guest_cpus: Option<u64>,
}

/// The state of a virtual machine.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Stand {
    /// Running.
    Running,
    /// Paused.
    Paused,
    /// The guest has suspended itself.
    Asleep,
    /// Off.
    Off,
    /// It can be neither started nor stopped; in libvirt's word.
    Stuck(String),
}

/// A configuration.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Setup {
    /// Number of CPUs.
    pub cpus: u64,
    /// The most CPUs without a restart.
    pub max_cpus: u64,
    /// Memory of the guest. Units: KiB.
    pub memory_kib: u64,
    /// The maximum memory without a restart. Units: KiB.
    pub max_memory_kib: u64,
    /// Its devices.
    pub layout: Layout,
}

/// The devices of a machine. `None`: any.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Layout {
    /// The init program of a container.
    pub init: Option<String>,
    /// Boot order: `hd`, `network`.
    pub boot: Option<Vec<String>>,
    /// Disks in order.
    pub disks: Option<Vec<Volume>>,
    /// CD-ROM drives in order.
    pub cdroms: Option<Vec<Volume>>,
    /// Network interfaces in order.
    pub networks: Option<Vec<Interface>>,
    /// Shared folders in order.
    pub filesystems: Option<Vec<Shared>>,
}

/// A disk or CD-ROM image.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Volume {
    /// Path of the image.
    pub source: String,
    /// Image format, such as `qcow2`; empty: any.
    pub format: String,
}

/// A network interface.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Interface {
    /// The virtual network.
    pub network: String,
    /// MAC address; empty: any.
    pub mac: String,
}

/// A folder shared with the machine.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Shared {
    /// Access mode, such as `mapped`; empty: `passthrough`.
    pub access: String,
    /// Folder on the host.
    pub source: String,
    /// Mount tag in the guest.
    pub target: String,
    /// Whether the guest can only read it.
    pub is_read_only: bool,
}

/// The properties of a new machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Spec {
    /// Number of CPUs.
    pub cpus: u64,
    /// The most CPUs.
    pub max_cpus: u64,
    /// Whether CPUs can be added while it runs.
    pub hot: bool,
    /// Memory. Units: KiB.
    pub memory_kib: u64,
    /// Its devices.
    pub layout: Layout,
}

/// A change of a machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Move {
    /// Define one that is off.
    Define(Box<Spec>),
    /// Create a transient one, which is gone when it stops.
    Create {
        /// Its properties.
        spec: Box<Spec>,
        /// Whether to leave it paused.
        paused: bool,
    },
    /// Store the running configuration.
    Persist,
    /// Delete the stored configuration; a running machine continues.
    Undefine,
    /// Start it with its host, or not.
    Autostart(bool),
    /// Change these devices of the stored configuration, and nothing else.
    Arrange {
        /// The wanted devices.
        layout: Box<Layout>,
        /// The differences in words.
        differences: Vec<String>,
    },
    /// Change the number of CPUs.
    Cpus {
        /// Which configuration.
        part: Part,
        /// The current number.
        now: u64,
        /// The new number.
        to: u64,
    },
    /// Change the maximum of CPUs in the stored configuration.
    MaxCpus {
        /// The current number.
        now: u64,
        /// The new number.
        to: u64,
    },
    /// Bring CPUs online in the guest, through its agent.
    GuestCpus {
        /// The current number.
        now: u64,
        /// The new number.
        to: u64,
    },
    /// Change the memory. Units: KiB. A stored configuration may exceed the previous maximum.
    Memory {
        /// Which configuration.
        part: Part,
        /// The current number.
        now: u64,
        /// The new number.
        to: u64,
    },
    /// Start it.
    Start {
        /// Whether to leave it paused.
        paused: bool,
    },
    /// Pause it.
    Suspend,
    /// Continue it.
    Resume,
    /// Wake a guest that has suspended itself.
    Wake,
    /// Shut the guest down; power it off if that takes too long.
    Stop,
}

impl Interface {
    fn is(&self, now: &Interface) -> bool {
        self.network == now.network && (self.mac.is_empty() || self.mac == now.mac)
    }
}

impl Volume {
    fn is(&self, now: &Volume) -> bool {
        self.source == now.source && (self.format.is_empty() || self.format == now.format)
    }
}

impl Shared {
    fn is(&self, now: &Shared) -> bool {
        let access = |of: &Shared| if of.access.is_empty() { "passthrough".to_owned() } else { of.access.clone() };
        (access(self), &self.source, &self.target, self.is_read_only)
            == (access(now), &now.source, &now.target, now.is_read_only)
    }
}

impl Layout {
    /// The differences of the current devices from these, in words.
    pub fn differences(&self, now: &Layout) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(init) = self.init.as_ref().filter(|init| Some(*init) != now.init.as_ref()) {
            found.push(format!("init {} → {init}", now.init.as_deref().unwrap_or("none")));
        }
        list(&mut found, "boot order", &self.boot, &now.boot, |a, b| a == b, String::clone);
        list(&mut found, "disks", &self.disks, &now.disks, Volume::is, |it| it.source.clone());
        list(&mut found, "CD-ROMs", &self.cdroms, &now.cdroms, Volume::is, |it| it.source.clone());
        list(&mut found, "networks", &self.networks, &now.networks, Interface::is, |it| it.network.clone());
        list(&mut found, "shared directories", &self.filesystems, &now.filesystems, Shared::is, |it| it.source.clone());
        found
    }

    /// The current devices with these in their place.
    pub fn over(&self, now: &Layout) -> Layout {
        // An interface without a wanted address keeps its own.
        let networks = self.networks.as_ref().map(|wanted| {
            let mut left = now.networks.clone().unwrap_or_default();
            let kept = |want: &Interface| match left.iter().position(|now| want.is(now)) {
                Some(at) => left.remove(at),
                None => want.clone(),
            };
            wanted.iter().map(kept).collect()
        });
        Layout {
            init: self.init.clone().or_else(|| now.init.clone()),
            boot: self.boot.clone().or_else(|| now.boot.clone()),
            disks: self.disks.clone().or_else(|| now.disks.clone()),
            cdroms: self.cdroms.clone().or_else(|| now.cdroms.clone()),
            networks: networks.or_else(|| now.networks.clone()),
            filesystems: self.filesystems.clone().or_else(|| now.filesystems.clone()),
        }
    }

    /// Host files that it reads and writes.
    fn uses(&self) -> Vec<Power<'_>> {
        let disks = self.disks.iter().flatten().map(|disk| Power::Write(&disk.source));
        let cdroms = self.cdroms.iter().flatten().map(|cdrom| Power::Read(&cdrom.source));
        let folders = self.filesystems.iter().flatten().map(|folder| match folder.is_read_only {
            true => Power::Read(&folder.source),
            false => Power::Write(&folder.source),
        });
        disks.chain(cdroms).chain(folders).collect()
    }
}

/// Adds the difference of two lists, if there is one.
fn list<T>(
    found: &mut Vec<String>,
    what: &str,
    wanted: &Option<Vec<T>>,
    now: &Option<Vec<T>>,
    is: impl Fn(&T, &T) -> bool,
    shown: impl Fn(&T) -> String,
) {
    let Some(wanted) = wanted else { return };
    let now = now.as_deref().unwrap_or_default();
    if wanted.len() == now.len() && wanted.iter().zip(now).all(|(wanted, now)| is(wanted, now)) {
        return;
    }
    let all = |items: &[T]| {
        let all: Vec<String> = items.iter().map(&shown).collect();
        if all.is_empty() { "none".to_owned() } else { all.join(", ") }
    };
    found.push(format!("{what} {} → {}", all(now), all(wanted)));
}

impl Stand {
    /// The word in messages.
    pub fn word(&self) -> &str {
        match self {
            Stand::Running => "running",
            Stand::Paused => "paused",
            Stand::Asleep => "asleep",
            Stand::Off => "shut off",
            Stand::Stuck(word) => word,
        }
    }
}

impl Move {
    pub(super) fn words(&self, name: &str, f: &mut dyn Write) -> fmt::Result {
        let size = |spec: &Spec| format!("{} of {} CPUs, {} KiB", spec.cpus, spec.max_cpus, spec.memory_kib);
        let machine = format!("the virtual machine {name}");
        match self {
            Move::Define(spec) => write!(f, "define {machine} (is absent; {})", size(spec)),
            Move::Create { spec, paused } => {
                let paused = if *paused { ", paused" } else { "" };
                write!(f, "create {machine}, which is transient{paused} (is absent; {})", size(spec))
            }
            Move::Persist => write!(f, "make {machine} persistent (is transient)"),
            Move::Undefine => write!(f, "undefine {machine} (is persistent)"),
            Move::Autostart(on) => write!(f, "set autostart of {machine}: {} → {}", startup(!on), startup(*on)),
            Move::Arrange { differences, .. } => write!(f, "change {machine}: {}", differences.join("; ")),
            Move::Cpus { part, now, to } => write!(f, "set CPUs of {machine} ({part}): {now} → {to}"),
            Move::MaxCpus { now, to } => write!(f, "set CPU slots of {machine}: {now} → {to}"),
            Move::GuestCpus { now, to } => write!(f, "set online CPUs of {machine}: {now} → {to}"),
            Move::Memory { part, now, to } => write!(f, "set memory of {machine} ({part}): {now} → {to} KiB"),
            Move::Start { paused: false } => write!(f, "start {machine} (is shut off)"),
            Move::Start { paused: true } => write!(f, "start {machine} paused (is shut off)"),
            Move::Suspend => write!(f, "suspend {machine} (is running)"),
            Move::Resume => write!(f, "resume {machine} (is paused)"),
            Move::Wake => write!(f, "wake {machine} (is asleep)"),
            Move::Stop => write!(f, "shut down {machine} (is running)"),
        }
    }

    /// Host files that the machine may read and write from then on.
    pub(super) fn uses(&self) -> Vec<Power<'_>> {
        match self {
            Move::Define(spec) | Move::Create { spec, .. } => spec.layout.uses(),
            Move::Arrange { layout, .. } => layout.uses(),
            Move::Persist
            | Move::Undefine
            | Move::Autostart(_)
            | Move::Cpus { .. }
            | Move::MaxCpus { .. }
            | Move::GuestCpus { .. }
            | Move::Memory { .. }
            | Move::Start { .. }
            | Move::Suspend
            | Move::Resume
            | Move::Wake
            | Move::Stop => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_differ_where_something_is_wanted() {
        let volume = |source: &str, format: &str| Volume { source: source.into(), format: format.into() };
        let interface = |network: &str, mac: &str| Interface { network: network.into(), mac: mac.into() };
        let now = Layout {
            init: None,
            boot: Some(vec!["hd".into()]),
            disks: Some(vec![volume("/a", "raw")]),
            cdroms: Some(Vec::new()),
            networks: Some(vec![interface("lan", "52:54:00:00:00:01")]),
            filesystems: Some(Vec::new()),
        };
        assert!(Layout::default().differences(&now).is_empty() && now.differences(&now).is_empty());
        let wanted = Layout {
            disks: Some(vec![volume("/a", ""), volume("/b", "")]),
            networks: Some(vec![interface("lan", "")]),
            cdroms: Some(Vec::new()),
            ..Layout::default()
        };
        assert_eq!(wanted.differences(&now), ["disks /a → /a, /b"]);
        assert_eq!(wanted.over(&now).networks, now.networks);
        assert_eq!(wanted.over(&now).boot, now.boot);
    }
}
