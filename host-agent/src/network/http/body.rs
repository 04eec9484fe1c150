//! [`Body`]: the body of an answer: bytes, a file that is read piece by piece on other threads, or pieces as they
//! arrive.

use super::Bytes;
use super::slots::Slot;
use hyper::body::{Frame, SizeHint};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::sync::mpsc::Receiver;
use tokio::task::{JoinHandle, spawn_blocking};

const PIECE: u64 = 128 << 10;

pub(crate) struct Body {
    content: Content,
    /// Notified when everything has been sent.
    slot: Option<Arc<Slot>>,
}

enum Content {
    Bytes(Bytes),
    File {
        file: Arc<File>,
        at: u64,
        left: u64,
        reading: Option<JoinHandle<io::Result<Bytes>>>,
    },
    /// The number of remaining bytes, if known.
    Pieces {
        pieces: Receiver<io::Result<Bytes>>,
        left: Option<u64>,
    },
}

impl Body {
    /// A part of a file. If it is truncated in the meantime the connection ends: the client must not take the rest for
    /// another answer.
    pub(crate) fn file(file: File, part: Range<u64>) -> Body {
        let left = part.end.saturating_sub(part.start);
        Body { content: Content::File { file: Arc::new(file), at: part.start, left, reading: None }, slot: None }
    }

    /// The pieces from a channel, until it is closed. An error ends the connection.
    pub(crate) fn pieces(pieces: Receiver<io::Result<Bytes>>, length: Option<u64>) -> Body {
        Body { content: Content::Pieces { pieces, left: length }, slot: None }
    }

    pub(super) fn on(mut self, slot: &Arc<Slot>) -> Body {
        self.slot = Some(slot.clone());
        self
    }

    /// `None`: unknown.
    fn left(&self) -> Option<u64> {
        match &self.content {
            Content::Bytes(bytes) => Some(bytes.len() as u64),
            Content::File { left, .. } => Some(*left),
            Content::Pieces { left, .. } => *left,
        }
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Body {
        Body { content: Content::Bytes(bytes), slot: None }
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
        if self.left() == Some(0) {
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
            Content::Pieces { pieces, left } => Poll::Ready(match ready!(pieces.poll_recv(cx)) {
                Some(Ok(bytes)) => {
                    *left = left.map(|left| left.saturating_sub(bytes.len() as u64));
                    Some(Ok(Frame::data(bytes)))
                }
                Some(Err(error)) => Some(Err(error)),
                None if left.is_some() => Some(Err(io::ErrorKind::UnexpectedEof.into())),
                None => None,
            }),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.left() == Some(0)
    }

    fn size_hint(&self) -> SizeHint {
        self.left().map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if let Some(slot) = &self.slot {
            slot.is_idle();
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
