//! What HTTP client resources ask of other hosts, and what they got.

use super::{Change, Changes, Learn, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `Answer`: asks, and keeps the body aside until the next request of the resource. Only for methods that change
    /// nothing elsewhere.
    Ask(Request),
    /// → `Answer`: the last one of the resource.
    Last,
    /// → `Answer` or `Held`: the last answer to the request that [`Watch::Held`] keeps open. Where nobody keeps it open, it is
    /// asked.
    Held(Request),
    /// → `Content`: what is at the destination counts as the resource's answer from now on. Without a path, these
    /// bytes.
    Publish { path: Option<String>, content: Option<Vec<u8>> },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    Answer(Answer),
    /// The other side has not answered yet.
    Held,
    /// `None`: it is longer than a value may be.
    Content(Option<Vec<u8>>),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Request {
    pub method: String,
    pub url: String,
    pub body: Option<Vec<u8>>,
    /// Only what changed since then is wanted. Units: seconds since 1970.
    pub since_s: Option<i64>,
}

/// An answer, after all redirections.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Answer {
    pub status: u16,
    /// SHA-256 of the body.
    pub hash: [u8; 32],
    pub size: u64,
    /// When the body changed last, as the other side says. Units: seconds since 1970.
    pub modified_s: Option<i64>,
    /// The body, unless it is longer than a value may be.
    pub content: Option<Vec<u8>>,
}

/// Bytes of an answer that a value may hold.
pub const LONGEST_VALUE: u64 = 8 << 20;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Asks with a method that may change something elsewhere; [`Probe::Last`] tells the answer.
    Send(Request),
    /// Puts the body of the last answer into a file.
    Place { path: String, url: String, size: u64, modified_s: Option<i64> },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Watch {
    /// A new answer for a resource.
    Answer { uid: String },
    /// Keeps a request of a resource open: each answer is a change. In place when the first one came, or is held.
    Held { uid: String, request: Request, style: Style },
}

/// How the other side holds a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Style {
    /// It redirects when there is something new.
    Redirect,
    /// It answers a conditional request when the condition is met, and is asked to wait for that.
    Conditional,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Fact {
    /// `Struct { status Int, output Bytes }`: how the HTTP client resource of this name stands;
    /// 0 and empty when unknown, -1 when nobody answered. Again on change.
    Last { uid: String },
}

/// `host:port` of a URL, as the policy names it; empty when there is none.
pub fn authority(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return String::new() };
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host).to_ascii_lowercase();
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| !port.contains(']'));
    let port = if scheme.eq_ignore_ascii_case("https") { 443 } else { 80 };
    if has_port { host } else { format!("{host}:{port}") }
}

/// A URL as people may see it: without the password in it.
pub fn shown(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rsplit_once('@').map(|(user, host)| (user.split_once(':').map(|(user, _)| user), host)) {
        Some((Some(user), host)) => format!("{scheme}://{user}:•••@{host}{}", &rest[end..]),
        Some((None, _)) | None => url.to_owned(),
    }
}

impl Request {
    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Ask((&*self.url).into())]
    }
}

impl Look for Probe {
    type Finding = Finding;

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Probe::Ask(request) => request.powers(),
            Probe::Publish { path: Some(path), .. } => vec![Power::Read(path)],
            Probe::Held(request) => request.powers(),
            Probe::Last | Probe::Publish { path: None, .. } => Vec::new(),
        }
    }

    fn waits(&self) -> bool {
        matches!(self, Probe::Ask(_) | Probe::Held(_))
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Step::Send(Request { method, url, .. }) => write!(f, "{method} {}", shown(url)),
            Step::Place { path, url, size, .. } => write!(f, "write {path} ({size} bytes of {})", shown(url)),
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Step::Send(request) => request.powers(),
            Step::Place { path, .. } => vec![Power::Write(path)],
        }
    }

    fn waits(&self) -> bool {
        matches!(self, Step::Send(_))
    }

    fn repeats(&self) -> bool {
        matches!(self, Step::Place { .. })
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Watch::Answer { uid } => write!(f, "the response of {uid}"),
            Watch::Held { request, .. } => write!(f, "{}", shown(&request.url)),
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Watch::Answer { .. } => Vec::new(),
            Watch::Held { request, .. } => request.powers(),
        }
    }
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        let Fact::Last { uid } = self;
        write!(f, "the response of {uid}")
    }

    fn changes(&self) -> Changes {
        let Fact::Last { uid } = self;
        Changes::With(vec![Watch::Answer { uid: uid.clone() }.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_asked_and_what_is_shown_of_it() {
        assert_eq!(authority("http://me:pw@Example.org/a@b:1"), "example.org:80");
        assert_eq!(authority("https://[::1]"), "[::1]:443");
        assert_eq!(authority("https://[::1]:8443/x"), "[::1]:8443");
        assert_eq!(authority("/no/url"), "");
        assert_eq!(shown("http://me:pw@h/a"), "http://me:•••@h/a");
        assert_eq!(shown("http://me@h/a:b@c"), "http://me@h/a:b@c");
    }
}
