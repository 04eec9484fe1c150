//! Requests to a service: a short message and its answer, whole or as a stream, over the network or a socket of this
//! host. Redirections are not followed.

use super::client::{Target, failed, silent};
use super::line::{Asked, Line};
use super::trust::Trust;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HOST, HeaderMap, HeaderValue, USER_AGENT};
use hyper::{Method, Request, Response, StatusCode};
use mclive_base::vocab::{HostError, HostErrorKind};
use std::path::Path;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::time::timeout;

/// The maximum size of a whole answer. Units: bytes.
const LARGEST: usize = 16 << 20;

/// A request.
pub(crate) struct Message {
    pub(crate) method: Method,
    /// With a socket its host is not resolved.
    pub(crate) url: String,
    /// Values are never shown.
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    /// The longest wait without a byte.
    pub(crate) patience: Duration,
    /// For `https`; by default the authorities of this host.
    pub(crate) trust: Option<Trust>,
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

impl Message {
    /// A request that is answered soon.
    pub(crate) fn new(method: Method, url: impl Into<String>) -> Message {
        let (url, patience) = (url.into(), Duration::from_secs(60));
        Message { method, url, headers: Vec::new(), body: Vec::new(), patience, trust: None }
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Message {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn json(self, value: &serde_json::Value) -> Message {
        let body = value.to_string().into_bytes();
        Message { body, ..self }.header("Content-Type", "application/json")
    }

    /// Where it goes, and the request, which is taken out of it.
    pub(super) fn take_request(&mut self) -> Result<(Target, Asked), HostError> {
        let target = Target::of(&self.url)?;
        let mut head = Request::builder().method(self.method.clone()).uri(target.path.clone());
        head = head.header(HOST, target.host_header());
        head = head.header(USER_AGENT, concat!("mclive/", env!("CARGO_PKG_VERSION")));
        if let Some(user) = &target.user {
            head = head.header(AUTHORIZATION, user);
        }
        for (name, value) in std::mem::take(&mut self.headers) {
            let value = HeaderValue::try_from(value);
            let mut value = value.map_err(|_| failed(&self.url, &format!("{name} cannot be sent")))?;
            value.set_sensitive(true);
            head = head.header(name, value);
        }
        let body = Full::new(Bytes::from(std::mem::take(&mut self.body)));
        let asked = head.body(body).map_err(|error| failed(&self.url, &error.to_string()))?;
        Ok((target, asked))
    }
}

/// A text, escaped for a path or a query.
pub(crate) fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// Sends a request, and waits for the whole answer.
pub(crate) async fn say(socket: Option<&Path>, message: Message) -> Result<Answer, HostError> {
    let (url, patience) = (message.url.clone(), message.patience);
    let answer = begin(socket, message).await?;
    whole(answer, &url, patience).await
}

/// Sends a request; returns when the answer starts.
pub(crate) async fn begin(socket: Option<&Path>, mut message: Message) -> Result<Response<Incoming>, HostError> {
    let (target, asked) = message.take_request()?;
    let Message { url, patience, trust, .. } = message;
    let mut line = match socket {
        None => target.connect(&url, trust.as_ref()).await?,
        Some(socket) => {
            let stream = UnixStream::connect(socket).await.map_err(|error| {
                let why = format!("connect to {}: {}", socket.display(), crate::host::io_words(&error));
                HostError::new(HostErrorKind::Unavailable, why)
            })?;
            Line::open(stream, &url).await?
        }
    };
    Ok(line.send(asked, &url, patience).await?)
}

/// Receives a complete answer.
pub(super) async fn whole(answer: Response<Incoming>, url: &str, patience: Duration) -> Result<Answer, HostError> {
    let (head, mut incoming) = answer.into_parts();
    let mut body = Vec::new();
    while let Some(piece) = next(&mut incoming, url, patience).await? {
        body.extend_from_slice(&piece);
        if body.len() > LARGEST {
            return Err(failed(url, &format!("the response is larger than {LARGEST} bytes")));
        }
    }
    Ok(Answer { status: head.status, headers: head.headers, body })
}

/// The next bytes of an answer.
pub(crate) async fn next(body: &mut Incoming, url: &str, patience: Duration) -> Result<Option<Bytes>, HostError> {
    loop {
        let frame = timeout(patience, body.frame()).await.map_err(|_| silent(url, patience))?;
        match frame {
            None => return Ok(None),
            Some(Err(error)) => return Err(failed(url, &error.to_string())),
            Some(Ok(frame)) => {
                if let Ok(bytes) = frame.into_data() {
                    return Ok(Some(bytes));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    #[test]
    fn no_error_tells_the_password_of_an_address() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://me:hush-hush@{}/x", listener.local_addr().unwrap());
        let error = std::thread::scope(|scope| {
            scope.spawn(|| {
                let (mut stream, _) = listener.accept().unwrap();
                assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na").unwrap();
                // Until the client has given up.
                let _ = stream.read(&mut [0; 64]);
            });
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().unwrap();
            let mut message = Message::new(Method::GET, url);
            message.patience = Duration::from_secs(2);
            runtime.block_on(say(None, message)).map(drop).unwrap_err()
        });
        assert_eq!(error.kind, HostErrorKind::TimedOut);
        assert!(error.message.contains("•••") && !error.message.contains("hush-hush"), "{}", error.message);
    }
}
