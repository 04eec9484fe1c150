//! The client: requests over persistent connections, and how long their answers take.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Answers per second, and the median and the 99th percentile of their time. Units: milliseconds.
#[derive(Clone, Copy)]
pub(crate) struct Figures {
    pub(crate) per_second: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
}

impl Figures {
    /// The one with the median number of answers.
    pub(crate) fn median(mut turns: Vec<Figures>) -> Figures {
        turns.sort_by(|a, b| a.per_second.total_cmp(&b.per_second));
        turns[turns.len() / 2]
    }
}

pub(crate) fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n").into_bytes()
}

/// Each number is that of another client: the server lets one client compile only a few programs at once.
pub(crate) fn post(path: &str, n: u64, body: &str) -> Vec<u8> {
    let [.., a, b, c] = n.to_be_bytes();
    let length = body.len();
    let head = format!("Host: h\r\nX-Forwarded-For: 10.{a}.{b}.{c}\r\nContent-Length: {length}\r\n");
    format!("POST {path} HTTP/1.1\r\n{head}\r\n{body}").into_bytes()
}

/// Sends requests over several connections until the limit. Each request has its own number.
pub(crate) fn measure(
    port: u16,
    n_connections: u64,
    limit: Duration,
    request: &(dyn Fn(u64) -> Vec<u8> + Sync),
) -> Figures {
    let began = Instant::now();
    let mut all: Vec<Duration> = std::thread::scope(|scope| {
        let ask = |connection: u64| {
            move || {
                let mut stream = connect(port);
                let mut took = Vec::new();
                // At least one each, however late the thread starts.
                let goes_on = |n: &u64| *n == connection || began.elapsed() < limit;
                for n in (0..).map(|n| n * n_connections + connection).take_while(goes_on) {
                    let bytes = request(n);
                    let asked = Instant::now();
                    stream.get_mut().write_all(&bytes).expect("it takes a request");
                    let (length, _) = head(&mut stream);
                    std::io::copy(&mut (&mut stream).take(length), &mut std::io::sink()).expect("a body");
                    took.push(asked.elapsed());
                }
                took
            }
        };
        let asking: Vec<_> = (0..n_connections).map(|connection| scope.spawn(ask(connection))).collect();
        asking.into_iter().flat_map(|one| one.join().expect("it asks to the end")).collect()
    });
    let seconds = began.elapsed().as_secs_f64();
    all.sort_unstable();
    let at = |part: f64| all[((all.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
    Figures { per_second: all.len() as f64 / seconds, p50: at(0.5), p99: at(0.99) }
}

/// A whole answer.
pub(crate) struct Answer {
    /// Empty: the bytes are those of the file.
    pub(crate) coding: String,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn once(port: u16, request: &[u8]) -> Answer {
    let mut stream = connect(port);
    stream.get_mut().write_all(request).expect("it takes a request");
    let (length, coding) = head(&mut stream);
    let mut body = Vec::new();
    stream.take(length).read_to_end(&mut body).expect("a body");
    Answer { coding, body }
}

fn connect(port: u16) -> BufReader<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream.set_nodelay(true).expect("a socket");
    BufReader::new(stream)
}

/// The length and the coding of an answer, which must be successful.
fn head(stream: &mut BufReader<TcpStream>) -> (u64, String) {
    let (mut line, mut length, mut coding, mut status) = (String::new(), 0, String::new(), String::new());
    loop {
        line.clear();
        stream.read_line(&mut line).expect("an answer");
        let head = line.trim_end().to_ascii_lowercase();
        if head.is_empty() {
            break;
        }
        if status.is_empty() {
            status = head;
        } else if let Some(value) = head.strip_prefix("content-length: ") {
            length = value.parse().expect("a length");
        } else if let Some(value) = head.strip_prefix("content-encoding: ") {
            value.clone_into(&mut coding);
        }
    }
    assert!(status.contains(" 20"), "{status}");
    (length, coding)
}
