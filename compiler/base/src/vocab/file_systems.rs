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
pub enum Origin {
    /// A device, an image or a folder of this host, by its path or by a tag.
    Place,
    /// A text that is not a place on this host: `tmpfs`, `server:/export`.
    Word,
}

/// By name.
static ALL: [(&str, Family, Origin); 82] = [
    ("9p", Family::OtherNetwork, Origin::Word),
    ("adfs", Family::Kernel, Origin::Place),
    ("affs", Family::Kernel, Origin::Place),
    ("afs", Family::OtherNetwork, Origin::Word),
    ("apfs", Family::Kernel, Origin::Place),
    ("autofs", Family::Kernel, Origin::Word),
    ("bcachefs", Family::OtherDisk, Origin::Place),
    ("befs", Family::Kernel, Origin::Place),
    ("bfs", Family::Kernel, Origin::Place),
    ("binder", Family::Kernel, Origin::Word),
    ("binfmt_misc", Family::Kernel, Origin::Word),
    ("bpf", Family::Kernel, Origin::Word),
    ("btrfs", Family::Btrfs, Origin::Place),
    ("ceph", Family::OtherNetwork, Origin::Word),
    ("cgroup", Family::Kernel, Origin::Word),
    ("cgroup2", Family::Kernel, Origin::Word),
    ("cifs", Family::Cifs, Origin::Word),
    ("coda", Family::OtherNetwork, Origin::Word),
    ("configfs", Family::Kernel, Origin::Word),
    ("cpuset", Family::Kernel, Origin::Word),
    ("cramfs", Family::OtherDisk, Origin::Place),
    ("debugfs", Family::Kernel, Origin::Word),
    ("devpts", Family::Kernel, Origin::Word),
    ("devtmpfs", Family::Kernel, Origin::Word),
    ("ecryptfs", Family::Kernel, Origin::Place),
    ("efivarfs", Family::Kernel, Origin::Word),
    ("efs", Family::Kernel, Origin::Place),
    ("erofs", Family::OtherDisk, Origin::Place),
    ("exfat", Family::Fat, Origin::Place),
    ("ext2", Family::Ext, Origin::Place),
    ("ext3", Family::Ext, Origin::Place),
    ("ext4", Family::Ext, Origin::Place),
    ("f2fs", Family::OtherDisk, Origin::Place),
    ("fuse", Family::Fuse, Origin::Word),
    ("fuseblk", Family::Fuse, Origin::Place),
    ("fusectl", Family::Kernel, Origin::Word),
    ("gfs2", Family::Kernel, Origin::Place),
    ("hfs", Family::OtherDisk, Origin::Place),
    ("hfsplus", Family::OtherDisk, Origin::Place),
    ("hpfs", Family::Kernel, Origin::Place),
    ("hugetlbfs", Family::Kernel, Origin::Word),
    ("iso9660", Family::OtherDisk, Origin::Place),
    ("jffs2", Family::Kernel, Origin::Place),
    ("jfs", Family::OtherDisk, Origin::Place),
    ("minix", Family::OtherDisk, Origin::Place),
    ("mqueue", Family::Kernel, Origin::Word),
    ("msdos", Family::Fat, Origin::Place),
    ("nfs", Family::Nfs, Origin::Word),
    ("nfs4", Family::Nfs, Origin::Word),
    ("nfsd", Family::Kernel, Origin::Word),
    ("nilfs2", Family::OtherDisk, Origin::Place),
    ("ntfs", Family::Fuse, Origin::Place),
    ("ntfs3", Family::OtherDisk, Origin::Place),
    ("ocfs2", Family::Kernel, Origin::Place),
    ("omfs", Family::Kernel, Origin::Place),
    ("overlay", Family::Overlay, Origin::Word),
    ("proc", Family::Kernel, Origin::Word),
    ("pstore", Family::Kernel, Origin::Word),
    ("qnx4", Family::Kernel, Origin::Place),
    ("qnx6", Family::Kernel, Origin::Place),
    ("ramfs", Family::Memory, Origin::Word),
    ("reiserfs", Family::OtherDisk, Origin::Place),
    ("resctrl", Family::Kernel, Origin::Word),
    ("romfs", Family::OtherDisk, Origin::Place),
    ("rpc_pipefs", Family::Kernel, Origin::Word),
    ("securityfs", Family::Kernel, Origin::Word),
    ("selinuxfs", Family::Kernel, Origin::Word),
    ("smb3", Family::Cifs, Origin::Word),
    ("squashfs", Family::OtherDisk, Origin::Place),
    ("sysfs", Family::Kernel, Origin::Word),
    ("sysv", Family::Kernel, Origin::Place),
    ("tmpfs", Family::Memory, Origin::Word),
    ("tracefs", Family::Kernel, Origin::Word),
    ("ubifs", Family::Kernel, Origin::Place),
    ("udf", Family::OtherDisk, Origin::Place),
    ("ufs", Family::Kernel, Origin::Place),
    ("vboxsf", Family::OtherNetwork, Origin::Word),
    ("vfat", Family::Fat, Origin::Place),
    ("virtiofs", Family::OtherNetwork, Origin::Word),
    ("xfs", Family::Xfs, Origin::Place),
    ("zfs", Family::Kernel, Origin::Word),
    ("zonefs", Family::Kernel, Origin::Place),
];

/// The file system type with this name; `None`: no kernel knows it. A `fuse.NAME` is served by a program.
pub fn file_system(name: &str) -> Option<(Family, Origin)> {
    if name.starts_with("fuse.") {
        return Some((Family::Fuse, Origin::Word));
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
        assert_eq!(file_system("ext4"), Some((Family::Ext, Origin::Place)));
        assert_eq!(file_system("fuse.sshfs"), Some((Family::Fuse, Origin::Word)));
        assert_eq!(file_system("fusectl"), Some((Family::Kernel, Origin::Word)));
        assert_eq!(file_system("none"), None);
    }

    #[test]
    fn what_another_host_serves_is_named_by_a_word() {
        let is_remote = |family| matches!(family, Family::Nfs | Family::Cifs | Family::OtherNetwork);
        for (name, family, source) in ALL {
            assert!(!is_remote(family) || source == Origin::Word, "{name}");
        }
    }
}
