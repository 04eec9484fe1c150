//! The commands of the vocabulary: run with the host's rules, with limited output.

use super::accounts;
use super::captured::{MOST, Outputs, ROOM};
use super::errno::{failed, kind, words};
use super::fs::native;
use super::program::Executable;
use super::running::Running;
use super::signals::{signal_name, signal_number};
use crate::process::{Fault, Input, Patience, Purpose, Start, Stream};
use mclive_base::vocab::path::shown;
use mclive_base::vocab::{CommandOutcome, CommandSpec, HostError, HostErrorKind};
use rustix::io::Errno;
use rustix::process::Signal;
use std::ops::ControlFlow;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

/// The limit of a tool that only reads.
const NEAR: Patience = Patience::of(Duration::from_secs(60));
/// The same if it may use the network.
const FAR: Patience = Patience::of(Duration::from_secs(300));

/// Runs a command of a program to completion; `tell` receives messages for people.
pub(crate) fn run(
    spec: &CommandSpec,
    program: &Executable,
    running: &Running,
    tell: &dyn Fn(&str),
) -> Result<CommandOutcome, HostError> {
    let Ended { outcome, n_dropped, .. } = keep(&Terms::of(running), spec, program, running, Input::Nothing)?;
    if n_dropped > 0 {
        let name = shown(&spec.argv[0]);
        tell(&format!(
            "{name} wrote too much output: the last {n_dropped} bytes were dropped; at most {MOST} are kept"
        ));
    }
    Ok(outcome)
}

/// Runs a tool of a subject, with standard input. Of a probe it must be the whole answer.
pub(crate) fn feed(
    spec: &CommandSpec,
    program: &Executable,
    running: &Running,
    input: Input,
) -> Result<CommandOutcome, HostError> {
    let mut terms = Terms::of(running);
    if terms.purpose == Purpose::Look {
        terms.patience = FAR;
        return keep(&terms, spec, program, running, input)?.whole(spec);
    }
    keep(&terms, spec, program, running, input).map(|ended| ended.outcome)
}

/// Runs a read-only tool of this host, possibly for a step: it has a time limit, and does not outlive the agent.
pub(crate) fn look(spec: &CommandSpec, program: &Executable, running: &Running) -> Result<CommandOutcome, HostError> {
    let terms = Terms { purpose: Purpose::Look, patience: NEAR };
    keep(&terms, spec, program, running, Input::Nothing)?.whole(spec)
}

/// Runs a command and passes on its output as it comes.
pub(crate) fn follow(
    spec: &CommandSpec,
    program: &Executable,
    running: &Running,
    wrote: impl FnMut(Stream, &[u8]),
) -> Result<ExitStatus, HostError> {
    through(&Terms::of(running), spec, program, running, Input::Nothing, wrote)
}

struct Terms {
    purpose: Purpose,
    patience: Patience,
}

impl Terms {
    /// The terms of a program's own commands: the brain knows their limits, and stops them.
    fn of(running: &Running) -> Terms {
        Terms { purpose: running.purpose(), patience: Patience::UNTIL_STOPPED }
    }
}

/// The outcome of a command, and how many bytes are missing of its output and of its standard output.
struct Ended {
    outcome: CommandOutcome,
    n_dropped: usize,
    n_dropped_stdout: usize,
}

impl Ended {
    /// Errors: its answer is incomplete. The rest may say the opposite: a missing line is a missing machine.
    fn whole(self, spec: &CommandSpec) -> Result<CommandOutcome, HostError> {
        if self.n_dropped_stdout == 0 {
            return Ok(self.outcome);
        }
        let (name, n_dropped) = (shown(&spec.argv[0]), self.n_dropped_stdout);
        let why = format!("{name} wrote too much output: {n_dropped} bytes were dropped");
        Err(HostError::new(HostErrorKind::Other, why))
    }
}

