//! `virt:builder`: Builds a virtual machine disk image once with virt-builder. Resource spec, 9.

use crate::kinds::{Field, FieldDefault, HostField, HostType, Kind, KindDecl, Traits};

/// The kind `virt:builder`.
pub(crate) struct VirtBuilder;

static DECL: KindDecl = KindDecl {
    name: "virt:builder",
    doc: "Builds a virtual machine disk image once with virt-builder.",
    fields: &[
        Field::str("output", "Output", "Image path; empty means the resource name."),
        Field::str("os_version", "OSVersion", "virt-builder template such as fedora-40 (mandatory).").required(),
        Field::str("arch", "Arch", "CPU architecture; empty means this host's."),
        Field::str("hostname", "Hostname", "Guest host name."),
        Field::str("format", "Format", "raw, qcow2 or empty."),
        Field::int("size", "Size", HostType::Int, "Disk size in bytes; 0 keeps the template's."),
        Field::strs("packages", "Packages", "Packages to install."),
        Field::bool("update", "Update", "Update packages during the build.").default(FieldDefault::Bool(true)),
        Field::bool("selinux_relabel", "SelinuxRelabel", "Relabel the image.").default(FieldDefault::Bool(true)),
        Field::bool("no_setup", "NoSetup", "Do not install virt-builder when it is missing."),
        Field::new(
            "ssh_keys",
            "SSHKeys",
            HostType::List(&HostType::Struct(&[
                HostField::new("user", HostType::Str),
                HostField::new("type", HostType::Str),
                HostField::new("key", HostType::Str),
                HostField::new("comment", HostType::Str),
            ])),
            "Keys to inject.",
        ),
        Field::bool("root_ssh_inject", "RootSSHInject", "Inject the current user's key for root.")
            .default(FieldDefault::Bool(true)),
        Field::str("root_password_selector", "RootPasswordSelector", "virt-builder root password selector.")
            .default(FieldDefault::Str("disabled")),
        Field::bool("bootstrap", "Bootstrap", "Copy this program and its dependencies into the image.")
            .default(FieldDefault::Bool(true)),
        Field::strs("seeds", "Seeds", "Cluster endpoints for the program in the guest."),
        Field::strs("mkdir", "Mkdir", "Directories to create."),
        Field::new(
            "copy_in",
            "CopyIn",
            HostType::List(&HostType::Struct(&[
                HostField::new("path", HostType::Str),
                HostField::new("dest", HostType::Str),
            ])),
            "Files to copy in.",
        ),
        Field::strs("run_cmd", "RunCmd", "Commands to run in the build."),
        Field::strs("firstboot_cmd", "FirstbootCmd", "Commands to run at first boot."),
        Field::bool("log_output", "LogOutput", "Keep the tool's output in the state directory.")
            .default(FieldDefault::Bool(true)),
        Field::bool("tweaks", "Tweaks", "Apply distribution work-arounds and the guest agent.")
            .default(FieldDefault::Bool(true)),
    ],
    traits: Traits { uses_vardir: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for VirtBuilder {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
