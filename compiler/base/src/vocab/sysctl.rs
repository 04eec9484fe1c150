//! Kernel parameters: `net.ipv4.ip_forward`.

use super::subject::never;
use super::{Change, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Fact }

/// → `Value`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// The parameter.
    pub name: String,
}

/// The answer to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The value, without the newline.
    Value(String),
}

/// Sets the parameter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// The parameter.
    pub name: String,
    /// The new value.
    pub value: String,
    /// The value that was seen.
    pub now: String,
}

/// Changes of the parameter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    /// The parameter.
    pub name: String,
}

/// The file of a parameter below `/proc/sys`.
pub fn path(name: &str) -> String {
    format!("/proc/sys/{}", name.replace('.', "/"))
}

/// Whether two spellings mean the same value. The kernel separates several values with tabs and reformats numbers.
pub fn same(one: &str, other: &str) -> bool {
    let number = |word: &str| match word.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => word.parse::<i128>().ok(),
    };
    let equal = |(one, other): (&str, &str)| {
        one == other || number(one).zip(number(other)).is_some_and(|(one, other)| one == other)
    };
    one.split_whitespace().count() == other.split_whitespace().count()
        && one.split_whitespace().zip(other.split_whitespace()).all(equal)
}

impl Look for Probe {
    type Finding = Finding;
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        let now = self.now.split_whitespace().collect::<Vec<_>>().join(" ");
        write!(f, "set {}: {now} → {}", self.name, self.value)
    }

    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Sysctl(&self.name)]
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::same;

    #[test]
    fn values_are_compared_as_the_kernel_means_them() {
        for (one, other, expect) in [
            ("4096\t131072\t6291456", "4096 131072  6291456", true),
            ("16", "0x10", true),
            ("007", "7", true),
            ("1", "0", false),
            ("a b", "a", false),
            ("cubic", "reno", false),
        ] {
            assert_eq!(same(one, other), expect, "{one} {other}");
        }
    }
}
