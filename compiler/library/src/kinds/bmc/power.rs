//! `bmc:power`: Turns a machine on or off through its management controller; polling only. Resource
//! spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::rules::one_of;
use crate::kinds::{Field, HostType, Kind, KindDecl, Traits, Want};

/// The kind `bmc:power`.
pub(crate) struct BmcPower;

static DECL: KindDecl = KindDecl {
    name: "bmc:power",
    doc: "Turns a machine on or off through its management controller; polling only.",
    fields: &[
        Field::str("hostname", "Hostname", "BMC host; empty reads the resource name as a URL."),
        Field::int("port", "Port", HostType::Int, "Port; 0 takes it from the name, else 443."),
        Field::str("username", "Username", "User; empty takes it from the name."),
        Field::str("password", "Password", "Password.").secret(),
        Field::bool("insecure_password", "InsecurePassword", "Allow the password to come from the name."),
        Field::str(
            "driver",
            "Driver",
            "gofish or rpc, with an s suffix for https; empty uses the URL scheme of the name.",
        ),
        Field::str("state", "State", "on or off."),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for BmcPower {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(want.meta.poll != 0, "events are not yet supported, use polling")?;
        ensure(!super::hostname(want).is_empty(), "`hostname` is required")?;
        let driver = want.text("driver");
        let driver = if driver.is_empty() { super::url(want).scheme.into() } else { driver };
        ensure(!driver.is_empty(), "`driver` is required")?;
        one_of(&driver, &["gofish", "gofishs", "rpc", "rpcs"], || format!("unknown driver: {driver}"))
    }
}
