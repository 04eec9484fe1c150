//! The host's names: static (on disk), pretty (for display), transient (in the kernel).

use super::{Change, Changes, Learn, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// → `Names`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe;

/// The answer to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The names.
    Names(Names),
}

/// The host's names; empty if not set.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Names {
    /// The static name.
    pub fixed: String,
    /// The pretty name.
    pub pretty: String,
    /// The transient name.
    pub transient: String,
}

/// One of the names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Which {
    /// `/etc/hostname`.
    Static,
    /// `PRETTY_HOSTNAME` in `/etc/machine-info`.
    Pretty,
    /// The kernel's host name.
    Transient,
}

/// Sets one of the names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// Which one.
    pub which: Which,
    /// The new name.
    pub name: String,
    /// The name that was seen.
    pub now: String,
}

/// Any of the host's names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch;

/// `Bytes`: the transient host name, reported again on change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Fact;

/// The file of the static name.
pub const STATIC_FILE: &str = "/etc/hostname";
/// The kernel parameter of the transient name.
pub const TRANSIENT: &str = "kernel.hostname";
/// The file of the pretty name.
pub const PRETTY_FILE: &str = "/etc/machine-info";

/// The static name from the text of its file.
pub fn fixed(text: &str) -> String {
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default().to_owned()
}

/// The pretty name from the text of its file, a shell assignment.
pub fn pretty(text: &str) -> String {
    let Some(value) = text.lines().rev().find_map(|line| line.trim().strip_prefix(KEY)) else { return String::new() };
    let value = value.trim();
    if let Some(plain) = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\'')) {
        return plain.to_owned();
    }
    let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    let mut name = String::new();
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        name.extend(if letter == '\\' { letters.next() } else { Some(letter) });
    }
    name
}

/// That file with the pretty name changed or removed; all other lines are left unchanged, whatever their encoding.
pub fn with_pretty(text: &[u8], name: &str) -> Vec<u8> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let others = lines.filter(|line| !line.trim_ascii_start().starts_with(KEY.as_bytes()));
    let mut changed = others.collect::<Vec<_>>().concat();
    if !name.is_empty() {
        if changed.last().is_some_and(|last| *last != b'\n') {
            changed.push(b'\n');
        }
        let mut quoted = String::new();
        for letter in name.chars() {
            if matches!(letter, '"' | '\\' | '$' | '`') {
                quoted.push('\\');
            }
            quoted.push(letter);
        }
        changed.extend(format!("{KEY}\"{quoted}\"\n").into_bytes());
    }
    changed
}

const KEY: &str = "PRETTY_HOSTNAME=";

/// Whether this is a valid host name by the rules of systemd: at most 64 letters, digits, dots, dashes and underscores,
/// with non-empty labels that neither begin nor end with a dash.
pub fn is_valid(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    name.len() <= 64 && name.split('.').all(part)
}

impl Look for Probe {
    type Finding = Finding;
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        let which = match self.which {
            Which::Static => "static",
            Which::Pretty => "pretty",
            Which::Transient => "transient",
        };
        let now = if self.now.is_empty() { "none" } else { &self.now };
        write!(f, "set {which} host name: {now} → {}", self.name)
    }

    fn powers(&self) -> Vec<Power<'_>> {
        match self.which {
            Which::Static => vec![Power::Write(STATIC_FILE)],
            Which::Pretty => vec![Power::Write(PRETTY_FILE)],
            Which::Transient => vec![Power::Sysctl(TRANSIENT)],
        }
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str("the host name")
    }
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str("the host name")
    }

    fn changes(&self) -> Changes {
        Changes::With(vec![Watch.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_in_their_files() {
        assert_eq!(fixed("# by hand\n\n web1 \nweb2\n"), "web1");
        assert_eq!(fixed(""), "");
        for (text, name) in [
            ("CHASSIS=vm\nPRETTY_HOSTNAME=\"Bob's \\\"box\\\"\"\n", "Bob's \"box\""),
            ("PRETTY_HOSTNAME='a b'", "a b"),
            ("PRETTY_HOSTNAME=plain", "plain"),
            ("CHASSIS=vm\n", ""),
        ] {
            assert_eq!(pretty(text), name, "{text}");
            let with = |name: &str| String::from_utf8(with_pretty(text.as_bytes(), name)).expect("UTF-8");
            assert_eq!(pretty(&with("a $b `c` \"d\"\\")), "a $b `c` \"d\"\\");
            assert_eq!(with("").contains("CHASSIS=vm\n"), text.contains("CHASSIS"));
            assert_eq!(pretty(&with("")), "");
        }
    }

    #[test]
    fn lines_of_others_stay_as_they_are() {
        let with = |text: &[u8]| with_pretty(text, "b");
        assert_eq!(
            with(b"LOCATION=caf\xe9\r\nPRETTY_HOSTNAME=a\nX=1"),
            b"LOCATION=caf\xe9\r\nX=1\nPRETTY_HOSTNAME=\"b\"\n"
        );
        assert_eq!(with(b""), b"PRETTY_HOSTNAME=\"b\"\n");
    }

    #[test]
    fn each_name_needs_the_permission_for_its_place() {
        let step = |which| Step { which, name: "b".into(), now: "a".into() };
        assert_eq!(step(Which::Static).powers(), [Power::Write("/etc/hostname")]);
        assert_eq!(step(Which::Pretty).powers(), [Power::Write("/etc/machine-info")]);
        assert_eq!(step(Which::Transient).powers(), [Power::Sysctl("kernel.hostname")]);
    }

    #[test]
    fn valid_names() {
        for (name, valid) in
            [("web1", true), ("web_1.example.org", true), ("", false), ("a b", false), ("-a", false), ("a..b", false)]
        {
            assert_eq!(is_valid(name), valid, "{name}");
        }
        assert!(!is_valid(&"a".repeat(65)));
    }
}
