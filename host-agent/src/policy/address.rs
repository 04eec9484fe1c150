//! Patterns for `HOST:PORT`.
//!
//! `10.0.0.*` is written for a network, but as a text it also matches `10.0.0.example.org`, and the owner of that name
//! decides which address it has. So a pattern whose host has no letters matches addresses only. One that has letters in
//! a class only, such as `10.0.0.[0-9a-f]*`, is refused: its purpose is not clear.

use super::glob::{self, Part, Steps};
use std::collections::BTreeSet;
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

/// Whether it is not clear if a pattern is written for addresses or for names.
pub(super) fn is_ambiguous(pattern: &str) -> bool {
    let parts = glob::parts(pattern).unwrap_or_default();
    let host: Vec<Part> = parts.into_iter().take_while(|part| *part != Part::Literal(':')).collect();
    let Some(class) = host.iter().position(|part| *part == Part::Class) else { return false };
    let has_letters = host.iter().any(|part| matches!(part, Part::Literal(c) if c.is_alphabetic()));
    let steps = Steps::of(pattern);
    // A bracket begins an address of IPv6, and no name.
    let begins_name = ('0'..='9').chain('a'..='z').any(|c| steps.after(0, c).is_some());
    if has_letters || !begins_name || is_for_addresses(pattern) {
        return false;
    }
    let begin = &host[..class];
    let has_digits = begin.iter().any(|part| matches!(part, Part::Literal('0'..='9')));
    let is_of_address = |part: &Part| matches!(part, Part::Literal('0'..='9' | '.') | Part::Star | Part::Any);
    has_digits && begin.iter().all(is_of_address) || may_be_address(pattern)
}

/// Whether a pattern is for addresses and matches none.
pub(super) fn is_vain(pattern: &str) -> bool {
    is_for_addresses(pattern) && !may_be_address(pattern)
}

/// How much of an address with its port was read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reading {
    /// Of IPv4: how many numbers came before, and the present one.
    Number(u8, Option<u8>),
    /// Of IPv6, after its bracket. The characters count, not their order.
    Inside,
    Closed,
    /// With so many digits.
    Port(u8),
}

/// The characters of addresses.
const CHARACTERS: &str = "0123456789abcdefABCDEF.:[]";

impl Reading {
    fn next(self, c: char) -> Option<Reading> {
        let digit = c.to_digit(10).and_then(|digit| u8::try_from(digit).ok());
        match self {
            Reading::Number(0, None) if c == '[' => Some(Reading::Inside),
            Reading::Number(before, None) => digit.map(|digit| Reading::Number(before, Some(digit))),
            Reading::Number(before, Some(number)) => match (c, digit) {
                ('.', _) => (before < 3).then_some(Reading::Number(before + 1, None)),
                (':', _) => (before == 3).then_some(Reading::Port(0)),
                // No number has a leading zero.
                (_, Some(digit)) if number > 0 => {
                    let number = number.checked_mul(10)?.checked_add(digit)?;
                    Some(Reading::Number(before, Some(number)))
                }
                _ => None,
            },
            Reading::Inside if c == ']' => Some(Reading::Closed),
            Reading::Inside => (c.is_ascii_hexdigit() || matches!(c, ':' | '.')).then_some(Reading::Inside),
            Reading::Closed => (c == ':').then_some(Reading::Port(0)),
            Reading::Port(n_digits) => (digit.is_some() && n_digits < 5).then_some(Reading::Port(n_digits + 1)),
        }
    }
}

/// Whether a pattern matches an address.
fn may_be_address(pattern: &str) -> bool {
    let steps = Steps::of(pattern);
    let (mut left, mut seen) = (vec![(0, Reading::Number(0, None))], BTreeSet::new());
    while let Some((at, reading)) = left.pop() {
        if !seen.insert((at, reading)) {
            continue;
        }
        if steps.is_end(at) && matches!(reading, Reading::Port(1..)) {
            return true;
        }
        left.extend(steps.skipped(at).map(|at| (at, reading)));
        left.extend(CHARACTERS.chars().filter_map(|c| Some((steps.after(at, c)?, reading.next(c)?))));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{is_ambiguous, is_vain, matches};

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
    fn letters_in_a_class_only_do_not_tell_what_a_pattern_is_for() {
        for pattern in
            ["10.0.0.[a-f]*", "10.0.0.[0-9a-f]*:80", "[a-z0-9]*:*", "[^x]*", "?[!a]*", "*[0-9a-z]:80", "[!-;]*"]
        {
            assert!(is_ambiguous(pattern) && !is_vain(pattern), "{pattern}");
        }
        for pattern in [
            "10.0.0.*",
            "192.168.[0-9].?:*",
            "10.0.0.[^7]*",
            "web[0-9a-f]:80",
            "[a-z]*:80",
            "[a-z0-9]*.example.org:443",
            r"\[2001:db8::[0-9a-f]*",
            r"\[[0-9a-f]*",
            "[[]::[1a]]:80",
            "h:80[0-9]",
            "*:[48]*",
            "**",
        ] {
            assert!(!is_ambiguous(pattern), "{pattern}");
        }
    }

    #[test]
    fn a_pattern_for_addresses_that_none_has_is_in_vain() {
        for pattern in ["443", "10.1:80", "10.0.0.256:*", "10.0.0.1.*", "01.*", "*-1:80", "10.0.0.1:*x", "1.2.3.4:"] {
            assert!(is_vain(pattern), "{pattern}");
        }
        for pattern in
            ["10.*", "25[0-5].*", "?.?.?.?:80", "*.1:80", "0.0.0.0:80", r"\[::1\]:80", r"\[2001:db8::*", "1**"]
        {
            assert!(!is_vain(pattern), "{pattern}");
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
