//! `bmc:firmware`: Installs a firmware image on a management controller; polling only. Resource
//! spec, 9.

use crate::kinds::{Field, HostType, Kind, KindDecl, Traits};

/// The kind `bmc:firmware`.
pub(crate) struct BmcFirmware;

static DECL: KindDecl = KindDecl {
    name: "bmc:firmware",
    doc: "Installs a firmware image on a management controller; polling only.",
    fields: &[
        Field::str("hostname", "Hostname", "BMC host; empty parses the name."),
        Field::int("port", "Port", HostType::Int, "Port."),
        Field::str("username", "Username", "User."),
        Field::str("password", "Password", "Password."),
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
}
