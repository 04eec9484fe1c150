//! [`ServeSpec`]: a web server as data, and which of its routes takes a request. Resource spec, 3.
//!
//! A watch opens the server; both bodies answer by [`ServeSpec::take`] and read files themselves.

use super::page::{Page, Part};
use super::path::plain;
use serde::{Deserialize, Serialize};

/// A web server. It listens as long as its watch is there.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ServeSpec {
    /// Whose it is. A new watch of the same name and address takes an open server over, with what
    /// was posted to it.
    pub name: String,
    /// `host:port`; without a host, every address of the machine.
    pub address: String,
    /// For a request, for an answer, and for open requests at the end; 0: no limit. Units: seconds.
    pub read_timeout_s: u64,
    pub write_timeout_s: u64,
    pub shutdown_timeout_s: u64,
    /// The first that takes a request answers it.
    pub routes: Vec<Route>,
    /// A directory, with a slash at the end, of what no route takes; empty: none.
    pub root: String,
}

/// One route.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Route {
    /// The path of the URL, decoded.
    pub path: String,
    pub what: RouteKind,
    /// A reader who knows the content already may wait for the next one.
    pub is_held: bool,
}

/// What a route answers with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RouteKind {
    /// These bytes.
    Data(Vec<u8>),
    /// A file of the host.
    File(String),
    /// What is below a directory of the host, for every URL that begins with the path.
    Below(String),
    /// Takes a form and answers nothing. Each form is an event of the watch, and is read with
    /// [`Probe::Posted`](super::server::Probe::Posted).
    Form,
    /// What another server has, for every URL that is the path or, where that ends with a slash, begins with it.
    Proxy(Proxy),
    /// A form of controls and what belongs to it, for every URL that begins with the path. Each change that a reader
    /// saves is an event of the watch, and is read with [`Probe::Shown`](super::server::Probe::Shown).
    Page(Page),
}

/// Another server, and a folder for what it has answered once.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Proxy {
    /// What the URL's path loses in front; with slashes on both sides, or empty.
    pub sub: String,
    /// What comes in its place; with a slash at the end. Empty: nobody is asked.
    pub head: String,
    /// A directory with a slash at the end; empty: nothing is kept.
    pub cache: String,
}

/// What becomes of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Taken<'a> {
    /// 200 with these bytes.
    Data(&'a [u8]),
    /// The file; 404 when it is missing, 403 when it is forbidden, 500 otherwise, also for a
    /// directory.
    File(&'a str),
    /// The same for the file at a relative path in a directory that no link leads out of, else 404.
    Below(&'a str, String),
    /// What is kept at `place` in the cache, else what the other server has at `url`: 404 where it answers with anything
    /// but 200, 502 where it does not answer. Without a URL: 500.
    Proxy {
        proxy: &'a Proxy,
        place: Option<String>,
        url: Option<String>,
    },
    /// A part of the page of the route with this path.
    Page(&'a str, &'a Page, Part),
    /// The form's keys and values are kept under this path; 200 without a body.
    Form(&'a str),
    /// 405 with `Allow: GET, HEAD`.
    NotAllowed,
    NotFound,
}

impl ServeSpec {
    /// The route that answers who reads this path, unless it is the root.
    pub fn read_at(&self, path: &str) -> Option<&Route> {
        self.routes.iter().find(|route| route.is_read_at(path))
    }

    /// Who takes a request. `path` is that of the URL, decoded, without the query.
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
    /// It answers who reads this path, where no earlier one does.
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
    /// A path that is not clean, or that leads to a directory, is nobody's.
    fn take(&self, route: &str, path: &str) -> Taken<'_> {
        let rest = path.strip_prefix(&self.sub).filter(|_| path == format!("/{}", plain(path)));
        let Some(rest) = rest.map(|rest| rest.trim_start_matches('/')) else { return Taken::NotFound };
        let place = path.strip_prefix(route).map(|place| place.trim_start_matches('/'));
        let place = place.filter(|place| !place.is_empty() && !self.cache.is_empty()).map(str::to_owned);
        let url = (!self.head.is_empty()).then(|| format!("{}{}", self.head, escaped(rest)));
        Taken::Proxy { proxy: self, place, url }
    }
}

/// A path as it stands in a URL.
pub fn escaped(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/".contains(&byte);
    let shown = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(shown).collect()
}

/// The path strictly below a prefix that is itself an absolute directory.
fn relative(path: &str, prefix: &str) -> Option<String> {
    let rest = path.strip_prefix(prefix).filter(|_| prefix.starts_with('/') && prefix.ends_with('/'))?;
    let rest = plain(rest);
    (!rest.is_empty()).then_some(rest)
}

/// The keys and values of a form, `a=1&b=x+y`, in order. What cannot be decoded is left out.
pub fn form(text: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let pairs = text.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    let decoded = pairs.filter_map(|pair| {
        let at = pair.iter().position(|byte| *byte == b'=');
        let (key, value) = at.map_or((pair, &b""[..]), |at| (&pair[..at], &pair[at + 1..]));
        Some((decode(key, true)?, decode(value, true)?))
    });
    decoded.collect()
}

/// Takes the target of a request apart: the decoded path, and the query. `None`: it is none.
pub fn target(text: &str) -> Option<(String, &str)> {
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    let path = String::from_utf8(decode(path.as_bytes(), false)?).ok()?;
    (path.starts_with('/') && !path.contains('\0')).then_some((path, query))
}

/// Resolves percent escapes, in a form also a plus sign.
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
