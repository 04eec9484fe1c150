//! `virt:network`: Manages a libvirt NAT network including its DHCP hosts and ranges. Resource
//! spec, 9.

use crate::kinds::address::{canonical_mac, prefix4};
use crate::kinds::rules::ensure;
use crate::kinds::rules::{known_state, one_of};
use crate::kinds::{Field, HostField, HostType, Kind, KindDecl, Traits, Want};

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
        Field::str("mode", "Mode", "Forward mode; only `nat`, the default, is accepted."),
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
        .nullable()
        .secret(),
    ],
    traits: Traits { edgeable_inert: true, groupable: true, groups_others: true, background: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for VirtNetwork {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let state = want.text("state");
        known_state(&state, &["up", "down", ""])?;
        let startup = want.text("startup");
        one_of(&startup, &["enabled", "disabled", ""], || "startup is invalid".into())?;
        let transient = want.bool("transient");
        ensure(!transient || startup.is_empty(), "`transient` cannot be combined with `startup`")?;
        let uuid = want.text("uuid");
        ensure(uuid.is_empty() || is_uuid(&uuid), format!("invalid UUID: {uuid}"))?;
        one_of(&want.text("mode"), &["", "nat"], || "only the nat mode is supported".into())?;
        if transient && state == "down" {
            return Ok(());
        }
        canonical_mac(&want.text("mac"))?;
        prefix4(&want.text("ip")).map(drop)
    }

    fn groups(&self, leader: &Want, member: &Want) -> Result<(), String> {
        let members = ["virt:network:host", "virt:network:range"];
        one_of(member.decl.name, &members, || "this kind does not belong to a virt:network".into())?;
        let network = member.text("network");
        ensure(network.is_empty() || network == leader.name, "it belongs to another network")
    }
}

/// Thirty-two digits, with dashes in the usual places or none.
fn is_uuid(text: &str) -> bool {
    let text = text.strip_prefix("urn:uuid:").unwrap_or(text);
    let text = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    let groups: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let digits = groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()));
    digits && (lengths == [32] || lengths == [8, 4, 4, 4, 12])
}
