//! `mclive serve` from outside: what it stores, answers, refuses, and survives.

mod api;
mod encrypted;
mod everywhere;
mod export;
mod golden;
mod hostile;
mod hosting;
mod limits;
mod link_commands;
mod links;
mod operator;
mod routes;
mod table;

use crate::case::{Agent, Case};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(240);

/// A running server with a small site.
pub(crate) struct Server {
    pub(crate) agent: Agent,
    pub(crate) port: u16,
}

/// A parsed answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// A case with a site and a folder for a store.
pub(crate) fn case(name: &str) -> Case {
    let case = Case::new(&format!("server-{name}"), "print \"hello\" { msg => \"world\", }\n");
    for dir in ["site/embed", "versions/0.0.9/embed"] {
        std::fs::create_dir_all(case.path(dir)).unwrap();
    }
    for (path, content) in [
        ("site/index.html", "<!doctype html>the page"),
        ("site/app-0123456789.js", "// the script, in full length"),
        ("site/app-0123456789.js.br", "as br"),
        ("site/app-0123456789.js.gz", "as gzip"),
        ("site/embed/index.html", "<!doctype html>the frame"),
        ("site/embed.js", "// the frames' script"),
        ("site/headers.txt", "# headers"),
        ("versions/0.0.9/index.html", "<!doctype html>the old page"),
        ("versions/0.0.9/embed/index.html", "<!doctype html>the old frame"),
    ] {
        case.write(path, content);
    }
    case
}

impl Server {
    /// Starts one on a free port with a store; no client is limited, unless the flags say so.
    pub(crate) fn start(case: &Case, flags: &[&str]) -> Server {
        let unlimited = ["--limit-requests", "0", "--limit-mib", "0", "--limit-compute", "0"];
        let limits: &[&str] = if flags.iter().any(|flag| flag.starts_with("--limit")) { &[] } else { &unlimited };
        let own = ["serve", "--address", "127.0.0.1:0", "--site", "site", "--store", "store"];
        let args: Vec<&str> = own.iter().chain(limits).chain(flags).copied().collect();
        let agent = Agent::spawn(case.command(&args));
        agent.says("serving the playground on ");
        let port = port_in(&agent.said());
        Server { agent, port }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Sends bytes and reads the whole answer. `None`: there is none.
    pub(crate) fn say(&self, bytes: &[u8]) -> Option<Answer> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // After an early refusal the rest of a body may not be sendable.
        let _ = stream.write_all(bytes);
        heard(&mut stream)
    }

    pub(crate) fn ask(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Option<Answer> {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: h.example\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        self.say(&[head.as_bytes(), body].concat())
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, "", b"").unwrap()
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, "", body.to_string().as_bytes()).unwrap()
    }

    /// Shares a program of one file, and returns its ID.
    pub(crate) fn share(&self, text: &str) -> String {
        let answer = self.post("/api/v1/programs", &program(text));
        assert!([200, 201].contains(&answer.status), "{answer:?}");
        answer.json()["id"].as_str().unwrap().to_owned()
    }
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text: String = self.text().chars().take(500).collect();
        write!(f, "{} {:?} {text}", self.status, self.headers)
    }
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Empty if there is no such header.
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value)
    }
}

pub(crate) fn program(text: &str) -> Value {
    json!({ "version": "0.1.0", "entry": "main.mcl", "files": { "main.mcl": text } })
}

/// The port in the last printed address.
fn port_in(said: &str) -> u16 {
    let address = said.rsplit("://127.0.0.1:").next().unwrap();
    address.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

fn heard(stream: &mut impl Read) -> Option<Answer> {
    let mut bytes = Vec::new();
    // After an early refusal the connection may be reset after the answer.
    let _ = stream.read_to_end(&mut bytes);
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers =
        lines.filter_map(|line| line.split_once(": ")).map(|(name, value)| (name.to_owned(), value.to_owned()));
    Some(Answer { status, headers: headers.collect(), body: bytes[end + 4..].to_vec() })
}
