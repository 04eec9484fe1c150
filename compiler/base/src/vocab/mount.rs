//! What is mounted where.

use super::file_systems::{Source, file_system};
use super::subject::never;
use super::{Change, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Fact }

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `Table`: every mount of this host, the later over the earlier.
    Table,
    /// → `Device`: where a device is, behind links, by its path or its `UUID=`, `LABEL=`, `PARTUUID=` or `PARTLABEL=`.
    Device { spec: String },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    Table(Vec<Mounted>),
    /// `None`: there is no such device yet.
    Device(Option<String>),
}

/// One mount, as the kernel tells it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mounted {
    pub target: String,
    /// A device behind links; the file behind a loop device; else what the file system says.
    pub source: String,
    pub kind: String,
    /// Of the mount and of the file system.
    pub options: Vec<String>,
}

impl Mounted {
    /// Is it of this type, as `/etc/fstab` names it? The kernel tells the version of NFS and the server behind FUSE.
    pub fn is_of_type(&self, kind: &str) -> bool {
        let more = self.kind.strip_prefix(kind);
        kind.is_empty() || more.is_some_and(|more| more.is_empty() || kind == "nfs" || more.starts_with('.'))
    }
}

/// Whether what is mounted is a place of this host: a device, an image or a folder, by its path or by a tag.
pub fn is_placed(kind: &str, options: &[String]) -> bool {
    is_bind(options) || !matches!(file_system(kind), Some((_, Source::Word)))
}

/// Whether a folder or file is shown at a second place.
pub fn is_bind(options: &[String]) -> bool {
    options.iter().any(|option| matches!(option.as_str(), "bind" | "rbind"))
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    Mount {
        target: String,
        source: String,
        kind: String,
        options: Vec<String>,
    },
    /// Other options for what is mounted; `now` are those that it has.
    Remount {
        target: String,
        options: Vec<String>,
        now: Vec<String>,
    },
    /// Not lazily: who holds it is named.
    Unmount {
        target: String,
    },
}

/// Any mount of this host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch;

impl Look for Probe {
    type Finding = Finding;

    /// A tag of a device may be asked of a tool.
    fn waits(&self) -> bool {
        match self {
            Probe::Table => false,
            Probe::Device { .. } => true,
        }
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Step::Mount { target, source, options, .. } => {
                write!(f, "mount {source} on {target} ({})", options.join(","))
            }
            Step::Remount { target, options, now } => {
                write!(f, "remount {target}: options {} → {}", now.join(","), options.join(","))
            }
            Step::Unmount { target } => write!(f, "unmount {target}"),
        }
    }

    /// Options may be secrets: a password of a share.
    fn audit(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Step::Mount { target, source, .. } => write!(f, "mount {source} on {target}"),
            Step::Remount { target, .. } => write!(f, "remount {target} with changed options"),
            Step::Unmount { target } => write!(f, "unmount {target}"),
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Step::Mount { target, kind, options, .. } => vec![Power::Mount(target), Power::Mounting { kind, options }],
            Step::Remount { target, .. } => vec![Power::Mount(target), Power::Remounting],
            Step::Unmount { target } => vec![Power::Mount(target)],
        }
    }

    fn waits(&self) -> bool {
        true
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str("the mounts")
    }
}
