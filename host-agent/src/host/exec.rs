//! Commands: each in a process group of its own, with captured outputs, stopped as asked, and never left
//! as a zombie.

use super::accounts;
use super::errno::{failed, kind, words};
use super::fs::native;
use super::kept::{MOST, Outputs, ROOM};
use super::program::Executable;
use super::running::Running;
use super::signals::{signal_name, signal_number};
use mclive_base::vocab::path::shown;
use mclive_base::vocab::{CommandOutcome, CommandSpec, HostError, HostErrorKind};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::AsFd;
use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, accessat, fcntl_getfl, fcntl_setfl, openat};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};

/// Runs a command to its end; `tell` hears what is worth a line for people.
pub(crate) fn run(
    spec: &CommandSpec,
    program: &Executable,
    running: &Running,
    tell: &dyn Fn(&str),
) -> Result<CommandOutcome, HostError> {
    feed(spec, program, running, Stdio::null(), tell)
}

/// The same with something on standard input.
pub(crate) fn feed(
    spec: &CommandSpec,
    program: &Executable,
    running: &Running,
    input: Stdio,
    tell: &dyn Fn(&str),
) -> Result<CommandOutcome, HostError> {
    let mut outputs = Outputs::new(&ROOM);
    let status = follow_fed(spec, program, running, input, |stream, bytes| outputs.add(stream, bytes))?;
    if running.is_stopped() {
        return Err(HostError::new(HostErrorKind::Cancelled, format!("{} was stopped", spec.argv[0])));
    }
    if outputs.both.n_dropped > 0 {
        let (name, dropped) = (shown(&spec.argv[0]), outputs.both.n_dropped);
        tell(&format!(
            "{name} wrote too much: the last {dropped} bytes of its output are not kept; at most {MOST} are"
        ));
    }
    Ok(CommandOutcome {
        status: status.code(),
        signal: status.signal().map(signal_name),
        output: outputs.both.into_bytes(),
        stdout: outputs.stdout.into_bytes(),
        stderr: outputs.stderr.into_bytes(),
    })
}

#[derive(Clone, Copy)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

/// Runs a command and hands on what it writes as it comes. Descendants that outlive it and hold its
/// pipes are not waited for.
pub(crate) fn follow(
    spec: &CommandSpec,
    program: &Executable,
    running: &Running,
    wrote: impl FnMut(Stream, &[u8]),
) -> Result<std::process::ExitStatus, HostError> {
    follow_fed(spec, program, running, Stdio::null(), wrote)
}

