//! What a request is answered with.

use super::Open;
use crate::host::{fs, io_failed};
use crate::network::http::{Body, Bytes, HeaderMap, Request, Response, StatusCode, header};
use crate::policy::Permit;
use mclive_base::vocab::{HostErrorKind, ServeSpec, Taken, serve};
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::task::spawn_blocking;

pub(super) async fn answer(open: &Open, spec: Arc<ServeSpec>, request: Request<Bytes>) -> Response<Body> {
    let target = request.uri().path_and_query().map_or("", |target| target.as_str());
    let Some((path, query)) = serve::target(target) else { return plain(StatusCode::BAD_REQUEST) };
    let place = match spec.take(request.method().as_str(), &path) {
        Taken::Data(bytes) => {
            let kind = content_type(&path, bytes);
            let bytes = Bytes::from_owner(Data { spec: spec.clone(), path });
            return answered(StatusCode::OK, &[(header::CONTENT_TYPE, kind)], bytes);
        }
        Taken::Form(route) => {
            let posted = open.post(route, &path, form(&request), query);
            return posted.map_or_else(plain, |()| answered(StatusCode::OK, &[], ""));
        }
        Taken::NotAllowed => {
            let mut answer = plain(StatusCode::METHOD_NOT_ALLOWED);
            answer.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static("GET, HEAD"));
            return answer;
        }
        Taken::NotFound => return plain(StatusCode::NOT_FOUND),
        Taken::File(file) => Place::File(file.to_owned()),
        Taken::Below(dir, rest) => Place::Below(dir.to_owned(), rest),
    };
    // A file system may keep us waiting: not the network's thread.
    let shared = open.shared.clone();
    let opened = spawn_blocking(move || opened(shared.policy.reads(), &place, &path, request.headers())).await;
    opened.unwrap_or_else(|_| plain(StatusCode::INTERNAL_SERVER_ERROR))
}

/// The bytes of a route, as long as somebody sends them.
struct Data {
    spec: Arc<ServeSpec>,
    path: String,
}

impl AsRef<[u8]> for Data {
    fn as_ref(&self) -> &[u8] {
        match self.spec.take("GET", &self.path) {
            Taken::Data(bytes) => bytes,
            Taken::File(_) | Taken::Below(..) | Taken::Form(_) | Taken::NotAllowed | Taken::NotFound => &[],
        }
    }
}

/// A body of a form, which is all that is taken.
fn form(request: &Request<Bytes>) -> &[u8] {
    let kind = request.headers().get(header::CONTENT_TYPE).map(|kind| kind.to_str().unwrap_or_default());
    let is_form = |kind: &str| kind.trim().to_ascii_lowercase().starts_with("application/x-www-form-urlencoded");
    if kind.is_none_or(is_form) { request.body() } else { &[] }
}

enum Place {
    File(String),
    /// A directory, and a path in it.
    Below(String, String),
}

fn opened(reads: Permit, place: &Place, path: &str, asked: &HeaderMap) -> Response<Body> {
    let file = match place {
        Place::File(file) => fs::open_regular(reads, file),
        Place::Below(dir, rest) => fs::open_regular_below(reads, dir, rest),
    };
    let opened = file.and_then(|file| {
        let meta = file.metadata().map_err(|error| io_failed("stat", path, &error))?;
        Ok((file, meta))
    });
    let (file, meta) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            return plain(match error.kind {
                HostErrorKind::NotFound | HostErrorKind::NotADirectory => StatusCode::NOT_FOUND,
                HostErrorKind::PermissionDenied | HostErrorKind::Refused => StatusCode::FORBIDDEN,
                HostErrorKind::Exists
                | HostErrorKind::IsADirectory
                | HostErrorKind::NotEmpty
                | HostErrorKind::TimedOut
                | HostErrorKind::Cancelled
                | HostErrorKind::Untried
                | HostErrorKind::Unavailable
                | HostErrorKind::Other => StatusCode::INTERNAL_SERVER_ERROR,
            });
        }
    };
    let changed = meta.modified().ok().filter(has_http_date);
    let shown = changed.map(httpdate::fmt_http_date);
    let since = asked.get(header::IF_MODIFIED_SINCE).and_then(|text| text.to_str().ok());
    let since = since.and_then(|text| httpdate::parse_http_date(text).ok());
    let mut headers: Vec<_> = shown.iter().map(|shown| (header::LAST_MODIFIED, shown.as_str())).collect();
    if changed.zip(since).is_some_and(|(changed, since)| whole_seconds(changed) <= since) {
        return answered(StatusCode::NOT_MODIFIED, &headers, "");
    }
    headers.push((header::CONTENT_TYPE, content_type(path, &beginning(&file))));
    answered(StatusCode::OK, &headers, Body::file(file, meta.len()))
}

fn answered(status: StatusCode, headers: &[(header::HeaderName, &str)], body: impl Into<Body>) -> Response<Body> {
    let mut answer = Response::new(body.into());
    *answer.status_mut() = status;
    for (name, value) in headers {
        // Ours are all well formed.
        if let Ok(value) = value.parse() {
            answer.headers_mut().insert(name, value);
        }
    }
    answer
}

/// A status with its own words.
fn plain(status: StatusCode) -> Response<Body> {
    let text = match status {
        StatusCode::NOT_FOUND => "404 page not found\n".to_owned(),
        StatusCode::METHOD_NOT_ALLOWED => "Method Not Allowed\n".to_owned(),
        status => format!("{}\n", status.as_u16()),
    };
    answered(status, &[(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text)
}

/// A file's time may be any; the form of the protocol knows the years from 1970 to 9999.
fn has_http_date(time: &SystemTime) -> bool {
    const YEAR_10000: u64 = 253_402_300_800;
    time.duration_since(SystemTime::UNIX_EPOCH).is_ok_and(|since| since.as_secs() < YEAR_10000)
}

fn whole_seconds(time: SystemTime) -> SystemTime {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::from_secs(since.as_secs())
}

/// The first bytes, without moving on.
fn beginning(file: &File) -> Vec<u8> {
    use std::os::unix::fs::FileExt;
    let mut bytes = vec![0; 512];
    let n_read = file.read_at(&mut bytes, 0).unwrap_or(0);
    bytes.truncate(n_read);
    bytes
}

/// By the end of the URL, else by whether it looks like text.
fn content_type(path: &str, bytes: &[u8]) -> &'static str {
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
    known.unwrap_or(if is_text(&bytes[..bytes.len().min(512)]) {
        "text/plain; charset=utf-8"
    } else {
        "application/octet-stream"
    })
}
