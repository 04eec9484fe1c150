//! Answers requests.

use super::content::{Content, since};
use super::hold::{Held, date};
use super::proxy::CacheEntry;
use super::{Open, page, proxy};
use crate::host::fs;
use crate::network::http::{Body, Bytes, HeaderMap, Method, Request, Response, StatusCode, header};
use crate::policy::Permit;
use mclive_base::vocab::{FileKind, HostErrorKind, ServeSpec, Taken, path, serve};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;
use tokio::task::spawn_blocking;

pub(super) async fn answer(open: &Open, mut request: Request<Bytes>) -> Response<Body> {
    let target = request.uri().path_and_query().map_or("", |target| target.as_str());
    let Some((path, query)) = serve::target(target) else { return plain(StatusCode::BAD_REQUEST) };
    let (path, query) = (path, query.to_owned());
    let mut cursor = None;
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        cursor = match changed(open, &path, request.headers_mut()).await {
            Ok(cursor) => cursor,
            Err(answer) => return *answer,
        };
    }
    // The current one: it may have changed during the wait.
    let spec = open.spec();
    let (location, cached) = match spec.take(request.method().as_str(), &path) {
        Taken::Data(bytes) => {
            let content =
                Content { kind: content_type(&path, Some(bytes)), modified: cursor, length: bytes.len() as u64 };
            let bytes = Bytes::from_owner(Data { spec: spec.clone(), path });
            let part = |part: Range<u64>| bytes.slice(part.start as usize..part.end as usize).into();
            return content.answer(request.headers(), part);
        }
        Taken::Form(_) if !is_own_form(&request) => return plain(StatusCode::FORBIDDEN),
        Taken::Form(route) => {
            let posted = open.post(route, &path, form(&request), &query);
            return posted.map_or_else(plain, |()| answered(StatusCode::OK, &[], ""));
        }
        Taken::Page(route, page, part) => return page::answer(open, &request, (route, page), &part),
        Taken::NotAllowed => {
            let mut answer = plain(StatusCode::METHOD_NOT_ALLOWED);
            answer.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static("GET, HEAD"));
            return answer;
        }
        Taken::NotFound => return plain(StatusCode::NOT_FOUND),
        Taken::File(file) => (Location::File(file.to_owned()), None),
        Taken::Below(dir, rest) => (Location::Below(dir.to_owned(), rest), None),
        Taken::Proxy { proxy, place, url } => {
            let url = url.map(|url| if query.is_empty() { url } else { format!("{url}?{query}") });
            match place.map(|place| cache_name(&place, &query)).filter(|place| is_name(place)) {
                Some(place) => {
                    let entry = CacheEntry { path: format!("{}{place}", proxy.cache), dir: proxy.cache.clone() };
                    (Location::Below(proxy.cache.clone(), place), Some((url, entry)))
                }
                None => return pulled(open, &request, &path, url, None).await,
            }
        }
    };
    // A file system may block, and the network's thread must not.
    let (shared, headers, shown) = (open.shared.clone(), request.headers().clone(), path.clone());
    let opened = spawn_blocking(move || opened(shared.policy.reads(), &location, &shown, cursor, &headers)).await;
    let opened = opened.unwrap_or(Err(HostErrorKind::Other));
    match (opened, cached) {
        (Ok(answer), _) => answer,
        (Err(HostErrorKind::NotFound | HostErrorKind::NotADirectory), Some((url, entry))) => {
            pulled(open, &request, &path, url, Some(entry)).await
        }
        // Paths below this one are cached under other names.
        (Err(HostErrorKind::IsADirectory), Some((url, _))) => pulled(open, &request, &path, url, None).await,
        (Err(kind), _) => plain(match serve::Unread::from(kind) {
            serve::Unread::Missing => StatusCode::NOT_FOUND,
            serve::Unread::Forbidden => StatusCode::FORBIDDEN,
            serve::Unread::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        }),
    }
}

