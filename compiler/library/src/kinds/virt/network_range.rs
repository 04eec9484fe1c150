//! `virt:network:range`: dynamic DHCP pool of a virt:network. Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::{Decision, Field, Kind, KindDecl, Seen, Traits, Want};
use std::net::Ipv4Addr;

/// The kind `virt:network:range`.
pub(crate) struct VirtNetworkRange;

static DECL: KindDecl = KindDecl {
    name: "virt:network:range",
    doc: "Dynamic DHCP pool of a `virt:network`.",
    fields: &[
        Field::str("network", "Network", "Name of the `virt:network` it belongs to."),
        Field::str("start", "Start", "First address.").required(),
        Field::str("end", "End", "Last address.").required(),
    ],
    traits: Traits { groupable: true, ..Traits::NONE },
    constants: &[],
    policy: &[],
};

impl Kind for VirtNetworkRange {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let address = |field| {
            let text = want.text(field);
            text.parse::<Ipv4Addr>().map_err(|_| format!("`{field}` must be an IPv4 address, found `{text}`"))
        };
        ensure(address("start")? <= address("end")?, "`start` is greater than `end`")
    }

    fn backend(&self) -> &'static str {
        "libvirt; see `virt:network`."
    }

    /// Without a network it has nothing to do.
    fn decide(&self, _want: &Want, _seen: &Seen) -> Decision {
        Decision::InState(Vec::new())
    }
}
