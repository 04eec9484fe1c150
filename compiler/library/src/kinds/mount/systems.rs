//! Types of file systems, and what each is made of.

/// The types of file system that kernels know.
pub(super) static FILE_SYSTEMS: &[&str] = &[
    "9p",
    "adfs",
    "affs",
    "afs",
    "apfs",
    "autofs",
    "bcachefs",
    "befs",
    "bfs",
    "binder",
    "binfmt_misc",
    "bpf",
    "btrfs",
    "ceph",
    "cgroup",
    "cgroup2",
    "cifs",
    "coda",
    "configfs",
    "cpuset",
    "cramfs",
    "debugfs",
    "devpts",
    "devtmpfs",
    "ecryptfs",
    "efivarfs",
    "efs",
    "erofs",
    "exfat",
    "ext2",
    "ext3",
    "ext4",
    "f2fs",
    "fuse",
    "fuseblk",
    "fusectl",
    "gfs2",
    "hfs",
    "hfsplus",
    "hpfs",
    "hugetlbfs",
    "iso9660",
    "jffs2",
    "jfs",
    "minix",
    "mqueue",
    "msdos",
    "nfs",
    "nfs4",
    "nfsd",
    "nilfs2",
    "ntfs",
    "ntfs3",
    "ocfs2",
    "omfs",
    "overlay",
    "proc",
    "pstore",
    "qnx4",
    "qnx6",
    "ramfs",
    "reiserfs",
    "resctrl",
    "romfs",
    "rpc_pipefs",
    "securityfs",
    "selinuxfs",
    "smb3",
    "squashfs",
    "sysfs",
    "sysv",
    "tmpfs",
    "tracefs",
    "ubifs",
    "udf",
    "ufs",
    "vboxsf",
    "vfat",
    "virtiofs",
    "xfs",
    "zfs",
    "zonefs",
];

/// The types that are on a device, or in a file that stands for one. The others take a name: `proc`, `server:/export`.
static ON_DEVICES: &[&str] = &[
    "adfs", "affs", "apfs", "bcachefs", "befs", "bfs", "btrfs", "cramfs", "efs", "erofs", "exfat", "ext2", "ext3",
    "ext4", "f2fs", "fuseblk", "gfs2", "hfs", "hfsplus", "hpfs", "iso9660", "jfs", "minix", "msdos", "nilfs2", "ntfs",
    "ntfs3", "ocfs2", "omfs", "qnx4", "qnx6", "reiserfs", "romfs", "squashfs", "sysv", "udf", "ufs", "vfat", "xfs",
    "zonefs",
];

/// Is a file system of this type on a device?
pub(super) fn is_on_device(kind: &str) -> bool {
    ON_DEVICES.contains(&kind)
}

/// Where a device is found; none is asked for when the field is empty.
pub(super) fn device_path(device: &str) -> Option<String> {
    let keys = [("UUID=", "uuid"), ("LABEL=", "label"), ("PARTUUID=", "partuuid"), ("PARTLABEL=", "partlabel")];
    let by_key = |(key, dir): (&str, &str)| Some(format!("/dev/disk/by-{dir}/{}", device.strip_prefix(key)?));
    keys.into_iter().find_map(by_key).or_else(|| (!device.is_empty()).then(|| device.to_owned()))
}
