//! Turns what hyper has read into a complete request or a refusal. Ambiguous requests are refused, or are the last on
//! their connection: nothing can be smuggled after them.

use super::seats::Seat;
use super::{Body, Bytes, HeaderMap, Request, Response, Site, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::Version;
use hyper::body::{Body as _, Incoming};
use hyper::header::HeaderValue;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Bodies known to be at most this large are always accepted; the number of concurrent larger ones is limited.
const SMALL: u64 = 64 << 10;
static LARGE_BODIES: Semaphore = Semaphore::const_new(8);

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
        let _turn = if is_small { None } else { LARGE_BODIES.acquire().await.ok() };
        Limited::new(body, limits.body).collect().await
    };
    let body = match timeout(limits.receive, receive).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => return refuse(StatusCode::PAYLOAD_TOO_LARGE),
        Ok(Err(_)) => return refuse(StatusCode::BAD_REQUEST),
        Err(_) => return refuse(StatusCode::REQUEST_TIMEOUT),
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
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    answer
}