fn keep(
    terms: &Terms,
    spec: &CommandSpec,
    program: &Executable,
    running: &Running,
    input: Input,
) -> Result<Ended, HostError> {
    let mut outputs = Outputs::new(&ROOM);
    let status = through(terms, spec, program, running, input, |stream, bytes| outputs.add(stream, bytes))?;
    if running.is_stopped() {
        return Err(HostError::new(HostErrorKind::Cancelled, format!("{} was stopped", spec.argv[0])));
    }
    let (n_dropped, n_dropped_stdout) = (outputs.both.n_dropped, outputs.stdout.n_dropped);
    let outcome = CommandOutcome {
        status: status.code(),
        signal: status.signal().map(signal_name),
        output: outputs.both.into_bytes(),
        stdout: outputs.stdout.into_bytes(),
        stderr: outputs.stderr.into_bytes(),
    };
    Ok(Ended { outcome, n_dropped, n_dropped_stdout })
}

fn through(
    terms: &Terms,
    spec: &CommandSpec,
    program: &Executable,
    running: &Running,
    input: Input,
    mut wrote: impl FnMut(Stream, &[u8]),
) -> Result<ExitStatus, HostError> {
    let system = |error: std::io::Error| HostError::new(HostErrorKind::Other, format!("wait: {error}"));
    let start = start(terms.purpose, spec, program)?.input(input).map_err(system)?;
    let child = start.heard().begin().map_err(|fault| refused(fault, spec, program))?;
    running.began(child.group(), signal_number(&spec.signal).unwrap_or(Signal::TERM));
    let heard = child.hear(terms.patience, |stream, bytes| {
        wrote(stream, bytes);
        ControlFlow::Continue(())
    });
    heard.map_err(|fault| match fault {
        Fault::System(error) => system(error),
        late => HostError::new(HostErrorKind::TimedOut, format!("{}: {late}", shown(&spec.argv[0]))),
    })
}

fn start(purpose: Purpose, spec: &CommandSpec, program: &Executable) -> Result<Start, HostError> {
    let mut start = Start::new(program.file(), purpose)
        .called(native(&spec.argv[0]))
        .args(spec.argv[1..].iter().map(|arg| native(arg)))
        .env(spec.env.iter().map(|(name, value)| (native(name), native(value))));
    if !spec.cwd.is_empty() {
        start = start.dir(&*native(&spec.cwd));
    }
    let (mut uid, mut gid) = (None, None);
    if !spec.user.is_empty() {
        let user = accounts::user(&spec.user)?;
        if user.uid != rustix::process::geteuid().as_raw() {
            uid = Some(user.uid);
            gid = spec.group.is_empty().then_some(user.gid);
        }
    }
    if !spec.group.is_empty() {
        gid = Some(accounts::group(&spec.group)?).filter(|gid| *gid != rustix::process::getegid().as_raw());
    }
    Ok(start.user(uid, gid))
}

