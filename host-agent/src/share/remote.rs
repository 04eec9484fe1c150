//! Programs on a server: short links are opened and made with the API of the server that they name.
//!
//! The answer of a server is accepted only if its hash begins with the ID: a link opens what was shared, or nothing.

use super::{Id, LARGEST_BODY, Shared};
use crate::lock::Mutex;
use crate::network::http::{Bytes, Method, StatusCode, client};
use crate::network::{Network, NoAnswer};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;

/// The longest wait for a server.
const PATIENCE: Duration = Duration::from_secs(60);

/// A short link.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Link {
    /// The start of the server's addresses, without a trailing slash.
    server: String,
    id: Id,
}

#[derive(Deserialize)]
struct Made {
    url: String,
}

#[derive(Deserialize)]
struct Refused {
    error: String,
}

impl Link {
    /// `https://host/s/ID`, as it is shared, or the address that the page or an embed shows instead. `None`: it is none
    /// of these.
    pub(crate) fn parse(text: &str) -> Option<Link> {
        let is_url = text.starts_with("https://") || text.starts_with("http://");
        let found = ["/s/", "/embed/", "/embed/#s=", "/#s="].into_iter().find_map(|mark| {
            let (server, id) = text.split_once(mark)?;
            Some(Link { server: server.to_owned(), id: Id::parse(id.trim_end_matches('/'))? })
        });
        found.filter(|link| is_url && link.server.len() > "https://".len())
    }

    /// Fetches the program from the server.
    pub(crate) fn open(&self) -> Result<Shared, String> {
        let url = format!("{}/api/v1/programs/{}", self.server, self.id);
        let (status, body) = ask(Method::GET, &url, None)?;
        match status {
            StatusCode::OK if self.id.names(&body) => Shared::read(&body),
            StatusCode::OK => Err(format!("{url} has a different program than the link refers to; it was not opened")),
            status => Err(format!("cannot open the link: {}", refusal(&url, status, &body))),
        }
    }
}

/// Stores a program on a server, and returns its short link.
pub(crate) fn send(server: &str, shared: &Shared) -> Result<String, String> {
    let url = format!("{}/api/v1/programs", server.trim_end_matches('/'));
    let content = shared.canonical();
    let (status, body) = ask(Method::POST, &url, Some(content.clone()))?;
    if !matches!(status, StatusCode::OK | StatusCode::CREATED) {
        return Err(format!("cannot share the program: {}", refusal(&url, status, &body)));
    }
    let made: Made = serde_json::from_slice(&body).map_err(|_| format!("{url} did not return a link"))?;
    match Link::parse(&made.url) {
        Some(link) if link.id.names(&content) => Ok(made.url),
        Some(_) | None => Err(format!("{url} returned a link to something else")),
    }
}

fn refusal(url: &str, status: StatusCode, body: &[u8]) -> String {
    match serde_json::from_slice(body) {
        Ok(Refused { error }) => error,
        Err(_) => format!("{url} returned status {}", status.as_u16()),
    }
}

/// One request and its whole answer, within limits.
fn ask(method: Method, url: &str, body: Option<Vec<u8>>) -> Result<(StatusCode, Bytes), String> {
    let question = client::Question {
        body,
        bodies: client::Bodies::OfEveryStatus,
        ..client::Question::new(method, url.to_owned())
    };
    let received = Arc::new(Mutex::new(Vec::new()));
    let sink = {
        let received = received.clone();
        Arc::new(move |piece: &[u8]| {
            let mut received = received.lock();
            if received.len() + piece.len() > LARGEST_BODY {
                return Err(std::io::Error::other("it exceeds the maximum size of a program"));
            }
            received.extend_from_slice(piece);
            Ok(())
        })
    };
    let asking = async move { client::ask(question, &|_| Ok(()), &|_| {}, sink).await };
    let reply = match Network::default().wait(PATIENCE, asking, |_| {}) {
        Ok(reply) => reply.map_err(|error| error.message)?,
        Err(NoAnswer::TimedOut) => return Err(format!("{url} did not respond within {} s", PATIENCE.as_secs())),
        Err(NoAnswer::Unavailable(error)) => return Err(error.to_string()),
        Err(NoAnswer::Ended) => return Err(format!("{url} was not contacted: the network thread ended")),
    };
    let received = std::mem::take(&mut *received.lock());
    Ok((reply.status, received.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_links_are_told_from_other_urls() {
        let link = |text: &str| Link::parse(text).map(|link| (link.server, link.id.to_string()));
        let expect = |server: &str| Some((server.to_owned(), "abcdefghij".to_owned()));
        for (text, server) in [
            ("https://h/s/abcdefghij", "https://h"),
            ("http://h:8080/sub/s/abcdefghij/", "http://h:8080/sub"),
            ("https://h/embed/abcdefghij", "https://h"),
            ("https://h/#s=abcdefghij", "https://h"),
            ("https://h/embed/#s=abcdefghij", "https://h"),
        ] {
            assert_eq!(link(text), expect(server), "{text}");
        }
        for text in ["https:///s/abcdefghij", "h/s/abcdefghij", "https://h/s/short", "https://h/x", "/s/abcdefghij"] {
            assert_eq!(link(text), None, "{text}");
        }
    }
}
