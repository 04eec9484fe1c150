//! [`Domain`]: a virtual machine, as it runs and as it is stored.

use super::{Part, startup};
use crate::vocab::Power;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Domain {
    pub stand: Stand,
    /// It starts with its host.
    pub autostart: bool,
    /// As it runs; `None`: it is off.
    pub live: Option<Setup>,
    /// As it is started next; `None`: it is transient.
    pub stored: Option<Setup>,
    /// CPUs that are online in the guest, where its agent tells.
    pub guest_cpus: Option<u64>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Stand {
    Running,
    Paused,
    /// The guest has suspended itself.
    Asleep,
    Off,
    /// It can neither be started nor stopped, in libvirt's word.
    Stuck(String),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Setup {
    pub cpus: u64,
    pub max_cpus: u64,
    /// What the guest may use, and what it may be given without a restart. Units: KiB.
    pub memory_kib: u64,
    pub max_memory_kib: u64,
    pub layout: Layout,
}

/// What a machine is made of. `None`: of no matter.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Layout {
    /// The first program of a container.
    pub init: Option<String>,
    /// Devices: `hd`, `network`.
    pub boot: Option<Vec<String>>,
    pub disks: Option<Vec<Volume>>,
    pub cdroms: Option<Vec<Volume>>,
    pub networks: Option<Vec<Interface>>,
    pub filesystems: Option<Vec<Shared>>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Volume {
    pub source: String,
    /// `qcow2`; empty is of no matter.
    pub format: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Interface {
    pub network: String,
    /// Empty is of no matter.
    pub mac: String,
}

/// A folder that the machine sees.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Shared {
    /// `mapped`; empty is `passthrough`.
    pub access: String,
    pub source: String,
    pub target: String,
    pub is_read_only: bool,
}

/// What a new machine is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Spec {
    pub cpus: u64,
    pub max_cpus: u64,
    /// CPUs can be added while it runs.
    pub hot: bool,
    pub memory_kib: u64,
    pub layout: Layout,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Move {
    /// Makes one that is off.
    Define(Box<Spec>),
    /// Makes one that is gone when it is stopped.
    Create {
        spec: Box<Spec>,
        paused: bool,
    },
    /// Stores what runs.
    Persist,
    /// Forgets what is stored; what runs stays.
    Undefine,
    Autostart(bool),
    /// Changes these parts of what is stored, and nothing else of it.
    Arrange {
        layout: Box<Layout>,
        /// In words.
        differences: Vec<String>,
    },
    Cpus {
        part: Part,
        now: u64,
        to: u64,
    },
    /// Of what is stored.
    MaxCpus {
        now: u64,
        to: u64,
    },
    /// Brings CPUs online in the guest, by its agent.
    GuestCpus {
        now: u64,
        to: u64,
    },
    /// Units: KiB. What is stored may be given more than before.
    Memory {
        part: Part,
        now: u64,
        to: u64,
    },
    Start {
        paused: bool,
    },
    Suspend,
    Resume,
    /// Wakes a guest that has suspended itself.
    Wake,
    /// Lets the guest shut itself down, and takes its power when that takes too long.
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
    /// What another one has otherwise than this one wants it, in words.
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

    /// This one's parts in the place of another one's.
    pub fn over(&self, now: &Layout) -> Layout {
        // What has no address of its own keeps the one that it has.
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

    /// What of the host it reads and writes.
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

/// Adds how a list differs, if it does.
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
            Move::Autostart(on) => write!(f, "autostart of {machine}: {} → {}", startup(!on), startup(*on)),
            Move::Arrange { differences, .. } => write!(f, "change {machine}: {}", differences.join("; ")),
            Move::Cpus { part, now, to } => write!(f, "CPUs of {machine} ({part}): {now} → {to}"),
            Move::MaxCpus { now, to } => write!(f, "CPU slots of {machine}: {now} → {to}"),
            Move::GuestCpus { now, to } => write!(f, "CPUs online in {machine}: {now} → {to}"),
            Move::Memory { part, now, to } => write!(f, "memory of {machine} ({part}): {now} → {to} KiB"),
            Move::Start { paused: false } => write!(f, "start {machine} (is shut off)"),
            Move::Start { paused: true } => write!(f, "start {machine} paused (is shut off)"),
            Move::Suspend => write!(f, "suspend {machine} (is running)"),
            Move::Resume => write!(f, "resume {machine} (is paused)"),
            Move::Wake => write!(f, "wake {machine} (is asleep)"),
            Move::Stop => write!(f, "shut down {machine} (is running)"),
        }
    }

    /// What of the host the machine may read and write from then on.
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
