//! Images of virtual machines, as `virt-builder` makes them.

use super::password::Secret;
use super::subject::never;
use super::{Change, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Watch, Fact }

/// → `Tool`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// Whether `virt-builder` is installed.
    Tool(bool),
}

/// Makes an image where none is. It has its name only when it is whole.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    pub output: String,
    /// `debian-12`.
    pub template: String,
    /// What else `virt-builder` is told, in order.
    pub words: Vec<String>,
    /// What the password of root is to be, in the words of `--root-password`: `random`, `password:TEXT`.
    pub password: Secret,
    /// This agent is copied into the image.
    pub has_agent: bool,
    /// What is done after that.
    pub last_words: Vec<String>,
    /// Files of the host that go into it.
    pub reads: Vec<String>,
    /// What the tool says is kept in the state directory.
    pub logs: bool,
}

/// What Debian has the tool in.
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
