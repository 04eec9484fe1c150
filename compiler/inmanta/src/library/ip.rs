//! The functions of the module `ip`: checks of addresses, and arithmetic on them.

use super::addresses::{self, Answer, interface};
use super::{Definition, texts};
use crate::eval::{Call, Stop};
use crate::value::Value;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub(super) static DEFS: &[Definition] = &[
    Definition::new(
        "ip::is_valid_ip",
        "is_valid_ip(addr: string) -> bool",
        "Reports whether a text is an IPv4 address.",
        is_valid_ip,
    )
    .examples(&[("ip::is_valid_ip(\"10.0.0.1\")", "true"), ("ip::is_valid_ip(\"10.0.0\")", "false")]),
    Definition::new(
        "ip::is_valid_ip_v6",
        "is_valid_ip_v6(addr: string) -> bool",
        "Reports whether a text is an IPv6 address.",
        is_valid_ip_v6,
    )
    .examples(&[("ip::is_valid_ip_v6(\"fe80::1\")", "true"), ("ip::is_valid_ip_v6(\"10.0.0.1\")", "false")]),
    Definition::new(
        "ip::is_valid_ip_v10",
        "is_valid_ip_v10(addr: string) -> bool",
        "Reports whether a text is an address of either version.",
        is_valid_ip_v10,
    )
    .examples(&[("ip::is_valid_ip_v10(\"fe80::1\")", "true"), ("ip::is_valid_ip_v10(\"x\")", "false")]),
    Definition::new(
        "ip::is_valid_cidr",
        "is_valid_cidr(addr: string) -> bool",
        "Reports whether a text is an IPv4 address with a prefix length.",
        is_valid_cidr,
    )
    .examples(&[("ip::is_valid_cidr(\"10.0.0.1/24\")", "true"), ("ip::is_valid_cidr(\"10.0.0.1/33\")", "false")]),
    Definition::new(
        "ip::is_valid_cidr_v6",
        "is_valid_cidr_v6(addr: string) -> bool",
        "Reports whether a text is an IPv6 address with a prefix length.",
        is_valid_cidr_v6,
    )
    .examples(&[("ip::is_valid_cidr_v6(\"fe80::1/64\")", "true")]),
    Definition::new(
        "ip::is_valid_cidr_v10",
        "is_valid_cidr_v10(addr: string) -> bool",
        "Reports whether a text is an address of either version with a prefix length.",
        is_valid_cidr_v10,
    )
    .examples(&[("ip::is_valid_cidr_v10(\"fe80::1/64\")", "true"), ("ip::is_valid_cidr_v10(\"10.0.0.1\")", "false")]),
    Definition::new(
        "ip::is_valid_netmask",
        "is_valid_netmask(netmask: string) -> bool",
        "Reports whether a text is an IPv4 netmask.",
        is_valid_netmask,
    )
    .examples(&[
        ("ip::is_valid_netmask(\"255.255.255.0\")", "true"),
        ("ip::is_valid_netmask(\"255.0.255.0\")", "false"),
    ]),
    Definition::new(
        "ip::hostname",
        "hostname(fqdn: string) -> string",
        "Returns the first label of a name.",
        texts::hostname,
    )
    .examples(&[("ip::hostname(\"www.example.org\")", "\"www\"")]),
    Definition::new(
        "ip::concat",
        "concat(host: std::hoststring, domain: std::hoststring) -> std::hoststring",
        "Joins the name of a host and a domain.",
        concat,
    )
    .examples(&[("ip::concat(\"www\", \"example.org\")", "\"www.example.org\"")]),
    Definition::new(
        "ip::add",
        "add(addr: std::ipv_any_address, n: int) -> std::ipv_any_address",
        "Adds a number to an address.",
        addresses::add_to_ip,
    )
    .examples(&[("ip::add(\"10.0.0.255\", 1)", "\"10.0.1.0\"")]),
    Definition::new(
        "ip::ipindex",
        "ipindex(addr: std::ipv_any_network, position: int) -> string",
        "Returns the address at a position in a network.",
        addresses::ipindex,
    )
    .examples(&[("ip::ipindex(\"10.0.0.0/24\", 5)", "\"10.0.0.5\"")]),
    Definition::new(
        "ip::ipnet",
        "ipnet(addr: std::ipv_any_interface, what: string) -> string",
        "Returns the `ip`, `prefixlen`, `netmask` or `network` of an address with a prefix length.",
        ipnet,
    )
    .examples(&[
        ("ip::ipnet(\"10.0.0.5/24\", \"ip\")", "\"10.0.0.5\""),
        ("ip::ipnet(\"10.0.0.5/24\", \"prefixlen\")", "\"24\""),
        ("ip::ipnet(\"10.0.0.5/24\", \"netmask\")", "\"255.255.255.0\""),
        ("ip::ipnet(\"10.0.0.5/24\", \"network\")", "\"10.0.0.0\""),
    ]),
    Definition::new(
        "ip::cidr_to_network",
        "cidr_to_network(cidr: string) -> string",
        "Returns the first address of a network.",
        addresses::network_address,
    )
    .examples(&[("ip::cidr_to_network(\"10.0.0.5/24\")", "\"10.0.0.0\"")]),
    Definition::new(
        "ip::net_to_nm",
        "net_to_nm(network_addr: string) -> string",
        "Returns the mask of a network.",
        addresses::netmask,
    )
    .examples(&[("ip::net_to_nm(\"10.0.0.0/24\")", "\"255.255.255.0\"")]),
    Definition::new(
        "ip::network",
        "network(ip: string, cidr: string) -> string",
        "Returns the first address of the network of an address, with a prefix length as text.",
        network,
    )
    .examples(&[("ip::network(\"10.0.0.5\", \"24\")", "\"10.0.0.0\"")]),
];

