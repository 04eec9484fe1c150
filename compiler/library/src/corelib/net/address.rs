//! Parses and prints IP addresses, following Go.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An address in the family of its text: four or sixteen bytes.
///
/// Octets with leading zeros and zones are refused.
pub(super) fn parse(text: &str) -> Option<IpAddr> {
    if text.contains(':') { text.parse::<Ipv6Addr>().ok().map(IpAddr::V6) } else { parse_v4(text).map(IpAddr::V4) }
}

fn parse_v4(text: &str) -> Option<Ipv4Addr> {
    let octets: Vec<u8> = text.split('.').map(octet).collect::<Option<_>>()?;
    <[u8; 4]>::try_from(octets).ok().map(Ipv4Addr::from)
}

fn octet(text: &str) -> Option<u8> {
    let is_plain = text == "0" || !text.starts_with('0');
    let is_number = (1..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain && is_number { text.parse().ok() } else { None }
}

/// An address as text, with an IPv4-mapped one shown as IPv4.
pub(super) fn print_unmapped(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(mapped) => mapped.to_string(),
            None => address.to_string(),
        },
    }
}

/// The bits of an address, in the low bits of the number.
pub(super) fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// An address of the same family with other bits.
pub(super) fn with_bits(family: IpAddr, bits: u128) -> IpAddr {
    match family {
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::from_bits(bits as u32)),
        IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::from_bits(bits)),
    }
}

/// The number of bits of an address of this family.
pub(super) fn width(family: IpAddr) -> u32 {
    if family.is_ipv4() { 32 } else { 128 }
}

/// The bits of a network mask.
pub(super) fn mask(family: IpAddr, prefix: u32) -> u128 {
    let host = width(family) - prefix;
    let all = if family.is_ipv4() { u128::from(u32::MAX) } else { u128::MAX };
    if host == 128 { 0 } else { all >> host << host }
}

/// An IPv4-mapped address as IPv4.
pub(super) fn unmapped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => address.to_ipv4_mapped().map_or(IpAddr::V6(address), IpAddr::V4),
    }
}
