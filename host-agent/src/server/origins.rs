//! [`Origin`]: a server from which pages may fetch programs by their address. The browser fetches, never this server,
//! and the content security policy of the pages allows it: there is no other list, so the page and the browser use the
//! same one.

use crate::network::http::Bytes;
use std::fmt;
use std::str::FromStr;

/// `https://raw.githubusercontent.com`, or `http://` for this machine only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Origin(String);

/// The default of the policy for connections.
const OURS: &str = "connect-src 'self'";

impl FromStr for Origin {
    type Err = String;

    fn from_str(text: &str) -> Result<Origin, String> {
        let (scheme, authority) = match text.split_once("://") {
            Some((scheme @ ("http" | "https"), authority)) => (scheme, authority),
            Some(_) => return Err("expected `https://` or no scheme before the host".into()),
            None => ("https", text),
        };
        let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((address, rest)) if address.parse::<std::net::Ipv6Addr>().is_ok() => {
                (format!("[{address}]"), rest.strip_prefix(':').or((!rest.is_empty()).then_some("")))
            }
            Some(_) => return Err("expected an IPv6 address in the brackets".into()),
            None => match authority.split_once(':') {
                Some((host, port)) => (host.to_ascii_lowercase(), Some(port)),
                None => (authority.to_ascii_lowercase(), None),
            },
        };
        let is_port = |port: &str| {
            port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0)
        };
        if port.is_some_and(|port| !is_port(port)) {
            return Err("expected a port from 1 to 65535 after the colon, and no path".into());
        }
        if !host.starts_with('[') && !is_host(&host) {
            return Err("expected a host name such as raw.githubusercontent.com, without a path, user or `*`".into());
        }
        if scheme == "http" && !["localhost", "127.0.0.1", "[::1]"].contains(&&*host) {
            return Err("http:// is allowed for this machine only; use https for other hosts".into());
        }
        let port = port.map(|port| format!(":{port}")).unwrap_or_default();
        Ok(Origin(format!("{scheme}://{host}{port}")))
    }
}

/// Letters, digits and hyphens between dots; other alphabets are written as `xn--…`.
fn is_host(host: &str) -> bool {
    let is_label = |label: &str| {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        (1..=63).contains(&label.len())
            && label.bytes().all(is_plain)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    host.len() <= 253 && host.split('.').all(is_label)
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Adds origins to a policy, or to a text that contains one.
pub(super) fn admit(text: &str, origins: &[Origin]) -> String {
    let all: String = origins.iter().map(|origin| format!(" {origin}")).collect();
    text.replace(OURS, &format!("{OURS}{all}"))
}

/// Adds origins to the pages of a built site. Their precompressed forms are dropped.
pub(crate) fn admitted(files: Vec<(String, Bytes)>, origins: &[Origin]) -> Vec<(String, Bytes)> {
    if origins.is_empty() {
        return files;
    }
    let holds_policy = |path: &str| path.ends_with(".html") || path == "headers.txt";
    let files = files.into_iter().filter(|(path, _)| {
        let stem = path.strip_suffix(".br").or_else(|| path.strip_suffix(".gz"));
        !stem.is_some_and(holds_policy)
    });
    let files = files.map(|(path, bytes)| match std::str::from_utf8(&bytes) {
        Ok(text) if holds_policy(&path) => {
            let text = admit(text, origins);
            (path, text.into())
        }
        Ok(_) | Err(_) => (path, bytes),
    });
    files.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_read() {
        let read = |text: &str| text.parse::<Origin>().map(|origin| origin.to_string());
        for (text, expect) in [
            ("raw.githubusercontent.com", "https://raw.githubusercontent.com"),
            ("https://Example.org:8443", "https://example.org:8443"),
            ("http://localhost:80", "http://localhost:80"),
            ("http://[::1]:8080", "http://[::1]:8080"),
            ("xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expect));
        }
        for text in [
            "",
            "*",
            "*.example.org",
            "https://*",
            "a b",
            "a;script-src *",
            "a/b",
            "https://a/",
            "user@host",
            "ftp://a",
            "'self'",
            "data:",
            "host:",
            "host:+80",
            "host:0",
            "host:65536",
            "host:80/x",
            "bücher.example",
            "-a",
            "a..b",
            "http://example.org",
            "[::1",
            "[::1]x",
            "[x]",
            "https://[::1]:",
            "a\nb",
            "//a",
            "https:",
        ] {
            assert!(read(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_policy_lets_pages_fetch_from_them() {
        let origins = ["a.example".parse().unwrap(), "http://localhost:1".parse().unwrap()];
        let policy = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'";
        assert_eq!(
            admit(policy, &origins),
            "default-src 'none'; connect-src 'self' https://a.example http://localhost:1; frame-ancestors 'none'"
        );
        let site = || {
            [
                ("index.html", policy),
                ("index.html.br", "x"),
                ("headers.txt", policy),
                ("a.js", policy),
                ("a.js.br", "x"),
            ]
            .map(|(path, text)| (path.to_owned(), Bytes::from_static(text.as_bytes())))
            .to_vec()
        };
        assert_eq!(admitted(site(), &[]), site());
        let paths: Vec<(String, bool)> = admitted(site(), &origins)
            .into_iter()
            .map(|(path, bytes)| (path, bytes.windows(9).any(|part| part == b"a.example")))
            .collect();
        let paths: Vec<(&str, bool)> = paths.iter().map(|(path, holds)| (path.as_str(), *holds)).collect();
        assert_eq!(paths, [("index.html", true), ("headers.txt", true), ("a.js", false), ("a.js.br", false)]);
    }
}
