//! What each type of file system is to a policy, and the options of each that are known to do no harm by themselves.

use mclive_base::vocab::file_systems::{Family, file_system};

/// The source of a file system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// The content of a disk.
    Disk,
    /// Initially empty.
    Memory,
    /// Files that have other paths on this host.
    Bind,
    Overlay,
    /// Another host provides the content.
    Network,
    /// A program provides the content.
    Fuse,
    /// Its files are interfaces of the kernel.
    Kernel,
}

/// The form of a file system, and its options. One with a value ends with `=`.
pub(super) fn form(kind: &str) -> (Form, &'static str) {
    match file_system(kind).map_or(Family::Kernel, |(family, _)| family) {
        Family::Ext => (Form::Disk, EXT),
        Family::Xfs => (Form::Disk, XFS),
        Family::Btrfs => (Form::Disk, BTRFS),
        Family::Fat => (Form::Disk, FAT),
        Family::OtherDisk => (Form::Disk, OTHER_DISK),
        Family::Memory => (Form::Memory, MEMORY),
        Family::Overlay => (Form::Overlay, OVERLAY),
        Family::Nfs => (Form::Network, NFS),
        Family::Cifs => (Form::Network, CIFS),
        Family::OtherNetwork => (Form::Network, OTHER_NETWORK),
        Family::Fuse => (Form::Fuse, FUSE),
        Family::Kernel => (Form::Kernel, KERNEL),
    }
}

/// Options of every file system.
pub(super) const EVERYWHERE: &str = "\
    defaults ro rw suid nosuid dev nodev exec noexec sync async dirsync atime noatime diratime nodiratime relatime \
    norelatime strictatime lazytime nolazytime nosymfollow symfollow silent auto noauto nofail nouser _netdev \
    x-systemd.automount x-systemd.idle-timeout= x-systemd.device-timeout= x-systemd.mount-timeout=";
pub(super) const BIND: &str = "bind rbind";

const EXT: &str = "\
    acl noacl user_xattr nouser_xattr barrier= commit= data= delalloc nodelalloc discard nodiscard errors= noload \
    quota usrquota grpquota stripe= loop";
const XFS: &str = "\
    allocsize= discard nodiscard inode32 inode64 largeio nolargeio logbsize= logbufs= noalign norecovery nouuid \
    noquota uquota gquota pquota usrquota grpquota prjquota loop";
const BTRFS: &str = "\
    acl noacl autodefrag noautodefrag commit= compress compress= compress-force compress-force= degraded discard \
    discard= nodiscard datacow nodatacow space_cache= ssd nossd subvol= subvolid= loop";
const FAT: &str =
    "uid= gid= umask= fmask= dmask= codepage= iocharset= shortname= utf8 utf8= flush quiet errors= discard loop";
const OTHER_DISK: &str = "uid= gid= umask= iocharset= utf8 discard loop";
const MEMORY: &str = "size= nr_blocks= nr_inodes= mode= uid= gid= huge= noswap inode32 inode64";
const OVERLAY: &str =
    "lowerdir= upperdir= workdir= index= redirect_dir= xino= metacopy= nfs_export= userxattr volatile";
const NFS: &str = "\
    vers= nfsvers= minorversion= proto= port= mountport= mountproto= mountvers= hard soft softerr intr nointr \
    timeo= retrans= retry= rsize= wsize= sec= tcp udp lock nolock ac noac actimeo= acregmin= acregmax= acdirmin= \
    acdirmax= bg fg cto nocto acl noacl rdirplus nordirplus nconnect= lookupcache=";
const CIFS: &str = "\
    vers= user= username= pass= password= domain= dom= workgroup= credentials= cred= guest sec= seal port= uid= \
    gid= forceuid noforceuid forcegid noforcegid file_mode= dir_mode= iocharset= serverino noserverino cache= \
    mfsymlinks noperm hard soft rsize= wsize= actimeo= nobrl";
const OTHER_NETWORK: &str = "trans= version= msize= cache= access= posixacl name= secretfile= port=";
const FUSE: &str = "allow_other default_permissions max_read= uid= gid= umask=";
const KERNEL: &str = "mode= uid= gid= hidepid= subset= ptmxmode= newinstance size=";

/// Whether a list contains this option, with its `=` if it has a value.
pub(super) fn names(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|known| known == name)
}
