//! Servers that end their connections in every way.

use super::*;
use crate::network::Network;
use crate::network::http::Method;
use mclive_base::vocab::HostErrorKind;
use mclive_kit::until;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

const LONG: Duration = Duration::from_secs(60);
/// For a request that is not answered.
const SHORT: Duration = Duration::from_millis(50);

struct Server {
    url: String,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    opened: AtomicUsize,
    /// Requests of all connections.
    received: AtomicUsize,
    /// Connections that are over.
    ended: AtomicUsize,
}

/// Does something about each request: with its path, and its number on its connection. `false`: closes the connection.
fn serve(does: impl Fn(&mut TcpStream, &str, usize) -> bool + Send + Sync + 'static) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let counts = Arc::new(Counts::default());
    let server = Server { url, counts: counts.clone() };
    let does = Arc::new(does);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            counts.opened.fetch_add(1, Ordering::SeqCst);
            let (does, counts) = (does.clone(), counts.clone());
            std::thread::spawn(move || {
                for nth in 1.. {
                    let Some(path) = request(&stream) else { break };
                    counts.received.fetch_add(1, Ordering::SeqCst);
                    if !does(&mut stream, &path, nth) {
                        break;
                    }
                }
                drop(stream);
                counts.ended.fetch_add(1, Ordering::SeqCst);
            });
        }
    });
    server
}

/// Reads a request; returns its path. `None`: the client has closed the connection.
fn request(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let (mut path, mut length, mut line) = (None, 0, String::new());
    while reader.read_line(&mut line).is_ok_and(|n| n > 2) {
        if let Some(n) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = n.trim().parse::<usize>().unwrap();
        }
        path = path.or_else(|| line.split(' ').nth(1).map(str::to_owned));
        line.clear();
    }
    reader.read_exact(&mut vec![0; length]).ok()?;
    path
}

/// Answers with a text.
fn tell(stream: &mut TcpStream, headers: &str, text: &str) {
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{headers}\r\n{text}", text.len());
    stream.write_all(answer.as_bytes()).unwrap();
}

impl Server {
    fn n_opened(&self) -> usize {
        self.counts.opened.load(Ordering::SeqCst)
    }

    fn n_received(&self) -> usize {
        self.counts.received.load(Ordering::SeqCst)
    }

    fn has_ended(&self, n: usize) {
        let n_ended = || self.counts.ended.load(Ordering::SeqCst);
        until(&format!("{n} connections are over"), || n_ended() == n, || n_ended().to_string());
    }
}

struct Client {
    keep_alive: Arc<KeepAlive>,
    network: Network,
}

fn client(longest: Duration) -> Client {
    Client { keep_alive: Arc::new(KeepAlive::new(longest)), network: Network::default() }
}

impl Client {
    /// Asserts that the answer is the path.
    fn asks(&self, server: &Server, path: &str) {
        assert_eq!(self.ask(server, path, LONG, IfCut::Fail).unwrap(), path);
    }

    fn ask(&self, server: &Server, path: &str, patience: Duration, if_cut: IfCut) -> Result<String, HostError> {
        let message = Message::new(Method::POST, format!("{}{path}", server.url));
        let (keep_alive, message) = (self.keep_alive.clone(), Message { patience, body: b"x".to_vec(), ..message });
        let asks = async move { keep_alive.say(message, if_cut).await };
        let answer = self.network.wait(LONG * 2, asks, |_| {}).unwrap()?;
        Ok(String::from_utf8(answer.body).unwrap())
    }

    fn has_noticed(&self) {
        until("the client knows that its line is closed", || !self.keep_alive.has_open(), String::new);
    }
}

#[test]
fn one_request_after_the_other_uses_the_same_line() {
    let server = serve(|stream, path, _| {
        tell(stream, "", path);
        true
    });
    let client = client(LONG);
    ["/a", "/b", "/c"].iter().for_each(|path| client.asks(&server, path));
    assert_eq!(server.n_opened(), 1);
    client.keep_alive.close();
    server.has_ended(1);
    client.asks(&server, "/d");
    assert_eq!(server.n_opened(), 2);
}

#[test]
fn a_line_that_the_server_has_closed_is_replaced() {
    let server = serve(|stream, path, _| {
        tell(stream, "", path);
        false
    });
    let client = client(LONG);
    for n in 1..4 {
        client.asks(&server, "/a");
        client.has_noticed();
        assert_eq!((server.n_opened(), server.n_received()), (n, n));
    }
}

#[test]
fn a_line_that_the_server_will_not_read_again_is_not_used_again() {
    let server = serve(|stream, path, _| {
        tell(stream, "Connection: close\r\n", path);
        true
    });
    let client = client(LONG);
    for n in 1..4 {
        client.asks(&server, "/a");
        assert_eq!((server.n_opened(), server.n_received()), (n, n));
    }
    server.has_ended(3);
}