fn answer(holds: bool) -> Answer {
    Ok(Value::Bool(holds))
}

fn is_valid_ip(call: &mut Call<'_, '_>) -> Answer {
    answer(call.text(0).parse::<Ipv4Addr>().is_ok())
}

fn is_valid_ip_v6(call: &mut Call<'_, '_>) -> Answer {
    answer(call.text(0).parse::<Ipv6Addr>().is_ok())
}

fn is_valid_ip_v10(call: &mut Call<'_, '_>) -> Answer {
    answer(call.text(0).parse::<IpAddr>().is_ok())
}

/// The address of a text with a prefix.
fn cidr(call: &Call<'_, '_>) -> Option<IpAddr> {
    let text = call.text(0);
    text.contains('/').then(|| interface(text)).flatten().map(|interface| interface.address)
}

fn is_valid_cidr(call: &mut Call<'_, '_>) -> Answer {
    answer(cidr(call).is_some_and(|address| address.is_ipv4()))
}

fn is_valid_cidr_v6(call: &mut Call<'_, '_>) -> Answer {
    answer(cidr(call).is_some_and(|address| address.is_ipv6()))
}

fn is_valid_cidr_v10(call: &mut Call<'_, '_>) -> Answer {
    answer(cidr(call).is_some())
}

fn is_valid_netmask(call: &mut Call<'_, '_>) -> Answer {
    let mask: Option<Ipv4Addr> = call.text(0).parse().ok();
    answer(mask.is_some_and(|mask| u32::from(mask).leading_ones() + u32::from(mask).trailing_zeros() >= 32))
}

fn concat(call: &mut Call<'_, '_>) -> Answer {
    Ok(Value::str(&format!("{}.{}", call.text(0), call.text(1))))
}

fn ipnet(call: &mut Call<'_, '_>) -> Answer {
    match call.text(1) {
        "ip" => addresses::address(call),
        "netmask" => addresses::netmask(call),
        "network" => addresses::network_address(call),
        "prefixlen" => match interface(call.text(0)) {
            Some(interface) => Ok(Value::str(&interface.prefix.to_string())),
            None => addresses::address(call),
        },
        other => {
            let cause = format!("ValueError: expected `ip`, `prefixlen`, `netmask` or `network`, found `{other}`");
            Err(Stop::Failed(cause))
        }
    }
}

fn network(call: &mut Call<'_, '_>) -> Answer {
    call.args[0] = Value::str(&format!("{}/{}", call.text(0), call.text(1).trim_start_matches('/')));
    addresses::network_address(call)
}