/// Why a command did not start.
fn refused(fault: Fault, spec: &CommandSpec, program: &Executable) -> HostError {
    let error = match fault {
        Fault::Directory(errno) => return failed("chdir", &spec.cwd, errno),
        Fault::Program(error) | Fault::System(error) => error,
        ended => std::io::Error::other(ended.to_string()),
    };
    let errno = Errno::from_io_error(&error);
    let what = errno.map_or_else(|| error.to_string(), words);
    let whom = match (&*spec.user, &*spec.group) {
        ("", "") => String::new(),
        ("", group) => format!(" as group {group}"),
        (user, "") => format!(" as user {user}"),
        (user, group) => format!(" as user {user} and group {group}"),
    };
    let hint = if errno == Some(Errno::PERM) && !whom.is_empty() { " (root is required)" } else { "" };
    let message = format!("fork/exec {}{whom}: {what}{hint}", program.file().display());
    HostError::new(errno.map_or(HostErrorKind::Other, kind), message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lock::Mutex;
    use mclive_base::protocol::StopMode;
    use std::time::{Duration, Instant};

    fn run(spec: &CommandSpec, running: &Running) -> Result<CommandOutcome, HostError> {
        super::run(spec, &Executable::any(spec)?, running, &|_| {})
    }

    fn sh(text: &str) -> CommandSpec {
        CommandSpec {
            argv: ["/bin/sh", "-c", text].map(str::to_owned).to_vec(),
            env: Vec::new(),
            cwd: String::new(),
            user: String::new(),
            group: String::new(),
            signal: "SIGTERM".into(),
        }
    }

    #[test]
    fn outputs_are_kept_apart_and_together() {
        let outcome = run(&sh("echo a; echo b >&2; exit 3"), &Running::step()).unwrap();
        assert_eq!(
            (outcome.status, outcome.stdout.as_deref(), outcome.stderr.as_deref()),
            (Some(3), Some(&b"a\n"[..]), Some(&b"b\n"[..]))
        );
        assert_eq!(outcome.output.map(|both| both.len()), Some(4));
    }

    #[test]
    fn what_writes_nothing_has_no_output_and_no_environment() {
        assert_eq!(run(&sh("true"), &Running::step()).unwrap().output, None);
        let env = CommandSpec { argv: vec!["/usr/bin/env".into()], ..sh("") };
        assert_eq!(run(&env, &Running::step()).unwrap().output, None);
    }

    #[test]
    fn a_descendant_that_holds_the_pipe_is_not_waited_for() {
        let began = Instant::now();
        let outcome = run(&sh("sleep 1000 & echo $!"), &Running::step()).unwrap();
        assert!(began.elapsed() < Duration::from_secs(900), "it has slept to its end");
        let descendant = String::from_utf8(outcome.stdout.unwrap()).unwrap();
        mclive_kit::processes::kill(descendant.trim().parse().unwrap());
    }

    #[test]
    fn a_stopped_command_has_no_outcome() {
        let running = Running::step();
        std::thread::scope(|scope| {
            let outcome = scope.spawn(|| run(&sh("trap 'exit 0' TERM; while :; do sleep 0.05; done"), &running));
            std::thread::sleep(Duration::from_millis(300));
            running.stop(StopMode::Soft);
            assert_eq!(outcome.join().unwrap().unwrap_err().kind, HostErrorKind::Cancelled);
        });
    }

    #[test]
    fn a_stopped_group_is_gone_whole() {
        let file = std::env::temp_dir().join(format!("mclive-group-{}", std::process::id()));
        let text = format!("(trap '' TERM; while :; do sleep 0.05; done) & echo $! > {}; wait", file.display());
        let running = Running::step();
        let left = std::thread::scope(|scope| {
            let outcome = scope.spawn(|| run(&sh(&text), &running));
            let left = loop {
                std::thread::sleep(Duration::from_millis(20));
                let text = std::fs::read_to_string(&file).unwrap_or_default();
                if let Ok(pid) = text.trim().parse::<i32>() {
                    break pid;
                }
            };
            running.stop(StopMode::Soft);
            assert_eq!(outcome.join().unwrap().unwrap_err().kind, HostErrorKind::Cancelled);
            left
        });
        let is_there = || {
            let stat = std::fs::read_to_string(format!("/proc/{left}/stat")).unwrap_or_default();
            !stat.is_empty() && !stat.contains(") Z ")
        };
        mclive_kit::until("the whole group is gone", || !is_there(), String::new);
        let _ = std::fs::remove_file(file);
    }

    #[test]
    fn a_flood_is_cut() {
        let told = Mutex::new(Vec::new());
        let tell = |text: &str| told.lock().push(text.to_owned());
        let spec = sh("head -c 20000000 /dev/zero");
        let outcome = super::run(&spec, &Executable::any(&spec).unwrap(), &Running::step(), &tell).unwrap();
        assert_eq!(outcome.stdout.map(|out| out.len()), Some(MOST));
        let told = told.into_inner().concat();
        assert!(told.contains(&(20_000_000 - MOST).to_string()), "{told}");
    }

    #[test]
    fn a_part_of_an_answer_is_no_answer() {
        let spec = sh("head -c 20000000 /dev/zero");
        let program = Executable::any(&spec).unwrap();
        let fed = |running: Running| feed(&spec, &program, &running, Input::Nothing);
        for refused in [look(&spec, &program, &Running::look()), fed(Running::look())] {
            let why = refused.unwrap_err().message;
            assert!(why.starts_with("/bin/sh wrote too much output: "), "{why}");
        }
        // What a step has done is done, however much it says.
        assert_eq!(fed(Running::step()).unwrap().status, Some(0));
    }

    #[test]
    fn what_is_not_there_says_so() {
        let missing = CommandSpec { argv: vec!["no-such-program".into()], ..sh("") };
        let error = run(&missing, &Running::step()).unwrap_err();
        assert_eq!(error.message, "exec: \"no-such-program\": executable file not found in $PATH");
    }
}
