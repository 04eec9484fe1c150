//! `exec`: runs a command when guards allow it. Resource spec, 9.

mod apply;
mod validate;

use crate::kinds::accounts::{wanted_group, wanted_user};
use crate::kinds::kind::{Decision, Seen, Sent};
use crate::kinds::{Claim, Direction, Field, HostType, Kind, KindDecl, Sendable, Traits, Want, WantBatch};
use crate::vocab::{Probe, Watch};

/// The kind `exec`.
pub(crate) struct Exec;

static DECL: KindDecl = KindDecl {
    name: "exec",
    doc: "Runs a command when guards allow it. Without guards it runs at the start and after each event that it watches, because a command has no state of its own to check.",
    fields: &[
        Field::str(
            "cmd",
            "Cmd",
            "Command to run; empty means the resource name. Split on whitespace when no shell is set (quotes are not interpreted).",
        ),
        Field::strs(
            "args",
            "Args",
            "Argument vector used instead of words in cmd; cmd must then be a single word. Not allowed together with shell.",
        ),
        Field::str("cwd", "Cwd", "Working directory for cmd; empty inherits that of the engine process."),
        Field::str("shell", "Shell", "Interpreter; when set the command is run as `shell -c cmd`."),
        Field::new(
            "env",
            "Env",
            HostType::STR_MAP,
            "Complete environment of every command this resource runs; empty means an empty environment.",
        ),
        Field::str(
            "sig",
            "Sig",
            "Signal (exact upper-case SIG* name) that asks a command to stop, on cancellation or timeout. Empty means SIGTERM.",
        ),
        Field::str("watchcmd", "WatchCmd", "Long-running command; each non-empty line of its output is an event."),
        Field::str("watchcwd", "WatchCwd", "Working directory for watchcmd."),
        Field::str("watchshell", "WatchShell", "Interpreter for watchcmd."),
        Field::strs(
            "watchfiles",
            "WatchFiles",
            "Absolute paths whose change is an event (recursive for paths with a trailing slash).",
        ),
        Field::str("ifcmd", "IfCmd", "Guard: cmd is skipped when this exits non-zero."),
        Field::str("ifcwd", "IfCwd", "Working directory for ifcmd."),
        Field::str("ifshell", "IfShell", "Interpreter for ifcmd."),
        Field::str(
            "ifequals",
            "IfEquals",
            "If ifcmd exits zero and its combined output equals this text exactly, cmd is skipped.",
        )
        .nullable(),
        Field::str("ifequals_stdout", "IfEqualsStdout", "Same as ifequals but compares only stdout of ifcmd.")
            .nullable(),
        Field::str("nifcmd", "NIfCmd", "Guard: cmd is skipped when this exits zero."),
        Field::str("nifcwd", "NIfCwd", "Working directory for nifcmd."),
        Field::str("nifshell", "NIfShell", "Interpreter for nifcmd."),
        Field::str("creates", "Creates", "Absolute path; cmd is skipped if it can be stat-ed. Also watched."),
        Field::strs(
            "mtimes",
            "Mtimes",
            "Absolute paths; if any has an mtime later than the recorded last successful run, every guard is bypassed and cmd runs. Also watched; a missing one is an error.",
        ),
        Field::str("donecmd", "DoneCmd", "Runs after cmd succeeds; its failure is a failure of the resource."),
        Field::str("donecwd", "DoneCwd", "Working directory for donecmd."),
        Field::str("doneshell", "DoneShell", "Interpreter for donecmd."),
        Field::str("user", "User", "User (name or uid) for all commands."),
        Field::str("group", "Group", "Group (name or gid) for all commands."),
        Field::str(
            "send_output",
            "SendOutput",
            "Fallback value for the output sendable when nothing was captured or cached and the command is skipped.",
        )
        .nullable(),
        Field::str("send_stdout", "SendStdout", "Fallback for stdout.").nullable(),
        Field::str("send_stderr", "SendStderr", "Fallback for stderr.").nullable(),
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
};

impl Kind for Exec {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn backend(&self) -> &'static str {
        "processes of its own. What a policy must allow: `commands` and `environment`."
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
