//! `dhcp:host`: Static reservation inside a dhcp:server. Resource spec, 9.

use crate::kinds::{Field, Kind, KindDecl, Traits};

/// The kind `dhcp:host`.
pub(crate) struct DhcpHost;

static DECL: KindDecl = KindDecl {
    name: "dhcp:host",
    doc: "Static reservation inside a dhcp:server.",
    fields: &[
        Field::str("server", "Server", "Name of the dhcp:server to join; empty joins any."),
        Field::str("mac", "Mac", "MAC in lower-case colon form.").required(),
        Field::str("ip", "IP", "IPv4 with prefix length.").required(),
        Field::str("nbp", "NBP", "Network boot URL overriding the server's."),
        Field::str("nbp_path", "NBPPath", "Boot file path overriding the one in nbp."),
    ],
    traits: Traits { groupable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for DhcpHost {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
