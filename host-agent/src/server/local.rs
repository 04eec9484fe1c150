//! [`Local`]: the playground of `mclive open`, for one user on this machine, and not for other web pages.
//!
//! A web page can send requests to this machine. So only requests that name this machine are answered (a foreign name
//! may resolve to it as well), but none from a page of another origin, and no response is shared with one.

use super::Playground;
use crate::network::http::{self, Body, Bytes, Limits, Request, Response, StatusCode, header};
use std::net::{Ipv4Addr, Ipv6Addr};

pub(crate) struct Local(pub(crate) Playground);

impl http::Site for Local {
    fn limits(&self) -> Limits {
        self.0.limits()
    }

    async fn answer(&self, request: Request<Bytes>) -> Response<Body> {
        let mut answer = match refused(&request) {
            Some(why) => {
                let mut answer = Response::new(Body::from(format!("{why}\n")));
                *answer.status_mut() = StatusCode::FORBIDDEN;
                super::headers::put_plain(answer.headers_mut());
                let kind = header::HeaderValue::from_static("text/plain; charset=utf-8");
                answer.headers_mut().insert(header::CONTENT_TYPE, kind);
                answer
            }
            None => self.0.answer(request).await,
        };
        let headers = answer.headers_mut();
        for what in ["allow-origin", "allow-headers", "allow-methods", "expose-headers"] {
            headers.remove(format!("access-control-{what}"));
        }
        let own = header::HeaderValue::from_static("same-origin");
        headers.insert("cross-origin-resource-policy", own);
        answer
    }
}

/// Why a request is not answered.
fn refused<T>(request: &Request<T>) -> Option<&'static str> {
    let text = |name: header::HeaderName| request.headers().get(name).map(|value| value.to_str().unwrap_or_default());
    let host = text(header::HOST).unwrap_or_default();
    let named = request.uri().authority().map_or(host, |authority| authority.as_str());
    if !is_this_machine(host) || !is_this_machine(named) {
        return Some(
            "this playground only accepts requests from this machine; use the address that `mclive open` printed",
        );
    }
    let is_own = |origin: &str| origin.strip_prefix("http://").is_some_and(|origin| origin.eq_ignore_ascii_case(host));
    if text(header::ORIGIN).is_some_and(|origin| !is_own(origin)) {
        return Some("this playground only accepts requests from its own pages");
    }
    None
}

/// Whether `HOST` or `HOST:PORT` is a name of this machine that others cannot give it.
fn is_this_machine(authority: &str) -> bool {
    let is_port =
        |text: &str| text.is_empty() || text.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    if let Some((address, port)) = authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return is_port(port) && address.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback());
    }
    let (host, port) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
    let is_loopback = host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback());
    is_port(port) && (is_loopback || host.eq_ignore_ascii_case("localhost"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_nobody_else_can_give_are_of_this_machine() {
        for authority in
            ["127.0.0.1", "127.0.0.1:8080", "127.1.2.3:1", "localhost:8080", "LocalHost", "[::1]:80", "[::1]"]
        {
            assert!(is_this_machine(authority), "{authority}");
        }
        for authority in [
            "",
            "evil.example",
            "evil.example:8080",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "evil.localhost",
            "0.0.0.0:1",
            "192.168.0.1",
            "[::]",
            "[::1]x",
            "[fe80::1]:1",
            "127.0.0.1:x",
            "user@127.0.0.1",
            "127.0.0.1@evil.example",
        ] {
            assert!(!is_this_machine(authority), "{authority}");
        }
    }

    #[test]
    fn pages_of_other_origins_are_refused() {
        let refused = |uri: &str, host: &str, origin: Option<&str>| {
            let mut request = Request::builder().method("POST").uri(uri).header("host", host);
            if let Some(origin) = origin {
                request = request.header("origin", origin);
            }
            super::refused(&request.body(()).unwrap()).is_some()
        };
        let own = "127.0.0.1:4000";
        assert!(!refused("/", own, None) && !refused("/", own, Some("http://127.0.0.1:4000")));
        assert!(!refused("/", "localhost:4000", Some("http://localhost:4000")));
        for origin in [
            "https://evil.example",
            "null",
            "",
            "http://127.0.0.1:4001",
            "https://127.0.0.1:4000",
            "http://localhost:4000",
        ] {
            assert!(refused("/", own, Some(origin)), "{origin}");
        }
        assert!(refused("/", "evil.example:4000", Some("http://evil.example:4000")), "a name that leads here");
        assert!(refused("http://evil.example/", own, None) && !refused("http://127.0.0.1:4000/", own, None));
    }
}
