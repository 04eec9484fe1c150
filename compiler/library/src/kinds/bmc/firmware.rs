//! `bmc:firmware`: Installs a firmware image on a management controller; polling only. Resource
//! spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::{Field, HostType, Kind, KindDecl, Traits, Want};

/// The kind `bmc:firmware`.
pub(crate) struct BmcFirmware;

static DECL: KindDecl = KindDecl {
    name: "bmc:firmware",
    doc: "Installs a firmware image on a management controller; polling only.",
    fields: &[
        Field::str("hostname", "Hostname", "BMC host; empty takes it from the name."),
        Field::int("port", "Port", HostType::Int, "Port."),
        Field::str("username", "Username", "User."),
        Field::str("password", "Password", "Password.").secret(),
        Field::bool("insecure_password", "InsecurePassword", "Allow the password to come from the name."),
        Field::str("provider", "Provider", "Vendor plugin such as supermicro (mandatory).").required(),
        Field::str("file", "File", "Absolute image path (mandatory).").required(),
        Field::str("hash", "Hash", "Optional sha256 of the image."),
        Field::str("version", "Version", "Version the image contains (mandatory).").required(),
        Field::str("block", "Block", "Name of a bmc:power resource to hold back meanwhile."),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for BmcFirmware {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(want.meta.poll != 0, "events are not yet supported, use polling")?;
        ensure(!super::hostname(want).is_empty(), "`hostname` is required")?;
        ensure(!want.text("provider").is_empty(), "`provider` is required")?;
        let file = want.text("file");
        ensure(file.starts_with('/'), "`file` must be an absolute path")?;
        ensure(!file.ends_with('/'), "`file` must not be a directory")?;
        ensure(!want.text("version").is_empty(), "`version` is empty")
    }
}
