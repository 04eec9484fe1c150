//! `net.macs`, `net.interface_cidr` and `net.wired_interface`: the host's network interfaces.

use super::address::parse;
use super::mac::print;
use crate::corelib::facts::{ask, bool_field, known, text_field};
use crate::corelib::{CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, link};
use std::net::{IpAddr, Ipv4Addr};

pub(super) static MACS: FnDef = FnDef {
    path: "net.macs",
    sig: Sig::Fixed("func() []str"),
    doc: "Returns the MAC addresses of all network interfaces except loopback, updated when a link changes.",
    examples: &[
        Example { call: "net.macs()", gives: r#"["52:54:00:12:34:56", "52:54:00:12:34:57"]"# },
        Example { call: "len(net.macs())", gives: "2" },
        Example { call: r#"contains("00:00:00:00:00:00", net.macs())"#, gives: "false" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, _| {
        let interfaces = known!(interfaces(world));
        Ok(Some(Value::list(hardware_addresses(&interfaces).into_iter().map(Value::from))))
    }),
};

pub(super) static CIDR: FnDef = FnDef {
    path: "net.interface_cidr",
    sig: Sig::Fixed("func(interface str) str"),
    doc: "Returns the first global IPv4 address of an interface with its prefix length, updated when it changes.",
    examples: &[
        Example { call: r#"net.interface_cidr("eth0")"#, gives: r#""192.0.2.10/24""# },
        Example {
            call: r#"net.interface_cidr("nope")"#,
            gives: "error: could not find interface `nope`: no such network interface",
        },
        Example {
            call: r#"net.interface_cidr("lo")"#,
            gives: "error: interface `lo` has no global-unicast IPv4 address",
        },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, args| {
        let name = args.text(0)?;
        let interfaces = known!(interfaces(world));
        let unknown = || FnError::fatal(format!("could not find interface `{name}`: no such network interface"));
        let interface = interfaces.iter().find(|interface| interface.name == name).ok_or_else(unknown)?;
        let address = interface.addresses.iter().find(|address| is_global_v4(address));
        let none = || FnError::fatal(format!("interface `{name}` has no global-unicast IPv4 address"));
        address.map(|address| Some(Value::str(address))).ok_or_else(none)
    }),
};

pub(super) static WIRED: FnDef = FnDef {
    path: "net.wired_interface",
    sig: Sig::Fixed("func() str"),
    doc: "Returns the name of the first wired network interface, preferring one that is up.",
    examples: &[
        Example { call: "net.wired_interface()", gives: r#""eth0""# },
        Example { call: "len(net.wired_interface())", gives: "4" },
        Example { call: "net.interface_cidr(net.wired_interface())", gives: r#""192.0.2.10/24""# },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, _| {
        let fail = |error: FnError| FnError::fatal(format!("could not list interfaces: {}", error.message));
        let interfaces = known!(interfaces(world).map_err(fail));
        let is_wired = |it: &&Interface| !it.is_loopback && !it.is_wireless && !it.mac.is_empty();
        let wired = || interfaces.iter().filter(is_wired);
        let found = wired().find(|interface| interface.is_up).or_else(|| wired().next());
        let none = || FnError::fatal("no wired network interface found");
        found.map(|interface| Some(Value::str(&interface.name))).ok_or_else(none)
    }),
};

/// A network interface, as the host reports it.
pub(crate) struct Interface {
    name: String,
    is_loopback: bool,
    is_up: bool,
    is_wireless: bool,
    mac: Vec<u8>,
    addresses: Vec<String>,
}

/// All interfaces in the system's order.
pub(crate) fn interfaces(world: &mut dyn CallContext) -> Result<Option<Vec<Interface>>, FnError> {
    let answer = known!(ask(world, &FactSpec::Link(link::Fact::Interfaces)));
    let interface = |answer: &Value| {
        let field = |name: &str| answer.as_struct().and_then(|fields| fields.get(name).cloned());
        let addresses = field("addresses").and_then(|list| {
            Some(list.as_list()?.iter().filter_map(Value::as_text).map(|text| text.into_owned()).collect())
        });
        Interface {
            name: text_field(answer, "name"),
            is_loopback: bool_field(answer, "loopback"),
            is_up: bool_field(answer, "up"),
            is_wireless: bool_field(answer, "wireless"),
            mac: field("mac").and_then(|mac| Some(mac.as_bytes()?.to_vec())).unwrap_or_default(),
            addresses: addresses.unwrap_or_default(),
        }
    };
    Ok(Some(answer.as_list().map(|list| list.iter().map(interface).collect()).unwrap_or_default()))
}

/// The six-octet hardware addresses of all interfaces except loopback, in order.
pub(crate) fn hardware_addresses(interfaces: &[Interface]) -> Vec<String> {
    let has_one = |interface: &&Interface| !interface.is_loopback && interface.mac.len() == 6;
    interfaces.iter().filter(has_one).map(|interface| print(&interface.mac)).collect()
}

fn is_global_v4(address: &str) -> bool {
    let ip = address.split_once('/').and_then(|(ip, _)| parse(ip));
    let is_other = |ip: Ipv4Addr| {
        ip.is_loopback() || ip.is_link_local() || ip.is_multicast() || ip.is_unspecified() || ip.is_broadcast()
    };
    matches!(ip, Some(IpAddr::V4(ip)) if !is_other(ip))
}
