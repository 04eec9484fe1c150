//! `exec`: runs a command when guards allow it. Resource spec, 9.

mod apply;
mod validate;

use crate::kinds::accounts::{wanted_group, wanted_user};
use crate::kinds::kind::{Decision, Seen, Sent};
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::{Claim, Direction, Field, HostType, Kind, KindDecl, Sendable, Traits, Want, WantBatch};
use crate::vocab::{Probe, Watch};

/// The kind `exec`.
pub(crate) struct Exec;

static DECL: KindDecl = KindDecl {
    name: "exec",
    doc: "Runs a command if its guards allow it. Without guards, it runs at the start and after each watched event, \
          because a command has no state that could be checked.",
    fields: &[
        Field::str(
            "cmd",
            "Cmd",
            "Command to run; defaults to the resource name. Without `shell`, it is split on whitespace, and quotes \
             have no special meaning.",
        ),
        Field::strs(
            "args",
            "Args",
            "Arguments, as an alternative to words in `cmd`, which must then be a single word. Cannot be combined with \
             `shell`.",
        ),
        Field::str("cwd", "Cwd", "Working directory of `cmd`; defaults to that of the agent."),
        Field::str("shell", "Shell", "Shell; if set, the command is run as `shell -c cmd`."),
        Field::new(
            "env",
            "Env",
            HostType::STR_MAP,
            "Complete environment of all commands of this resource. If empty, they run with an empty environment.",
        ),
        Field::str(
            "sig",
            "Sig",
            "Signal that stops a command on cancellation or timeout, such as `SIGINT`; defaults to `SIGTERM`.",
        ),
        Field::str("watchcmd", "WatchCmd", "Long-running command. Each non-empty line of its output is an event."),
        Field::str("watchcwd", "WatchCwd", "Working directory of `watchcmd`."),
        Field::str("watchshell", "WatchShell", "Shell for `watchcmd`."),
        Field::strs(
            "watchfiles",
            "WatchFiles",
            "Absolute paths to watch; a change is an event. Paths with a trailing slash are watched recursively.",
        ),
        Field::str("ifcmd", "IfCmd", "Guard: skip `cmd` if this command fails."),
        Field::str("ifcwd", "IfCwd", "Working directory of `ifcmd`."),
        Field::str("ifshell", "IfShell", "Shell for `ifcmd`."),
        Field::str(
            "ifequals",
            "IfEquals",
            "Guard: skip `cmd` if `ifcmd` succeeds and its combined output is exactly this text.",
        )
        .nullable(),
        Field::str(
            "ifequals_stdout",
            "IfEqualsStdout",
            "Same as `ifequals`, but only compares the standard output of `ifcmd`.",
        )
        .nullable(),
        Field::str("nifcmd", "NIfCmd", "Guard: skip `cmd` if this command succeeds."),
        Field::str("nifcwd", "NIfCwd", "Working directory of `nifcmd`."),
        Field::str("nifshell", "NIfShell", "Shell for `nifcmd`."),
        Field::str("creates", "Creates", "Guard: skip `cmd` if this absolute path exists. The path is also watched."),
        Field::strs(
            "mtimes",
            "Mtimes",
            "Absolute paths. If one was modified after the last successful run, `cmd` runs regardless of the guards. \
             The paths are also watched and must exist.",
        ),
        Field::str("donecmd", "DoneCmd", "Command to run after `cmd` succeeds. If it fails, the resource fails."),
        Field::str("donecwd", "DoneCwd", "Working directory of `donecmd`."),
        Field::str("doneshell", "DoneShell", "Shell for `donecmd`."),
        Field::str("user", "User", "User (name or uid) that all commands run as."),
        Field::str("group", "Group", "Group (name or gid) that all commands run as."),
        Field::str(
            "send_output",
            "SendOutput",
            "Value to send as `output` if the command is skipped and no output was captured before.",
        )
        .nullable(),
        Field::str("send_stdout", "SendStdout", "Same as `send_output`, for `stdout`.").nullable(),
        Field::str("send_stderr", "SendStderr", "Same as `send_output`, for `stderr`.").nullable(),
    ],
    traits: Traits {
        edgeable: true,
        interruptable: true,
        uses_vardir: true,
        sends: &[
            Sendable { name: "output", host: HostType::Str, nullable: true },
            Sendable { name: "stdout", host: HostType::Str, nullable: true },
            Sendable { name: "stderr", host: HostType::Str, nullable: true },
        ],
        ..Traits::NONE
    },
    constants: &[],
    policy: &[
        Required::list(PolicyList::Commands),
        Required::list(PolicyList::Environment),
        Required::list(PolicyList::Reads).case("`creates` and `mtimes`"),
    ],
};

impl Kind for Exec {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn backend(&self) -> &'static str {
        "child processes."
    }

    fn probes(&self, want: &Want) -> Vec<Probe> {
        apply::probes(want)
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        apply::decide(want, seen)
    }

    fn sends_dry(&self, _want: &Want, seen: &Seen) -> Sent {
        apply::sends_dry(seen)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        apply::watches(want)
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        validate::validate(want)
    }

    /// The programs it may run, and the users it runs as.
    fn wants(&self, want: &Want) -> Vec<WantBatch> {
        let mut claims = Vec::new();
        for program in programs(want) {
            claims.push(Claim::PkgFile(program.clone()));
            claims.push(Claim::File(program));
        }
        let (user, group) = (want.text("user"), want.text("group"));
        if !user.is_empty() {
            claims.push(Claim::User { name: Some(user.into_owned()), uid: None });
        }
        if !group.is_empty() {
            claims.push(Claim::Group { name: Some(group.into_owned()), gid: None });
        }
        let claims = claims.into_iter().map(|claim| (claim, Direction::Before)).collect();
        vec![WantBatch { claims, first_only: false }]
    }

    /// The same accounts if they are given by number.
    fn wants_on_hosts(&self, want: &Want) -> Vec<Claim> {
        [wanted_user(&want.text("user")), wanted_group(&want.text("group"))].into_iter().flatten().collect()
    }
}

/// For each command its shell, otherwise its first word.
fn programs(want: &Want) -> Vec<String> {
    let commands = [
        (want.effective("cmd"), "shell"),
        (want.text("watchcmd"), "watchshell"),
        (want.text("ifcmd"), "ifshell"),
        (want.text("nifcmd"), "nifshell"),
        (want.text("donecmd"), "doneshell"),
    ];
    let program = |(command, shell): (std::borrow::Cow<str>, &str)| {
        let shell = want.text(shell);
        if shell.is_empty() { command.split_whitespace().next().map(str::to_owned) } else { Some(shell.into_owned()) }
    };
    commands.into_iter().filter_map(program).collect()
}
