//! What a mount may be: its options, and the words of `privileges` that it needs.
//!
//! A mount shows files at a place that the policy judges by its path, so everything that decides which files these are
//! is judged as well. No list of the dangerous options is ever complete, so there is one of those that are known, for
//! each type of file system. The places that a mount names are judged by the host when it has found them.

use super::Policy;
use mclive_base::vocab::path::shown;

/// What a file system is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// What a disk holds.
    Disk,
    /// Empty at first.
    Memory,
    /// Files that have other paths on this host.
    Bind,
    Overlay,
    /// Another host tells what is in it.
    Network,
    /// A program tells what is in it.
    Fuse,
    /// Through its files one speaks to the kernel.
    Kernel,
}

/// Options of every file system. One that takes a value ends with `=`.
const EVERYWHERE: &[&str] = &[
    "defaults",
    "ro",
    "rw",
    "suid",
    "nosuid",
    "dev",
    "nodev",
    "exec",
    "noexec",
    "sync",
    "async",
    "dirsync",
    "atime",
    "noatime",
    "diratime",
    "nodiratime",
    "relatime",
    "norelatime",
    "strictatime",
    "lazytime",
    "nolazytime",
    "nosymfollow",
    "symfollow",
    "silent",
    "auto",
    "noauto",
    "nofail",
    "nouser",
    "_netdev",
    "x-systemd.automount",
    "x-systemd.idle-timeout=",
    "x-systemd.device-timeout=",
    "x-systemd.mount-timeout=",
];
const BIND: &[&str] = &["bind", "rbind"];
const EXT: &[&str] = &[
    "acl",
    "noacl",
    "user_xattr",
    "nouser_xattr",
    "barrier=",
    "commit=",
    "data=",
    "delalloc",
    "nodelalloc",
    "discard",
    "nodiscard",
    "errors=",
    "noload",
    "quota",
    "usrquota",
    "grpquota",
    "stripe=",
    "loop",
];
const XFS: &[&str] = &[
    "allocsize=",
    "discard",
    "nodiscard",
    "inode32",
    "inode64",
    "largeio",
    "nolargeio",
    "logbsize=",
    "logbufs=",
    "noalign",
    "norecovery",
    "nouuid",
    "noquota",
    "uquota",
    "gquota",
    "pquota",
    "usrquota",
    "grpquota",
    "prjquota",
    "loop",
];
const BTRFS: &[&str] = &[
    "acl",
    "noacl",
    "autodefrag",
    "noautodefrag",
    "commit=",
    "compress",
    "compress=",
    "compress-force",
    "compress-force=",
    "degraded",
    "discard",
    "discard=",
    "nodiscard",
    "datacow",
    "nodatacow",
    "space_cache=",
    "ssd",
    "nossd",
    "subvol=",
    "subvolid=",
    "loop",
];
const FAT: &[&str] = &[
    "uid=",
    "gid=",
    "umask=",
    "fmask=",
    "dmask=",
    "codepage=",
    "iocharset=",
    "shortname=",
    "utf8",
    "utf8=",
    "flush",
    "quiet",
    "errors=",
    "discard",
    "loop",
];
const OTHER_DISK: &[&str] = &["uid=", "gid=", "umask=", "iocharset=", "utf8", "discard", "loop"];
const MEMORY: &[&str] =
    &["size=", "nr_blocks=", "nr_inodes=", "mode=", "uid=", "gid=", "huge=", "noswap", "inode32", "inode64"];
const OVERLAY: &[&str] = &[
    "lowerdir=",
    "upperdir=",
    "workdir=",
    "index=",
    "redirect_dir=",
    "xino=",
    "metacopy=",
    "nfs_export=",
    "userxattr",
    "volatile",
];
const NFS: &[&str] = &[
    "vers=",
    "nfsvers=",
    "minorversion=",
    "proto=",
    "port=",
    "mountport=",
    "mountproto=",
    "mountvers=",
    "hard",
    "soft",
    "softerr",
    "intr",
    "nointr",
    "timeo=",
    "retrans=",
    "retry=",
    "rsize=",
    "wsize=",
    "sec=",
    "tcp",
    "udp",
    "lock",
    "nolock",
    "ac",
    "noac",
    "actimeo=",
    "acregmin=",
    "acregmax=",
    "acdirmin=",
    "acdirmax=",
    "bg",
    "fg",
    "cto",
    "nocto",
    "acl",
    "noacl",
    "rdirplus",
    "nordirplus",
    "nconnect=",
    "lookupcache=",
];
const CIFS: &[&str] = &[
    "vers=",
    "user=",
    "username=",
    "pass=",
    "password=",
    "domain=",
    "dom=",
    "workgroup=",
    "credentials=",
    "cred=",
    "guest",
    "sec=",
    "seal",
    "port=",
    "uid=",
    "gid=",
    "forceuid",
    "noforceuid",
    "forcegid",
    "noforcegid",
    "file_mode=",
    "dir_mode=",
    "iocharset=",
    "serverino",
    "noserverino",
    "cache=",
    "mfsymlinks",
    "noperm",
    "hard",
    "soft",
    "rsize=",
    "wsize=",
    "actimeo=",
    "nobrl",
];
const OTHER_NETWORK: &[&str] =
    &["trans=", "version=", "msize=", "cache=", "access=", "posixacl", "name=", "secretfile=", "port="];
