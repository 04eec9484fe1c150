//! `mount`: Manages an fstab entry and the matching mount. Resource spec, 9.

use crate::kinds::rules::{ensure, exists_or_absent, file_exists};
use crate::kinds::{Field, FieldDefault, HostType, Kind, KindDecl, Traits, Want};
use crate::vocab::{Datum, FactSpec, file};

/// The kind `mount`.
pub(crate) struct Mount;

static DECL: KindDecl = KindDecl {
    name: "mount",
    doc: "Manages an fstab entry and the matching mount.",
    fields: &[
        Field::str("state", "State", "exists or absent (mandatory).").required(),
        Field::str("device", "Device", "Device, or UUID=/LABEL=/PARTUUID=/PARTLABEL= spec."),
        Field::str("type", "Type", "File system type."),
        Field::new(
            "options",
            "Options",
            HostType::STR_MAP,
            "Mount options as name to value; valueless options map to the empty string.",
        )
        .default(FieldDefault::StrMap(&[("defaults", "")])),
        Field::int("freq", "Freq", HostType::Int, "Fifth fstab column."),
        Field::int("passno", "PassNo", HostType::Int, "Sixth fstab column."),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for Mount {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        exists_or_absent(&want.text("state"))?;
        if want.text("state") == "exists" {
            let known = FILE_SYSTEMS.contains(&&*want.text("type"));
            ensure(known, "type must be a valid filesystem type (see /proc/filesystems)")?;
        }
        ensure(!want.name.contains("//"), "the name must not contain a double slash")?;
        let device = device_path(&want.text("device"));
        ensure(
            device.is_none_or(|path| path.starts_with('/')),
            "the device must be an absolute path or a `KEY=` of one",
        )
    }

    /// The mount point and the device must be there.
    fn asks_host(&self, want: &Want) -> Vec<FactSpec> {
        let paths = [Some(want.name.to_owned()), device_path(&want.text("device"))];
        paths.into_iter().flatten().map(|path| FactSpec::File(file::Fact::State { path })).collect()
    }

    fn validate_there(&self, want: &Want, facts: &[Option<Datum>]) -> Result<(), String> {
        let is_there = |at: usize| facts.get(at).and_then(Option::as_ref).is_none_or(file_exists);
        ensure(is_there(0), format!("the mount point is not there: {}", want.name))?;
        ensure(is_there(1), format!("the device is not there: {}", want.text("device")))
    }
}

/// Where a device is found; none is asked for when the field is empty.
fn device_path(device: &str) -> Option<String> {
    let keys = [("UUID=", "uuid"), ("LABEL=", "label"), ("PARTUUID=", "partuuid"), ("PARTLABEL=", "partlabel")];
    let by_key = |(key, dir): (&str, &str)| Some(format!("/dev/disk/by-{dir}/{}", device.strip_prefix(key)?));
    keys.into_iter().find_map(by_key).or_else(|| (!device.is_empty()).then(|| device.to_owned()))
}

/// The types of file system that kernels know.
static FILE_SYSTEMS: &[&str] = &[
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
