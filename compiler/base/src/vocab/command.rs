//! Commands: programs that run and exit, and the lines they print.

use super::{Change, Changes, HostError, HostErrorKind, Learn, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt::Write;

/// A command that only checks.
pub type Probe = CommandSpec;
/// How the command ended.
pub type Finding = CommandOutcome;
/// A command that changes something.
pub type Step = CommandSpec;
/// A command whose non-empty output lines each signal a change. If it exits, the whole watch fails.
pub type Watch = CommandSpec;

/// A command to run in its own process group. If the brain cancels it (`Output::Cancel`) before it exits, the answer is
/// a failure with [`HostErrorKind::Cancelled`], whatever its exit status. Capturing output does not wait for
/// descendants that outlive it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CommandSpec {
    /// The program and its arguments; not empty. A program without a slash is looked up in the agent's `PATH`.
    pub argv: Vec<String>,
    /// The whole environment; nothing else is inherited.
    pub env: Vec<(String, String)>,
    /// Working directory; empty: the agent's.
    pub cwd: String,
    /// The user to run as; empty: the agent's.
    pub user: String,
    /// The group to run as; empty: the agent's.
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
    /// Both outputs interleaved; `None` if nothing was written.
    pub output: Option<Vec<u8>>,
    /// Standard output; `None` if nothing was written.
    pub stdout: Option<Vec<u8>>,
    /// Standard error; `None` if nothing was written.
    pub stderr: Option<Vec<u8>>,
}

/// A command as a source of values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Fact {
    /// `Bytes`: the last line that a command (`sh -c`) printed, reported again with each line; nothing before the first
    /// one. Unsubscribing kills the command. An error ([`ended_silently`]) if it exits without printing a line.
    Lines { command: String },
}

/// The error of a command that exited without printing a line, so that no value will come.
pub fn ended_silently() -> HostError {
    HostError::new(HostErrorKind::Other, "the command ended without printing a line, so there is no value")
}

impl CommandSpec {
    /// A command line for `sh`; the body adds the environment.
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

    /// Command lines can contain passwords, so they are left out. The program has them, under the resource's name.
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
