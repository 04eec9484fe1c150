//! Programs on a server: short links are opened and created with the API of the server that they name.
//!
//! The answer of a server is accepted only if its hash begins with the ID: so a link opens exactly what was shared, or
//! nothing.

use super::{Id, Shared};
use crate::lock::Mutex;
use crate::network::http::{Bytes, Method, StatusCode, client};
use crate::network::{Network, NoAnswer};
use mclive_base::files;
use mclive_base::short;
use mclive_base::unicode::visible;
use mclive_base::vocab::{HostError, HostErrorKind, request};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;

/// The longest wait for a server.
const PATIENCE: Duration = Duration::from_secs(60);
/// The largest answer. Servers have stored programs of the largest size in which JSON writes every byte as six. Units:
/// bytes.
const LARGEST_ANSWER: usize = 8 << 20;
const _: () = assert!(LARGEST_ANSWER > 6 * files::LARGEST, "every link opens");
/// The longest part of a server's words that is shown. Units: characters.
const LONGEST_WORDS: usize = 300;
/// The longest link that a server may return. Units: bytes.
const LONGEST_LINK: usize = 2_000;

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
    /// `None`: it is not a short link ([`short`]).
    pub(crate) fn parse(text: &str) -> Option<Link> {
        let found = short::read(text)?;
        Some(Link { server: found.site.to_owned(), id: Id::parse(found.id)? })
    }

    /// Fetches the program from the server.
    pub(crate) fn open(&self) -> Result<Shared, String> {
        let url = format!("{}/api/v1/programs/{}", self.server, self.id);
        // Wherever it comes from: the ID verifies it.
        let (status, body) = ask(Method::GET, &url, None, Box::new(|_| Ok(())))?;
        match status {
            StatusCode::OK if self.id.names(&body) => Shared::read(&body).map_err(|why| words(&why)),
            StatusCode::OK => {
                let url = request::shown(&url);
                Err(format!("the program at {url} is not the one that the link refers to; it was not opened"))
            }
            status => Err(format!("cannot open the link: {}", refusal(&url, status, &body))),
        }
    }
}

/// The address of a server, for people. Errors: it is none.
pub(crate) fn named(server: &str) -> Result<String, String> {
    let shown = words(&request::shown(server));
    if short::is_site(&server.to_ascii_lowercase()) {
        return Ok(shown);
    }
    let expected = "expected http:// or https:// and a host, such as https://play.example.org";
    Err(format!("`{shown}` is not the address of a server: {expected}"))
}

/// Stores a program on a server, and returns its short link.
pub(crate) fn send(server: &str, shared: &Shared) -> Result<String, String> {
    named(server)?;
    let url = format!("{}/api/v1/programs", server.trim_end_matches('/'));
    let content = shared.canonical();
    // A program is for this server only: redirections do not send it to others.
    let first = url.clone();
    let stays = move |next: &str| match home(next) == home(&first) {
        true => Ok(()),
        false => {
            let (first, next) = (request::shown(&first), request::shown(next));
            let why = format!("{first} redirects to {next}; nothing was sent there");
            Err(HostError::new(HostErrorKind::PermissionDenied, why))
        }
    };
    let (status, body) = ask(Method::POST, &url, Some(content.clone()), Box::new(stays))?;
    if !matches!(status, StatusCode::OK | StatusCode::CREATED) {
        let what = if shared.trace().is_some() { "run" } else { "program" };
        return Err(format!("cannot share the {what}: {}", refusal(&url, status, &body)));
    }
    let url = request::shown(&url);
    let made: Made = serde_json::from_slice(&body).map_err(|_| format!("{url} did not return a link"))?;
    match Link::parse(&made.url) {
        Some(link) if link.id.names(&content) && made.url.len() <= LONGEST_LINK && is_plain(&made.url) => Ok(made.url),
        Some(_) | None => Err(format!("{url} returned a link to something else")),
    }
}

