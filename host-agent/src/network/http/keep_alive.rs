//! [`KeepAlive`]: requests to a service over a keep-alive connection.
//!
//! ```text
//! request > the kept line, if it is free and leads there > whole answer > kept again
//!         > otherwise a new one
//! ```
//!
//! A request takes the connection out, so that no other request waits for a slow one: others open their own. A
//! connection is returned only at the end of a response. If the request is abandoned, or its response is too large, the
//! connection is closed.

use super::client::Target;
use super::line::{Asked, Line, Unanswered};
use super::talk::{Answer, Message, whole};
use super::trust::Trust;
use crate::lock::Mutex;
use crate::network::Task;
use hyper::Response;
use hyper::body::Incoming;
use mclive_base::vocab::HostError;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::yield_now;
use tokio::time::sleep;

/// A client that keeps at most one line alive: of those that were open at once, the one that was used last.
pub(crate) struct KeepAlive {
    idle: Arc<Mutex<Option<Idle>>>,
    /// How long it is kept without a request.
    longest: Duration,
}

/// A line that no request uses.
struct Idle {
    line: Line,
    door: Door,
    /// Closes it after a while.
    _end: Task,
}

/// What a line leads to, and how the server was recognised.
struct Door {
    target: Target,
    trust: Option<Trust>,
}

/// What to do about a request if the server closes a kept line before it answers: it may have received the request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum IfCut {
    /// Send it again: repeated, it has no other effect.
    Repeat,
    Fail,
}

impl KeepAlive {
    /// `longest`: how long a line is kept without a request.
    pub(crate) fn new(longest: Duration) -> KeepAlive {
        KeepAlive { idle: Arc::default(), longest }
    }

    /// Sends a request, and waits for the whole answer.
    pub(crate) async fn say(&self, mut message: Message, if_cut: IfCut) -> Result<Answer, HostError> {
        let (target, asked) = message.take_request()?;
        let Message { url, patience, trust, .. } = message;
        let door = Door { target, trust };
        let (line, answer) = self.begin(&door, asked, &url, patience, if_cut).await?;
        let answer = whole(answer, &url, patience).await?;
        self.keep(line, door);
        Ok(answer)
    }

    /// The next request opens a line.
    pub(crate) fn close(&self) {
        drop(self.idle.lock().take());
    }

    async fn begin(
        &self,
        door: &Door,
        mut asked: Asked,
        url: &str,
        patience: Duration,
        if_cut: IfCut,
    ) -> Result<(Line, Response<Incoming>), HostError> {
        if let Some(mut line) = self.free(door).await {
            let again = (if_cut == IfCut::Repeat).then(|| asked.clone());
            let answered = line.send(asked, url, patience).await;
            asked = match answered {
                Ok(answer) => return Ok((line, answer)),
                Err(Unanswered::Unsent(unsent, _)) => *unsent,
                // The cause is not told as if this had never been a server of that kind.
                Err(Unanswered::Cut(why)) => again.ok_or_else(|| {
                    HostError::new(why.kind, format!("{}, on a connection that worked before", why.message))
                })?,
                Err(Unanswered::Silent(why)) => return Err(why),
            };
        }
        let mut line = door.target.connect(url, door.trust.as_ref()).await?;
        let answer = line.send(asked, url, patience).await?;
        Ok((line, answer))
    }

    /// Takes the line. One that leads elsewhere, or was opened before the certificates changed, is closed.
    async fn free(&self, door: &Door) -> Option<Line> {
        let idle = self.idle.lock().take();
        let Idle { line, .. } = idle.filter(|idle| idle.door.is_same(door))?;
        // Before this task continues, the reactor notifies the line if the server has closed it: then nothing is sent.
        yield_now().await;
        (!line.is_closed()).then_some(line)
    }

    fn keep(&self, line: Line, door: Door) {
        if line.is_closed() {
            return;
        }
        let (kept, longest) = (Arc::downgrade(&self.idle), self.longest);
        let end = tokio::spawn(async move {
            sleep(longest).await;
            if let Some(idle) = kept.upgrade() {
                drop(idle.lock().take());
            }
        });
        let idle = Idle { line, door, _end: Task(end.abort_handle()) };
        *self.idle.lock() = Some(idle);
    }

    #[cfg(test)]
    fn has_open(&self) -> bool {
        self.idle.lock().as_ref().is_some_and(|idle| !idle.line.is_closed())
    }
}

impl Door {
    fn is_same(&self, other: &Door) -> bool {
        let is_trusted_alike = match (&self.trust, &other.trust) {
            (None, None) => true,
            (Some(own), Some(other)) => own.is_same(other),
            (Some(_), None) | (None, Some(_)) => false,
        };
        is_trusted_alike && self.target.has_origin_of(&other.target)
    }
}

#[cfg(test)]
mod tests;
