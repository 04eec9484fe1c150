//! `virt:network:host`: static DHCP entry of a virt:network. Resource spec, 9.

use crate::kinds::address::{canonical_mac, prefix4};
use crate::kinds::{Decision, Field, Kind, KindDecl, Seen, Traits, Want};

/// The kind `virt:network:host`.
pub(crate) struct VirtNetworkHost;

static DECL: KindDecl = KindDecl {
    name: "virt:network:host",
    doc: "Static DHCP entry of a `virt:network`.",
    fields: &[
        Field::str("network", "Network", "Name of the `virt:network` it belongs to."),
        Field::str("hostname", "Hostname", "DHCP host name; defaults to the resource name."),
        Field::str("mac", "Mac", "MAC address in canonical form.").required(),
        Field::str("ip", "IP", "IPv4 address with prefix length.").required(),
    ],
    traits: Traits { groupable: true, ..Traits::NONE },
    constants: &[],
    policy: &[],
};

impl Kind for VirtNetworkHost {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        canonical_mac(&want.text("mac"))?;
        prefix4(&want.text("ip")).map(drop)
    }

    fn backend(&self) -> &'static str {
        "libvirt; see `virt:network`."
    }

    /// Without a network it has nothing to do.
    fn decide(&self, _want: &Want, _seen: &Seen) -> Decision {
        Decision::InState(Vec::new())
    }
}
