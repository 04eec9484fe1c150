//! Arithmetic on network addresses, which are strings.

use super::Definition;
use crate::eval::{Call, Stop};
use crate::value::Value;
use num_bigint::BigInt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub(super) type Answer = Result<Value, Stop>;

pub(super) static DEFS: &[Definition] = &[
    Definition::new(
        "std::ipindex",
        "ipindex(addr: std::ipv_any_network, position: int, keep_prefix: bool = false) -> string",
        "Returns the address at a position in a network.",
        ipindex,
    )
    .examples(&[
        ("std::ipindex(\"10.0.0.0/24\", 5)", "\"10.0.0.5\""),
        ("std::ipindex(\"10.0.0.0/24\", 5, true)", "\"10.0.0.5/24\""),
    ]),
    Definition::new(
        "std::add_to_ip",
        "add_to_ip(addr: std::ipv_any_address, n: int) -> std::ipv_any_address",
        "Adds a number to an address.",
        add_to_ip,
    )
    .examples(&[("std::add_to_ip(\"10.0.0.1\", 4)", "\"10.0.0.5\"")]),
    Definition::new(
        "std::ip_address_from_interface",
        "ip_address_from_interface(ip_interface: std::ipv_any_interface) -> std::ipv_any_address",
        "Returns the address of an interface.",
        address,
    )
    .examples(&[("std::ip_address_from_interface(\"10.0.0.5/24\")", "\"10.0.0.5\"")]),
    Definition::new(
        "std::netmask",
        "netmask(addr: std::ipv_any_interface) -> std::ipv_any_address",
        "Returns the mask of a network.",
        netmask,
    )
    .examples(&[("std::netmask(\"10.0.0.5/24\")", "\"255.255.255.0\"")]),
    Definition::new(
        "std::network_address",
        "network_address(addr: std::ipv_any_interface) -> std::ipv_any_address",
        "Returns the first address of a network.",
        network_address,
    )
    .examples(&[("std::network_address(\"10.0.0.5/24\")", "\"10.0.0.0\"")]),
    Definition::new(
        "std::prefixlen",
        "prefixlen(addr: std::ipv_any_interface) -> int",
        "Returns the prefix length of a network.",
        prefixlen,
    )
    .examples(&[("std::prefixlen(\"10.0.0.5/24\")", "24")]),
    Definition::new(
        "std::prefixlength_to_netmask",
        "prefixlength_to_netmask(prefixlen: int) -> std::ipv4_address",
        "Converts a prefix length to a mask.",
        prefix_to_netmask,
    )
    .examples(&[("std::prefixlength_to_netmask(24)", "\"255.255.255.0\"")]),
];

/// An address with its prefix length.
#[derive(Clone, Copy)]
pub(super) struct Interface {
    pub(super) address: IpAddr,
    pub(super) prefix: u32,
}

fn bits(address: IpAddr) -> (u128, u32) {
    match address {
        IpAddr::V4(address) => (u128::from(u32::from(address)), 32),
        IpAddr::V6(address) => (u128::from(address), 128),
    }
}

fn of_bits(value: u128, width: u32) -> Option<IpAddr> {
    if width == 32 {
        u32::try_from(value).ok().map(|value| IpAddr::V4(Ipv4Addr::from(value)))
    } else {
        Some(IpAddr::V6(Ipv6Addr::from(value)))
    }
}

fn mask(prefix: u32, width: u32) -> u128 {
    let all = if width == 128 { u128::MAX } else { (1 << width) - 1 };
    let host_bits = width - prefix.min(width);
    if host_bits >= 128 { 0 } else { all & !((1u128 << host_bits) - 1) }
}

/// `A.B.C.D/N`, or an address alone.
pub(super) fn interface(text: &str) -> Option<Interface> {
    let (address, prefix) = match text.split_once('/') {
        Some((address, prefix)) => (address, Some(prefix)),
        None => (text, None),
    };
    let address: IpAddr = address.parse().ok()?;
    let (_, width) = bits(address);
    let prefix = match prefix {
        None => width,
        Some(prefix) if !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit()) => {
            prefix.parse::<u32>().ok().filter(|prefix| *prefix <= width)?
        }
        Some(prefix) => {
            let (value, _) = bits(IpAddr::V4(prefix.parse().ok()?));
            (0..=32).find(|length| mask(*length, 32) == value).filter(|_| width == 32)?
        }
    };
    Some(Interface { address, prefix })
}

