//! Reads the output of a child as it arrives, within limits.

use super::Fault;
use super::child::Child;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::AsFd;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{PidfdFlags, pidfd_open};
use std::io::{BufReader, ErrorKind, Read};
use std::ops::ControlFlow;
use std::process::{ChildStdin, ChildStdout, ExitStatus};
use std::time::{Duration, Instant};

#[derive(Clone, Copy)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

/// The time limits of a child; it is killed after them.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    /// For all of it.
    pub(crate) whole: Option<Duration>,
    /// For the time without output.
    pub(crate) silence: Option<Duration>,
}

impl Patience {
    /// No time limit: the command runs until the owner of its process group stops it.
    pub(crate) const UNTIL_STOPPED: Patience = Patience { whole: None, silence: None };

    pub(crate) const fn of(whole: Duration) -> Patience {
        Patience { whole: Some(whole), silence: None }
    }

    /// The next deadline, and its error.
    fn end(self, began: Instant, heard: Instant) -> Option<(Instant, Fault)> {
        let late = self.whole.map(|limit| (began + limit, Fault::Late(limit)));
        let silent = self.silence.map(|limit| (heard + limit, Fault::Silent(limit)));
        late.into_iter().chain(silent).min_by_key(|(at, _)| *at)
    }
}

impl Child {
    /// Passes on the output as it arrives, until the child has ended or the receiver refuses. Descendants that outlive
    /// it and hold its pipes are not awaited.
    pub(crate) fn hear(
        mut self,
        patience: Patience,
        mut heard: impl FnMut(Stream, &[u8]) -> ControlFlow<()>,
    ) -> Result<ExitStatus, Fault> {
        let (mut stdout, mut stderr) = (self.stdout(), self.stderr());
        let ended = pidfd_open(self.leader(), PidfdFlags::empty());
        for pipe in [stdout.as_ref().map(AsFd::as_fd), stderr.as_ref().map(AsFd::as_fd)].into_iter().flatten() {
            if let Ok(flags) = fcntl_getfl(pipe) {
                let _ = fcntl_setfl(pipe, flags | OFlags::NONBLOCK);
            }
        }
        let mut buffer = vec![0; 64 << 10];
        let began = Instant::now();
        let (mut last_heard, mut is_over) = (began, false);
        while !is_over {
            let end = patience.end(began, last_heard);
            {
                let mut ways: Vec<PollFd> = Vec::with_capacity(3);
                ways.extend(stdout.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
                ways.extend(stderr.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
                match &ended {
                    Ok(pidfd) => ways.push(PollFd::new(pidfd, PollFlags::IN)),
                    // Without a process descriptor the ends of its pipes mark the end.
                    Err(_) if ways.is_empty() => break,
                    Err(_) => {}
                }
                match poll(&mut ways, end.as_ref().map(|(at, _)| until(*at)).as_ref()) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(errno) => return Err(Fault::System(errno.into())),
                }
                is_over = ended.is_ok() && ways.last().is_some_and(|way| !way.revents().is_empty());
            }
            let mut tells = |stream, bytes: &[u8]| {
                last_heard = Instant::now();
                heard(stream, bytes)
            };
            let flow = match drain(&mut stdout, &mut buffer, |bytes| tells(Stream::Stdout, bytes)) {
                ControlFlow::Continue(()) => drain(&mut stderr, &mut buffer, |bytes| tells(Stream::Stderr, bytes)),
                refused => refused,
            };
            if flow.is_break() {
                return Err(Fault::Refused);
            }
            if let Some((_, fault)) =
                patience.end(began, last_heard).filter(|(at, _)| !is_over && *at <= Instant::now())
            {
                return Err(fault);
            }
        }
        self.reap().map_err(Fault::System)
    }

    /// Converses with a child whose input is [`Input::Speech`](super::Input::Speech); `silence` limits the wait for
    /// each answer.
    pub(crate) fn speech(mut self, silence: Option<Duration>) -> Option<Speech> {
        let (stdin, pipe) = (self.stdin()?, self.stdout()?);
        Some(Speech { stdin, stdout: BufReader::new(Timed { pipe, silence }), _child: self })
    }
}

/// A conversation with a child; dropping it ends the child.
pub(crate) struct Speech {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: BufReader<Timed>,
    _child: Child,
}

/// A pipe with a time limit for reads.
pub(crate) struct Timed {
    pipe: ChildStdout,
    silence: Option<Duration>,
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let limit = self.silence.map(|silence| until(Instant::now() + silence));
        match poll(&mut [PollFd::new(&self.pipe, PollFlags::IN)], limit.as_ref()) {
            // The caller repeats `read`.
            Err(Errno::INTR) => Err(ErrorKind::Interrupted.into()),
            Err(errno) => Err(errno.into()),
            Ok(0) => Err(ErrorKind::TimedOut.into()),
            Ok(_) => self.pipe.read(buffer),
        }
    }
}

fn until(end: Instant) -> Timespec {
    let left = end.saturating_duration_since(Instant::now());
    Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() }
}

/// Reads the available data; closes the pipe at its end. Limited, so that an endless writer does not delay the other
/// pipe.
fn drain<P: Read>(
    pipe: &mut Option<P>,
    buffer: &mut [u8],
    mut wrote: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for _ in 0..16 {
        let Some(open) = pipe else { break };
        match open.read(buffer) {
            Ok(0) => *pipe = None,
            Ok(n) => wrote(&buffer[..n])?,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(_) => *pipe = None,
        }
    }
    ControlFlow::Continue(())
}
