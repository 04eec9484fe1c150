//! The agent on other hosts, to which it is copied over SSH. Resource spec, 6.3.

use super::password::Secret;
use super::subject::never;
use super::{Change, HostError, HostErrorKind, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Fact }

/// Another host, and how this one proves who it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Target {
    /// `ssh://host:22`.
    pub url: String,
    pub user: String,
    pub host: String,
    pub port: u16,
    /// Empty: none.
    pub password: Secret,
    /// A file with a private key; `None`: whichever the user has. Empty: no key at all.
    pub key: Option<String>,
    /// The public key of the host, with its type before it; empty: only those count that are known already.
    pub host_key: String,
}

/// A directory of a host with an agent in it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    pub target: Target,
    /// The last part of its path.
    pub id: String,
    /// It stays when the agent has ended.
    pub is_kept: bool,
}

/// → `State`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    pub place: Place,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    State {
        there: There,
        /// This agent's own program.
        ours: Program,
    },
}

/// What is in the directory of a host.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct There {
    /// `binary` is empty without one.
    pub program: Program,
    /// The process, if it runs.
    pub pid: Option<u32>,
    /// What it was started with: [`Start::digest`].
    pub digest: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Program {
    /// `x86_64`, as `uname -m` has it.
    pub machine: String,
    /// SHA-256, in hex.
    pub binary: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    pub place: Place,
    pub change: Move,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Move {
    /// The directory goes with it unless it is kept.
    Stop {
        pid: u32,
    },
    /// This agent's own binary. What it needs to start is installed if that is wanted.
    Copy {
        installs: bool,
    },
    Start(Start),
    /// Until it ends, and ends well. A stop of this step stops it there as well.
    Await,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Start {
    /// An archive of the files of the program.
    pub files: Vec<u8>,
    /// Its path in the archive.
    pub entry: String,
    /// Empty: the host's own.
    pub hostname: String,
    /// It ends once it has been at rest for so long. Units: seconds.
    pub ends_after_s: Option<u64>,
    /// It must not end at once.
    pub stays: bool,
    /// Of all of this.
    pub digest: String,
}

/// Its end and its coming back, and those of the connection.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    pub place: Place,
}

/// What becomes of one that ended badly.
pub fn ended(status: i32, log: &str) -> HostError {
    let message = format!("remote process exited with status {status}: {}", log.trim());
    HostError::new(HostErrorKind::Other, message)
}

impl Target {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        write!(f, "{}@{}", self.user, self.host)?;
        if self.port == 22 { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

impl Look for Probe {
    type Finding = Finding;

    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Ask(self.place.target.url.as_str().into())]
    }

    fn waits(&self) -> bool {
        true
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        let target = &self.place.target;
        let tell = |f: &mut dyn Write, before: &str| {
            f.write_str(before)?;
            target.words(f)
        };
        match &self.change {
            Move::Stop { pid } => {
                tell(f, "stop the agent on ")?;
                write!(f, " (is running, pid {pid})")
            }
            Move::Copy { .. } => tell(f, "copy the agent to "),
            Move::Start(_) => {
                tell(f, "start the agent on ")?;
                f.write_str(" (is stopped)")
            }
            Move::Await => tell(f, "wait for the exit of the agent on "),
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Ask(self.place.target.url.as_str().into())]
    }

    fn waits(&self) -> bool {
        true
    }

    fn repeats(&self) -> bool {
        !matches!(self.change, Move::Start(_))
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        f.write_str("the agent on ")?;
        self.place.target.words(f)
    }

    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Ask(self.place.target.url.as_str().into())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_tell_where_and_no_password() {
        let target = Target {
            url: "ssh://h:2222".into(),
            user: "bob".into(),
            host: "h".into(),
            port: 2222,
            password: Secret("hush".into()),
            key: None,
            host_key: String::new(),
        };
        let place = Place { target, id: "0123456789".into(), is_kept: true };
        let step = Step { place, change: Move::Stop { pid: 7 } };
        assert_eq!(
            super::super::Step::from(step.clone()).to_string(),
            "stop the agent on bob@h:2222 (is running, pid 7)"
        );
        assert!(!format!("{step:?}").contains("hush"));
        assert_eq!(step.powers(), [Power::Ask("ssh://h:2222".into())]);
    }
}
