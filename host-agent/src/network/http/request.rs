//! Turns what hyper has read into a complete request or a refusal. Ambiguous requests are refused, or are the last on
//! their connection: nothing can be smuggled after them.

use super::slots::Slot;
use super::{Body, Bytes, HeaderMap, Limits, Refusal, Request, Response, Site, StatusCode, Why, header};
use crate::fair::FairPermit;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::Version;
use hyper::body::{Body as _, Incoming};
use hyper::header::HeaderValue;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// This much of a body is always accepted; the number of those of which more arrives at the same time is limited.
const SMALL: usize = 64 << 10;
/// The least rate of a large body for which others wait, after a while. Units: bytes per second.
const LEAST_RATE: f64 = 65_536.0;
const A_WHILE: Duration = Duration::from_secs(1);

/// Of a refusal to which no site has added headers.
const INERT: &str = "default-src 'none'; frame-ancestors 'none'";

pub(super) async fn answer(site: &impl Site, slot: &Arc<Slot>, request: Request<Incoming>) -> Response<Body> {
    let limits = site.limits();
    let began = Instant::now();
    let (head, body) = request.into_parts();
    // Other servers on the path may see another length.
    let is_last = head.headers.contains_key(header::TRANSFER_ENCODING);
    let head = Request::from_parts(head, ());
    let mut answer = match complete(site, slot, &head, body).await {
        Ok(body) => {
            slot.answers(limits.answer);
            let request = head.map(|()| body);
            match limits.answer.or(limits.thought) {
                Some(limit) => {
                    let answer = timeout(limit, site.answer(request)).await;
                    answer.unwrap_or_else(|_| refuse(StatusCode::SERVICE_UNAVAILABLE))
                }
                None => site.answer(request).await,
            }
        }
        Err(Refused { why, n_bytes }) => {
            slot.answers(limits.answer);
            // The rest of the body is still to come, and the connection ends without it.
            slot.leaves_a_rest();
            let took = began.elapsed();
            let mut answer = site.refuse(&head, &Refusal { why, n_bytes, took });
            answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            answer
        }
    };
    if is_last {
        answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    answer.map(|body| body.on(slot))
}

/// A request that was not read completely.
struct Refused {
    why: Why,
    n_bytes: usize,
}

/// The body of a request.
async fn complete(site: &impl Site, slot: &Slot, head: &Request<()>, body: Incoming) -> Result<Bytes, Refused> {
    let limits = site.limits();
    slot.progresses();
    let refused = |why| Refused { why, n_bytes: 0 };
    if !has_good_host(head.version(), head.headers()) {
        return Err(refused(Why::Unclear));
    }
    site.admit(head).map_err(|wait| refused(Why::TooOften(wait)))?;
    if body.size_hint().lower() > limits.body as u64 {
        return Err(refused(Why::TooLarge(limits.body)));
    }
    let mut all = Vec::new();
    let received = receive(Limited::new(body, limits.body), &mut all, slot, site.party(head), &limits).await;
    received.map_err(|why| Refused { why, n_bytes: all.len() })?;
    Ok(all.into())
}

async fn receive(
    mut body: Limited<Incoming>,
    all: &mut Vec<u8>,
    slot: &Slot,
    party: IpAddr,
    limits: &Limits,
) -> Result<(), Why> {
    let mut deadline = Instant::now() + limits.receive;
    let mut turn: Option<Turn> = None;
    loop {
        // Without a byte it is looked from time to time whether others wait.
        let pause = deadline.min(Instant::now() + A_WHILE);
        let frame = match timeout_at(pause, body.frame()).await {
            Ok(None) => return Ok(()),
            Ok(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
            Ok(Some(Err(error))) if error.is::<LengthLimitError>() => return Err(Why::TooLarge(limits.body)),
            Ok(Some(Err(_))) => return Err(Why::Unclear),
            Err(_) => Bytes::new(),
        };
        if !frame.is_empty() {
            slot.progresses();
            all.extend_from_slice(&frame);
        }
        let now = Instant::now();
        if now >= deadline || turn.as_ref().is_some_and(|turn| turn.is_lost(slot, all.len(), now)) {
            return Err(Why::TooSlow);
        }
        if turn.is_none() && all.len() > SMALL {
            // The client does nothing wrong while it waits: its time begins afterwards.
            let permit = timeout(limits.receive, slot.turn(party)).await.map_err(|_| Why::Busy)?;
            let began = Instant::now();
            deadline = began + limits.receive;
            turn = Some(Turn { _permit: permit, party, began, n_before: all.len() });
        }
    }
}

/// The turn of a large body.
struct Turn {
    _permit: Option<FairPermit<IpAddr>>,
    party: IpAddr,
    began: Instant,
    n_before: usize,
}

impl Turn {
    /// It is too slow, and others wait.
    fn is_lost(&self, slot: &Slot, n_bytes: usize, now: Instant) -> bool {
        let elapsed = now.duration_since(self.began);
        let expected = elapsed.as_secs_f64() * LEAST_RATE;
        slot.is_awaited(self.party) && elapsed >= A_WHILE && ((n_bytes - self.n_before) as f64) < expected
    }
}

/// Whether there is exactly one host, which HTTP/1.1 requires, and it is only a name or an address with a port.
fn has_good_host(version: Version, headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let is_good = |host: &HeaderValue| {
        host.as_bytes().iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=:[]".contains(byte))
    };
    match (hosts.next(), hosts.next()) {
        (None, _) => version < Version::HTTP_11,
        (Some(host), None) => is_good(host),
        (Some(_), Some(_)) => false,
    }
}

/// The refusal of a site without its own form: a status with its text.
pub(super) fn refuse(status: StatusCode) -> Response<Body> {
    let words = format!("{} {}\n", status.as_u16(), status.canonical_reason().unwrap_or_default());
    let mut answer = Response::new(Body::from(Bytes::from(words)));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(INERT));
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    answer
}
