//! [`Sink`]: the destination of output. Each kind handles its own failures, and reports each once.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::BorrowedFd;
use rustix::io::Errno;

pub(crate) trait Sink: Send + 'static {
    /// Writes everything possible; blocks as long as the reader does. `moves` is called with each part.
    fn write(&mut self, bytes: &[u8], moves: &dyn Fn());
}

/// Standard output or standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Standard {
    Output,
    Error,
}

impl Standard {
    pub(super) fn name(self) -> &'static str {
        match self {
            Standard::Output => "standard output",
            Standard::Error => "standard error",
        }
    }

    fn fd(self) -> BorrowedFd<'static> {
        match self {
            Standard::Output => rustix::stdio::stdout(),
            Standard::Error => rustix::stdio::stderr(),
        }
    }

    pub(super) fn is_terminal(self) -> bool {
        rustix::termios::isatty(self.fd())
    }

    pub(super) fn write(self, mut bytes: &[u8], moves: &dyn Fn()) -> Result<(), Errno> {
        while !bytes.is_empty() {
            match rustix::io::write(self.fd(), bytes) {
                Ok(n) => {
                    bytes = &bytes[n..];
                    moves();
                }
                Err(Errno::INTR) => {}
                // Another process made the open file non-blocking.
                Err(Errno::AGAIN) => drop(poll(&mut [PollFd::from_borrowed_fd(self.fd(), PollFlags::OUT)], None)),
                Err(errno) => return Err(errno),
            }
        }
        Ok(())
    }
}
