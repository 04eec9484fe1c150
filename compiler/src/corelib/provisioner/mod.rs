//! Module `embedded/provisioner`: the command line settings of the front end that installs other
//! machines. Functions spec, 7.22; the rest of the module is written in the language (`mcl/`).

use crate::corelib::facts::{ask_optional, known};
use crate::corelib::{Args, Example, FnDef, FnError, Run, Shape, Sig, World};
use crate::types::Type;
use crate::value::Value;
use crate::vocab::FactSpec;

/// What a setting is when nobody set it.
enum Unset {
    /// It cannot be read.
    Error,
    /// This text, or this bool; an empty list.
    Text(&'static str),
    Bool(bool),
    List,
}

macro_rules! settings {
    ($($name:ident, $path:literal, $sig:literal, $unset:expr, $gives:expr, $doc:literal;)*) => {
        pub(super) static DEFS: &[&FnDef] = &[$(&$name),*];

        $(static $name: FnDef = FnDef {
            path: concat!("embedded/provisioner.", $path),
            sig: Sig::Fixed($sig),
            doc: $doc,
            examples: &[Example { call: concat!("provisioner.", $path, "()"), gives: $gives }],
            shape: Shape::DYNAMIC,
            run: Run::World(|world, args| setting(world, args, $path, $unset)),
        };)*
    };
}

use Unset::{Bool, Error, List, Text};

settings! {
    CLI_INTERFACE, "cli_interface", "func() str", Error,
        "error: func `embedded/provisioner.cli_interface()` has nil value: cannot represent a nil golang value in mcl",
        "The interface to install other machines from.";
    CLI_NETWORK, "cli_network", "func() str", Error,
        "error: func `embedded/provisioner.cli_network()` has nil value: cannot represent a nil golang value in mcl",
        "The network with its prefix.";
    CLI_ROUTER, "cli_router", "func() str", Error,
        "error: func `embedded/provisioner.cli_router()` has nil value: cannot represent a nil golang value in mcl",
        "The address of this machine, with its prefix.";
    CLI_DNS, "cli_dns", "func() []str", List,
        "[]",
        "The name servers to tell.";
    CLI_PREFIX, "cli_prefix", "func() str", Error,
        "error: func `embedded/provisioner.cli_prefix()` has nil value: cannot represent a nil golang value in mcl",
        "The directory for downloads.";
    CLI_FIREWALLD, "cli_firewalld", "func() bool", Bool(true),
        "true",
        "Whether to open the firewall.";
    CLI_DISTRO, "cli_distro", "func() str", Text("fedora"),
        r#""fedora""#,
        "The distribution to install.";
    CLI_VERSION, "cli_version", "func() str", Text(""),
        r#""""#,
        "The version of the distribution.";
    CLI_ARCH, "cli_arch", "func() str", Text("x86_64"),
        r#""x86_64""#,
        "The processor architecture.";
    CLI_FLAVOUR, "cli_flavour", "func() str", Error,
        "error: func `embedded/provisioner.cli_flavour()` has nil value: cannot represent a nil golang value in mcl",
        "The flavour of the distribution.";
    CLI_MIRROR, "cli_mirror", "func() str", Text(""),
        r#""""#,
        "The https mirror.";
    CLI_RSYNC, "cli_rsync", "func() str", Text(""),
        r#""""#,
        "The rsync mirror.";
    CLI_MAC, "cli_mac", "func() str", Error,
        "error: func `embedded/provisioner.cli_mac()` has nil value: cannot represent a nil golang value in mcl",
        "The hardware address of the machine to install; empty for any.";
    CLI_IP, "cli_ip", "func() str", Error,
        "error: func `embedded/provisioner.cli_ip()` has nil value: cannot represent a nil golang value in mcl",
        "The address for the machine to install, with its prefix.";
    CLI_BIOS, "cli_bios", "func() bool", Bool(false),
        "false",
        "Whether to boot the old way, without UEFI.";
    CLI_PART, "cli_part", "func() str", Text(""),
        r#""""#,
        "The partition scheme: empty, plain or btrfs.";
    CLI_LUKS, "cli_luks", "func() bool", Bool(true),
        "true",
        "Whether to encrypt with an empty password.";
    CLI_PACKAGES, "cli_packages", "func() []str", List,
        "[]",
        "More packages to install.";
    CLI_HANDOFF_EXEC, "cli_handoff_exec", "func() str", Text(""),
        r#""""#,
        "The command for the first boot.";
    CLI_HANDOFF_CODE, "cli_handoff_code", "func() str", Text(""),
        r#""""#,
        "The directory of code to hand over.";
    CLI_HANDOFF_MODULE_PATH, "cli_handoff_module_path", "func() str", Text(""),
        r#""""#,
        "The module path to hand over.";
    CLI_HANDOFF_HOSTNAME, "cli_handoff_hostname", "func() str", Text(""),
        r#""""#,
        "The host name to hand over.";
    CLI_BMC_URI, "cli_bmc_uri", "func() str", Text(""),
        r#""""#,
        "How to reach the management controller.";
    CHECK, "check", "func() bool", Bool(false),
        "false",
        "Whether to end after the check stage.";
    CLI_PASSWORD, "cli_password", "func() str", Text(""),
        r#""""#,
        "The salted hash of the password.";
}

fn setting(world: &mut dyn World, args: &Args, name: &str, unset: Unset) -> Result<Option<Value>, FnError> {
    let setting = name.strip_prefix("cli_").unwrap_or(name);
    let set = known!(ask_optional(world, &FactSpec::Setting { name: setting.into() }));
    // A setting comes from outside: it need not be what it should be.
    if let Some(value) = set.filter(|value| fits(value, &args.ty.ret)) {
        return Ok(Some(value));
    }
    match unset {
        Error => {
            let what = format!("func `embedded/provisioner.{name}()` has nil value");
            Err(FnError::fatal(format!("{what}: cannot represent a nil golang value in mcl")))
        }
        Text(text) => Ok(Some(Value::str(text))),
        Bool(value) => Ok(Some(Value::Bool(value))),
        List => Ok(Some(Value::list([]))),
    }
}

fn fits(value: &Value, ty: &Type) -> bool {
    match value {
        Value::List(items) => matches!(ty, Type::List(of) if items.iter().all(|item| fits(item, of))),
        _ => value.type_of().as_ref() == Some(ty),
    }
}
