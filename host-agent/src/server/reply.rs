//! [`Reply`]: an answer without the headers of its route.

use super::headers::{Class, Headers};
use crate::network::http::header::{self, HeaderName, HeaderValue};
use crate::network::http::{Body, Response, StatusCode};
use serde::Serialize;
use std::time::Duration;

pub(super) struct Reply {
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    content: Content,
}

enum Content {
    Body(Body),
    /// JSON in the API, and text elsewhere, unless it is made a page.
    Refusal(String),
}

/// A refusal of the API.
#[derive(Serialize)]
struct Refused<'a> {
    error: &'a str,
}

const TEXT: &str = "text/plain; charset=utf-8";
pub(super) const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";

impl Reply {
    pub(super) fn new(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Reply {
        let headers = vec![
            (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
            // Caches must revalidate by default; content-addressed answers override this.
            (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        ];
        Reply { status, headers, content: Content::Body(body.into()) }
    }

    pub(super) fn text(text: &'static str) -> Reply {
        Reply::new(StatusCode::OK, TEXT, text)
    }

    /// Without a type: a cache takes over the headers of a 304.
    pub(super) fn empty(status: StatusCode) -> Reply {
        let mut reply = Reply::new(status, TEXT, "");
        reply.headers.retain(|(name, _)| *name != header::CONTENT_TYPE);
        reply
    }

    pub(super) fn json(status: StatusCode, value: &impl Serialize) -> Reply {
        Reply::new(status, JSON, serde_json::to_string(value).expect("plain data"))
    }

    /// Text that is JSON already.
    pub(super) fn json_text(text: impl Into<Body>) -> Reply {
        Reply::new(StatusCode::OK, JSON, text)
    }

    pub(super) fn with_status(mut self, status: StatusCode) -> Reply {
        self.status = status;
        self
    }

    pub(super) fn refusal(status: StatusCode, why: &str) -> Reply {
        let mut reply = Reply::new(status, TEXT, "");
        reply.content = Content::Refusal(why.to_owned());
        reply
    }

    /// A refusal as a page, for people.
    pub(super) fn into_page(mut self, page: impl FnOnce(&str) -> String) -> Reply {
        let Content::Refusal(why) = &self.content else { return self };
        let html = page(why);
        self.content = Content::Body(html.into());
        self.with(header::CONTENT_TYPE, HTML)
    }

    pub(super) fn retry_after(self, wait: Duration) -> Reply {
        let seconds = (wait.as_secs() + 1).to_string();
        self.with(header::RETRY_AFTER, &seconds)
    }

    /// Adds or replaces a header. The value is plain text.
    pub(super) fn with(mut self, name: HeaderName, value: &str) -> Reply {
        let value = HeaderValue::from_str(value).expect("plain text");
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value));
        self
    }

    pub(super) fn finish(self, class: Class, table: &Headers) -> Response<Body> {
        let Reply { status, mut headers, content } = self;
        let body = match (content, class) {
            (Content::Body(body), _) => body,
            (Content::Refusal(why), Class::Api) => {
                headers[0].1 = HeaderValue::from_static(JSON);
                serde_json::to_string(&Refused { error: &why }).expect("plain data").into()
            }
            (Content::Refusal(why), Class::Page | Class::Embed | Class::Picture | Class::Plain) => {
                format!("{why}\n").into()
            }
        };
        let mut answer = Response::new(body);
        *answer.status_mut() = status;
        headers.into_iter().for_each(|(name, value)| drop(answer.headers_mut().insert(name, value)));
        table.put(class, answer.headers_mut());
        answer
    }
}
