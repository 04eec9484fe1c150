//! Network addresses in fields: host and port, prefixes, hardware addresses, masks.

use super::rules::ensure;
use std::net::{IpAddr, Ipv4Addr};

/// The host and the port of `host:port`; an IPv6 host is in brackets. The port is any text.
pub(super) fn split_host_port(address: &str) -> Result<(&str, &str), String> {
    let missing = || format!("address {address}: missing port in address");
    let many = || format!("address {address}: too many colons in address");
    let (host, port) = address.rsplit_once(':').ok_or_else(missing)?;
    if let Some(inside) = host.strip_prefix('[') {
        let inside = inside.strip_suffix(']').ok_or_else(|| if host.contains(']') { many() } else { missing() })?;
        ensure(!inside.contains(['[', ']']), format!("address {address}: unexpected bracket in address"))?;
        return Ok((inside, port));
    }
    ensure(!host.contains(':'), many())?;
    ensure(!address.contains(['[', ']']), format!("address {address}: unexpected bracket in address"))?;
    Ok((host, port))
}

/// A listen address: `host:port` with an IP, or nothing, as host.
pub(super) fn listen(address: &str) -> Result<Option<IpAddr>, String> {
    ensure(!address.is_empty(), "empty address")?;
    let (host, _) =
        split_host_port(address).map_err(|why| format!("the Address is in an invalid format: {address}: {why}"))?;
    if host.is_empty() {
        return Ok(None);
    }
    host.parse().map(Some).map_err(|_| format!("the Address is not a valid IP: {host}"))
}

/// An address with a prefix length.
pub(super) fn prefix(text: &str) -> Option<(IpAddr, u8)> {
    let (address, length) = text.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    let digits = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
    let length: u8 = digits.then(|| length.parse().ok())??;
    (length <= if address.is_ipv4() { 32 } else { 128 }).then_some((address, length))
}

/// An IPv4 address with a prefix length.
pub(super) fn prefix4(text: &str) -> Result<(Ipv4Addr, u8), String> {
    match prefix(text) {
        Some((IpAddr::V4(address), length)) => Ok((address, length)),
        Some((IpAddr::V6(_), _)) => Err("only IPv4 is supported".into()),
        None => Err(format!("invalid IP/CIDR address: {text}")),
    }
}

/// A hardware address must be written in lower case with colons.
pub(super) fn canonical_mac(text: &str) -> Result<(), String> {
    ensure(!text.is_empty(), "the MAC address is missing")?;
    let canonical = mac(text).ok_or_else(|| format!("invalid mac address: {text}"))?;
    ensure(text == canonical, format!("the MAC address must be written like {canonical}"))
}

/// The usual form of a hardware address of 6, 8 or 20 bytes: pairs of digits between colons or
/// dashes, or groups of four between periods.
fn mac(text: &str) -> Option<String> {
    let separator = text.chars().find(|c| !c.is_ascii_hexdigit())?;
    let width = match separator {
        ':' | '-' => 2,
        '.' => 4,
        _ => return None,
    };
    let groups: Vec<&str> = text.split(separator).collect();
    let well_formed = |group: &&str| group.len() == width && group.bytes().all(|byte| byte.is_ascii_hexdigit());
    let n_bytes = groups.len() * width / 2;
    if !groups.iter().all(well_formed) || !matches!(n_bytes, 6 | 8 | 20) {
        return None;
    }
    let digits = groups.concat().to_ascii_lowercase();
    let pairs: Vec<&str> = (0..n_bytes).map(|at| &digits[at * 2..at * 2 + 2]).collect();
    Some(pairs.join(":"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_and_port() {
        assert_eq!(split_host_port("[::1]:80"), Ok(("::1", "80")));
        assert_eq!(split_host_port(":port"), Ok(("", "port")));
        for bad in ["69", "::1:80", "[::1]", "[::1", "a]:1", ""] {
            assert!(split_host_port(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn prefixes() {
        assert!(prefix("10.0.0.7/24").is_some());
        assert!(prefix("fd00::/64").is_some());
        for bad in ["10.0.0.5", "10.0.0.5/33", "10.0.0/8", "10.0.0.1/", "x/24", "10.0.0.1/+8"] {
            assert!(prefix(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn hardware_addresses() {
        assert_eq!(canonical_mac("00:11:22:33:44:aa"), Ok(()));
        for bad in ["", "00:11:22:33:44:AA", "00-11-22-33-44-aa", "0011.2233.44aa", "00:11:22:33:44", "001122334455"] {
            assert!(canonical_mac(bad).is_err(), "{bad}");
        }
    }
}
