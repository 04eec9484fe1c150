//! `virt:network`: Manages a libvirt NAT network including its DHCP hosts and ranges. Resource
//! spec, 9.

use crate::kinds::{Field, HostField, HostType, Kind, KindDecl, Traits};

/// The kind `virt:network`.
pub(crate) struct VirtNetwork;

static DECL: KindDecl = KindDecl {
    name: "virt:network",
    doc: "Manages a libvirt NAT network including its DHCP hosts and ranges.",
    fields: &[
        Field::str("uri", "URI", "Libvirt connection URI."),
        Field::str("state", "State", "up, down or empty."),
        Field::bool("transient", "Transient", "Network exists only while up."),
        Field::str("startup", "Startup", "Autostart: enabled, disabled or empty."),
        Field::str("uuid", "UUID", "UUID; empty lets libvirt choose."),
        Field::str("device", "Device", "Bridge device; empty means virbr0."),
        Field::str("mode", "Mode", "Forward mode; only nat (the default) is accepted."),
        Field::str("mac", "Mac", "Bridge MAC in canonical form."),
        Field::str("ip", "IP", "Router address with prefix length."),
        Field::bool("purge_hosts", "PurgeHosts", "Remove undeclared DHCP hosts."),
        Field::bool("purge_ranges", "PurgeRanges", "Remove undeclared DHCP ranges."),
        Field::new(
            "auth",
            "Auth",
            HostType::Struct(&[HostField::new("username", HostType::Str), HostField::new("password", HostType::Str)]),
            "Credentials for the connection.",
        )
        .nullable(),
    ],
    traits: Traits { edgeable_inert: true, groupable: true, groups_others: true, background: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for VirtNetwork {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
