//! What a request is answered with.

use super::request::Request;
use super::{Server, Shared};
use mclive_compiler::vocab::{ServeSpec, Taken, serve};
use rustix::fs::{Mode, OFlags, ResolveFlags};
use std::fs::File;
use std::io::Read;
use std::time::{Duration, SystemTime};

pub(super) struct Answer<'a> {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Body<'a>,
}

pub(super) enum Body<'a> {
    Text(String),
    Bytes(&'a [u8]),
    /// A file, and how long it was when it was opened.
    File(File, u64),
}

impl Body<'_> {
    pub(super) fn len(&self) -> u64 {
        match self {
            Body::Text(text) => text.len() as u64,
            Body::Bytes(bytes) => bytes.len() as u64,
            Body::File(_, length) => *length,
        }
    }

    pub(super) fn reader(&self) -> Box<dyn Read + '_> {
        match self {
            Body::Text(text) => Box::new(text.as_bytes()),
            Body::Bytes(bytes) => Box::new(*bytes),
            Body::File(file, _) => Box::new(file),
        }
    }
}

impl Answer<'_> {
    /// A status with its own words.
    pub(super) fn plain(status: u16) -> Answer<'static> {
        let text = match status {
            404 => "404 page not found\n".to_owned(),
            405 => "Method Not Allowed\n".to_owned(),
            status => format!("{status}\n"),
        };
        let kind = ("Content-Type", "text/plain; charset=utf-8".to_owned());
        Answer { status, headers: vec![kind], body: Body::Text(text) }
    }
}

pub(super) fn answer<'a>(server: &Server, shared: &Shared, spec: &'a ServeSpec, request: &Request) -> Answer<'a> {
    let Some((path, query)) = serve::target(&request.target) else { return Answer::plain(400) };
    match spec.take(&request.method, &path) {
        Taken::Data(bytes) => {
            let headers = vec![("Content-Type", content_type(&path, bytes).to_owned())];
            Answer { status: 200, headers, body: Body::Bytes(bytes) }
        }
        Taken::File(file) => opened(rustix::fs::open(file, FLAGS, Mode::empty()), &path, request),
        Taken::Below(dir, rest) => {
            let rest = if rest.is_empty() { "." } else { &rest };
            let file = rustix::fs::open(dir, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
            let file = file.and_then(|dir| {
                // No link leads out of it.
                rustix::fs::openat2(
                    dir,
                    rest,
                    FLAGS,
                    Mode::empty(),
                    ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS,
                )
            });
            opened(file, &path, request)
        }
        Taken::Form(route) => {
            server.post(shared, route, &path, request.form(), query);
            Answer { status: 200, headers: Vec::new(), body: Body::Bytes(&[]) }
        }
        Taken::NotAllowed => {
            let mut answer = Answer::plain(405);
            answer.headers.push(("Allow", "GET, HEAD".to_owned()));
            answer
        }
        Taken::NotFound => Answer::plain(404),
    }
}

/// A pipe must not hold us up.
const FLAGS: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

fn opened(file: rustix::io::Result<rustix::fd::OwnedFd>, path: &str, request: &Request) -> Answer<'static> {
    use rustix::io::Errno;
    let file = match file {
        Ok(file) => File::from(file),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::XDEV | Errno::LOOP) => return Answer::plain(404),
        Err(Errno::ACCESS | Errno::PERM) => return Answer::plain(403),
        Err(_) => return Answer::plain(500),
    };
    let Ok(meta) = file.metadata() else { return Answer::plain(500) };
    if !meta.is_file() {
        return Answer::plain(500);
    }
    let mut headers = vec![("Content-Type", content_type(path, &beginning(&file)).to_owned())];
    if let Some(changed) = meta.modified().ok().filter(has_http_date) {
        headers.push(("Last-Modified", httpdate::fmt_http_date(changed)));
        let since = request.header("if-modified-since").and_then(|text| httpdate::parse_http_date(text).ok());
        if since.is_some_and(|since| whole_seconds(changed) <= since) {
            headers.remove(0);
            return Answer { status: 304, headers, body: Body::Bytes(&[]) };
        }
    }
    Answer { status: 200, headers, body: Body::File(file, meta.len()) }
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
