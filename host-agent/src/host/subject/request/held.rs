//! Requests that are kept open: the server answers when there is something new.

use super::exchange::Exchange;
use super::publish;
use crate::host::errno::no_network;
use crate::host::{Host, Shared, subscribe};
use crate::network::Task;
use crate::network::http::client::Reply;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::request::{Answer, Request, Style};
use mclive_base::vocab::{HostError, HostErrorKind};
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

/// A held request is repeated after this long, in case the server is gone.
const HELD: Duration = Duration::from_secs(15 * 60);
/// The preference sent with a conditional request after the first one.
const A_MINUTE: &str = "wait=60";
/// A first request without an answer by then counts as held.
const FIRST: Duration = Duration::from_secs(2);
/// An answer within this time was not held.
const AT_ONCE: Duration = Duration::from_secs(1);
/// The first and the longest pause: after failures, and after answers that were neither held nor new.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));
/// The longest pause that a server may ask for.
const LONGEST_REST: Duration = Duration::from_secs(60 * 60);
/// How long a resource may take to read an answer.
const TO_LOOK: Duration = Duration::from_secs(60);

/// An open request; dropping it cancels it.
pub(super) struct Open {
    pub(super) uid: String,
    /// The last answer was read.
    pub(super) looked: Arc<Notify>,
    _task: Task,
}

/// The resource and its request.
struct Asker {
    ticket: Ticket,
    uid: String,
    request: Request,
    style: Style,
    looked: Arc<Notify>,
    is_in_place: bool,
    /// The resource knows of a failure.
    has_failed: bool,
}

/// Starts to keep a request open.
pub(super) fn begin(host: &Host, ticket: Ticket, uid: &str, request: &Request, style: Style) -> Result<(), HostError> {
    let shared = host.shared.clone();
    host.awaits(ticket);
    shared.subjects.request.with(uid, |state| state.held = None);
    let (uid, request, looked) = (uid.to_owned(), request.clone(), Arc::new(Notify::new()));
    let (of, seen) = (uid.clone(), looked.clone());
    let asker = Asker { ticket, uid: of, request, style, looked: seen, is_in_place: false, has_failed: false };
    let task = shared.network.spawn(asker.follow(Arc::downgrade(&shared))).map_err(no_network)?;
    let mut open = shared.subjects.request.open.lock();
    open.insert(ticket, Open { uid, looked, _task: task });
    Ok(())
}

impl Asker {
    /// Repeats the request, and reports each new answer.
    async fn follow(mut self, shared: Weak<Shared>) {
        let (mut since_s, mut known, mut pause) = (None, None, PAUSES.0);
        loop {
            let began = Instant::now();
            let Some((answered, rest)) = self.ask(&shared, since_s).await else { return };
            let is_held = began.elapsed() >= AT_ONCE;
            let hash = answered.as_ref().ok().filter(|answer| answer.status == 200).map(|answer| answer.hash);
            let is_same = match &answered {
                Ok(answer) => answer.status == 304 || hash.is_some() && hash == known,
                Err(error) => error.kind == HostErrorKind::TimedOut && began.elapsed() >= HELD,
            };
            if let Ok(Answer { modified_s: Some(modified_s), .. }) = &answered {
                since_s = Some(*modified_s);
            }
            if !is_same {
                known = hash;
                self.has_failed = hash.is_none();
                if self.has_failed {
                    // The content is asked for again, not its next change: a server that began again may know of none.
                    since_s = None;
                }
                let Some(shared) = shared.upgrade() else { return };
                self.tell(&shared, answered);
            }
            if !is_same && hash.is_some() {
                pause = PAUSES.0;
                let _ = timeout(TO_LOOK, self.looked.notified()).await;
            } else if let Some(rest) = rest {
                sleep(rest.min(LONGEST_REST)).await;
            } else if hash.is_none() && !is_same || !is_held {
                sleep(pause).await;
                pause = PAUSES.1.min(pause * 2);
            }
        }
    }

    /// Makes one request; returns the pause that the server asks for. `None`: the agent ends.
    async fn ask(
        &mut self,
        shared: &Weak<Shared>,
        since_s: Option<i64>,
    ) -> Option<(Result<Answer, HostError>, Option<Duration>)> {
        let strong = shared.upgrade()?;
        let is_conditional = self.style == Style::Conditional;
        let request = Request { since_s: since_s.filter(|_| is_conditional), ..self.request.clone() };
        let exchange = Exchange::new(&strong, &self.uid, &request);
        drop(strong);
        let mut exchange = match exchange {
            Ok(exchange) => {
                exchange.held(request.since_s, (is_conditional && self.is_in_place).then_some(A_MINUTE), HELD)
            }
            Err(error) => return Some((Err(error), None)),
        };
        let replied: Result<Reply, HostError> = {
            let mut asking = pin!(exchange.ask(shared.clone()));
            match timeout(FIRST, asking.as_mut()).await {
                Ok(replied) => replied,
                Err(_) => {
                    let strong = shared.upgrade()?;
                    self.in_place(&strong);
                    self.recovers(&strong);
                    drop(strong);
                    asking.await
                }
            }
        };
        let rest = replied.as_ref().ok().filter(|reply| reply.status != 200).and_then(|reply| reply.retry_after);
        let strong = shared.upgrade()?;
        let finished = tokio::task::spawn_blocking(move || exchange.finish(&strong.subjects.request, replied)).await;
        Some((finished.ok()?, rest))
    }

    fn tell(&mut self, shared: &Shared, answered: Result<Answer, HostError>) {
        match &answered {
            Ok(answer) => publish(shared, &self.uid, answer.status.into(), answer.content.clone().unwrap_or_default()),
            Err(_) => publish(shared, &self.uid, -1, Vec::new()),
        }
        shared.subjects.request.with(&self.uid, |state| state.held = Some(answered));
        match self.is_in_place {
            true => subscribe::changed(shared, self.ticket, Some(self.uid.clone())),
            false => self.in_place(shared),
        }
    }

    /// The server holds the request, so a failure before it is over. A conditional request is not held after a failure,
    /// since it has no condition then.
    fn recovers(&mut self, shared: &Shared) {
        if self.style != Style::Conditional && std::mem::take(&mut self.has_failed) {
            shared.subjects.request.with(&self.uid, |state| state.held = None);
            subscribe::changed(shared, self.ticket, Some(self.uid.clone()));
        }
    }

    fn in_place(&mut self, shared: &Shared) {
        if !std::mem::replace(&mut self.is_in_place, true) {
            subscribe::in_place(shared, self.ticket);
        }
    }
}
