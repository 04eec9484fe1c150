//! `dhcp:server`: DHCPv4 server made of grouped dhcp:host and dhcp:range resources. Resource spec,
//! 9.

use crate::kinds::{Field, Kind, KindDecl, Traits};

/// The kind `dhcp:server`.
pub(crate) struct DhcpServer;

static DECL: KindDecl = KindDecl {
    name: "dhcp:server",
    doc: "DHCPv4 server made of grouped dhcp:host and dhcp:range resources.",
    fields: &[
        Field::str("address", "Address", "Listen address such as :67; empty means the resource name."),
        Field::str("interface", "Interface", "Network interface to bind (mandatory).").required(),
        Field::str("serverid", "ServerID", "Server identifier; null derives it, empty string omits it.").nullable(),
        Field::str("leasetime", "LeaseTime", "Lease duration text such as 10m; null means 10m, empty string omits it.")
            .nullable(),
        Field::strs("dns", "DNS", "DNS servers offered."),
        Field::strs("routers", "Routers", "Routers offered."),
        Field::str("nbp", "NBP", "Default network boot URL (tftp://host/path) for the children."),
    ],
    traits: Traits { edgeable_inert: true, groupable: true, groups_others: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for DhcpServer {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
