//! [`ServeSpec`]: a web server as data, and its routing. Resource spec, 3.
//!
//! A watch opens the server; both bodies answer by [`ServeSpec::take`] and read files themselves.

use super::HostErrorKind;
use super::page::{Page, Part};
use super::path::plain;
use serde::{Deserialize, Serialize};

/// A web server. It listens while it is watched.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ServeSpec {
    /// The owner. A new watch with the same name and address takes over an open server with its posted forms.
    pub name: String,
    /// `host:port`; without a host, every address of the machine.
    pub address: String,
    /// Time limit for reading a request. Units: seconds; 0: none.
    pub read_timeout_s: u64,
    /// Time limit for writing an answer. Units: seconds; 0: none.
    pub write_timeout_s: u64,
    /// Time limit for open requests at shutdown. Units: seconds; 0: none.
    pub shutdown_timeout_s: u64,
    /// The first matching route answers.
    pub routes: Vec<Route>,
    /// A fallback directory, with a trailing slash; empty: none.
    pub root: String,
}

/// One route.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Route {
    /// The path of the URL, decoded.
    pub path: String,
    /// The action.
    pub what: RouteKind,
    /// Whether a client that has the current content may wait for the next one (long polling).
    pub is_held: bool,
}

/// The action of a route.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RouteKind {
    /// Serves these bytes.
    Data(Vec<u8>),
    /// Serves a file of the host.
    File(String),
    /// Serves a directory of the host, for every URL below the path.
    Below(String),
    /// Accepts a form. Each submission is an event of the watch, and is read with
    /// [`Probe::Posted`](super::server::Probe::Posted).
    Form,
    /// Forwards to another server, for the exact path or, if it ends with a slash, every URL below it.
    Proxy(Proxy),
    /// A page of controls with its assets, for every URL below the path. Each change that a user saves is an event of
    /// the watch, and is read with [`Probe::Shown`](super::server::Probe::Shown).
    Page(Page),
}

/// Another server, and a cache directory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Proxy {
    /// The prefix removed from the URL's path; with slashes on both sides, or empty.
    pub sub: String,
    /// The prefix put in its place; with a trailing slash. Empty: only the cache is used.
    pub head: String,
    /// The cache directory with a trailing slash; empty: no cache.
    pub cache: String,
}

/// The reason for which a server refuses a file, as its clients see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unread {
    /// There is no such file. Directory contents are not disclosed.
    Missing,
    /// The system or the policy denies access.
    Forbidden,
    /// It could not be read for another reason.
    Failed,
}

impl From<HostErrorKind> for Unread {
    fn from(kind: HostErrorKind) -> Unread {
        match kind {
            HostErrorKind::NotFound | HostErrorKind::NotADirectory | HostErrorKind::IsADirectory => Unread::Missing,
            HostErrorKind::PermissionDenied | HostErrorKind::Refused => Unread::Forbidden,
            HostErrorKind::Exists
            | HostErrorKind::NotEmpty
            | HostErrorKind::TimedOut
            | HostErrorKind::Cancelled
            | HostErrorKind::Untried
            | HostErrorKind::Unavailable
            | HostErrorKind::NotBegun
            | HostErrorKind::Other => Unread::Failed,
        }
    }
}

