//! Patterns for `HOST:PORT`.
//!
//! `10.0.0.*` is written for a network, but as a text it also matches `10.0.0.example.org`, and whoever owns that name
//! decides where it leads. So a pattern whose host has no letters matches addresses only.

use super::glob;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Whether a pattern matches this host with its port.
pub(super) fn matches(pattern: &str, entry: &str) -> bool {
    glob::matches(pattern, entry) && (!is_for_addresses(pattern) || is_address(entry))
}

/// Whether the host of a pattern is written with digits, but without letters. `*` matches names as well.
fn is_for_addresses(pattern: &str) -> bool {
    let host = pattern.split(':').next().unwrap_or_default();
    host.contains(|c: char| c.is_ascii_digit()) && !host.contains(char::is_alphabetic)
}

/// Whether the host is an address. Other notations, such as `10.1`, do not count: resolvers interpret them.
fn is_address(entry: &str) -> bool {
    let host = entry.rsplit_once(':').map_or(entry, |(host, _)| host);
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(host) => host.parse::<Ipv6Addr>().is_ok(),
        None => host.parse::<Ipv4Addr>().is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_pattern_for_addresses_matches_no_name() {
        for (pattern, entry) in [
            ("10.0.0.*", "10.0.0.7:80"),
            ("10.0.0.*:443", "10.0.0.7:443"),
            ("192.168.[0-9].?:*", "192.168.1.7:8080"),
            ("127.0.0.1:*", "127.0.0.1:80"),
            (r"\[2001:db8::*", "[2001:db8::1]:443"),
            ("0.0.0.0:80", "0.0.0.0:80"),
        ] {
            assert!(matches(pattern, entry), "{pattern} {entry}");
        }
        for (pattern, entry) in [
            ("10.0.0.*", "10.0.0.example.org:80"),
            ("10.0.0.*:443", "10.0.0.7.example.org:443"),
            ("192.168.**", "192.168.example.org:80"),
            ("127.0.0.[0-9]*:80", "127.0.0.1.example.org:80"),
            ("10.*:80", "10.1:80"),
            ("10.*:80", "10.0x1:80"),
            (r"\[2001:db8::*", "[2001:db8::x]:443"),
        ] {
            assert!(!matches(pattern, entry), "{pattern} {entry}");
        }
    }

    #[test]
    fn a_pattern_for_names_matches_as_written() {
        for (pattern, entry) in [
            ("*", "example.org:443"),
            ("**", "10.0.0.7:80"),
            ("*:443", "10.0.0.7:443"),
            ("*.example.org:*", "10.example.org:80"),
            ("web[0-9]:80", "web1:80"),
            (":80", ":80"),
            ("localhost:*", "localhost:80"),
        ] {
            assert!(matches(pattern, entry), "{pattern} {entry}");
        }
    }
}
