//! `dhcp:range`: dynamic address pool inside a dhcp:server. Resource spec, 9.

use crate::kinds::address::prefix;
use crate::kinds::rules::ensure;
use crate::kinds::{Decision, Field, Kind, KindDecl, Seen, Traits, Want};
use std::net::{IpAddr, Ipv4Addr};

/// The kind `dhcp:range`.
pub(crate) struct DhcpRange;

static DECL: KindDecl = KindDecl {
    name: "dhcp:range",
    doc: "Dynamic address pool in a `dhcp:server`.",
    fields: &[
        Field::str("server", "Server", "Name of the `dhcp:server` it belongs to."),
        Field::str("network", "Network", "Network in CIDR notation; defaults to the resource name."),
        Field::str("from", "From", "First address; requires `to`."),
        Field::str("to", "To", "Last address; requires `from`."),
        Field::str("mask", "Mask", "Network mask (`/N` or dotted) if `from` and `to` have no prefix length."),
        Field::strs("skip", "Skip", "Addresses that are never assigned."),
        Field::bool("persist", "Persist", "Persist leases. Not implemented: the resource fails."),
        Field::str("nbp", "NBP", "Network boot URL."),
        Field::str("nbp_path", "NBPPath", "Boot file path."),
    ],
    traits: Traits { groupable: true, ..Traits::NONE },
    constants: &[],
    policy: &[],
};

impl Kind for DhcpRange {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let (from, to, mask) = (want.text("from"), want.text("to"), want.text("mask"));
        ensure(from.is_empty() == to.is_empty(), "set both `from` and `to`, or neither")?;
        if from.is_empty() {
            ensure(mask.is_empty(), "`mask` cannot be combined with `network`")?;
            network(&want.effective("network"))?;
        } else {
            let one_length = (end(&from)?, end(&to)?) != (None, None);
            if mask.is_empty() {
                ensure(
                    one_length,
                    "the prefix length of the network is missing: set `mask`, or write it in `to`, as in `10.0.0.99/24`",
                )?;
            } else {
                ensure(
                    !one_length,
                    "the prefix length of the network is given twice: in `mask`, and in `from` or `to`",
                )?;
                check_mask(&mask)?;
            }
        }
        for skip in want.texts("skip") {
            let is_ip = skip.parse::<IpAddr>().is_ok() || prefix(&skip).is_some();
            ensure(is_ip, format!("`skip` must hold IP addresses, found `{skip}`"))?;
        }
        super::boot_url(&want.text("nbp"))
    }

    fn backend(&self) -> &'static str {
        "the DHCP server of the agent; see `dhcp:server`. Leases are kept in memory and lost when the agent stops. The \
         first and last address of a network are never assigned, and a network card has at most 16 addresses at a time."
    }

    /// Its server decides for it, if it has one.
    fn decide(&self, _want: &Want, _seen: &Seen) -> Decision {
        Decision::CannotTell("it does not belong to a dhcp:server".into())
    }
}

/// The prefix length of one end of the range, if there is one.
fn end(text: &str) -> Result<Option<u8>, String> {
    let (address, length) = match prefix(text) {
        Some((address, length)) => (address, Some(length)),
        None => (text.parse().map_err(|_| format!("expected an IPv4 address, found `{text}`"))?, None),
    };
    ensure(address.is_ipv4(), "only IPv4 is supported")?;
    Ok(length)
}

/// The network form: there must be an address after that of the network.
fn network(text: &str) -> Result<(), String> {
    let (address, length) =
        prefix(text).ok_or_else(|| format!("`network` must be an address with a prefix length, found `{text}`"))?;
    let last = match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0);
            u32::from(address) & mask == u32::MAX
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(length)).unwrap_or(0);
            u128::from(address) & mask == u128::MAX
        }
    };
    ensure(!last, "`network` has no address after its first one")
}

/// `/24`, or `255.255.255.0`.
fn check_mask(mask: &str) -> Result<(), String> {
    let invalid = || format!("`mask` must be a netmask, or a slash and a prefix length, found `{mask}`");
    if let Some(length) = mask.strip_prefix('/') {
        let digits = length.bytes().all(|byte| byte.is_ascii_digit());
        let length: u8 = length.parse().ok().filter(|_| digits).ok_or_else(invalid)?;
        return ensure(length <= 32, invalid());
    }
    let bits = u32::from(mask.parse::<Ipv4Addr>().map_err(|_| invalid())?);
    ensure(bits != 0 && bits.leading_ones() + bits.trailing_zeros() == 32, invalid())
}