#[test]
fn a_request_does_not_wait_for_one_that_takes_long() {
    let (send, quick) = channel();
    let quick = Mutex::new(quick);
    let server = serve(move |stream, path, _| {
        match path {
            "/quick" => send.send(()).unwrap(),
            "/slow" => quick.lock().recv_timeout(LONG).unwrap(),
            _ => {}
        }
        tell(stream, "", path);
        true
    });
    let client = client(LONG);
    client.asks(&server, "/first");
    std::thread::scope(|scope| {
        scope.spawn(|| client.asks(&server, "/slow"));
        until("the slow one is received", || server.n_received() == 2, String::new);
        client.asks(&server, "/quick");
    });
    client.asks(&server, "/last");
    assert_eq!(server.n_opened(), 2);
    // Of both, one is kept.
    server.has_ended(1);
}

#[test]
fn a_line_whose_answer_does_not_come_to_its_end_is_closed() {
    let server = serve(|stream, path, _| {
        match path {
            "/silent" => {}
            "/part" => stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart").unwrap(),
            _ => tell(stream, "", path),
        }
        true
    });
    let client = client(LONG);
    for (n, path) in ["/silent", "/part"].into_iter().enumerate() {
        client.asks(&server, "/a");
        // It may have been received, and its caller has waited long enough.
        let error = client.ask(&server, path, SHORT, IfCut::Repeat).unwrap_err();
        assert_eq!(error.kind, HostErrorKind::TimedOut, "{}", error.message);
        server.has_ended(n + 1);
    }
    client.asks(&server, "/a");
    assert_eq!(server.n_opened(), 3);
}

#[test]
fn what_comes_after_an_answer_is_not_the_next_answer() {
    let server = serve(|stream, path, _| {
        tell(stream, "", path);
        // The client may have closed it already.
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged");
        true
    });
    let client = client(LONG);
    for n in 1..4 {
        client.asks(&server, "/a");
        client.has_noticed();
        assert_eq!((server.n_opened(), server.n_received()), (n, n));
    }
}

#[test]
fn only_a_request_that_may_be_repeated_is_sent_again_after_it_may_have_been_received() {
    // The first request of a connection is answered.
    let server = serve(|stream, path, nth| {
        let cuts = path == "/cut" && nth > 1;
        if !cuts {
            tell(stream, "", path);
        }
        !cuts
    });
    let client = client(LONG);
    client.asks(&server, "/a");
    let error = client.ask(&server, "/cut", LONG, IfCut::Fail).unwrap_err();
    assert!(error.message.ends_with(", on a connection that worked before"), "{}", error.message);
    assert_eq!((server.n_opened(), server.n_received()), (1, 2));
    client.asks(&server, "/a");
    assert_eq!(client.ask(&server, "/cut", LONG, IfCut::Repeat).unwrap(), "/cut");
    assert_eq!((server.n_opened(), server.n_received()), (3, 5));
}

#[test]
fn a_line_without_requests_is_closed() {
    let server = serve(|stream, path, _| {
        tell(stream, "", path);
        true
    });
    let client = client(Duration::from_millis(20));
    for n in 1..4 {
        client.asks(&server, "/a");
        server.has_ended(n);
    }
}

#[test]
fn a_line_to_another_server_is_closed() {
    let servers = [(), ()].map(|()| {
        serve(|stream, path, _| {
            tell(stream, "", path);
            true
        })
    });
    let client = client(LONG);
    client.asks(&servers[0], "/a");
    client.asks(&servers[1], "/b");
    servers[0].has_ended(1);
    client.asks(&servers[0], "/c");
    servers[1].has_ended(1);
    assert_eq!(servers.map(|server| server.n_opened()), [2, 1]);
}

#[test]
fn a_line_is_of_one_server_and_one_reading_of_the_certificates() {
    let trusts = [(), ()].map(|()| Trust::pinned([0; 32]).unwrap());
    let [own, other] = [Some(&trusts[0]), Some(&trusts[1])];
    let door = |url: &str, trust: Option<&Trust>| Door { target: Target::of(url).unwrap(), trust: trust.cloned() };
    let line = door("https://h:1/a", own);
    assert!(line.is_same(&door("https://h:1/b", own)));
    for (url, trust) in [
        ("https://h:1/a", other),
        ("https://h:1/a", None),
        ("http://h:1/a", own),
        ("https://h:2/a", own),
        ("https://i:1/a", own),
    ] {
        assert!(!line.is_same(&door(url, trust)), "{url}");
    }
}
