//! `net.url_parser`. Functions spec, 15.8.

use crate::corelib::{Args, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::{Value, quote};

pub(super) static DEF: FnDef = FnDef {
    path: "net.url_parser",
    sig: Sig::Fixed("func(str) struct{scheme str; host str; path str; raw_query str}"),
    doc: "Parses a URL. The path is decoded, the query is not; user and fragment are dropped.",
    examples: &[
        Example {
            call: r#"net.url_parser("HTTPS://u:p@h.com:8443/a%20b/c?x=1&y=2#f")"#,
            gives: r#"struct{scheme: "https"; host: "h.com:8443"; path: "/a b/c"; raw_query: "x=1&y=2"}"#,
        },
        Example {
            call: r#"net.url_parser("mailto:x@y")"#,
            gives: r#"struct{scheme: "mailto"; host: ""; path: ""; raw_query: ""}"#,
        },
        Example { call: r#"net.url_parser("/path")"#, gives: "error: empty schemes are invalid" },
        Example {
            call: r#"net.url_parser("://h")"#,
            gives: r#"error: error parsing the URL: parse "://h": missing protocol scheme"#,
        },
        Example {
            call: r#"net.url_parser("http://h/%zz")"#,
            gives: r#"error: error parsing the URL: parse "http://h/%zz": invalid URL escape "%zz""#,
        },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(run),
};

/// The parts returned by the function.
struct Url {
    scheme: String,
    host: Vec<u8>,
    path: Vec<u8>,
    raw_query: Vec<u8>,
}

fn run(args: &Args) -> Result<Value, FnError> {
    let text = args.bytes(0)?;
    let (before_fragment, fragment) = cut(text, b'#');
    let refused = |text: &[u8], why| {
        let text = quote(text);
        let said = format!("invalid URL {text}: {why}");
        FnError::catchable(format!("error parsing the URL: parse {text}: {why}")).said(said)
    };
    let url = parse(before_fragment).map_err(|why| refused(before_fragment, why))?;
    if let Some(fragment) = fragment {
        decode(fragment, Part::Path).map_err(|why| refused(text, why))?;
    }
    if url.scheme.is_empty() {
        return Err(FnError::catchable("empty schemes are invalid").said("the URL has no scheme, such as `https`"));
    }
    Ok(Value::structure([
        ("scheme", Value::from(url.scheme)),
        ("host", Value::from(url.host)),
        ("path", Value::from(url.path)),
        ("raw_query", Value::from(url.raw_query)),
    ]))
}

/// The parts before and after the first such byte.
fn cut(text: &[u8], at: u8) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|byte| *byte == at) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

fn parse(text: &[u8]) -> Result<Url, String> {
    if text.iter().any(|byte| *byte < 0x20 || *byte == 0x7f) {
        return Err("net/url: invalid control character in URL".into());
    }
    let (scheme, rest) = scheme(text)?;
    let scheme = String::from_utf8_lossy(scheme).to_lowercase();
    let (rest, raw_query) = cut(rest, b'?');
    let raw_query = raw_query.unwrap_or_default().to_vec();
    if !rest.starts_with(b"/") {
        if !scheme.is_empty() {
            // An opaque URL, such as `mailto:x`.
            return Ok(Url { scheme, host: vec![], path: vec![], raw_query });
        }
        let first_segment = rest.split(|byte| *byte == b'/').next().unwrap_or_default();
        if first_segment.contains(&b':') {
            return Err("first path segment in URL cannot contain colon".into());
        }
    }
    let (authority, path) = match rest.strip_prefix(b"//") {
        // Three slashes without a scheme are not an authority.
        Some(rest) if !scheme.is_empty() || !rest.starts_with(b"/") => {
            let end = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
            (Some(&rest[..end]), &rest[end..])
        }
        _ => (None, rest),
    };
    let host = authority.map(|authority| host(authority, &scheme)).transpose()?.unwrap_or_default();
    Ok(Url { scheme, host, path: decode(path, Part::Path)?, raw_query })
}

/// The scheme and the rest after its colon; an empty scheme if there is none.
fn scheme(text: &[u8]) -> Result<(&[u8], &[u8]), String> {
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("missing protocol scheme".into()),
            b':' => return Ok((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Ok((b"", text))
}

fn host(authority: &[u8], scheme: &str) -> Result<Vec<u8>, String> {
    let host = match authority.iter().rposition(|byte| *byte == b'@') {
        None => authority,
        Some(at) => {
            let user = &authority[..at];
            let is_fine = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(byte);
            if !user.iter().all(is_fine) {
                return Err("net/url: invalid userinfo".into());
            }
            decode(user, Part::Path)?;
            &authority[at + 1..]
        }
    };
    if let Some(rest) = host.strip_prefix(b"[").filter(|rest| !rest.contains(&b'[')) {
        let end = rest.iter().rposition(|byte| *byte == b']').ok_or("missing ']' in host")?;
        return bracketed(&rest[..end], &rest[end + 1..]);
    }
    if host.contains(&b'[') {
        return Err("invalid IP-literal".into());
    }
    let mut colons = host.iter().enumerate().filter(|(_, byte)| **byte == b':').map(|(at, _)| at);
    // In web URLs only the port follows a colon.
    let start = if matches!(scheme, "http" | "https") { colons.next() } else { colons.next_back() };
    is_port(start.map_or(&[], |at| &host[at..]))?;
    decode(host, Part::Host)
}

/// Empty, or a colon and digits.
fn is_port(text: &[u8]) -> Result<(), String> {
    match text.split_first() {
        None => Ok(()),
        Some((b':', digits)) if digits.iter().all(u8::is_ascii_digit) => Ok(()),
        Some(_) => Err(format!("invalid port {} after host", quote(text))),
    }
}

/// An IPv6 address in brackets, possibly with a zone.
fn bracketed(address: &[u8], port: &[u8]) -> Result<Vec<u8>, String> {
    is_port(port)?;
    let (address, zone) = address.split_at(address.windows(3).position(|part| part == b"%25").unwrap_or(address.len()));
    let (mut out, zone) = (decode(address, Part::Host)?, decode(zone, Part::Zone)?);
    let fits = std::str::from_utf8(&out).is_ok_and(|text| text.parse::<std::net::Ipv6Addr>().is_ok());
    out.extend(&zone);
    if !fits || zone == b"%" {
        return Err(format!("invalid host: ParseAddr({}): unable to parse IP", quote(&out)));
    }
    Ok([b"[", &out[..], b"]", port].concat())
}

/// A part of a URL; each allows different escapes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    Host,
    Zone,
}

/// Decodes percent escapes.
fn decode(text: &[u8], part: Part) -> Result<Vec<u8>, String> {
    let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
    while at < text.len() {
        let byte = text[at];
        if byte != b'%' {
            let is_strange = byte < 0x80 && !byte.is_ascii_alphanumeric() && !b"-_.~!$&'()*+,;=:[]<>\"".contains(&byte);
            if part != Part::Path && is_strange {
                return Err(format!("invalid character {} in host name", quote(&[byte])));
            }
            out.push(byte);
            at += 1;
            continue;
        }
        let escape = &text[at..text.len().min(at + 3)];
        let hex = |at: usize| escape.get(at).and_then(|digit| char::from(*digit).to_digit(16));
        let refused = || format!("invalid URL escape {}", quote(escape));
        let value = (hex(1).ok_or_else(refused)? * 16 + hex(2).ok_or_else(refused)?) as u8;
        let is_allowed = match part {
            Part::Path => true,
            Part::Host => value >= 0x80 || escape == b"%25",
            Part::Zone => escape == b"%25" || value == b' ' || value >= 0x80 || !value.is_ascii_control(),
        };
        if !is_allowed {
            return Err(refused());
        }
        out.push(value);
        at += 3;
    }
    Ok(out)
}
