//! Turns what hyper has read into a complete request or a refusal. Ambiguous requests are refused, or are the last on
//! their connection: nothing can be smuggled after them.

use super::seats::Seat;
use super::{Body, Bytes, HeaderMap, Request, Response, Site, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::Version;
use hyper::body::{Body as _, Incoming};
use hyper::header::HeaderValue;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout};

/// Bodies known to be at most this large are always accepted; the number of concurrent larger ones is limited.
const SMALL: u64 = 64 << 10;
static LARGE_BODIES: Semaphore = Semaphore::const_new(8);
/// Who wait for one of these places.
static N_WAITING: AtomicUsize = AtomicUsize::new(0);
/// Who keeps a place that others wait for must be faster than this, after a while. Units: bytes per second.
const LEAST_RATE: f64 = 65_536.0;
const A_WHILE: Duration = Duration::from_secs(1);

/// No site has seen the request, so none can add its headers to the refusal.
const INERT: &str = "default-src 'none'; frame-ancestors 'none'";

/// A place among the large bodies.
struct Turn(#[expect(dead_code, reason = "it is held")] SemaphorePermit<'static>);

impl Turn {
    async fn take() -> Option<Turn> {
        struct Waits;
        impl Drop for Waits {
            fn drop(&mut self) {
                N_WAITING.fetch_sub(1, Ordering::Relaxed);
            }
        }
        N_WAITING.fetch_add(1, Ordering::Relaxed);
        let _waits = Waits;
        LARGE_BODIES.acquire().await.ok().map(Turn)
    }
}

/// All of a body. `None`: it came too slowly while others waited for its turn.
async fn whole<B: hyper::body::Body<Data = Bytes> + Unpin>(
    mut body: B,
    turn: Option<Turn>,
) -> Result<Option<Bytes>, B::Error> {
    let (began, mut all) = (Instant::now(), Vec::new());
    loop {
        let Ok(frame) = timeout(A_WHILE, body.frame()).await else {
            if turn.is_some() && is_slow(began.elapsed(), all.len()) {
                return Ok(None);
            }
            continue;
        };
        match frame.transpose()? {
            None => return Ok(Some(all.into())),
            Some(frame) => all.extend_from_slice(&frame.into_data().unwrap_or_default()),
        }
        if turn.is_some() && is_slow(began.elapsed(), all.len()) {
            return Ok(None);
        }
    }
}

fn is_slow(elapsed: Duration, n_bytes: usize) -> bool {
    let is_awaited = N_WAITING.load(Ordering::Relaxed) > 0;
    is_awaited && elapsed >= A_WHILE && (n_bytes as f64) < elapsed.as_secs_f64() * LEAST_RATE
}

pub(super) async fn answer(site: &impl Site, seat: &Arc<Seat>, request: Request<Incoming>) -> Response<Body> {
    let limits = site.limits();
    let (head, body) = request.into_parts();
    if !has_good_host(head.version, &head.headers) {
        return refuse(StatusCode::BAD_REQUEST);
    }
    if body.size_hint().lower() > limits.body as u64 {
        return refuse(StatusCode::PAYLOAD_TOO_LARGE);
    }
    let is_small = body.size_hint().upper().is_some_and(|most| most <= SMALL);
    let receive = async {
        let turn = if is_small { None } else { Turn::take().await };
        whole(Limited::new(body, limits.body), turn).await
    };
    let body = match timeout(limits.receive, receive).await {
        Ok(Ok(Some(body))) => body,
        Ok(Err(error)) if error.is::<LengthLimitError>() => return refuse(StatusCode::PAYLOAD_TOO_LARGE),
        Ok(Err(_)) => return refuse(StatusCode::BAD_REQUEST),
        Ok(Ok(None)) | Err(_) => return refuse(StatusCode::REQUEST_TIMEOUT),
    };
    // Other servers on the path may see another length.
    let is_last = head.headers.contains_key(header::TRANSFER_ENCODING);
    seat.answers(limits.answer);
    let request = Request::from_parts(head, body);
    let mut answer = match limits.answer.or(limits.thought) {
        Some(limit) => {
            let answer = timeout(limit, site.answer(request)).await;
            answer.unwrap_or_else(|_| refuse(StatusCode::SERVICE_UNAVAILABLE))
        }
        None => site.answer(request).await,
    };
    if is_last {
        answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    answer.map(|body| body.on(seat))
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

/// A status with its text; the connection is closed after it.
fn refuse(status: StatusCode) -> Response<Body> {
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
