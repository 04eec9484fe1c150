//! Values in configuration files, through Augeas lenses.

use super::subject::never;
use super::{Change, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Watch, Fact }

/// → `Values`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// The file.
    pub file: String,
    /// The lens, such as `Hosts.lns`.
    pub lens: String,
    /// Paths below the file's node, such as `1/alias`.
    pub paths: Vec<String>,
}

/// The answer to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The value at each path; `None` if there is no such node, or it has no value.
    Values(Vec<Option<String>>),
}

/// Sets values and writes the file once.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// The file.
    pub file: String,
    /// The lens, such as `Hosts.lns`.
    pub lens: String,
    /// The values to set, in order.
    pub sets: Vec<Set>,
}

/// One value to set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Set {
    /// Path below the file's node.
    pub path: String,
    /// The new value.
    pub value: String,
    /// The value that was seen.
    pub now: Option<String>,
}

impl Look for Probe {
    type Finding = Finding;

    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Read(&self.file)]
    }

    fn waits(&self) -> bool {
        true
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        write!(f, "set in {}: ", self.file)?;
        for (at, Set { path, value, now }) in self.sets.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            write!(f, "{comma}{path}: {} → {value}", now.as_deref().unwrap_or("none"))?;
        }
        Ok(())
    }

    /// Values may be file contents, so they are left out.
    fn audit(&self, f: &mut dyn Write) -> fmt::Result {
        let paths: Vec<&str> = self.sets.iter().map(|set| set.path.as_str()).collect();
        write!(f, "set in {}: {}", self.file, paths.join(", "))
    }

    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Write(&self.file)]
    }

    fn waits(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_say_old_and_new_and_the_audit_log_neither() {
        let set =
            |path: &str, now: Option<&str>| Set { path: path.into(), value: "b".into(), now: now.map(Into::into) };
        let sets = vec![set("1/alias", Some("a")), set("x", None)];
        let step = super::super::Step::from(Step { file: "/etc/hosts".into(), lens: "Hosts.lns".into(), sets });
        assert_eq!(step.to_string(), "set in /etc/hosts: 1/alias: a → b, x: none → b");
        assert_eq!(step.audit(), "set in /etc/hosts: 1/alias, x");
    }
}
