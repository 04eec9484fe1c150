//! The strict parser of `address/prefix` texts, with specific error messages.

use super::address::width;
use crate::value::quote;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Errors: the problem, to follow `netip.ParsePrefix("TEXT"): `.
pub(super) fn parse(text: &str) -> Result<(IpAddr, u32), String> {
    let (address, prefix) = text.rsplit_once('/').ok_or("no '/'")?;
    let address_of = |why: String| format!("ParseAddr({}): {why}", quote(address.as_bytes()));
    let address = parse_address(address).map_err(address_of)?;
    let quoted = quote(prefix.as_bytes());
    let is_number = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit());
    // A length has only one form.
    if !is_number || prefix.len() > 1 && prefix.starts_with('0') {
        return Err(format!("bad bits after slash: {quoted}"));
    }
    match prefix.parse::<u32>() {
        Ok(prefix) if prefix <= width(address) => Ok((address, prefix)),
        Ok(_) => Err("prefix length out of range".into()),
        Err(_) => Err(format!("bad bits after slash: {quoted}")),
    }
}

fn parse_address(text: &str) -> Result<IpAddr, String> {
    let Some(mark) = text.find(['.', ':', '%']) else { return Err("unable to parse IP".into()) };
    match text.as_bytes()[mark] {
        b'.' => parse_v4(text).map(IpAddr::V4),
        b':' if text.contains('%') => Err("IPv6 zones cannot be present in a prefix".into()),
        b':' => text.parse::<Ipv6Addr>().map(IpAddr::V6).map_err(|_| v6_problem(text)),
        _ => Err("missing IPv6 address".into()),
    }
}

fn parse_v4(text: &str) -> Result<Ipv4Addr, String> {
    let mut octets = [0u8; 4];
    let (mut n_octets, mut value, mut n_digits) = (0, 0u32, 0);
    for (at, byte) in text.bytes().enumerate() {
        let problem = |what: &str| format!("{what} (at {})", quote(&text.as_bytes()[at..]));
        match byte {
            b'0'..=b'9' => {
                if n_digits == 1 && value == 0 {
                    return Err("IPv4 field has octet with leading zero".into());
                }
                value = value * 10 + u32::from(byte - b'0');
                n_digits += 1;
                if value > 255 {
                    return Err("IPv4 field has value >255".into());
                }
            }
            b'.' => {
                if n_digits == 0 || at == text.len() - 1 {
                    return Err(problem("IPv4 field must have at least one digit"));
                }
                if n_octets == 3 {
                    return Err("IPv4 address too long".into());
                }
                octets[n_octets] = value as u8;
                (n_octets, value, n_digits) = (n_octets + 1, 0, 0);
            }
            _ => return Err(problem("unexpected character")),
        }
    }
    if n_octets < 3 {
        return Err("IPv4 address too short".into());
    }
    octets[3] = value as u8;
    Ok(Ipv4Addr::from(octets))
}

/// The problem with an IPv6 text; the standard library only says that there is one.
fn v6_problem(text: &str) -> String {
    let strange = text.char_indices().find(|(_, char)| !char.is_ascii_hexdigit() && !matches!(char, ':' | '.'));
    if let Some((at, _)) = strange {
        return format!("unexpected character (at {})", quote(&text.as_bytes()[at..]));
    }
    if text.matches("::").count() > 1 {
        return "multiple :: in address".into();
    }
    if text.split(':').any(|field| field.len() > 4 && !field.contains('.')) {
        return "each group must have 4 or less digits".into();
    }
    if text.split(':').count() < 8 { "address string too short".into() } else { "malformed IPv6 address".into() }
}
