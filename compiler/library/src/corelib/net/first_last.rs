//! `net.cidr_to_first` and `cidr_to_last`: the first and last address of a network, by the strict parser.

use super::address::{bits, mask, with_bits};
use super::prefix;
use crate::corelib::{Args, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::{Value, quote};
use std::net::IpAddr;

pub(super) static FIRST: FnDef = FnDef {
    path: "net.cidr_to_first",
    sig: Sig::Fixed("func(a str) str"),
    doc: "Returns the address after the given one, if it is in the network.",
    examples: &[
        Example { call: r#"net.cidr_to_first("192.168.5.0/24")"#, gives: r#""192.168.5.1""# },
        Example { call: r#"net.cidr_to_first("::ffff:1.2.3.4/120")"#, gives: r#""::ffff:1.2.3.5""# },
        Example { call: r#"net.cidr_to_first("192.168.5.255/24")"#, gives: "error: no usable next address" },
        Example { call: r#"net.cidr_to_first("bad")"#, gives: r#"error: netip.ParsePrefix("bad"): no '/'"# },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| {
        let (address, prefix) = network(args)?;
        let (now, mask) = (bits(address), mask(address, prefix));
        let next = now.checked_add(1).filter(|next| next & mask == now & mask);
        // The bit above the family's width is outside every network.
        let next = next.filter(|next| address.is_ipv6() || *next <= u128::from(u32::MAX));
        let next = next.ok_or_else(|| FnError::catchable("no usable next address"))?;
        Ok(Value::from(with_bits(address, next).to_string()))
    }),
};

pub(super) static LAST: FnDef = FnDef {
    path: "net.cidr_to_last",
    sig: Sig::Fixed("func(a str) str"),
    doc: "Returns the last address of a network.",
    examples: &[
        Example { call: r#"net.cidr_to_last("192.168.5.7/22")"#, gives: r#""192.168.7.255""# },
        Example { call: r#"net.cidr_to_last("2001:db8::/64")"#, gives: r#""2001:db8::ffff:ffff:ffff:ffff""# },
        Example {
            call: r#"net.cidr_to_last("1.2.3.4/33")"#,
            gives: r#"error: netip.ParsePrefix("1.2.3.4/33"): prefix length out of range"#,
        },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| {
        let (address, prefix) = network(args)?;
        // Bits above the family's width are cut off.
        Ok(Value::from(with_bits(address, bits(address) | !mask(address, prefix)).to_string()))
    }),
};

fn network(args: &Args) -> Result<(IpAddr, u32), FnError> {
    let text = args.text(0)?;
    let refused = |why| {
        let text = quote(text.as_bytes());
        FnError::catchable(format!("netip.ParsePrefix({text}): {why}")).said(format!("invalid network {text}: {why}"))
    };
    prefix::parse(&text).map_err(refused)
}
