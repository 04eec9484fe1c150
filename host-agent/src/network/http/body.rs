//! [`Body`]: what an answer consists of: bytes, or a file that is read piece by piece on other threads.

use super::Bytes;
use super::seats::Seat;
use hyper::body::{Frame, SizeHint};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::task::{JoinHandle, spawn_blocking};

const PIECE: u64 = 128 << 10;

pub(crate) struct Body {
    content: Content,
    /// Whose turn it is when all has been handed over.
    seat: Option<Arc<Seat>>,
}

enum Content {
    Bytes(Bytes),
    File { file: Arc<File>, at: u64, left: u64, reading: Option<JoinHandle<io::Result<Bytes>>> },
}

impl Body {
    /// The first bytes of a file, as many as it had when it was opened. One that is cut meanwhile ends the
    /// connection: the client must not take the rest for another answer.
    pub(crate) fn file(file: File, length: u64) -> Body {
        Body { content: Content::File { file: Arc::new(file), at: 0, left: length, reading: None }, seat: None }
    }

    pub(super) fn on(mut self, seat: &Arc<Seat>) -> Body {
        self.seat = Some(seat.clone());
        self
    }

    fn left(&self) -> u64 {
        match &self.content {
            Content::Bytes(bytes) => bytes.len() as u64,
            Content::File { left, .. } => *left,
        }
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Body {
        Body { content: Content::Bytes(bytes), seat: None }
    }
}

impl From<String> for Body {
    fn from(text: String) -> Body {
        Bytes::from(text).into()
    }
}

impl From<&'static str> for Body {
    fn from(text: &'static str) -> Body {
        Bytes::from_static(text.as_bytes()).into()
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.left() == 0 {
            return Poll::Ready(None);
        }
        match &mut self.content {
            Content::Bytes(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Content::File { file, at, left, reading } => {
                let job = reading.get_or_insert_with(|| {
                    let (file, at, piece) = (file.clone(), *at, (*left).min(PIECE));
                    spawn_blocking(move || read(&file, at, piece))
                });
                let read = ready!(Pin::new(job).poll(cx)).unwrap_or_else(|error| Err(io::Error::other(error)));
                *reading = None;
                Poll::Ready(Some(read.map(|bytes| {
                    *at += bytes.len() as u64;
                    *left -= bytes.len() as u64;
                    Frame::data(bytes)
                })))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.left() == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left())
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if let Some(seat) = &self.seat {
            seat.receives();
        }
    }
}

fn read(file: &File, at: u64, length: u64) -> io::Result<Bytes> {
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    match file.read_at(&mut bytes, at)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        n => {
            bytes.truncate(n);
            Ok(bytes.into())
        }
    }
}