fn follow_fed(
    spec: &CommandSpec,
    program: &Executable,
    running: &Running,
    input: Stdio,
    mut wrote: impl FnMut(Stream, &[u8]),
) -> Result<std::process::ExitStatus, HostError> {
    let signal = signal_number(&spec.signal).unwrap_or(Signal::TERM);
    running.begins();
    let mut child = spawn(spec, program, input)?;
    let pid = Pid::from_child(&child);
    running.began(pid, signal);
    let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
    let ended = pidfd_open(pid, PidfdFlags::empty());
    for pipe in [stdout.as_ref().map(AsFd::as_fd), stderr.as_ref().map(AsFd::as_fd)].into_iter().flatten() {
        if let Ok(flags) = fcntl_getfl(pipe) {
            let _ = fcntl_setfl(pipe, flags | OFlags::NONBLOCK);
        }
    }
    let mut buffer = vec![0; 64 << 10];
    loop {
        let mut over = false;
        {
            let mut ways: Vec<PollFd> = Vec::with_capacity(3);
            ways.extend(stdout.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
            ways.extend(stderr.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
            match &ended {
                Ok(pidfd) => ways.push(PollFd::new(pidfd, PollFlags::IN)),
                // Without a descriptor of the process its pipes' ends tell that it is over.
                Err(_) if ways.is_empty() => break,
                Err(_) => {}
            }
            match poll(&mut ways, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => {
                    let _ = kill_process_group(pid, Signal::KILL);
                    let _ = running.reap(&mut child);
                    return Err(HostError::new(kind(errno), format!("poll: {}", words(errno))));
                }
            }
            if ended.is_ok() {
                over = ways.last().is_some_and(|way| !way.revents().is_empty());
            }
        }
        drain(&mut stdout, &mut buffer, |bytes| wrote(Stream::Stdout, bytes));
        drain(&mut stderr, &mut buffer, |bytes| wrote(Stream::Stderr, bytes));
        if over {
            break;
        }
    }
    running.reap(&mut child).map_err(|error| HostError::new(HostErrorKind::Other, format!("wait: {error}")))
}

/// Reads what is there now; closes the pipe at its end. Bounded, so that an endless writer does not keep
/// us from seeing the other pipe.
fn drain<P: Read>(pipe: &mut Option<P>, buffer: &mut [u8], mut wrote: impl FnMut(&[u8])) {
    for _ in 0..16 {
        let Some(open) = pipe else { return };
        match open.read(buffer) {
            Ok(0) => *pipe = None,
            Ok(n) => wrote(&buffer[..n]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return,
            Err(_) => *pipe = None,
        }
    }
}

fn spawn(spec: &CommandSpec, program: &Executable, input: Stdio) -> Result<Child, HostError> {
    let mut command = Command::new(program.file());
    command.arg0(native(&spec.argv[0])).args(spec.argv[1..].iter().map(|arg| native(arg)));
    command.env_clear().envs(spec.env.iter().map(|(name, value)| (native(name), native(value))));
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    if !spec.cwd.is_empty() {
        command.current_dir(native(&spec.cwd));
    }
    if !spec.user.is_empty() {
        let user = accounts::user(&spec.user)?;
        if user.uid != rustix::process::geteuid().as_raw() {
            command.uid(user.uid);
            if spec.group.is_empty() {
                command.gid(user.gid);
            }
        }
    }
    if !spec.group.is_empty() {
        let gid = accounts::group(&spec.group)?;
        if gid != rustix::process::getegid().as_raw() {
            command.gid(gid);
        }
    }
    command.spawn().map_err(|error| {
        let errno = Errno::from_io_error(&error);
        // The error of either is the same; whether a directory can be gone to tells which it was.
        if !spec.cwd.is_empty()
            && let Err(errno) = openat(CWD, &*native(&spec.cwd), OFlags::PATH | OFlags::DIRECTORY, Mode::empty())
                .and_then(|_| accessat(CWD, &*native(&spec.cwd), Access::EXEC_OK, AtFlags::EACCESS))
        {
            return failed("chdir", &spec.cwd, errno);
        }
        let what = errno.map_or_else(|| error.to_string(), words);
        let whom = match (&*spec.user, &*spec.group) {
            ("", "") => String::new(),
            ("", group) => format!(" as group {group}"),
            (user, "") => format!(" as user {user}"),
            (user, group) => format!(" as user {user} and group {group}"),
        };
        let hint = if errno == Some(Errno::PERM) && !whom.is_empty() { " (this takes root)" } else { "" };
        let message = format!("fork/exec {}{whom}: {what}{hint}", program.file().display());
        HostError::new(errno.map_or(HostErrorKind::Other, kind), message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::protocol::StopMode;
    use std::sync::Mutex;
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
        let outcome = run(&sh("echo a; echo b >&2; exit 3"), &Running::default()).unwrap();
        assert_eq!(
            (outcome.status, outcome.stdout.as_deref(), outcome.stderr.as_deref()),
            (Some(3), Some(&b"a\n"[..]), Some(&b"b\n"[..]))
        );
        assert_eq!(outcome.output.map(|both| both.len()), Some(4));
    }

    #[test]
    fn what_writes_nothing_has_no_output_and_no_environment() {
        assert_eq!(run(&sh("true"), &Running::default()).unwrap().output, None);
        let env = CommandSpec { argv: vec!["/usr/bin/env".into()], ..sh("") };
        assert_eq!(run(&env, &Running::default()).unwrap().output, None);
    }

    #[test]
    fn a_descendant_that_holds_the_pipe_is_not_waited_for() {
        let began = Instant::now();
        let outcome = run(&sh("sleep 5 & echo a"), &Running::default()).unwrap();
        assert_eq!(outcome.stdout.as_deref(), Some(&b"a\n"[..]));
        assert!(began.elapsed() < Duration::from_secs(3));
    }

    #[test]
    fn a_stopped_command_has_no_outcome() {
        let running = Running::default();
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
        let running = Running::default();
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
        let began = Instant::now();
        let is_there = || {
            let stat = std::fs::read_to_string(format!("/proc/{left}/stat")).unwrap_or_default();
            !stat.is_empty() && !stat.contains(") Z ")
        };
        while is_there() {
            assert!(began.elapsed() < Duration::from_secs(5), "{left} is left");
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = std::fs::remove_file(file);
    }

    #[test]
    fn a_flood_is_cut() {
        let told = Mutex::new(Vec::new());
        let tell = |text: &str| told.lock().unwrap().push(text.to_owned());
        let spec = sh("head -c 20000000 /dev/zero");
        let outcome = super::run(&spec, &Executable::any(&spec).unwrap(), &Running::default(), &tell).unwrap();
        assert_eq!(outcome.stdout.map(|out| out.len()), Some(MOST));
        let told = told.into_inner().unwrap().concat();
        assert!(told.contains(&(20_000_000 - MOST).to_string()), "{told}");
    }

    #[test]
    fn what_is_not_there_says_so() {
        let missing = CommandSpec { argv: vec!["no-such-program".into()], ..sh("") };
        let error = run(&missing, &Running::default()).unwrap_err();
        assert_eq!(error.message, "exec: \"no-such-program\": executable file not found in $PATH");
    }
}
