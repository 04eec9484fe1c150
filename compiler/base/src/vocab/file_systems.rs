//! The file system types of Linux, each with its family and the kind of its source.

/// A group of file system types by their content, or with common options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// On a disk: `ext2`, `ext3`, `ext4`.
    Ext,
    /// On a disk: `xfs`.
    Xfs,
    /// On a disk: `btrfs`.
    Btrfs,
    /// On a disk: FAT and exFAT.
    Fat,
    /// On a disk: all other types.
    OtherDisk,
    /// In memory, initially empty.
    Memory,
    /// Layers of folders.
    Overlay,
    /// On another host: NFS.
    Nfs,
    /// On another host: SMB.
    Cifs,
    /// On another host: all other types.
    OtherNetwork,
    /// Served by a program.
    Fuse,
    /// An interface of the kernel, or a rare type that is not classified.
    Kernel,
}

/// The kind of a mount's source, the first column of `/etc/fstab`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A device, an image or a folder of this host, by its path or by a tag.
    Place,
    /// A text that is not a place on this host: `tmpfs`, `server:/export`.
    Word,
}

/// By name.
static ALL: [(&str, Family, Source); 82] = [
    ("9p", Family::OtherNetwork, Source::Word),
    ("adfs", Family::Kernel, Source::Place),
    ("affs", Family::Kernel, Source::Place),
    ("afs", Family::OtherNetwork, Source::Word),
    ("apfs", Family::Kernel, Source::Place),
    ("autofs", Family::Kernel, Source::Word),
    ("bcachefs", Family::OtherDisk, Source::Place),
    ("befs", Family::Kernel, Source::Place),
    ("bfs", Family::Kernel, Source::Place),
    ("binder", Family::Kernel, Source::Word),
    ("binfmt_misc", Family::Kernel, Source::Word),
    ("bpf", Family::Kernel, Source::Word),
    ("btrfs", Family::Btrfs, Source::Place),
    ("ceph", Family::OtherNetwork, Source::Word),
    ("cgroup", Family::Kernel, Source::Word),
    ("cgroup2", Family::Kernel, Source::Word),
    ("cifs", Family::Cifs, Source::Word),
    ("coda", Family::OtherNetwork, Source::Word),
    ("configfs", Family::Kernel, Source::Word),
    ("cpuset", Family::Kernel, Source::Word),
    ("cramfs", Family::OtherDisk, Source::Place),
    ("debugfs", Family::Kernel, Source::Word),
    ("devpts", Family::Kernel, Source::Word),
    ("devtmpfs", Family::Kernel, Source::Word),
    ("ecryptfs", Family::Kernel, Source::Place),
    ("efivarfs", Family::Kernel, Source::Word),
    ("efs", Family::Kernel, Source::Place),
    ("erofs", Family::OtherDisk, Source::Place),
    ("exfat", Family::Fat, Source::Place),
    ("ext2", Family::Ext, Source::Place),
    ("ext3", Family::Ext, Source::Place),
    ("ext4", Family::Ext, Source::Place),
    ("f2fs", Family::OtherDisk, Source::Place),
    ("fuse", Family::Fuse, Source::Word),
    ("fuseblk", Family::Fuse, Source::Place),
    ("fusectl", Family::Kernel, Source::Word),
    ("gfs2", Family::Kernel, Source::Place),
    ("hfs", Family::OtherDisk, Source::Place),
    ("hfsplus", Family::OtherDisk, Source::Place),
    ("hpfs", Family::Kernel, Source::Place),
    ("hugetlbfs", Family::Kernel, Source::Word),
    ("iso9660", Family::OtherDisk, Source::Place),
    ("jffs2", Family::Kernel, Source::Place),
    ("jfs", Family::OtherDisk, Source::Place),
    ("minix", Family::OtherDisk, Source::Place),
    ("mqueue", Family::Kernel, Source::Word),
    ("msdos", Family::Fat, Source::Place),
    ("nfs", Family::Nfs, Source::Word),
    ("nfs4", Family::Nfs, Source::Word),
    ("nfsd", Family::Kernel, Source::Word),
    ("nilfs2", Family::OtherDisk, Source::Place),
    ("ntfs", Family::Fuse, Source::Place),
    ("ntfs3", Family::OtherDisk, Source::Place),
    ("ocfs2", Family::Kernel, Source::Place),
    ("omfs", Family::Kernel, Source::Place),
    ("overlay", Family::Overlay, Source::Word),
    ("proc", Family::Kernel, Source::Word),
    ("pstore", Family::Kernel, Source::Word),
    ("qnx4", Family::Kernel, Source::Place),
    ("qnx6", Family::Kernel, Source::Place),
    ("ramfs", Family::Memory, Source::Word),
    ("reiserfs", Family::OtherDisk, Source::Place),
    ("resctrl", Family::Kernel, Source::Word),
    ("romfs", Family::OtherDisk, Source::Place),
    ("rpc_pipefs", Family::Kernel, Source::Word),
    ("securityfs", Family::Kernel, Source::Word),
    ("selinuxfs", Family::Kernel, Source::Word),
    ("smb3", Family::Cifs, Source::Word),
    ("squashfs", Family::OtherDisk, Source::Place),
    ("sysfs", Family::Kernel, Source::Word),
    ("sysv", Family::Kernel, Source::Place),
    ("tmpfs", Family::Memory, Source::Word),
    ("tracefs", Family::Kernel, Source::Word),
    ("ubifs", Family::Kernel, Source::Place),
    ("udf", Family::OtherDisk, Source::Place),
    ("ufs", Family::Kernel, Source::Place),
    ("vboxsf", Family::OtherNetwork, Source::Word),
    ("vfat", Family::Fat, Source::Place),
    ("virtiofs", Family::OtherNetwork, Source::Word),
    ("xfs", Family::Xfs, Source::Place),
    ("zfs", Family::Kernel, Source::Word),
    ("zonefs", Family::Kernel, Source::Place),
];

/// A type by its name; `None`: no kernel knows it. What serves a `fuse.NAME` is a program.
pub fn file_system(name: &str) -> Option<(Family, Source)> {
    if name.starts_with("fuse.") {
        return Some((Family::Fuse, Source::Word));
    }
    let at = ALL.binary_search_by_key(&name, |(name, ..)| name).ok()?;
    let (_, family, source) = ALL[at];
    Some((family, source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_is_found_once() {
        assert!(ALL.is_sorted_by(|(one, ..), (next, ..)| one < next));
        assert_eq!(file_system("ext4"), Some((Family::Ext, Source::Place)));
        assert_eq!(file_system("fuse.sshfs"), Some((Family::Fuse, Source::Word)));
        assert_eq!(file_system("fusectl"), Some((Family::Kernel, Source::Word)));
        assert_eq!(file_system("none"), None);
    }

    #[test]
    fn what_another_host_serves_is_named_by_a_word() {
        let is_remote = |family| matches!(family, Family::Nfs | Family::Cifs | Family::OtherNetwork);
        for (name, family, source) in ALL {
            assert!(!is_remote(family) || source == Source::Word, "{name}");
        }
    }
}
