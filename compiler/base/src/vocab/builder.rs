//! Images of virtual machines, made by `virt-builder`.

use super::password::Secret;
use super::subject::never;
use super::{Change, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Watch, Fact }

/// → `Tool`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe;

/// The answer to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// Whether `virt-builder` is installed.
    Tool(bool),
}

/// Builds an image that does not exist yet. It gets its name only when it is complete.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// Path of the image.
    pub output: String,
    /// The template, such as `debian-12`.
    pub template: String,
    /// Further arguments of `virt-builder`, in order.
    pub words: Vec<String>,
    /// The root password in the syntax of `--root-password`: `random`, `password:TEXT`.
    pub password: Secret,
    /// Whether to copy this agent into the image.
    pub has_agent: bool,
    /// Arguments that follow that.
    pub last_words: Vec<String>,
    /// Files of the host that are copied into it.
    pub reads: Vec<String>,
    /// Whether to keep the tool's output in the state directory.
    pub logs: bool,
}

/// The Debian package of the tool.
pub const PACKAGE: &str = "guestfs-tools";

impl Look for Probe {
    type Finding = Finding;
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        write!(f, "build the image {} of {}", self.output, self.template)
    }

    fn powers(&self) -> Vec<Power<'_>> {
        let reads = self.reads.iter().map(|path| Power::Read(path));
        reads.chain([Power::Write(&self.output)]).collect()
    }

    fn waits(&self) -> bool {
        true
    }

    fn repeats(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_into_an_image_must_be_allowed() {
        let step = Step {
            output: "/srv/a.img".into(),
            template: "debian-12".into(),
            words: Vec::new(),
            password: Secret("password:hush-hush".into()),
            has_agent: false,
            last_words: Vec::new(),
            reads: vec!["/etc/shadow".into()],
            logs: false,
        };
        assert_eq!(step.powers(), [Power::Read("/etc/shadow"), Power::Write("/srv/a.img")]);
        assert!(!format!("{step:?}").contains("hush-hush"));
    }
}
