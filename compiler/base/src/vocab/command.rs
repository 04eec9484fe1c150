//! Commands: programs that run and end, and the lines that they write.

use super::{Change, Changes, HostError, HostErrorKind, Learn, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt::Write;

/// A command that only checks.
pub type Probe = CommandSpec;
pub type Finding = CommandOutcome;
/// A command that changes something.
pub type Step = CommandSpec;
/// A command, each non-empty line of whose output is a change. One that ends, ends the whole
/// watch with a failure.
pub type Watch = CommandSpec;

/// A command to run in a process group of its own. One that the brain had stopped
/// (`Output::Cancel`) before it ended by itself has no outcome: the answer is a failure with
/// [`HostErrorKind::Cancelled`], whatever its exit status. Capturing
/// its outputs does not wait for descendants that outlive it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CommandSpec {
    /// The program and its arguments; not empty. A program without a slash is looked up in the
    /// host program's own `PATH`.
    pub argv: Vec<String>,
    /// The whole environment: nothing else is passed on.
    pub env: Vec<(String, String)>,
    /// Working directory; empty: the host program's own.
    pub cwd: String,
    /// User and group to run as; empty: as the host program.
    pub user: String,
    pub group: String,
    /// Sent to the process group to stop it softly, such as `SIGTERM`; a hard stop is `SIGKILL`.
    pub signal: String,
}

/// How a command ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CommandOutcome {
    /// The exit status; `None` when a signal ended it.
    pub status: Option<i32>,
    /// The signal that ended it, such as `SIGKILL`.
    pub signal: Option<String>,
    /// Both outputs as they came, and each alone; `None` when nothing was ever written to it.
    pub output: Option<Vec<u8>>,
    pub stdout: Option<Vec<u8>>,
    pub stderr: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Fact {
    /// `Bytes`: the latest line that a command (`sh -c`) wrote, again with each line; nothing is sent
    /// before the first one. Leaving it kills the command. An error ([`ended_silently`]) when it ended without one.
    Lines { command: String },
}

/// What becomes of the lines of a command that ended without any: nobody need wait for a value.
pub fn ended_silently() -> HostError {
    HostError::new(HostErrorKind::Other, "the command ended without printing a line, so there is no value")
}

impl CommandSpec {
    /// A command line for `sh`, in the environment that its body adds.
    pub fn shell(command: &str) -> CommandSpec {
        let argv = ["sh", "-c", command].map(str::to_owned).to_vec();
        CommandSpec { argv, signal: "SIGKILL".into(), ..CommandSpec::default() }
    }
}

impl Look for CommandSpec {
    type Finding = CommandOutcome;

    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Run(Cow::Borrowed(self))]
    }

    fn waits(&self) -> bool {
        true
    }

    fn repeats(&self) -> bool {
        false
    }
}

impl Change for CommandSpec {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        write!(f, "run {}", self.argv.join(" "))
    }

    /// The words of a command line are where passwords hide. They are in the program, under the resource's name.
    fn audit(&self, f: &mut dyn Write) -> std::fmt::Result {
        let CommandSpec { argv, cwd, user, group, .. } = self;
        let (program, n_words) = (argv.first().map_or("nothing", String::as_str), argv.len().saturating_sub(1));
        write!(f, "run {program} with {n_words} argument{}", if n_words == 1 { "" } else { "s" })?;
        for (what, value) in [("in", cwd), ("as user", user), ("as group", group)] {
            if !value.is_empty() {
                write!(f, " {what} {value}")?;
            }
        }
        Ok(())
    }

    fn powers(&self) -> Vec<Power<'_>> {
        Look::powers(self)
    }

    fn waits(&self) -> bool {
        true
    }

    fn repeats(&self) -> bool {
        false
    }
}

impl Listen for CommandSpec {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        write!(f, "the output of {}", self.argv.join(" "))
    }

    fn powers(&self) -> Vec<Power<'_>> {
        Look::powers(self)
    }
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        let Fact::Lines { command } = self;
        write!(f, "the output of {command}")
    }

    fn powers(&self) -> Vec<Power<'_>> {
        let Fact::Lines { command } = self;
        vec![Power::Run(Cow::Owned(CommandSpec::shell(command)))]
    }

    fn changes(&self) -> Changes {
        Changes::Streams
    }
}
