//! Requests to other hosts: one request with its redirections, and a body that is passed to a sink.
//!
//! hyper implements the protocol, rustls the encryption; this module adds the limits: redirections, headers, sizes, and
//! the time without a byte. Each redirection is judged again.

use super::line::Line;
use super::tls;
use super::trust::Trust;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    AUTHORIZATION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, HOST, HeaderMap, HeaderName, HeaderValue,
    IF_MODIFIED_SINCE, LAST_MODIFIED, LOCATION, RETRY_AFTER, TRANSFER_ENCODING, USER_AGENT,
};
use hyper::{Method, Request, Response, StatusCode, Uri};
use mclive_base::vocab::{HostError, HostErrorKind, request};
use std::time::{Duration, SystemTime};
use tokio::net::TcpStream;
use tokio::time::timeout;

const MOST_REDIRECTIONS: usize = 10;
const TO_CONNECT: Duration = Duration::from_secs(10);
/// The longest wait without a byte.
pub(crate) const SILENCE: Duration = Duration::from_secs(60);
/// The maximum size of a body.
const LARGEST_BODY: u64 = 64 << 30;
/// Bytes passed on at a time.
const PIECE: usize = 256 << 10;

/// A request.
pub(crate) struct Question {
    pub(crate) method: Method,
    pub(crate) url: String,
    pub(crate) body: Option<Vec<u8>>,
    pub(crate) since: Option<SystemTime>,
    pub(crate) headers: HeaderMap,
    pub(crate) bodies: Bodies,
    /// The limit until the head of the answer; after that, [`SILENCE`] limits the time without a byte.
    pub(crate) patience: Duration,
}

impl Question {
    /// A request without a body, whose successful answers are used.
    pub(crate) fn new(method: Method, url: String) -> Question {
        let (headers, bodies) = (HeaderMap::new(), Bodies::OfSuccess);
        Question { method, url, body: None, since: None, headers, bodies, patience: SILENCE }
    }
}

/// The bodies that go to the sink.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bodies {
    /// Those of answers with status 200.
    OfSuccess,
    OfEveryStatus,
}

pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) modified: Option<SystemTime>,
    pub(crate) etag: Option<String>,
    /// For a part: the offset of the body.
    pub(crate) from: Option<u64>,
    /// The complete size of what a part belongs to, if the server sends it.
    pub(crate) whole: Option<u64>,
    /// When to repeat the request.
    pub(crate) retry_after: Option<Duration>,
    pub(crate) size: u64,
    /// The announced size of the body.
    pub(crate) length: Option<u64>,
    /// The end of the body is marked, so that a truncated one is detected.
    pub(crate) has_end: bool,
}

/// Returns whether this URL may be requested.
pub(crate) type Judge = dyn Fn(&str) -> Result<(), HostError> + Send + Sync;
/// Receives the next bytes of a body, on a thread that may block.
pub(crate) type Sink = dyn Fn(&[u8]) -> std::io::Result<()> + Send + Sync;
/// Called with the last answer before its body arrives.
pub(crate) type Herald = dyn Fn(&Reply) + Send + Sync;

/// Makes the request, and follows redirections. The body of the last answer goes to the sink if it is wanted.
pub(crate) async fn ask(
    question: Question,
    judge: &Judge,
    herald: &Herald,
    sink: std::sync::Arc<Sink>,
) -> Result<Reply, HostError> {
    let Question { mut method, mut url, mut body, since, headers, bodies, patience } = question;
    let (first, mut n_redirections) = (request::authority(&url), 0);
    loop {
        judge(&url)?;
        let target = Target::of(&url)?;
        let mut head = Request::builder().method(&method).uri(target.path.clone()).header(HOST, target.host_header());
        head = head.header(USER_AGENT, concat!("mclive/", env!("CARGO_PKG_VERSION")));
        if let Some(since) = since {
            head = head.header(IF_MODIFIED_SINCE, httpdate::fmt_http_date(since));
        }
        // Credentials are only sent to the host that they were given for.
        if let Some(user) = target.user.as_ref().filter(|_| request::authority(&url) == first) {
            head = head.header(AUTHORIZATION, user);
        }
        if body.is_some() {
            head = head.header(CONTENT_TYPE, "application/octet-stream");
        }
        let message = Full::new(Bytes::from(body.clone().unwrap_or_default()));
        let mut asked = head.body(message).map_err(|error| failed(&url, &error.to_string()))?;
        asked.headers_mut().extend(headers.clone());
        let answer = target.connect(&url, None).await?.send(asked, &url, patience).await?;
        let location = answer.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        match (redirection(answer.status()), location) {
            (Some(kind), Some(location)) => {
                n_redirections += 1;
                if n_redirections > MOST_REDIRECTIONS {
                    return Err(failed(&url, &format!("more than {MOST_REDIRECTIONS} redirects")));
                }
                let next = joined(&url, location).ok_or_else(|| failed(&url, "redirect without a URL"))?;
                if target.is_secret && !Target::of(&next)?.is_secret {
                    let why = format!("it redirects to {}, which is not HTTPS", request::shown(&next));
                    return Err(failed(&url, &why));
                }
                if kind == Redirection::ToGet && method != Method::HEAD {
                    (method, body) = (Method::GET, None);
                }
                url = next;
            }
            _ => return receive(answer, &url, bodies, herald, sink).await,
        }
    }
}

