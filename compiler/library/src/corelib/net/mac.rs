//! `net.is_mac`, `macfmt` and `oldmacfmt`: hardware addresses of six octets.

use crate::corelib::{Args, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;

pub(super) static IS: FnDef = FnDef {
    path: "net.is_mac",
    sig: Sig::Fixed("func(a str) bool"),
    doc: "Reports whether a string is a MAC address with colons, in lower case.",
    examples: &[
        Example { call: r#"net.is_mac("01:23:45:67:89:ab")"#, gives: "true" },
        Example { call: r#"net.is_mac("01:23:45:67:89:AB")"#, gives: "false" },
        Example { call: r#"net.is_mac("")"#, gives: "false" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| {
        let text = args.text(0)?;
        Ok(Value::Bool(octets(&text, ':').is_some() && !text.contains(|char: char| char.is_ascii_uppercase())))
    }),
};

pub(super) static FORMAT: FnDef = FnDef {
    path: "net.macfmt",
    sig: Sig::Fixed("func(a str) str"),
    doc: "Formats a MAC address with colons, in lower case.",
    examples: &[
        Example { call: r#"net.macfmt("01-23-45-67-89-AB")"#, gives: r#""01:23:45:67:89:ab""# },
        Example { call: r#"net.macfmt("0123.4567.89ab")"#, gives: "error: invalid MAC address length: 0123.4567.89ab" },
        Example {
            call: r#"net.macfmt("01:23:45:67:89-ab")"#,
            gives: "error: address 01:23:45:67:89-ab: invalid MAC address",
        },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::from(normal(args)?))),
};

pub(super) static OLD_FORMAT: FnDef = FnDef {
    path: "net.oldmacfmt",
    sig: Sig::Fixed("func(a str) str"),
    doc: "Formats a MAC address with hyphens, in lower case.",
    examples: &[
        Example { call: r#"net.oldmacfmt("01:23:45:67:89:AB")"#, gives: r#""01-23-45-67-89-ab""# },
        Example { call: r#"net.oldmacfmt("x")"#, gives: "error: invalid MAC address length: x" },
        Example {
            call: r#"net.oldmacfmt("0x:23:45:67:89:ab")"#,
            gives: "error: address 0x:23:45:67:89:ab: invalid MAC address",
        },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::from(normal(args)?.replace(':', "-")))),
};

fn normal(args: &Args) -> Result<String, FnError> {
    let text = args.text(0)?;
    if args.bytes(0)?.len() != 17 {
        return Err(FnError::catchable(format!("invalid MAC address length: {text}")));
    }
    let octets = octets(&text, ':').or_else(|| octets(&text, '-'));
    let octets = octets.ok_or_else(|| FnError::catchable(format!("address {text}: invalid MAC address")))?;
    Ok(print(&octets))
}

fn octets(text: &str, separator: char) -> Option<Vec<u8>> {
    let is_octet = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let octet = |part: &str| u8::from_str_radix(part, 16).ok().filter(|_| is_octet(part));
    let octets: Vec<u8> = text.split(separator).map(octet).collect::<Option<_>>()?;
    (octets.len() == 6).then_some(octets)
}

/// An address with colons, in lower case.
pub(super) fn print(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect::<Vec<_>>().join(":")
}
