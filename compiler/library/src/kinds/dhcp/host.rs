//! `dhcp:host`: static reservation inside a dhcp:server. Resource spec, 9.

use crate::kinds::address::{canonical_mac, prefix4};
use crate::kinds::{Decision, Field, Kind, KindDecl, Seen, Traits, Want};

/// The kind `dhcp:host`.
pub(crate) struct DhcpHost;

static DECL: KindDecl = KindDecl {
    name: "dhcp:host",
    doc: "Static reservation in a `dhcp:server`.",
    fields: &[
        Field::str("server", "Server", "Name of the `dhcp:server` it belongs to; empty means any."),
        Field::str("mac", "Mac", "MAC address with colons, in lower case.").required(),
        Field::str("ip", "IP", "IPv4 address with prefix length.").required(),
        Field::str("nbp", "NBP", "Network boot URL; overrides the default of the server."),
        Field::str("nbp_path", "NBPPath", "Boot file path; overrides the one in `nbp`."),
    ],
    traits: Traits { groupable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for DhcpHost {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        canonical_mac(&want.text("mac"))?;
        prefix4(&want.text("ip"))?;
        super::boot_url(&want.text("nbp"))
    }

    fn backend(&self) -> &'static str {
        "the DHCP server of the agent; see `dhcp:server`."
    }

    /// Without a server it has nothing to do.
    fn decide(&self, _want: &Want, _seen: &Seen) -> Decision {
        Decision::InState(Vec::new())
    }
}
