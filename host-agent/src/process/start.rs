//! [`Start`]: the description of a process before it starts.

use super::child::{Child, Group};
use super::{Fault, Patience, Purpose, Stream, reaper};
use rustix::fs::{Access, AtFlags, CWD, MemfdFlags, Mode, OFlags, accessat, memfd_create, openat};
use rustix::process::{Resource, Rlimit, setrlimit, setsid};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Result, Seek, Write};
use std::ops::ControlFlow;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// A process to start. By default it gets no arguments, no environment and no standard input, runs in the agent's
/// directory as the agent's user, and its output is dropped.
pub(crate) struct Start {
    command: Command,
    purpose: Purpose,
    dir: Option<PathBuf>,
    /// It gets another user.
    is_foreign: bool,
    resources: &'static [(Resource, u64)],
}

/// The standard input.
pub(crate) enum Input {
    Nothing,
    File(File),
    /// These bytes, whether they are read or not.
    Bytes(Vec<u8>),
    /// A conversation: [`Child::speech`].
    Speech,
}

/// The output of a child that has ended.
pub(crate) struct Answer {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    /// Only the end of a long text.
    pub(crate) stderr: Vec<u8>,
}

/// A command without anything of the agent's. `tests/house.rs` checks that there is no other.
pub(super) fn command(program: &OsStr) -> Command {
    let mut command = Command::new(program);
    command.env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

impl Start {
    /// A program by its path, or by a name that is searched in the `PATH` of its environment.
    pub(crate) fn new(program: impl AsRef<OsStr>, purpose: Purpose) -> Start {
        Start { command: command(program.as_ref()), purpose, dir: None, is_foreign: false, resources: &[] }
    }

    /// Sets another `argv[0]`.
    pub(crate) fn called(mut self, name: impl AsRef<OsStr>) -> Start {
        self.command.arg0(name);
        self
    }

    pub(crate) fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Start {
        self.command.args(args);
        self
    }

    pub(crate) fn env(mut self, env: impl IntoIterator<Item = (impl AsRef<OsStr>, impl AsRef<OsStr>)>) -> Start {
        self.command.envs(env);
        self
    }

    /// Passes on the agent's environment.
    pub(crate) fn inherits(self) -> Start {
        self.env(std::env::vars_os())
    }

    pub(crate) fn dir(mut self, dir: impl AsRef<Path>) -> Start {
        self.command.current_dir(dir.as_ref());
        self.dir = Some(dir.as_ref().to_owned());
        self
    }

    /// Sets another user, another group, or both; a user gets no supplementary groups, and nothing of the agent's
    /// terminal, into which its programs could type.
    pub(crate) fn user(mut self, uid: Option<u32>, gid: Option<u32>) -> Start {
        self.is_foreign |= uid.is_some();
        uid.map(|uid| self.command.uid(uid));
        gid.map(|gid| self.command.gid(gid));
        self
    }

    /// Sets the resource limits of it and its descendants.
    pub(crate) fn resources(mut self, most: &'static [(Resource, u64)]) -> Start {
        self.resources = most;
        self
    }

    pub(crate) fn input(mut self, input: Input) -> Result<Start> {
        let stdin = match input {
            Input::Nothing => Stdio::null(),
            Input::File(file) => file.into(),
            Input::Bytes(bytes) => {
                let mut file = File::from(memfd_create("input", MemfdFlags::CLOEXEC)?);
                file.write_all(&bytes)?;
                file.rewind()?;
                file.into()
            }
            Input::Speech => {
                self.command.stdout(Stdio::piped());
                Stdio::piped()
            }
        };
        self.command.stdin(stdin);
        Ok(self)
    }

    /// Captures both outputs.
    pub(crate) fn heard(mut self) -> Start {
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        self
    }

    /// Starts it.
    pub(crate) fn begin(mut self) -> std::result::Result<Child, Fault> {
        let slot = match self.purpose {
            Purpose::Look => reaper::slot(),
            Purpose::Step | Purpose::Person => None,
        };
        let is_foreign = self.is_foreign;
        if !is_foreign {
            self.lead_group();
        }
        if is_foreign || slot.is_some() || !self.resources.is_empty() {
            let mark = slot.as_ref().map(reaper::Slot::mark);
            let resources = self.resources;
            let prepares = move || {
                if is_foreign {
                    // With its own group, as well.
                    setsid()?;
                }
                for (resource, most) in resources {
                    setrlimit(*resource, Rlimit { current: Some(*most), maximum: Some(*most) })?;
                }
                mark.as_ref().map_or(Ok(()), reaper::Mark::enter)
            };
            // SAFETY: between `fork` and `exec` it makes only system calls: no allocations and no locks.
            #[allow(unsafe_code)]
            unsafe {
                self.command.pre_exec(prepares)
            };
        }
        let child = self.command.spawn().map_err(|error| self.fault(error))?;
        let group = Group::of(&child, self.purpose, slot);
        Ok(Child::new(child, group))
    }

    /// In a new process group a terminal's ^C does not reach it: the agent ends it.
    fn lead_group(&mut self) {
        self.command.process_group(0);
    }

    /// A missing directory and a missing program cause the same error; entering the directory shows which it was.
    fn fault(&self, error: std::io::Error) -> Fault {
        let goes = |dir: &PathBuf| {
            openat(CWD, dir, OFlags::PATH | OFlags::DIRECTORY, Mode::empty())
                .and_then(|_| accessat(CWD, dir, Access::EXEC_OK, AtFlags::EACCESS))
        };
        match self.dir.as_ref().map_or(Ok(()), goes) {
            Ok(()) => Fault::Program(error),
            Err(errno) => Fault::Directory(errno),
        }
    }

    /// Starts it, and waits for its end and its whole output, up to a limit.
    pub(crate) fn ask(self, patience: Patience, most: usize) -> std::result::Result<Answer, Fault> {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let hears = |stream, bytes: &[u8]| match stream {
            Stream::Stdout if stdout.len() + bytes.len() > most => ControlFlow::Break(()),
            Stream::Stdout => {
                stdout.extend_from_slice(bytes);
                ControlFlow::Continue(())
            }
            Stream::Stderr => {
                stderr.extend_from_slice(bytes);
                let too_many = stderr.len().saturating_sub(most);
                stderr.drain(..too_many);
                ControlFlow::Continue(())
            }
        };
        match self.heard().begin()?.hear(patience, hears) {
            Ok(status) => Ok(Answer { status, stdout, stderr }),
            Err(Fault::Refused) => Err(Fault::TooMuch(most)),
            Err(fault) => Err(fault),
        }
    }

    /// Starts it for the user, who ends it. The agent only reaps it.
    pub(crate) fn hand_over(mut self) -> Result<()> {
        self.lead_group();
        let mut child = self.command.spawn()?;
        let reaps = move || drop(child.wait());
        // Without a thread it stays a zombie until the agent ends.
        let _ = std::thread::Builder::new().name("reap".into()).stack_size(64 << 10).spawn(reaps);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;
    use std::time::{Duration, Instant};

    fn sh(text: &str, purpose: Purpose) -> Start {
        Start::new("/bin/sh", purpose).args(["-c", text]).env([("PATH", "/usr/bin:/bin")])
    }

    /// For what ends by itself, however long it waits for a processor.
    const LONG: Patience = Patience::of(Duration::from_secs(120));

    fn ask(text: &str) -> std::result::Result<Answer, Fault> {
        sh(text, Purpose::Look).ask(Patience::of(Duration::from_millis(300)), 1 << 20)
    }

    #[test]
    fn an_answer_is_whole() {
        let answer = sh("echo a; echo b >&2; exit 3", Purpose::Look).ask(LONG, 1 << 20).unwrap();
        assert_eq!((answer.status.code(), &*answer.stdout, &*answer.stderr), (Some(3), &b"a\n"[..], &b"b\n"[..]));
        let long = Start::new("/bin/cat", Purpose::Look).input(Input::Bytes(vec![b'x'; 1 << 20])).unwrap();
        assert_eq!(long.ask(LONG, 1 << 20).unwrap().stdout.len(), 1 << 20);
    }

    #[test]
    fn nobody_is_waited_for_for_ever() {
        let began = Instant::now();
        assert!(matches!(ask("exec sleep 1000"), Err(Fault::Late(_))));
        assert!(matches!(ask("exec sleep 1000 >&- 2>&-"), Err(Fault::Late(_))));
        assert!(matches!(ask("trap '' TERM HUP; while :; do :; done"), Err(Fault::Late(_))));
        assert!(matches!(ask("sleep 1000 & exec yes"), Err(Fault::TooMuch(_) | Fault::Late(_))));
        let silent = Patience { silence: Some(Duration::from_millis(100)), whole: Some(Duration::from_secs(600)) };
        assert!(matches!(sh("echo a; exec sleep 1000", Purpose::Step).ask(silent, 9), Err(Fault::Silent(_))));
        assert!(began.elapsed() < Duration::from_secs(900), "none of them has slept to its end");
    }

    #[test]
    fn who_is_another_user_has_no_session_of_ours() {
        let ids = |start: Start| {
            let answer = start.ask(LONG, 99).unwrap();
            let ids = String::from_utf8(answer.stdout).unwrap();
            ids.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<i32>>()
        };
        let start =
            || sh("read -r pid _ _ _ group session _ </proc/self/stat; echo $pid $group $session", Purpose::Step);
        let [pid, group, session] = ids(start())[..] else { panic!("three numbers") };
        // In a PID namespace whose session began outside of it, the session is 0, which is no `Pid`.
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
        let ours: i32 = stat.rsplit(") ").next().unwrap().split(' ').nth(3).unwrap().parse().unwrap();
        assert_eq!((group, session), (pid, ours));
        let me = rustix::process::getuid().as_raw();
        let [pid, group, session] = ids(start().user(Some(me), None))[..] else { panic!("three numbers") };
        assert_eq!((group, session), (pid, pid));
    }

    #[test]
    fn what_does_not_start_says_why() {
        let begin = |start: Start| start.begin().map(drop).unwrap_err();
        assert!(matches!(begin(Start::new("/no/such/program", Purpose::Look)), Fault::Program(_)));
        assert!(matches!(begin(sh("true", Purpose::Look).dir("/no/such/dir")), Fault::Directory(Errno::NOENT)));
    }

    #[test]
    fn resources_are_bounded_before_it_begins() {
        let bounded = sh("ulimit -t; ulimit -c", Purpose::Step).resources(&[(Resource::Cpu, 77), (Resource::Core, 0)]);
        assert_eq!(bounded.ask(LONG, 99).unwrap().stdout, b"77\n0\n");
    }
}
