//! `virt:builder`: Builds a virtual machine disk image once with virt-builder. Resource spec, 9.

use crate::kinds::rules::absolute_dir;
use crate::kinds::rules::ensure;
use crate::kinds::rules::one_of;
use crate::kinds::url::Url;
use crate::kinds::{Field, FieldDefault, HostField, HostType, Kind, KindDecl, Traits, Want};
use crate::value::Value;
use std::borrow::Cow;

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
            .default(FieldDefault::Str("disabled"))
            .secret(),
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

    fn validate(&self, want: &Want) -> Result<(), String> {
        let output = want.effective("output");
        ensure(output.starts_with('/'), "`output` must be absolute")?;
        ensure(!want.text("os_version").is_empty(), "`os_version` is required")?;
        one_of(&want.text("format"), &["raw", "qcow2", ""], || "`format` must be raw or qcow2".into())?;
        ensure(want.int("size") >= 0, "`size` must not be negative")?;
        for package in want.texts("packages") {
            ensure(!package.is_empty(), "the name of a package must not be empty")?;
            ensure(!package.contains(','), "the name of a package must not contain a comma")?;
        }
        want.items("ssh_keys").iter().try_for_each(check_key)?;
        for seed in want.texts("seeds") {
            ensure(!seed.is_empty(), "an entry of `seed` is empty")?;
            Url::parse(&seed)?;
        }
        for dir in want.texts("mkdir") {
            ensure(!dir.is_empty(), "an entry of `mkdir` is empty")?;
            absolute_dir("the Mkdir entry", &dir)?;
        }
        for copy in want.items("copy_in") {
            let (path, dest) = (part(copy, "path"), part(copy, "dest"));
            ensure(!path.is_empty(), "`path` is empty")?;
            ensure(path.starts_with('/'), "`path` must be absolute")?;
            ensure(!dest.is_empty(), "`dest` is empty")?;
            absolute_dir("the Dest", &dest)?;
        }
        for (field, what) in [("run_cmd", "RunCmd"), ("firstboot_cmd", "FirstbootCmd")] {
            ensure(want.texts(field).iter().all(|command| !command.is_empty()), format!("empty {what} entry"))?;
        }
        Ok(())
    }
}

/// A field of a struct.
fn part<'a>(value: &'a Value, name: &str) -> Cow<'a, str> {
    value.as_struct().and_then(|fields| fields.get(name)).and_then(Value::as_text).unwrap_or_default()
}

fn check_key(key: &Value) -> Result<(), String> {
    ensure(!part(key, "type").is_empty(), "empty Type")?;
    ensure(!part(key, "key").is_empty(), "empty Key")?;
    for (name, what) in [("user", "User"), ("type", "Type"), ("key", "Key"), ("comment", "Comment")] {
        let blank = part(key, name).contains(char::is_whitespace);
        ensure(!blank, format!("problem with {what}: white space chars found"))?;
    }
    Ok(())
}
