//! [`Guarded`]: the bytes of a connection. A client that does not receive its answer is disconnected after a while; one
//! that still sends when it is refused has time to read why.

use super::slots::Slot;
use hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, Sleep, sleep_until};

/// How long a client may receive nothing.
const STALL: Duration = Duration::from_secs(30);

/// How long a refused client may continue sending what is thrown away: a connection that is closed before its bytes are
/// read is reset, and the client may lose the answer.
pub(super) const LINGER: Duration = Duration::from_secs(1);

pub(super) struct Guarded<S> {
    io: TokioIo<S>,
    slot: Arc<Slot>,
    /// Runs while nothing can be written.
    patience: Option<Pin<Box<Sleep>>>,
    /// Runs while the rest of a refused request is thrown away.
    linger: Option<Pin<Box<Sleep>>>,
}

impl<S> Guarded<S> {
    pub(super) fn new(stream: S, slot: Arc<Slot>) -> Guarded<S> {
        Guarded { io: TokioIo::new(stream), slot, patience: None, linger: None }
    }

    fn guard<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.patience = None;
            return if self.slot.goes_on() { written } else { Poll::Ready(Err(io::ErrorKind::TimedOut.into())) };
        }
        let (now, slot) = (Instant::now(), &self.slot);
        let patience = self.patience.get_or_insert_with(|| {
            Box::pin(sleep_until(slot.stalls().map_or(now + STALL, |until| until.min(now + STALL))))
        });
        ready!(patience.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> Read for Guarded<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, to: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, to)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Write for Guarded<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(cx, bytes);
        self.guard(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write_vectored(cx, parts);
        self.guard(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.linger.is_none() {
            ready!(Pin::new(&mut self.io).poll_shutdown(cx))?;
            if !self.slot.has_a_rest() {
                return Poll::Ready(Ok(()));
            }
        }
        let linger = self.linger.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + LINGER)));
        if linger.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Ok(()));
        }
        loop {
            let mut room = [0; 8192];
            let mut rest = ReadBuf::new(&mut room);
            if ready!(Pin::new(&mut self.io).poll_read(cx, rest.unfilled())).is_err() || rest.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}