/// A network: no bits after the prefix.
pub(super) fn network(text: &str) -> Option<Interface> {
    let interface = interface(text)?;
    let (value, width) = bits(interface.address);
    (value & !mask(interface.prefix, width) == 0).then_some(interface)
}

fn wanted(call: &Call<'_, '_>) -> Result<Interface, Stop> {
    interface(call.text(0)).ok_or_else(|| {
        Stop::Failed(format!("ValueError: '{}' does not appear to be an IPv4 or IPv6 interface", call.text(0)))
    })
}

fn shown(address: Option<IpAddr>) -> Answer {
    match address {
        Some(address) => Ok(Value::str(&address.to_string())),
        None => Err(Stop::Failed("ipaddress.AddressValueError: the address is out of range".into())),
    }
}

pub(super) fn ipindex(call: &mut Call<'_, '_>) -> Answer {
    let network = wanted(call)?;
    let (value, width) = bits(network.address);
    let position = call.int(1)?;
    let size = u128::from(width - network.prefix);
    let end = if size >= 128 { u128::MAX } else { 1u128 << size };
    let offset =
        if position < 0 { end.checked_sub(u128::from(position.unsigned_abs())) } else { Some(position as u128) };
    let Some(offset) = offset.filter(|offset| *offset < end) else {
        return Err(Stop::Failed("IndexError: Address out of range".into()));
    };
    let Some(address) =
        (value & mask(network.prefix, width)).checked_add(offset).and_then(|value| of_bits(value, width))
    else {
        return Err(Stop::Failed("IndexError: Address out of range".into()));
    };
    let keeps = call.args.get(2).and_then(Value::as_bool) == Some(true);
    Ok(Value::str(&if keeps { format!("{address}/{}", network.prefix) } else { address.to_string() }))
}

pub(super) fn add_to_ip(call: &mut Call<'_, '_>) -> Answer {
    let (value, width) = bits(wanted(call)?.address);
    let n = call.int(1)?;
    let moved = if n < 0 { value.checked_sub(u128::from(n.unsigned_abs())) } else { value.checked_add(n as u128) };
    let moved = moved.and_then(|value| of_bits(value, width));
    if moved.is_none() { Err(Stop::Failed(no_address(value, n, width))) } else { shown(moved) }
}

/// A sum that is not an address, in the words of Python.
fn no_address(value: u128, n: i64, width: u32) -> String {
    let sum = BigInt::from(value) + n;
    let beyond = if n < 0 { "< 0".to_owned() } else { format!(">= 2**{width}") };
    let version = if width == 32 { 4 } else { 6 };
    format!("ipaddress.AddressValueError: {sum} ({beyond}) is not permitted as an IPv{version} address")
}

pub(super) fn address(call: &mut Call<'_, '_>) -> Answer {
    shown(Some(wanted(call)?.address))
}

pub(super) fn netmask(call: &mut Call<'_, '_>) -> Answer {
    let interface = wanted(call)?;
    let (_, width) = bits(interface.address);
    shown(of_bits(mask(interface.prefix, width), width))
}

pub(super) fn network_address(call: &mut Call<'_, '_>) -> Answer {
    let interface = wanted(call)?;
    let (value, width) = bits(interface.address);
    shown(of_bits(value & mask(interface.prefix, width), width))
}

fn prefixlen(call: &mut Call<'_, '_>) -> Answer {
    Ok(Value::int(i64::from(wanted(call)?.prefix)))
}

pub(super) fn prefix_to_netmask(call: &mut Call<'_, '_>) -> Answer {
    match u32::try_from(call.int(0)?).ok().filter(|prefix| *prefix <= 32) {
        Some(prefix) => shown(of_bits(mask(prefix, 32), 32)),
        None => Err(Stop::Failed(format!("ipaddress.NetmaskValueError: '{}' is not a valid netmask", call.int(0)?))),
    }
}
