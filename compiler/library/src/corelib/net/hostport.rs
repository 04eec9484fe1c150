//! `net.split_hostport`.

use crate::corelib::{Args, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::{Value, quote};

pub(super) static DEF: FnDef = FnDef {
    path: "net.split_hostport",
    sig: Sig::Fixed("func(str) struct{host str; port str}"),
    doc: "Splits `host:port` or `[host]:port`. The port need not be numeric.",
    examples: &[
        Example { call: r#"net.split_hostport("h:80")"#, gives: r#"struct{host: "h"; port: "80"}"# },
        Example {
            call: r#"net.split_hostport("[fe80::1%eth0]:http")"#,
            gives: r#"struct{host: "fe80::1%eth0"; port: "http"}"#,
        },
        Example { call: r#"net.split_hostport(":")"#, gives: r#"struct{host: ""; port: ""}"# },
        Example {
            call: r#"net.split_hostport("h")"#,
            gives: "error: error parsing the input: address h: missing port in address",
        },
        Example {
            call: r#"net.split_hostport("::1:80")"#,
            gives: "error: error parsing the input: address ::1:80: too many colons in address",
        },
        Example {
            call: r#"net.split_hostport("[::1:80")"#,
            gives: "error: error parsing the input: address [::1:80: missing ']' in address",
        },
        Example {
            call: r#"net.split_hostport("a]:80")"#,
            gives: "error: error parsing the input: address a]:80: unexpected ']' in address",
        },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(run),
};

fn run(args: &Args) -> Result<Value, FnError> {
    let text = args.bytes(0)?;
    let (host, port) = split(text).map_err(|why| {
        let text = String::from_utf8_lossy(text);
        let address = if text.is_empty() { String::new() } else { format!("address {text}: ") };
        let said = format!("cannot split {} into host and port: {why}", quote(text.as_bytes()));
        FnError::catchable(format!("error parsing the input: {address}{why}")).said(said)
    })?;
    Ok(Value::structure([("host", Value::str(host)), ("port", Value::str(port))]))
}

fn split(text: &[u8]) -> Result<(&[u8], &[u8]), &'static str> {
    const MISSING_PORT: &str = "missing port in address";
    const TOO_MANY: &str = "too many colons in address";
    let colon = text.iter().rposition(|byte| *byte == b':').ok_or(MISSING_PORT)?;
    let (host, rest_of_host) = if text.starts_with(b"[") {
        let end = text.iter().position(|byte| *byte == b']').ok_or("missing ']' in address")?;
        match end + 1 {
            after if after == text.len() => return Err(MISSING_PORT),
            after if after == colon => {}
            after if text[after] == b':' => return Err(TOO_MANY),
            _ => return Err(MISSING_PORT),
        }
        (&text[1..end], &text[end + 1..])
    } else {
        let host = &text[..colon];
        if host.contains(&b':') {
            return Err(TOO_MANY);
        }
        (host, text)
    };
    let inside = if text.starts_with(b"[") { host } else { text };
    if inside.contains(&b'[') || rest_of_host.contains(&b'[') {
        return Err("unexpected '[' in address");
    }
    if rest_of_host.contains(&b']') {
        return Err("unexpected ']' in address");
    }
    Ok((host, &text[colon + 1..]))
}