#[derive(PartialEq)]
enum Redirection {
    ToGet,
    Same,
}

fn redirection(status: StatusCode) -> Option<Redirection> {
    match status {
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND | StatusCode::SEE_OTHER => Some(Redirection::ToGet),
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => Some(Redirection::Same),
        _ => None,
    }
}

async fn receive(
    answer: Response<Incoming>,
    url: &str,
    bodies: Bodies,
    herald: &Herald,
    sink: std::sync::Arc<Sink>,
) -> Result<Reply, HostError> {
    let status = answer.status();
    let modified = answer.headers().get(LAST_MODIFIED).and_then(|value| value.to_str().ok());
    let modified = modified.and_then(|text| httpdate::parse_http_date(text).ok());
    let text = |name: HeaderName| answer.headers().get(name).and_then(|value| value.to_str().ok());
    let etag = text(ETAG).map(str::to_owned);
    let part = text(CONTENT_RANGE).filter(|_| status == StatusCode::PARTIAL_CONTENT);
    let (from, whole) = part.map(range).unwrap_or_default();
    let retry_after = text(RETRY_AFTER).and_then(retry_after);
    let length = answer.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    let has_end = length.is_some() || answer.headers().contains_key(TRANSFER_ENCODING);
    let mut reply = Reply { status, modified, etag, from, whole, retry_after, size: 0, length, has_end };
    herald(&reply);
    if status != StatusCode::OK && from.is_none() && bodies == Bodies::OfSuccess {
        return Ok(reply);
    }
    let mut body = answer.into_body();
    let mut piece = Vec::with_capacity(PIECE);
    loop {
        let frame = timeout(SILENCE, body.frame()).await.map_err(|_| silent(url, SILENCE));
        let frame = frame.and_then(|frame| match frame.transpose() {
            Ok(frame) => Ok(frame),
            Err(error) => Err(failed(url, &format!("the response was interrupted: {}", words(&error)))),
        });
        let is_over = matches!(frame, Ok(None) | Err(_));
        if let Ok(Some(frame)) = &frame
            && let Some(bytes) = frame.data_ref()
        {
            reply.size += bytes.len() as u64;
            piece.extend_from_slice(bytes);
        }
        if reply.size > LARGEST_BODY {
            return Err(failed(url, &format!("the response is larger than {LARGEST_BODY} bytes")));
        }
        // Of an interrupted body the received part is passed on.
        if piece.len() >= PIECE || is_over {
            let (full, sink) = (std::mem::replace(&mut piece, Vec::with_capacity(PIECE)), sink.clone());
            // A disk may block, and the network's thread must not.
            let written = tokio::task::spawn_blocking(move || sink(&full)).await;
            let written = written.unwrap_or_else(|error| Err(std::io::Error::other(error)));
            written.map_err(|error| failed(url, &format!("cannot save the response: {error}")))?;
        }
        if frame?.is_none() {
            return Ok(reply);
        }
    }
}

/// The offset of a part, and the size of the whole: `bytes 4-7/8`.
fn range(text: &str) -> (Option<u64>, Option<u64>) {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let (ends, whole) = text.split_once('/').unwrap_or((text, ""));
    let from = ends.strip_prefix("bytes ").and_then(|ends| number(ends.split('-').next()?));
    (from, from.and_then(|_| number(whole)))
}

/// Seconds, or a date.
fn retry_after(text: &str) -> Option<Duration> {
    let until = || httpdate::parse_http_date(text).ok()?.duration_since(SystemTime::now()).ok();
    text.parse().ok().map(Duration::from_secs).or_else(until)
}

/// The host and path of a request.
pub(super) struct Target {
    is_secret: bool,
    host: String,
    port: u16,
    pub(super) path: Uri,
    /// The value of `Authorization`.
    pub(super) user: Option<HeaderValue>,
}

