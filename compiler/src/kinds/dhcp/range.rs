//! `dhcp:range`: Dynamic address pool inside a dhcp:server. Resource spec, 9.

use crate::kinds::{Field, Kind, KindDecl, Traits};

/// The kind `dhcp:range`.
pub(crate) struct DhcpRange;

static DECL: KindDecl = KindDecl {
    name: "dhcp:range",
    doc: "Dynamic address pool inside a dhcp:server.",
    fields: &[
        Field::str("server", "Server", "Name of the dhcp:server to join."),
        Field::str("network", "Network", "CIDR network; empty means the resource name."),
        Field::str("from", "From", "First address; needs to."),
        Field::str("to", "To", "Last address; needs from."),
        Field::str("mask", "Mask", "Mask (/N or dotted) when from and to carry no prefix."),
        Field::strs("skip", "Skip", "Addresses never handed out."),
        Field::bool("persist", "Persist", "Persist leases (not implemented: Init fails)."),
        Field::str("nbp", "NBP", "Network boot URL."),
        Field::str("nbp_path", "NBPPath", "Boot file path."),
    ],
    traits: Traits { groupable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for DhcpRange {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