const FUSE: &[&str] = &["allow_other", "default_permissions", "max_read=", "uid=", "gid=", "umask="];
const KERNEL: &[&str] = &["mode=", "uid=", "gid=", "hidepid=", "subset=", "ptmxmode=", "newinstance", "size="];

fn is_bind(option: &str) -> bool {
    BIND.contains(&option)
}

/// The form of a file system, and its own options.
fn form(kind: &str) -> (Form, &'static [&'static str]) {
    match kind {
        "ext2" | "ext3" | "ext4" => (Form::Disk, EXT),
        "xfs" => (Form::Disk, XFS),
        "btrfs" => (Form::Disk, BTRFS),
        "vfat" | "msdos" | "exfat" => (Form::Disk, FAT),
        "iso9660" | "udf" | "squashfs" | "erofs" | "cramfs" | "romfs" | "f2fs" | "bcachefs" | "hfs" | "hfsplus"
        | "minix" | "jfs" | "nilfs2" | "ntfs3" | "reiserfs" => (Form::Disk, OTHER_DISK),
        "tmpfs" | "ramfs" => (Form::Memory, MEMORY),
        "overlay" => (Form::Overlay, OVERLAY),
        "nfs" | "nfs4" => (Form::Network, NFS),
        "cifs" | "smb3" => (Form::Network, CIFS),
        "9p" | "afs" | "ceph" | "coda" | "virtiofs" | "vboxsf" => (Form::Network, OTHER_NETWORK),
        "fuse" | "fuseblk" | "ntfs" => (Form::Fuse, FUSE),
        _ => (Form::Kernel, KERNEL),
    }
}

impl Form {
    fn needs(self) -> Option<(&'static str, &'static str)> {
        match self {
            Form::Disk | Form::Memory => None,
            Form::Bind => Some(("bind", "a bind mount")),
            Form::Overlay => Some(("overlay", "an overlay")),
            Form::Network => Some(("network", "a file system of another host")),
            Form::Fuse => Some(("fuse", "a file system that a program serves")),
            Form::Kernel => Some(("kernel", "a file system of the kernel")),
        }
    }
}

impl Policy {
    /// May this be mounted, as far as its words tell? Where the policy limits nothing, anything.
    pub(crate) fn mounting(&self, kind: &str, options: &[String]) -> Result<(), String> {
        if self.is_absent {
            return Ok(());
        }
        let options = split(options);
        let (mut form, known) = form(kind);
        if options.iter().any(|option| is_bind(option)) {
            form = Form::Bind;
        }
        let known = if form == Form::Bind { BIND } else { known };
        options.iter().try_for_each(|option| judge(kind, option, known))?;
        if let Some((word, what)) = form.needs() {
            self.privilege(word, what)?;
        }
        match form {
            Form::Network | Form::Fuse => self.foreign(&options),
            _ => self.lent(&options),
        }
    }

    /// May what is mounted get these options instead of its own? An empty type: it is not known yet.
    pub(crate) fn remounting(&self, kind: &str, options: &[String]) -> Result<(), String> {
        if self.is_absent {
            return Ok(());
        }
        self.privilege("remount", "other options for what is mounted")?;
        let options = split(options);
        if !kind.is_empty() {
            let known = [form(kind).1, BIND].concat();
            options.iter().try_for_each(|option| judge(kind, option, &known))?;
        }
        self.lent(&options)
    }

    /// May a file be mounted as if it were a disk?
    pub(crate) fn loops(&self, options: &[String]) -> Result<(), String> {
        if self.is_absent {
            return Ok(());
        }
        self.privilege("loop", "a mount of what a file holds")?;
        self.foreign(&split(options))
    }

