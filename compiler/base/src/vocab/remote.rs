//! The agent on other hosts, copied there over SSH. Resource spec, 6.3.

use super::password::Secret;
use super::request::authority;
use super::subject::never;
use super::{Change, HostError, HostErrorKind, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Fact }

/// Another host, and the credentials for it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Target {
    /// `ssh://host:22`.
    pub url: String,
    /// The user.
    pub user: String,
    /// The host.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The password; empty: none.
    pub password: Secret,
    /// A private key file; `None`: the user's default keys. Empty: no key.
    pub key: Option<String>,
    /// The host's public key, preceded by its type; empty: only known hosts are accepted.
    pub host_key: String,
}

/// A directory with an agent on another host.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The host.
    pub target: Target,
    /// The last component of its path.
    pub id: String,
    /// Whether it stays after the agent has ended.
    pub is_kept: bool,
}

/// → `State`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// The place.
    pub place: Place,
}

/// The answer to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The state of both sides.
    State {
        /// The other host.
        there: There,
        /// This agent's own binary.
        ours: Program,
    },
    /// The same on a host that shares a store with other hosts.
    Sharing {
        /// The other host.
        there: There,
        /// This agent's own binary.
        ours: Program,
        /// The store.
        store: Store,
    },
}

/// A store that hosts share.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Store {
    /// The member that this host uses: `http://127.0.0.1:2379`.
    pub url: String,
    /// The name of this group of hosts in it.
    pub group: String,
}

/// A way from another host to the store, through the connection to that host.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Tunnel {
    /// Where it begins on the other host: `127.0.0.1:2379`.
    pub listen: String,
    /// Where it ends.
    pub store: Store,
}

/// The content of the directory.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct There {
    /// The agent's binary; `binary` is empty if there is none.
    pub program: Program,
    /// The running process, if any.
    pub pid: Option<u32>,
    /// The digest of its parameters: [`Start::digest`].
    pub digest: String,
}

/// An agent binary.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Program {
    /// The architecture, as in `uname -m`: `x86_64`.
    pub machine: String,
    /// SHA-256, in hexadecimal.
    pub binary: String,
}

/// A change on the other host.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// The place.
    pub place: Place,
    /// What to do.
    pub change: Move,
}

/// A change of the remote agent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Move {
    /// Stop it, and remove the directory unless it is kept.
    Stop {
        /// The process id.
        pid: u32,
    },
    /// Copy this agent's own binary.
    Copy {
        /// Whether to install the packages it needs.
        installs: bool,
    },
    /// Start it.
    Start(Start),
    /// Wait for it to end successfully. Cancelling this step also stops the remote agent.
    Await,
    /// Both through a tunnel, which is opened first.
    Join(Box<Join>),
}

/// A remote agent that reaches the store of this one while this one waits for it. A lost connection is opened again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Join {
    /// How to start it; `None`: it runs.
    pub start: Option<Start>,
    /// Its way to the store.
    pub tunnel: Tunnel,
}

/// Start parameters.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Start {
    /// An archive of the program files.
    pub files: Vec<u8>,
    /// Path of the main file in the archive.
    pub entry: String,
    /// The host name to use; empty: the host's own.
    pub hostname: String,
    /// Exit after converging for this long. Units: seconds.
    pub ends_after_s: Option<u64>,
    /// Whether exiting immediately is an error.
    pub stays: bool,
    /// The digest of all these.
    pub digest: String,
}

/// The remote agent ending or starting, and the connection failing or recovering.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    /// The place.
    pub place: Place,
}

/// The error of an agent that failed.
pub fn ended(status: i32, log: &str) -> HostError {
    let message = format!("remote process exited with status {status}: {}", log.trim());
    HostError::new(HostErrorKind::Other, message)
}

/// The error of a tunnel that the other host does not open, so that nothing is run there.
pub fn not_opened(host: &str, listen: &str) -> HostError {
    let message = format!(
        "{host} does not open the tunnel: {listen} is in use there (set the field `tunnel_addr`), or its SSH server does \
         not allow it (see `AllowTcpForwarding` and `PermitListen`)"
    );
    HostError::new(HostErrorKind::NotBegun, message)
}

impl Tunnel {
    /// Where the remote agent reaches the store.
    pub fn url(&self) -> String {
        let scheme = self.store.url.split_once("://").map_or("http", |(scheme, _)| scheme);
        format!("{scheme}://{}", self.listen)
    }

    /// `host:port` of the store.
    pub fn end(&self) -> String {
        authority(&self.store.url)
    }

    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        write!(f, ", with a tunnel from {} there to the shared store at {}", self.listen, self.end())
    }
}

impl Target {
    /// The host, and the key file.
    fn powers(&self) -> Vec<Power<'_>> {
        let key = self.key.as_deref().filter(|key| !key.is_empty());
        [Power::Ask(self.url.as_str().into())].into_iter().chain(key.map(Power::Read)).collect()
    }

    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        write!(f, "{}@{}", self.user, self.host)?;
        if self.port == 22 { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

impl Look for Probe {
    type Finding = Finding;

    fn powers(&self) -> Vec<Power<'_>> {
        self.place.target.powers()
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
            Move::Join(join) => match &join.start {
                Some(_) => {
                    tell(f, "start the agent on ")?;
                    f.write_str(" and wait for its exit")?;
                    join.tunnel.words(f)?;
                    f.write_str(" (is stopped)")
                }
                None => {
                    tell(f, "wait for the exit of the agent on ")?;
                    join.tunnel.words(f)
                }
            },
        }
    }

    /// Through a tunnel the other host reaches the store as this one does.
    fn powers(&self) -> Vec<Power<'_>> {
        let mut powers = self.place.target.powers();
        if let Move::Join(join) = &self.change {
            powers.push(Power::Ask(join.tunnel.store.url.as_str().into()));
        }
        powers
    }

    fn waits(&self) -> bool {
        true
    }

    fn repeats(&self) -> bool {
        match &self.change {
            Move::Start(_) => false,
            Move::Join(join) => join.start.is_none(),
            Move::Stop { .. } | Move::Copy { .. } | Move::Await => true,
        }
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        f.write_str("the agent on ")?;
        self.place.target.words(f)
    }

    fn powers(&self) -> Vec<Power<'_>> {
        self.place.target.powers()
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
        let with_key = |key: &str| {
            let mut step = step.clone();
            step.place.target.key = Some(key.to_owned());
            step
        };
        assert_eq!(with_key("").powers(), step.powers());
        assert_eq!(with_key("/srv/id").powers(), [Power::Ask("ssh://h:2222".into()), Power::Read("/srv/id")]);
        let store = Store { url: "https://Etcd1".into(), group: "main".into() };
        let tunnel = Tunnel { listen: "127.0.0.1:2379".into(), store };
        assert_eq!(tunnel.url(), "https://127.0.0.1:2379");
        let through = Step { change: Move::Join(Box::new(Join { start: None, tunnel })), ..step };
        assert_eq!(
            super::super::Step::from(through.clone()).to_string(),
            "wait for the exit of the agent on bob@h:2222, with a tunnel from 127.0.0.1:2379 there to the shared store at \
             etcd1:443"
        );
        assert_eq!(through.powers(), [Power::Ask("ssh://h:2222".into()), Power::Ask("https://Etcd1".into())]);
    }
}
