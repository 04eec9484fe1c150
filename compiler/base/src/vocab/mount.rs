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
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
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
    /// Whether it is of this type, as spelled in `/etc/fstab`. The kernel reports NFS with its version, and FUSE with
    /// its server, if that gives its name; a program may also serve the file system of a disk.
    pub fn is_of_type(&self, kind: &str) -> bool {
        let more = self.kind.strip_prefix(kind);
        let is_served = match &*self.kind {
            "fuse" => kind.starts_with("fuse."),
            "fuseblk" => matches!(kind, "ntfs" | "exfat"),
            "ntfs3" => kind == "ntfs",
            _ => false,
        };
        let is_named = more.is_some_and(|more| more.is_empty() || kind == "nfs" || more.starts_with('.'));
        kind.is_empty() || is_served || is_named
    }

    /// Whether a mount of this type has this source, a text that does not name a device. Programs that serve a file
    /// system choose the source that is shown, and monitors of Ceph are shown by their addresses.
    pub fn is_from(&self, kind: &str, spec: &str) -> bool {
        let bare = |source: &str| source.trim_end_matches('/').to_owned();
        let is = |source: &str| bare(&self.source) == bare(source);
        let path = |source: &str| source.rsplit([':', '=']).next().map(bare);
        let is_shown_otherwise = match kind {
            "fuse" => spec.split_once('#').is_some_and(|(program, rest)| is(program) || is(rest)),
            "ceph" => path(&self.source) == path(spec),
            _ => kind.strip_prefix("fuse.").is_some_and(|program| is(program) || is(&format!("{program}#{spec}"))),
        };
        is(spec) || is_shown_otherwise
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

/// The options with those that `user`, `users`, `owner` and `group` imply. As in `mount`, later ones take precedence.
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
    use super::{Mounted, with_implied};

    #[test]
    fn a_mount_is_known_by_what_is_shown_of_it() {
        let is = |shown: (&str, &str), kind: &str, spec: &str| {
            let (source, shown) = (shown.0.to_owned(), shown.1.to_owned());
            let mounted = Mounted { target: "/m".into(), source, kind: shown, options: Vec::new() };
            mounted.is_of_type(kind) && mounted.is_from(kind, spec)
        };
        assert!(is(("server:/a", "nfs4"), "nfs", "server:/a/") && !is(("server:/b", "nfs4"), "nfs", "server:/a"));
        assert!(is(("me@host:/a", "fuse.sshfs"), "fuse.sshfs", "me@host:/a"));
        assert!(is(("me@host:/a", "fuse.sshfs"), "fuse", "sshfs#me@host:/a"));
        assert!(!is(("me@host:/a", "fuse.sshfs"), "fuse.sshfs", "me@host:/b"));
        assert!(is(("s3fs", "fuse.s3fs"), "fuse.s3fs", "bucket") && is(("s3fs", "fuse.s3fs"), "fuse", "s3fs#bucket"));
        assert!(is(("curlftpfs#ftp://host/", "fuse"), "fuse.curlftpfs", "ftp://host/"));
        assert!(!is(("tmpfs", "tmpfs"), "fuse.s3fs", "bucket") && !is(("none", "fuse"), "fuse.s3fs", "bucket"));
        assert!(is(("/dev/vdb", "fuseblk"), "ntfs", "/dev/vdb") && !is(("/dev/vdb", "fuseblk"), "ext4", "/dev/vdb"));
        assert!(is(("10.0.0.1:6789:/a", "ceph"), "ceph", "mon1,mon2:/a") && !is(("x:/b", "ceph"), "ceph", "x:/a"));
        assert!(is(("me@f0-1.data=/", "ceph"), "ceph", "me@.data=/"));
    }

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