async fn pulled(
    open: &Open,
    request: &Request<Bytes>,
    path: &str,
    url: Option<String>,
    entry: Option<CacheEntry>,
) -> Response<Body> {
    match url {
        Some(url) => proxy::answer(open, request.method(), path, &url, entry).await,
        None => plain(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

/// The modification time of a route with a cursor. If the route holds requests and the client knows the content
/// already, waits for the next content, which is then sent in full.
async fn changed(open: &Open, path: &str, asked: &mut HeaderMap) -> Result<Option<SystemTime>, Box<Response<Body>>> {
    let later = || {
        let mut answer = plain(StatusCode::SERVICE_UNAVAILABLE);
        answer.headers_mut().insert(header::RETRY_AFTER, header::HeaderValue::from_static("1"));
        Box::new(answer)
    };
    let Some((mut cursor, is_held)) = open.cursor(path) else { return Ok(None) };
    let now = date(*cursor.borrow_and_update());
    let knows_it = since(asked).is_some_and(|since| since >= now);
    if !is_held || !knows_it {
        return Ok(Some(now));
    }
    let _held = Held::take(&open.n_held).ok_or_else(later)?;
    cursor.changed().await.map_err(|_| later())?;
    asked.remove(header::IF_MODIFIED_SINCE);
    let now = date(*cursor.borrow_and_update());
    Ok(Some(now))
}

/// The bytes of a route, as they are sent.
struct Data {
    spec: Arc<ServeSpec>,
    path: String,
}

impl AsRef<[u8]> for Data {
    fn as_ref(&self) -> &[u8] {
        match self.spec.take("GET", &self.path) {
            Taken::Data(bytes) => bytes,
            Taken::File(_)
            | Taken::Below(..)
            | Taken::Form(_)
            | Taken::Page(..)
            | Taken::Proxy { .. }
            | Taken::NotAllowed
            | Taken::NotFound => &[],
        }
    }
}

/// Whether a form comes from a page of this server, or from no page. Any site can make the browsers of its visitors post a
/// form, also to servers that it cannot reach itself.
pub(super) fn is_own_form(request: &Request<Bytes>) -> bool {
    let headers = request.headers();
    let head = |name| headers.get(name).map(|value: &header::HeaderValue| value.to_str().unwrap_or("null"));
    mclive_base::vocab::page::is_own_form(head(header::ORIGIN), head(header::HOST))
}

/// The body of a form; other bodies are ignored.
pub(super) fn form(request: &Request<Bytes>) -> &[u8] {
    let kind = request.headers().get(header::CONTENT_TYPE).map(|kind| kind.to_str().unwrap_or_default());
    let is_form = |kind: &str| kind.trim().to_ascii_lowercase().starts_with("application/x-www-form-urlencoded");
    if kind.is_none_or(is_form) { request.body() } else { &[] }
}

enum Location {
    File(String),
    /// A directory, and a path in it.
    Below(String, String),
}

/// The cache name of a path with a query. It differs from that of every path without one, since a `?` in a path is
/// encoded.
fn cache_name(path: &str, query: &str) -> String {
    if query.is_empty() && !path.contains('?') {
        return path.to_owned();
    }
    let hash: String = Sha256::digest(query).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{path}?{hash}")
}

/// Whether a file can have this name.
fn is_name(path: &str) -> bool {
    path.len() < 2048 && path.split('/').all(|part| part.len() <= 255)
}

fn opened(
    reads: Permit,
    location: &Location,
    path: &str,
    cursor: Option<SystemTime>,
    asked: &HeaderMap,
) -> Result<Response<Body>, HostErrorKind> {
    let file = match location {
        // An invalid file name does not exist.
        Location::Below(_, rest) if !is_name(rest) => return Err(HostErrorKind::NotFound),
        Location::File(file) => fs::open_regular(reads, file),
        Location::Below(dir, rest) => fs::open_regular_below(reads, dir, rest),
    };
    let file = file.map_err(|error| match error.kind {
        // Like a directory, it has nothing that could be sent.
        HostErrorKind::Other if is_special(reads, location) => HostErrorKind::IsADirectory,
        kind => kind,
    })?;
    let meta = file.metadata().map_err(|_| HostErrorKind::Other)?;
    let kind = content_type(path, Some(&beginning(&file)));
    let content = Content { kind, modified: cursor.or(meta.modified().ok()), length: meta.len() };
    Ok(content.answer(asked, |part| Body::file(file, part)))
}

/// Whether a pipe, a socket or a device is there.
fn is_special(reads: Permit, location: &Location) -> bool {
    let path = match location {
        Location::File(file) => file.clone(),
        Location::Below(dir, rest) => format!("{dir}/{}", path::escaped(rest.trim_start_matches('/').as_bytes())),
    };
    fs::stat(reads, &path, true).is_ok_and(|stat| stat.is_some_and(|stat| stat.kind == FileKind::Other))
}

pub(super) fn answered(
    status: StatusCode,
    headers: &[(header::HeaderName, &str)],
    body: impl Into<Body>,
) -> Response<Body> {
    let mut answer = Response::new(body.into());
    *answer.status_mut() = status;
    for (name, value) in headers {
        // The agent's own values are all valid.
        if let Ok(value) = value.parse() {
            answer.headers_mut().insert(name, value);
        }
    }
    answer
}

/// A status with its standard text.
pub(super) fn plain(status: StatusCode) -> Response<Body> {
    let text = match status {
        StatusCode::NOT_FOUND => "404 page not found\n".to_owned(),
        StatusCode::METHOD_NOT_ALLOWED => "Method Not Allowed\n".to_owned(),
        status => format!("{}\n", status.as_u16()),
    };
    answered(status, &[(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text)
}

/// The first bytes, without moving the position.
fn beginning(file: &File) -> Vec<u8> {
    use std::os::unix::fs::FileExt;
    let mut bytes = vec![0; 512];
    let n_read = file.read_at(&mut bytes, 0).unwrap_or(0);
    bytes.truncate(n_read);
    bytes
}

/// By the extension of the URL, otherwise by whether the content looks like text.
pub(super) fn content_type(path: &str, bytes: Option<&[u8]>) -> &'static str {
    let known = match path.rsplit_once('.').map(|(_, end)| end) {
        Some("html" | "htm") => Some("text/html; charset=utf-8"),
        Some("css") => Some("text/css; charset=utf-8"),
        Some("js" | "mjs") => Some("text/javascript; charset=utf-8"),
        Some("json") => Some("application/json"),
        Some("xml") => Some("text/xml; charset=utf-8"),
        Some("svg") => Some("image/svg+xml"),
        Some("png") => Some("image/png"),
        Some("jpg" | "jpeg") => Some("image/jpeg"),
        Some("gif") => Some("image/gif"),
        Some("wasm") => Some("application/wasm"),
        Some("pdf") => Some("application/pdf"),
        Some("gz") => Some("application/gzip"),
        _ => None,
    };
    let is_text = |bytes: &[u8]| !bytes.iter().any(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31));
    known.unwrap_or(if bytes.is_some_and(|bytes| is_text(&bytes[..bytes.len().min(512)])) {
        "text/plain; charset=utf-8"
    } else {
        "application/octet-stream"
    })
}