    /// What somebody else has put together lends no rights and reaches no devices, unless that is allowed.
    fn foreign(&self, options: &[&str]) -> Result<(), String> {
        let has = |word: &str| options.contains(&word);
        if !has("nosuid") {
            self.privilege("setuid", "a mount of files of others without the option `nosuid`")?;
        }
        if !has("nodev") {
            self.privilege("devices", "a mount of files of others without the option `nodev`")?;
        }
        self.lent(options)
    }

    /// `suid` after `nosuid` takes it back.
    fn lent(&self, options: &[&str]) -> Result<(), String> {
        for (option, word) in [("suid", "setuid"), ("dev", "devices")] {
            if options.contains(&option) {
                self.privilege(word, &format!("the option `{option}` of a mount"))?;
            }
        }
        Ok(())
    }

    /// Does this policy limit what a mount shows?
    pub(crate) fn judges_mounts(&self) -> bool {
        !self.is_absent
    }
}

/// `mount` splits at commas, wherever they stand.
fn split(options: &[String]) -> Vec<&str> {
    options.iter().flat_map(|option| option.split(',')).filter(|option| !option.is_empty()).collect()
}

fn judge(kind: &str, option: &str, known: &[&str]) -> Result<(), String> {
    let is_plain = !option.contains(['"', '\\', '\'']) && !option.chars().any(char::is_control);
    let end = option.find('=').map_or(option.len(), |at| at + 1);
    let name = &option[..end];
    if is_plain && (EVERYWHERE.contains(&name) || known.contains(&name)) {
        return Ok(());
    }
    Err(format!("the policy does not allow the option `{}` of a mount of type `{}`", shown(name), shown(kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may(policy: &str, kind: &str, options: &[&str]) -> Result<(), String> {
        let options: Vec<String> = options.iter().map(|option| option.to_string()).collect();
        Policy::parse(policy).unwrap().mounting(kind, &options)
    }

    #[test]
    fn known_options_pass_and_others_do_not() {
        assert_eq!(may("", "tmpfs", &["size=1m", "mode=0711", "nosuid", "nofail"]), Ok(()));
        assert_eq!(may("", "ext4", &["noatime", "errors=remount-ro"]), Ok(()));
        assert_eq!(may("", "btrfs", &["subvol=@data"]), Ok(()));
        for (kind, option) in [
            ("ext4", "size=1m"),
            ("ext4", "journal_path=/dev/vdb"),
            ("xfs", "logdev=/dev/vdb"),
            ("btrfs", "device=/dev/vdb"),
            ("tmpfs", "x-mount.mkdir"),
            ("tmpfs", "X-mount.owner=0"),
            ("tmpfs", "user"),
            ("tmpfs", "move"),
            ("tmpfs", "remount"),
            ("tmpfs", "shared"),
            ("tmpfs", "helper=x"),
            ("tmpfs", "x-systemd.makefs"),
            ("tmpfs", "size=1m,helper=x"),
            ("tmpfs", "mode=\"1,suid\""),
            ("tmpfs", "lowerdir=/etc"),
        ] {
            let error = may("privileges = ['setuid', 'devices', 'overlay']", kind, &[option]).unwrap_err();
            assert!(error.contains("does not allow the option"), "{kind} {option}: {error}");
        }
        assert_eq!(Policy::all().mounting("tmpfs", &["x-mount.mkdir".into()]), Ok(()));
    }

    #[test]
    fn what_shows_other_files_needs_a_word() {
        for (kind, options, word) in [
            ("overlay", &["lowerdir=/a"][..], "overlay"),
            ("tmpfs", &["bind"], "bind"),
            ("ext4", &["rw,rbind"], "bind"),
            ("nfs", &["nosuid", "nodev"], "network"),
            ("fuse", &["nosuid", "nodev"], "fuse"),
            ("proc", &[], "kernel"),
            ("devtmpfs", &[], "kernel"),
            ("ecryptfs", &[], "kernel"),
            ("tmpfs", &["suid"], "setuid"),
            ("tmpfs", &["nosuid,dev"], "devices"),
        ] {
            let error = may("mounts = ['/srv/m']", kind, options).unwrap_err();
            assert!(error.contains(&format!("name `{word}` in `privileges`")), "{kind} {options:?}: {error}");
            assert_eq!(may(&format!("privileges = ['{word}']"), kind, options), Ok(()), "{kind} {options:?}");
        }
        assert!(may("privileges = ['network']", "nfs", &[]).unwrap_err().contains("`setuid`"));
        let policy = Policy::parse("").unwrap();
        assert!(policy.remounting("", &["ro".into()]).unwrap_err().contains("`remount`"));
        assert!(policy.loops(&["nosuid".into(), "nodev".into()]).unwrap_err().contains("`loop`"));
    }
}