/// The scheme, the host and the port.
fn home(url: &str) -> (String, String) {
    let scheme = url.split("://").next().unwrap_or_default();
    (scheme.to_ascii_lowercase(), request::authority(url))
}

/// Whether nothing in a link has another meaning, in a terminal or in a shell's argument.
fn is_plain(link: &str) -> bool {
    link.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@=%+,".contains(&byte))
}

fn refusal(url: &str, status: StatusCode, body: &[u8]) -> String {
    match serde_json::from_slice(body) {
        Ok(Refused { error }) => words(&error),
        Err(_) => format!("{} returned status {}", request::shown(url), status.as_u16()),
    }
}

/// Words from outside, in one line of bounded length. They cannot look like the agent's own.
fn words(text: &str) -> String {
    let start: String = text.trim().chars().take(LONGEST_WORDS).collect();
    let more = if text.trim().chars().nth(LONGEST_WORDS).is_some() { "…" } else { "" };
    format!("{}{more}", visible(&start))
}

/// One request and its whole answer, within limits.
fn ask(
    method: Method,
    url: &str,
    body: Option<Vec<u8>>,
    judge: Box<client::Judge>,
) -> Result<(StatusCode, Bytes), String> {
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
            if received.len() + piece.len() > LARGEST_ANSWER {
                return Err(std::io::Error::other("it exceeds the maximum size of a program"));
            }
            received.extend_from_slice(piece);
            Ok(())
        })
    };
    let asking = async move { client::ask(question, &*judge, &|_| {}, sink).await };
    let url = request::shown(url);
    let reply = match Network::default().wait(PATIENCE, asking, |_| {}) {
        Ok(reply) => reply.map_err(|error| words(&error.message))?,
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
    use std::collections::BTreeMap;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    fn program() -> Shared {
        Shared::new("main.mcl", BTreeMap::from([("main.mcl".to_owned(), b"$a = 1\n".to_vec())])).unwrap()
    }

    /// A server that gives each of these answers once, and the requests that it got.
    fn server(answers: Vec<String>) -> (String, std::thread::JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let serving = std::thread::spawn(move || {
            let answered = answers.into_iter().map(|answer| {
                let (mut stream, _) = listener.accept().unwrap();
                let (mut heard, mut piece) = (Vec::new(), [0; 4096]);
                while !heard.ends_with(b"}}") {
                    let n = stream.read(&mut piece).unwrap();
                    heard.extend_from_slice(&piece[..n]);
                }
                stream.write_all(answer.as_bytes()).unwrap();
                String::from_utf8(heard).unwrap()
            });
            answered.collect()
        });
        (url, serving)
    }

    fn answer(status: &str, body: &str) -> String {
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
    }

    #[test]
    fn a_link_names_its_server_and_program() {
        let link = |text: &str| Link::parse(text).map(|link| (link.server, link.id.to_string()));
        let expect = |server: &str| Some((server.to_owned(), "abcdefghij".to_owned()));
        assert_eq!(link("https://h/s/play/s/abcdefghij?x"), expect("https://h/s/play"));
        assert_eq!(link("https://h/embed/#s=abcdefghij&theme=dark"), expect("https://h"));
        assert_eq!(link("https://h/#c=abcdefghij"), None);
    }

    #[test]
    fn what_a_server_says_is_one_short_plain_line() {
        let error = "\u{1b}[31m\u{1b}]0;x\u{7}line\nmclive: ok\u{202e}".to_owned() + &"x".repeat(2_000_000);
        let (url, serving) = server(vec![answer("404 Not Found", &serde_json::json!({ "error": error }).to_string())]);
        let said = send(&url, &program()).unwrap_err();
        serving.join().unwrap();
        assert!(said.contains("line") && said.contains("mclive: ok") && said.ends_with("xxx…"), "{said}");
        assert!(said.chars().count() < 500 && visible(&said) == said, "{said}");
    }

    #[test]
    fn a_password_in_the_address_of_a_server_is_not_shown() {
        let with_password = |url: &str| url.replace("http://", "http://me:sesame@");
        let redirects = "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n";
        for (answer, expected) in [
            (answer("500 Internal Server Error", "no"), "returned status 500"),
            (answer("200 OK", "no"), "did not return a link"),
            (answer("200 OK", r#"{"url":"https://h/s/abcdefghij"}"#), "a link to something else"),
            (redirects.to_owned(), "redirects to"),
        ] {
            let (url, serving) = server(vec![answer]);
            let said = send(&with_password(&url), &program()).unwrap_err();
            serving.join().unwrap();
            assert!(said.contains(expected) && said.contains("127.0.0.1") && !said.contains("sesame"), "{said}");
        }
        let link = Link::parse("http://me:sesame@127.0.0.1:1/s/abcdefghij").unwrap();
        assert!(!link.open().unwrap_err().contains("sesame"));
    }

    #[test]
    fn a_program_is_only_sent_to_the_address_of_a_server() {
        for server in [
            "",
            "h",
            "http://",
            "ftp://h",
            "file:///tmp",
            "http://127.0.0.1:1/?x",
            "http://127.0.0.1:1/#x",
            "\u{1b}[31m",
        ] {
            let said = send(server, &program()).unwrap_err();
            assert!(
                said.contains("not the address of a server") && said.contains("https://play.example.org"),
                "{said}"
            );
            assert!(!said.contains('\u{1b}'), "{said}");
        }
        assert!(send("HTTP://127.0.0.1:1", &program()).unwrap_err().contains("connection refused"));
    }

    #[test]
    fn a_link_that_a_server_returns_is_plain_and_to_the_program() {
        let id = crate::share::Spelled::of(&program().canonical()).ids().next().unwrap();
        let sent = |link: &str| {
            let (url, serving) = server(vec![answer("201 Created", &serde_json::json!({ "url": link }).to_string())]);
            let sent = send(&url, &program());
            serving.join().unwrap();
            sent
        };
        let good = format!("https://play.example/s/{id}");
        assert_eq!(sent(&good), Ok(good.clone()));
        for link in [
            format!("http://h\nrm -rf ~ #/s/{id}"),
            format!("https://h\u{1b}]0;x\u{7}/s/{id}"),
            format!("https://h/$(id)/s/{id}"),
            format!("https://h/s/{id}?x=\n"),
            format!("https://h/{}/s/{id}", "x".repeat(3_000)),
            "https://h/s/abcdefghij".into(),
        ] {
            assert!(sent(&link).unwrap_err().contains("a link to something else"), "{link}");
        }
    }

    #[test]
    fn a_program_is_not_sent_to_somebody_else() {
        for status in ["307 Temporary Redirect", "308 Permanent Redirect", "302 Found"] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            listener.set_nonblocking(true).unwrap();
            let there = format!("http://{}/api/v1/programs", listener.local_addr().unwrap());
            let (url, serving) = server(vec![format!(
                "HTTP/1.1 {status}\r\nLocation: {there}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            )]);
            let said = send(&url, &program()).unwrap_err();
            serving.join().unwrap();
            assert!(said.contains("nothing was sent there") && said.contains(&there), "{said}");
            assert!(listener.accept().is_err(), "nobody else was contacted");
        }
    }

    #[test]
    fn the_same_server_may_move_its_path() {
        let id = crate::share::Spelled::of(&program().canonical()).ids().next().unwrap();
        let link = format!("https://play.example/s/{id}");
        let moved = "HTTP/1.1 308 Permanent Redirect\r\nLocation: /play/api/v1/programs\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        let (url, serving) =
            server(vec![moved.to_owned(), answer("201 Created", &serde_json::json!({ "url": link }).to_string())]);
        assert_eq!(send(&url, &program()), Ok(link));
        assert!(serving.join().unwrap()[1].starts_with("POST /play/api/v1/programs "));
    }
}