impl Target {
    pub(super) fn of(url: &str) -> Result<Target, HostError> {
        let without_fragment = url.split('#').next().unwrap_or_default();
        let (scheme, rest) = without_fragment.split_once("://").ok_or_else(|| failed(url, "it has no scheme"))?;
        let is_secret = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _ => return Err(failed(url, "the scheme is neither http nor https")),
        };
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let user = authority.rsplit_once('@').map(|(user, _)| basic(user));
        let authority = request::authority(url);
        let (host, port) = authority.rsplit_once(':').unwrap_or((&authority, ""));
        let port = port.parse().map_err(|_| failed(url, "invalid port"))?;
        if host.is_empty() {
            return Err(failed(url, "it has no host"));
        }
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let path = escaped(&path).parse().map_err(|_| failed(url, "invalid path"))?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Target { is_secret, host, port, path, user })
    }

    pub(super) fn host_header(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        let usual = if self.is_secret { 443 } else { 80 };
        if self.port == usual { host } else { format!("{host}:{}", self.port) }
    }

    /// A new connection to it.
    pub(super) async fn connect(&self, url: &str, trust: Option<&Trust>) -> Result<Line, HostError> {
        let connecting = timeout(TO_CONNECT, TcpStream::connect((self.host.as_str(), self.port))).await;
        let stream = match connecting {
            Err(_) => return Err(failed(url, &format!("connection timed out after {} s", TO_CONNECT.as_secs()))),
            Ok(Err(error)) => return Err(failed(url, &crate::host::io_words(&error))),
            Ok(Ok(stream)) => stream,
        };
        let _ = stream.set_nodelay(true);
        if !self.is_secret {
            return Line::open(stream, url).await;
        }
        let securing = timeout(TO_CONNECT, tls::connect(&self.host, stream, trust)).await;
        let secured = securing.map_err(|_| silent(url, TO_CONNECT))?;
        Line::open(secured.map_err(|why| failed(url, &why))?, url).await
    }

    /// Whether a connection to the other one also leads to this one.
    pub(super) fn has_origin_of(&self, other: &Target) -> bool {
        (self.is_secret, &self.host, self.port) == (other.is_secret, &other.host, other.port)
    }
}

/// The error with its causes.
pub(super) fn words(error: &hyper::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

pub(super) fn failed(url: &str, why: &str) -> HostError {
    HostError::new(HostErrorKind::Other, format!("{}: {why}", request::shown(url)))
}

pub(super) fn silent(url: &str, patience: Duration) -> HostError {
    let why = format!("{}: no data received for {} s", request::shown(url), patience.as_secs());
    HostError::new(HostErrorKind::TimedOut, why)
}

fn basic(user: &str) -> HeaderValue {
    use base64::Engine;
    let decoded = String::from_utf8_lossy(&percent_decoded(user)).into_owned();
    let pair = if decoded.contains(':') { decoded } else { format!("{decoded}:") };
    let text = format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair));
    let mut value = HeaderValue::try_from(text).expect("base64 is plain text");
    value.set_sensitive(true);
    value
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let (mut decoded, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    decoded
}

/// Escapes characters that are invalid in a request line.
fn escaped(path: &str) -> String {
    let plain = |byte: u8| {
        byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}')
    };
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// The target of a redirection.
pub(crate) fn joined(url: &str, location: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    if let Some((scheme, _)) = location.split_once("://")
        && scheme.bytes().all(|byte| byte.is_ascii_alphabetic())
    {
        return Some(location.to_owned());
    }
    if let Some(other) = location.strip_prefix("//") {
        return Some(format!("{scheme}://{other}"));
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    if location.starts_with('/') {
        return Some(format!("{scheme}://{authority}{location}"));
    }
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let dir = path.rfind('/').map_or("/", |slash| &path[..=slash]);
    Some(format!("{scheme}://{authority}{dir}{location}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirections_are_joined() {
        let from = "https://h:1/a/b?c";
        for (location, expect) in [
            ("http://other/x", "http://other/x"),
            ("//other/x", "https://other/x"),
            ("/x?y=http://z", "https://h:1/x?y=http://z"),
            ("x", "https://h:1/a/x"),
        ] {
            assert_eq!(joined(from, location).as_deref(), Some(expect));
        }
    }

    #[test]
    fn a_part_has_an_offset_and_a_whole() {
        assert_eq!(range("bytes 4-7/8"), (Some(4), Some(8)));
        assert_eq!((range("bytes 4-7/*"), range("bytes 4-7")), ((Some(4), None), (Some(4), None)));
        assert_eq!((range("bytes */8"), range("lines 4-7/8").0), ((None, None), None));
    }

    #[test]
    fn a_scheme_has_no_case() {
        let is_secret = |url: &str| Target::of(url).map(|target| target.is_secret).ok();
        for url in ["HTTPS://h/a", "https://h/a", "Https://h/"] {
            assert_eq!(is_secret(url), Some(true), "{url}");
            assert_eq!(is_secret(&joined(url, "//other/x").unwrap()), Some(true), "{url}");
        }
        assert_eq!(is_secret("http://h/?https://"), Some(false));
        assert_eq!((is_secret("httpsx://h/"), is_secret("https:")), (None, None));
    }

    #[test]
    fn the_parts_of_a_target() {
        let target = Target::of("http://me:p%40w@[::1]:8080/a b?c#d").unwrap();
        assert_eq!((target.host.as_str(), target.port, target.host_header()), ("::1", 8080, "[::1]:8080".into()));
        assert_eq!(target.path, "/a%20b?c");
        assert_eq!(target.user.unwrap(), "Basic bWU6cEB3");
        assert!(Target::of("ftp://h/").is_err() && Target::of("http:///x").is_err());
    }
}
