//! Network addresses in fields: host and port, prefixes, hardware addresses, masks.

use super::rules::ensure;
use std::net::{IpAddr, Ipv4Addr};

/// The host and the port of the `host:port` in a field; an IPv6 host is in brackets. The port is any text.
pub(super) fn split_host_port<'a>(field: &str, address: &'a str) -> Result<(&'a str, &'a str), String> {
    let missing = || format!("`{field}` needs a port, found `{address}`");
    let bracket = || format!("unexpected bracket in `{field}`: `{address}`");
    let (host, port) = address.rsplit_once(':').ok_or_else(missing)?;
    if let Some(inside) = host.strip_prefix('[') {
        let inside = inside.strip_suffix(']').ok_or_else(|| if host.contains(']') { bracket() } else { missing() })?;
        ensure(!inside.contains(['[', ']']), bracket())?;
        return Ok((inside, port));
    }
    ensure(!host.contains(':'), format!("an IPv6 address in `{field}` must be in brackets, found `{address}`"))?;
    ensure(!address.contains(['[', ']']), bracket())?;
    Ok((host, port))
}

/// A listen address: `host:port` with an IP, or nothing, as host.
pub(super) fn listen(address: &str) -> Result<Option<IpAddr>, String> {
    ensure(!address.is_empty(), "`address` is empty")?;
    let (host, _) = split_host_port("address", address)?;
    if host.is_empty() {
        return Ok(None);
    }
    host.parse().map(Some).map_err(|_| format!("the host of `address` must be an IP address, not `{host}`"))
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
        None => Err(format!("expected an IPv4 address with a prefix length, found `{text}`")),
    }
}

/// A hardware address must be written in lower case with colons.
pub(super) fn canonical_mac(text: &str) -> Result<(), String> {
    ensure(!text.is_empty(), "the MAC address is missing")?;
    let canonical = mac(text).ok_or_else(|| format!("`{text}` is not a MAC address"))?;
    ensure(text == canonical, format!("`mac` must be written as `{canonical}`"))
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
        assert_eq!(split_host_port("address", "[::1]:80"), Ok(("::1", "80")));
        assert_eq!(split_host_port("address", ":port"), Ok(("", "port")));
        for bad in ["69", "::1:80", "[::1]", "[::1", "a]:1", ""] {
            assert!(split_host_port("address", bad).is_err(), "{bad}");
        }
        let why = split_host_port("address", "69").unwrap_err();
        assert_eq!(why, "`address` needs a port, found `69`");
        assert!(listen("localhost:69").unwrap_err().ends_with("not `localhost`"));
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