/// The answer to a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Taken<'a> {
    /// 200 with these bytes.
    Data(&'a [u8]),
    /// The file; 404 if it is missing or a directory, 403 if it is forbidden, 500 otherwise.
    File(&'a str),
    /// The same for a relative path below a directory; 404 if links lead out of it.
    Below(&'a str, String),
    /// The cached copy at `place`, otherwise the other server's content at `url`: 404 if its status is not 200, 502 if
    /// it does not answer. Without a URL: 500.
    Proxy {
        /// The proxy.
        proxy: &'a Proxy,
        /// Path in the cache, if it may be cached.
        place: Option<String>,
        /// URL on the other server.
        url: Option<String>,
    },
    /// A part of the page of the route with this path.
    Page(&'a str, &'a Page, Part),
    /// Stores the form's keys and values under this path; 200 without a body.
    Form(&'a str),
    /// 405 with `Allow: GET, HEAD`.
    NotAllowed,
    /// 404.
    NotFound,
}

impl ServeSpec {
    /// The route that serves this path to readers, unless it is the fallback.
    pub fn read_at(&self, path: &str) -> Option<&Route> {
        self.routes.iter().find(|route| route.is_read_at(path))
    }

    /// Routes a request. `path` is the decoded path of the URL, without the query.
    pub fn take(&self, method: &str, path: &str) -> Taken<'_> {
        let reads = matches!(method, "GET" | "HEAD");
        for route in &self.routes {
            let taken = match &route.what {
                RouteKind::Form if method == "POST" && path == route.path => return Taken::Form(&route.path),
                _ if !route.is_read_at(path) => continue,
                RouteKind::Data(bytes) => Taken::Data(bytes),
                RouteKind::File(file) => Taken::File(file),
                RouteKind::Below(dir) => match relative(path, &route.path) {
                    Some(rest) => Taken::Below(dir, rest),
                    None => Taken::File(dir),
                },
                RouteKind::Proxy(proxy) => proxy.take(&route.path, path),
                RouteKind::Page(page) => match page.part(&path[route.path.len()..]) {
                    Some(Part::Save) if method == "POST" => return Taken::Page(&route.path, page, Part::Save),
                    Some(Part::Save) | None => Taken::NotFound,
                    Some(part) => Taken::Page(&route.path, page, part),
                },
                RouteKind::Form => continue,
            };
            return if reads { taken } else { Taken::NotAllowed };
        }
        match (self.root.is_empty(), reads) {
            (true, _) => Taken::NotFound,
            (false, false) => Taken::NotAllowed,
            (false, true) => Taken::Below(&self.root, plain(path)),
        }
    }
}

impl Route {
    /// Whether it serves this path to readers, if no earlier route does.
    pub fn is_read_at(&self, path: &str) -> bool {
        match &self.what {
            RouteKind::Data(_) | RouteKind::File(_) => path == self.path,
            RouteKind::Below(_) | RouteKind::Page(_) => path.starts_with(&self.path),
            RouteKind::Proxy(_) => path == self.path || self.path.ends_with('/') && path.starts_with(&self.path),
            RouteKind::Form => false,
        }
    }
}

impl Proxy {
    /// Paths that are not normalised, or that lead to a directory, match nothing.
    fn take(&self, route: &str, path: &str) -> Taken<'_> {
        let rest = path.strip_prefix(&self.sub).filter(|_| path == format!("/{}", plain(path)));
        let Some(rest) = rest.map(|rest| rest.trim_start_matches('/')) else { return Taken::NotFound };
        let place = path.strip_prefix(route).map(|place| place.trim_start_matches('/'));
        let place = place.filter(|place| !place.is_empty() && !self.cache.is_empty()).map(str::to_owned);
        let url = (!self.head.is_empty()).then(|| format!("{}{}", self.head, escaped(rest)));
        Taken::Proxy { proxy: self, place, url }
    }
}

/// Percent-encodes a path for a URL.
pub fn escaped(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/".contains(&byte);
    let shown = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(shown).collect()
}

/// The rest of a path strictly below a prefix, which must be an absolute directory.
fn relative(path: &str, prefix: &str) -> Option<String> {
    let rest = path.strip_prefix(prefix).filter(|_| prefix.starts_with('/') && prefix.ends_with('/'))?;
    let rest = plain(rest);
    (!rest.is_empty()).then_some(rest)
}

/// The keys and values of a form, `a=1&b=x+y`, in order. Undecodable parts are skipped.
pub fn form(text: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let pairs = text.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    let decoded = pairs.filter_map(|pair| {
        let at = pair.iter().position(|byte| *byte == b'=');
        let (key, value) = at.map_or((pair, &b""[..]), |at| (&pair[..at], &pair[at + 1..]));
        Some((decode(key, true)?, decode(value, true)?))
    });
    decoded.collect()
}

/// Splits a request target into the decoded path and the query; `None` if it is malformed.
pub fn target(text: &str) -> Option<(String, &str)> {
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    let path = String::from_utf8(decode(path.as_bytes(), false)?).ok()?;
    (path.starts_with('/') && !path.contains('\0')).then_some((path, query))
}

/// Decodes percent escapes, and plus signs in a form.
fn decode(text: &[u8], plus: bool) -> Option<Vec<u8>> {
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'%' => {
                bytes.push((digit(text.get(at + 1))? * 16 + digit(text.get(at + 2))?) as u8);
                at += 2;
            }
            b'+' if plus => bytes.push(b' '),
            byte => bytes.push(byte),
        }
        at += 1;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(path: &str, what: RouteKind) -> Route {
        Route { path: path.into(), what, is_held: false }
    }

    #[test]
    fn a_proxy_exchanges_the_front_of_a_path() {
        let proxy =
            |sub: &str, head: &str, cache: &str| Proxy { sub: sub.into(), head: head.into(), cache: cache.into() };
        let take = |proxy: &Proxy, path: &str| match proxy.take("/debian/", path) {
            Taken::Proxy { place, url, .. } => Some((place.unwrap_or_default(), url.unwrap_or_default())),
            _ => None,
        };
        let whole = proxy("/debian/", "http://h/d/", "/var/cache/");
        let pair = |place: &str, url: &str| Some((place.to_owned(), url.to_owned()));
        assert_eq!(take(&whole, "/debian/a/b c?"), pair("a/b c?", "http://h/d/a/b%20c%3F"));
        for bad in ["/debian/", "/debian/a/", "/debian/a//b", "/debian/../x", "/other/a"] {
            assert_eq!(take(&whole, bad), None, "{bad}");
        }
        assert_eq!(take(&proxy("", "http://h/", ""), "/debian/a"), pair("", "http://h/debian/a"));
        assert_eq!(take(&proxy("", "", "/c/"), "/debian/a"), pair("a", ""));
    }

    #[test]
    fn the_first_route_that_takes_a_request_answers_it() {
        let routes = vec![
            route("/flag", RouteKind::Form),
            route("/flag", RouteKind::Data(b"shown".to_vec())),
            route("/file", RouteKind::File("/srv/f".into())),
            route("/d/", RouteKind::Below("/srv/d/".into())),
        ];
        let bare = ServeSpec { routes, ..ServeSpec::default() };
        assert_eq!(bare.take("POST", "/flag"), Taken::Form("/flag"));
        assert_eq!(bare.take("GET", "/flag"), Taken::Data(b"shown"));
        assert_eq!(bare.take("HEAD", "/file"), Taken::File("/srv/f"));
        assert_eq!(bare.take("POST", "/file"), Taken::NotAllowed);
        assert_eq!(bare.take("GET", "/d/a//../b/c"), Taken::Below("/srv/d/", "b/c".into()));
        assert_eq!(bare.take("GET", "/d/../../x"), Taken::Below("/srv/d/", "x".into()));
        assert_eq!(bare.take("GET", "/d/"), Taken::File("/srv/d/"));
        assert_eq!(bare.take("GET", "/other"), Taken::NotFound);
        let rooted = ServeSpec { root: "/www/".into(), ..bare };
        assert_eq!(rooted.take("GET", "/other"), Taken::Below("/www/", "other".into()));
        assert_eq!(rooted.take("DELETE", "/other"), Taken::NotAllowed);
    }

    #[test]
    fn forms_and_targets() {
        let pair = |key: &str, value: &str| (key.as_bytes().to_vec(), value.as_bytes().to_vec());
        assert_eq!(form(b"key=foo&blah=bar"), [pair("key", "foo"), pair("blah", "bar")]);
        assert_eq!(form(b"a+b=%41%26&c&&d=%zz"), [pair("a b", "A&"), pair("c", "")]);
        assert_eq!(target("/a%20b?x=1"), Some(("/a b".into(), "x=1")));
        for bad in ["", "a", "/%", "/%ff", "/%00", "*"] {
            assert_eq!(target(bad), None, "{bad}");
        }
    }
}
