//! `net`: Configures a network interface: link state, addresses, default gateway, and a matching
//! systemd-networkd file. Resource spec, 9.

use crate::kinds::{Constant, Field, Kind, KindDecl, Traits};

/// The kind `net`.
pub(crate) struct Net;

static DECL: KindDecl = KindDecl {
    name: "net",
    doc: "Configures a network interface: link state, addresses, default gateway, and a matching systemd-networkd file.",
    fields: &[
        Field::str("state", "State", "up, down, or empty."),
        Field::strs("addrs", "Addrs", "Addresses with prefix length. Null leaves addresses alone.").empty_differs(),
        Field::str("gateway", "Gateway", "IPv4 default gateway."),
        Field::bool("ip_forward", "IPForward", "IPForward= in the networkd file; null omits it.")
            .nullable()
            .not_compared(),
    ],
    traits: Traits { reversible: true, uses_vardir: true, ..Traits::NONE },
    constants: &[
        ("state.up", Constant::Str("up")),
        ("state.down", Constant::Str("down")),
        ("state.undefined", Constant::Str("")),
    ],
};

impl Kind for Net {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
