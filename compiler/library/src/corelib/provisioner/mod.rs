//! Module `embedded/provisioner`: the command line settings of the provisioner. Functions spec, 7.22; the rest of the
//! module is written in MCL (`mcl/`).

use crate::corelib::facts::{ask_optional, known};
use crate::corelib::{Args, CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::types::Type;
use crate::value::Value;
use crate::vocab::{FactSpec, program};

/// The value of an unset setting.
enum Unset {
    /// Reading it is an error.
    Error,
    /// This text, or this bool; an empty list.
    Text(&'static str),
    Bool(bool),
    List,
}

/// Settings by their unset value, which also determines their examples.
macro_rules! settings {
    ($($kind:ident $name:ident $path:literal $unset:tt $doc:literal;)*) => {
        pub(super) static DEFS: &[&FnDef] = &[$(&$name),*];

        $(static $name: FnDef = settings!(@$kind $path, $unset, $doc);)*
    };
    // The error cannot be caught.
    (@unreadable $path:literal, $unset:tt, $doc:literal) => {
        settings!(@def "func() str", $path, Unset::Error, $doc, [
            "", concat!("error: func `embedded/provisioner.", $path, "()` has nil value: cannot represent a nil golang value in mcl");
            " <|> \"none\"", "error: has nil value";
            " + \"/\"", "error: has nil value"
        ])
    };
    (@text $path:literal, $unset:literal, $doc:literal) => {
        settings!(@def "func() str", $path, Unset::Text($unset), $doc, [
            "", concat!("\"", $unset, "\"");
            " + \"!\"", concat!("\"", $unset, "!\"");
            concat!(" == \"", $unset, "\""), "true"
        ])
    };
    (@bool $path:literal, $unset:literal, $doc:literal) => {
        settings!(@def "func() bool", $path, Unset::Bool($unset), $doc, [
            "", stringify!($unset);
            concat!(" == ", stringify!($unset)), "true";
            concat!(" != ", stringify!($unset)), "false"
        ])
    };
    (@list $path:literal, $unset:tt, $doc:literal) => {
        settings!(@def "func() []str", $path, Unset::List, $doc, [
            "", "[]";
            " == []", "true";
            "[0] <|> \"none\"", "\"none\""
        ])
    };
    (@def $sig:literal, $path:literal, $unset:expr, $doc:literal, [$($behind:expr, $gives:expr);*]) => {
        FnDef {
            path: concat!("embedded/provisioner.", $path),
            sig: Sig::Fixed($sig),
            doc: $doc,
            examples: &[$(Example { call: concat!("provisioner.", $path, "()", $behind), gives: $gives }),*],
            shape: Shape::DYNAMIC,
            run: Run::World(|world, args| setting(world, args, $path, $unset)),
        }
    };
}

settings! {
    unreadable CLI_INTERFACE "cli_interface" ()
        "The network interface used to install other machines.";
    unreadable CLI_NETWORK "cli_network" ()
        "The network with its prefix length.";
    unreadable CLI_ROUTER "cli_router" ()
        "The address of this machine with its prefix length.";
    list CLI_DNS "cli_dns" ()
        "The DNS servers to hand out.";
    unreadable CLI_PREFIX "cli_prefix" ()
        "The directory for downloads.";
    bool CLI_FIREWALLD "cli_firewalld" true
        "Whether to open the required ports in the firewall.";
    text CLI_DISTRO "cli_distro" "fedora"
        "The distribution to install.";
    text CLI_VERSION "cli_version" ""
        "The version of the distribution.";
    text CLI_ARCH "cli_arch" "x86_64"
        "The processor architecture.";
    unreadable CLI_FLAVOUR "cli_flavour" ()
        "The flavour of the distribution.";
    text CLI_MIRROR "cli_mirror" ""
        "The HTTPS mirror.";
    text CLI_RSYNC "cli_rsync" ""
        "The rsync mirror.";
    unreadable CLI_MAC "cli_mac" ()
        "The MAC address of the machine to install; empty for any.";
    unreadable CLI_IP "cli_ip" ()
        "The address of the machine to install with its prefix length.";
    bool CLI_BIOS "cli_bios" false
        "Whether to boot with a legacy BIOS instead of UEFI.";
    text CLI_PART "cli_part" ""
        "The partition scheme: empty, plain or btrfs.";
    bool CLI_LUKS "cli_luks" true
        "Whether to encrypt the disk with an empty password.";
    list CLI_PACKAGES "cli_packages" ()
        "Additional packages to install.";
    text CLI_HANDOFF_EXEC "cli_handoff_exec" ""
        "The command to run at first boot.";
    text CLI_HANDOFF_CODE "cli_handoff_code" ""
        "The directory of the code that the new machine gets.";
    text CLI_HANDOFF_MODULE_PATH "cli_handoff_module_path" ""
        "The module path that the new machine gets.";
    text CLI_HANDOFF_HOSTNAME "cli_handoff_hostname" ""
        "The host name that the new machine gets.";
    text CLI_BMC_URI "cli_bmc_uri" ""
        "The URL of the management controller.";
    bool CHECK "check" false
        "Whether to exit after the check stage.";
    text CLI_PASSWORD "cli_password" ""
        "The salted hash of the password.";
}

fn setting(world: &mut dyn CallContext, args: &Args, name: &str, unset: Unset) -> Result<Option<Value>, FnError> {
    let setting = name.strip_prefix("cli_").unwrap_or(name);
    let set = known!(ask_optional(world, &FactSpec::Program(program::Fact::Setting { name: setting.into() })));
    // A setting comes from outside and may have the wrong type.
    if let Some(value) = set.filter(|value| fits(value, &args.ty.ret)) {
        return Ok(Some(value));
    }
    match unset {
        Unset::Error => {
            let what = format!("func `embedded/provisioner.{name}()` has nil value");
            Err(FnError::fatal(format!("{what}: cannot represent a nil golang value in mcl")))
        }
        Unset::Text(text) => Ok(Some(Value::str(text))),
        Unset::Bool(value) => Ok(Some(Value::Bool(value))),
        Unset::List => Ok(Some(Value::list([]))),
    }
}

fn fits(value: &Value, ty: &Type) -> bool {
    match value {
        Value::List(items) => matches!(ty, Type::List(of) if items.iter().all(|item| fits(item, of))),
        _ => value.type_of().as_ref() == Some(ty),
    }
}
