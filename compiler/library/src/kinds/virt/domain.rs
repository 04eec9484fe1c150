//! `virt`: Manages a libvirt virtual machine or LXC domain. Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::rules::{known_state, one_of};
use crate::kinds::{Field, FieldDefault, HostField, HostType, Kind, KindDecl, Traits, Want};

/// The kind `virt`.
pub(crate) struct Virt;

static DECL: KindDecl = KindDecl {
    name: "virt",
    doc: "Manages a libvirt virtual machine or LXC domain.",
    fields: &[
        Field::str("uri", "URI", "Libvirt connection URI."),
        Field::str("state", "State", "running, paused, shutoff or empty."),
        Field::str("startup", "Startup", "Autostart: enabled, disabled or empty."),
        Field::bool("transient", "Transient", "Domain exists only while running."),
        Field::int("cpus", "CPUs", HostType::Uint, "Current number of CPUs."),
        Field::int("maxcpus", "MaxCPUs", HostType::Uint, "CPU slots.").default(FieldDefault::Int(32)),
        Field::bool("hotcpus", "HotCPUs", "Allow hot (un)plugging.").default(FieldDefault::Bool(true)),
        Field::int("memory", "Memory", HostType::Uint64, "Memory in KiB."),
        Field::str("osinit", "OSInit", "Init binary (lxc)."),
        Field::strs("boot", "Boot", "Boot devices in order: fd, hd, cdrom, network."),
        Field::new(
            "disk",
            "Disk",
            HostType::List(&HostType::Struct(&[
                HostField::new("source", HostType::Str),
                HostField::new("type", HostType::Str),
            ])),
            "Disks.",
        ),
        Field::new(
            "cdrom",
            "CDRom",
            HostType::List(&HostType::Struct(&[
                HostField::new("source", HostType::Str),
                HostField::new("type", HostType::Str),
            ])),
            "CD-ROM images.",
        ),
        Field::new(
            "network",
            "Network",
            HostType::List(&HostType::Struct(&[
                HostField::new("name", HostType::Str),
                HostField::new("mac", HostType::Str),
            ])),
            "Interfaces.",
        ),
        Field::new(
            "filesystem",
            "Filesystem",
            HostType::List(&HostType::Struct(&[
                HostField::new("access", HostType::Str),
                HostField::new("source", HostType::Str),
                HostField::new("target", HostType::Str),
                HostField::new("read_only", HostType::Bool),
            ])),
            "Shared directories.",
        ),
        Field::new(
            "auth",
            "Auth",
            HostType::Struct(&[HostField::new("username", HostType::Str), HostField::new("password", HostType::Str)]),
            "Credentials for the connection.",
        )
        .nullable()
        .secret(),
        Field::str(
            "restartondiverge",
            "RestartOnDiverge",
            "ignore, ifneeded or error, when a change would need a restart.",
        )
        .default(FieldDefault::Str("error")),
        Field::bool("restartonrefresh", "RestartOnRefresh", "Treat a notification as a restart request."),
    ],
    traits: Traits { refreshable: true, background: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for Virt {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(want.meta.poll == 0, "`Meta:poll` is not supported by `virt`")?;
        known_state(&want.text("state"), &["running", "paused", "shutoff", ""])?;
        let startup = want.text("startup");
        one_of(&startup, &["enabled", "disabled", ""], || "startup is invalid".into())?;
        ensure(!want.bool("transient") || startup.is_empty(), "`transient` cannot be combined with `startup`")?;
        ensure(want.int("cpus") <= want.int("maxcpus"), "`cpus` must not be greater than `maxcpus`")
    }
}
