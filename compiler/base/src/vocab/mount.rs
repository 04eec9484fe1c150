//! Mounted file systems.

use super::file_systems::{Origin, file_system};
use super::subject::never;
use super::{Change, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Fact }

/// A query about mounts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Probe {
    /// → `Table`: every mount of this host; a later one covers an earlier one.
    Table,
    /// → `Device`: the path of a device with links resolved, by its path or its `UUID=`, `LABEL=`, `PARTUUID=` or
    /// `PARTLABEL=`.
    Device { spec: String },
}

/// The answers to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// All mounts.
    Table(Vec<Mounted>),
    /// The path; `None`: there is no such device yet.
    Device(Option<String>),
}

/// One mount, as the kernel reports it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mounted {
    /// The mount point.
    pub target: String,
    /// The device with links resolved; for a loop device its file; otherwise what the file system reports.
    pub source: String,
    /// The file system type.
    pub kind: String,
    /// Options of the mount and of the file system.
    pub options: Vec<String>,
}

impl Mounted {
    /// Whether it is of this type, in the spelling of `/etc/fstab`. The kernel reports NFS with its version, and FUSE
    /// with its server.
    pub fn is_of_type(&self, kind: &str) -> bool {
        let more = self.kind.strip_prefix(kind);
        kind.is_empty() || more.is_some_and(|more| more.is_empty() || kind == "nfs" || more.starts_with('.'))
    }
}

/// Whether the source is on this host: a device, an image or a folder, by path or by tag.
pub fn is_placed(kind: &str, options: &[String]) -> bool {
    is_bind(options) || !matches!(file_system(kind), Some((_, Origin::Word)))
}

/// Whether it is a bind mount.
pub fn is_bind(options: &[String]) -> bool {
    options.iter().any(|option| matches!(option.as_str(), "bind" | "rbind"))
}

/// The options with those that `user`, `users`, `owner` and `group` set. As for `mount`, the later one counts.
pub fn with_implied(options: &[String]) -> Vec<String> {
    let mut all: Vec<String> = Vec::with_capacity(options.len());
    for option in options {
        let implied: &[&str] = match option.as_str() {
            "user" | "users" => &["noexec", "nosuid", "nodev"],
            "owner" | "group" => &["nosuid", "nodev"],
            _ => &[],
        };
        for option in std::iter::once(option.as_str()).chain(implied.iter().copied()) {
            if matches!(option, "exec" | "suid" | "dev" | "noexec" | "nosuid" | "nodev") {
                let flag = option.strip_prefix("no").unwrap_or(option);
                all.retain(|earlier| earlier.strip_prefix("no").unwrap_or(earlier) != flag);
            }
            all.push(option.to_owned());
        }
    }
    all
}

/// A change of a mount.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Mounts a file system.
    Mount {
        /// The mount point.
        target: String,
        /// The device or file system.
        source: String,
        /// The file system type.
        kind: String,
        /// The options.
        options: Vec<String>,
    },
    /// Changes the options of a mount.
    Remount {
        /// The mount point.
        target: String,
        /// The options.
        options: Vec<String>,
        /// The options that were seen.
        now: Vec<String>,
    },
    /// Unmounts, but not lazily: an error names the processes that use it.
    Unmount {
        /// The mount point.
        target: String,
    },
}

/// Any mount of this host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch;

impl Look for Probe {
    type Finding = Finding;

    /// Resolving a tag may run a tool.
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

    /// Options may contain secrets, such as the password of a share.
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

#[cfg(test)]
mod tests {
    use super::with_implied;

    #[test]
    fn the_later_option_counts() {
        let check = |options: &str, expect: &str| {
            let options: Vec<String> = options.split(',').map(str::to_owned).collect();
            assert_eq!(with_implied(&options).join(","), expect);
        };
        check("defaults,size=1m", "defaults,size=1m");
        check("user", "user,noexec,nosuid,nodev");
        check("user,dev,exec,size=1m", "user,nosuid,dev,exec,size=1m");
        check("exec,users", "users,noexec,nosuid,nodev");
        check("group,suid", "group,nodev,suid");
    }
}
