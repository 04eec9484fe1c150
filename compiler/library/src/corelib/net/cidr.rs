//! `net.cidr_to_ip`, `_prefix`, `_mask`, `_network` and `net.ip_in_cidr`: the lenient parser.

use super::address::{bits, mask, parse, print_unmapped, unmapped, width, with_bits};
use crate::corelib::{Args, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use std::net::IpAddr;

pub(super) static TO_IP: FnDef = FnDef {
    path: "net.cidr_to_ip",
    sig: Sig::Fixed("func(a str) str"),
    doc: "Returns the address of a CIDR string `address/prefix`.",
    examples: &[
        Example { call: r#"net.cidr_to_ip(" 192.168.5.7/22 ")"#, gives: r#""192.168.5.7""# },
        Example { call: r#"net.cidr_to_ip("2001:DB8:0::1/08")"#, gives: r#""2001:db8::1""# },
        Example { call: r#"net.cidr_to_ip("1.2.3.4/33")"#, gives: "error: invalid CIDR address: 1.2.3.4/33" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::from(print_unmapped(trimmed(args)?.address)))),
};

pub(super) static TO_PREFIX: FnDef = FnDef {
    path: "net.cidr_to_prefix",
    sig: Sig::Fixed("func(a str) str"),
    doc: "Returns the prefix length of a CIDR string `address/prefix`, as a string.",
    examples: &[
        Example { call: r#"net.cidr_to_prefix("192.168.5.7/022")"#, gives: r#""22""# },
        Example { call: r#"net.cidr_to_prefix("::ffff:1.2.3.4/96")"#, gives: r#""96""# },
        Example { call: r#"net.cidr_to_prefix("1.2.3.4")"#, gives: "error: invalid CIDR address: 1.2.3.4" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::from(trimmed(args)?.prefix.to_string()))),
};

pub(super) static TO_MASK: FnDef = FnDef {
    path: "net.cidr_to_mask",
    sig: Sig::Fixed("func(a str) str"),
    doc: "Returns the network mask of a CIDR string `address/prefix`, written as an address.",
    examples: &[
        Example { call: r#"net.cidr_to_mask("10.0.0.1/13")"#, gives: r#""255.248.0.0""# },
        Example { call: r#"net.cidr_to_mask("2001:db8::/32")"#, gives: r#""ffff:ffff::""# },
        Example { call: r#"net.cidr_to_mask("01.2.3.4/8")"#, gives: "error: invalid CIDR address: 01.2.3.4/8" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| {
        let Cidr { address, prefix } = trimmed(args)?;
        Ok(Value::from(with_bits(address, mask(address, prefix)).to_string()))
    }),
};

pub(super) static TO_NETWORK: FnDef = FnDef {
    path: "net.cidr_to_network",
    sig: Sig::Fixed("func(a str) str"),
    doc: "Returns the network of a CIDR string `address/prefix`, with the host bits cleared.",
    examples: &[
        Example { call: r#"net.cidr_to_network("192.168.5.7/22")"#, gives: r#""192.168.4.0/22""# },
        Example { call: r#"net.cidr_to_network("::ffff:1.2.3.4/24")"#, gives: r#""::/24""# },
        Example { call: r#"net.cidr_to_network("::ffff:1.2.3.4/120")"#, gives: r#""1.2.3.0/120""# },
        Example { call: r#"net.cidr_to_network("x")"#, gives: "error: invalid CIDR address: x" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| {
        let Cidr { address, prefix } = trimmed(args)?;
        let network = with_bits(address, bits(address) & mask(address, prefix));
        Ok(Value::from(format!("{}/{prefix}", print_unmapped(network))))
    }),
};

const ADDRESS_FIRST: &str = "pass the address first, and then the network: `net.ip_in_cidr($address, \"10.0.0.0/8\")`";

pub(super) static CONTAINS: FnDef = FnDef {
    path: "net.ip_in_cidr",
    sig: Sig::Fixed("func(ip str, cidr str) bool"),
    doc: "Reports whether a network contains an address.",
    examples: &[
        Example { call: r#"net.ip_in_cidr("10.0.0.5", "10.0.0.9/24")"#, gives: "true" },
        Example { call: r#"net.ip_in_cidr("::ffff:10.0.0.5", "10.0.0.0/24")"#, gives: "true" },
        Example { call: r#"net.ip_in_cidr("10.0.0.5", "::/0")"#, gives: "false" },
        Example { call: r#"net.ip_in_cidr("x", "y")"#, gives: "error: invalid IP: x" },
        Example { call: r#"net.ip_in_cidr("10.0.0.5", "y")"#, gives: "error: invalid CIDR address: y" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| {
        let text = args.text(0)?;
        let ip = parse(&text).ok_or_else(|| {
            let error = FnError::catchable(format!("invalid IP: {text}"));
            if text.contains('/') { error.help(ADDRESS_FIRST) } else { error }
        })?;
        let Cidr { address, prefix } = cidr(&args.text(1)?)?;
        Ok(Value::Bool(contains(address, prefix, ip)))
    }),
};

/// An address with the length of its network's prefix.
pub(super) struct Cidr {
    pub(super) address: IpAddr,
    pub(super) prefix: u32,
}

fn trimmed(args: &Args) -> Result<Cidr, FnError> {
    let text = args.text(0)?;
    cidr(text.trim())
}

/// Errors: catchable, with the text.
pub(super) fn cidr(text: &str) -> Result<Cidr, FnError> {
    let parts = || {
        let (address, prefix) = text.split_once('/')?;
        let address = parse(address)?;
        let is_number = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit());
        let prefix = prefix.trim_start_matches('0');
        let prefix = if prefix.is_empty() { 0 } else { prefix.parse::<u32>().ok()? };
        (is_number && prefix <= width(address)).then_some(Cidr { address, prefix })
    };
    parts().ok_or_else(|| {
        let error = FnError::catchable(format!("invalid CIDR address: {text}"));
        match parse(text) {
            Some(address) => error.help(format!("add the length of the prefix: `{text}/{}`", width(address))),
            None => error,
        }
    })
}

fn contains(network: IpAddr, prefix: u32, ip: IpAddr) -> bool {
    // The network is masked in the family of its text; only a result that is still mapped matches IPv4.
    let masked = with_bits(network, bits(network) & mask(network, prefix));
    let (masked_short, ip) = (unmapped(masked), unmapped(ip));
    let prefix = if masked_short.is_ipv4() && network.is_ipv6() { prefix.saturating_sub(96) } else { prefix };
    masked_short.is_ipv4() == ip.is_ipv4() && bits(ip) & mask(ip, prefix) == bits(masked_short)
}
