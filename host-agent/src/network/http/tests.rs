//! Attacks with raw sockets: request smuggling, floods, and slow clients.

use super::stream::LINGER;
use super::*;
use crate::lock::Mutex;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Instant;

mod ends;

const PATIENCE: Duration = Duration::from_secs(240);
/// A limit that a test is not about: on a busy machine, a thread may have to wait for many seconds.
const GENEROUS_MS: u64 = 60_000;
const GOOD: &str = "GET /good HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";

/// Answers with the length of the body, and records every requested path.
struct Told {
    limits: Limits,
    paths: Mutex<Vec<String>>,
}

impl Site for Told {
    fn limits(&self) -> Limits {
        self.limits
    }

    async fn answer(&self, request: Request<Bytes>) -> Response<Body> {
        let path = request.uri().path().to_owned();
        let body = match &*path {
            "/endless" => Body::file(std::fs::File::open("/dev/zero").unwrap(), 0..u64::MAX >> 1),
            "/cut" => Body::file(std::fs::File::open("/dev/null").unwrap(), 0..10),
            _ => format!("{path} {}", request.body().len()).into(),
        };
        self.paths.lock().push(path);
        Response::new(body)
    }
}

struct Served {
    address: SocketAddr,
    site: Arc<Told>,
    server: Option<Server>,
    network: Network,
}

fn served(receive_ms: u64, answer_ms: u64) -> Served {
    let limits = Limits {
        receive: Duration::from_millis(receive_ms),
        answer: Some(Duration::from_millis(answer_ms)),
        thought: Some(LONGEST_THOUGHT),
        body: 100_000,
    };
    let site = Arc::new(Told { limits, paths: Mutex::default() });
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let network = Network::default();
    let server = Some(serve(&network, listener, site.clone()).unwrap());
    Served { address, site, server, network }
}

impl Served {
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The answer to these bytes, up to the end of the connection.
    fn say(&self, text: &str) -> String {
        let mut stream = self.connect();
        let _ = stream.write_all(text.as_bytes());
        heard(&mut stream)
    }

    fn paths(&self) -> Vec<String> {
        self.site.paths.lock().clone()
    }
}

/// Reads until the connection ends; its timely end is part of each test.
fn heard(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    if let Err(error) = stream.read_to_end(&mut bytes) {
        assert_ne!(error.kind(), std::io::ErrorKind::WouldBlock, "the connection stays open");
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn nothing_is_smuggled_behind_a_request() {
    let served = served(GENEROUS_MS, GENEROUS_MS);
    let hidden = "GET /hidden HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
    let n = hidden.len();
    let heads = [
        format!("Content-Length: {n}\r\nContent-Length: 0"),
        format!("Content-Length: 0\r\nContent-Length: {n}"),
        format!("Content-Length: 0, {n}"),
        format!("Content-Length: +{n}"),
        format!("Content-Length: 0x{n:x}"),
        format!("Content-Length : {n}"),
        format!("Content-Length:\r\n {n}"),
        format!("Content-Length: {n}\r\nTransfer-Encoding: chunked"),
        format!("Transfer-Encoding: chunked\r\nContent-Length: {n}"),
        "Transfer-Encoding: chunked, identity".into(),
        "Transfer-Encoding: xchunked".into(),
        "Transfer-Encoding : chunked".into(),
        "Transfer-Encoding:\x0bchunked".into(),
        "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked".into(),
    ];
    for head in heads {
        for body in ["", "0\r\n\r\n"] {
            served.say(&format!("POST /first HTTP/1.1\r\nHost: h\r\n{head}\r\n\r\n{body}{hidden}"));
            assert!(!served.paths().contains(&"/hidden".to_owned()), "{head:?} with {body:?}");
        }
    }
    assert!(served.say(GOOD).ends_with("/good 0"));
}

#[test]
fn a_request_names_one_host() {
    let served = served(GENEROUS_MS, GENEROUS_MS);
    for hosts in
        ["", "Host: a\r\nHost: b\r\n", "Host: a\r\nHost: a\r\n", "Host: a b\r\n", "Host: a/b\r\n", "Host: a@b\r\n"]
    {
        let answer = served.say(&format!("GET /no HTTP/1.1\r\n{hosts}\r\n"));
        assert!(answer.starts_with("HTTP/1.1 400 "), "{hosts:?}: {answer}");
    }
    assert!(served.paths().is_empty());
    for good in ["GET /a HTTP/1.0\r\n\r\n", "GET /b HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n"] {
        assert!(served.say(good).contains(" 200 OK"), "{good}");
    }
}

#[test]
fn slow_senders_keep_nobody_out() {
    let served = served(GENEROUS_MS, GENEROUS_MS);
    let beginnings =
        ["", "GET /slow HTTP/1.1\r\nHost: h\r\nX-", "POST /slow HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nx"];
    let slow: Vec<TcpStream> = (0..300)
        .map(|n| {
            let mut stream = served.connect();
            // The connections that were closed already do not receive this.
            let _ = stream.write_all(beginnings[n % 3].as_bytes());
            stream
        })
        .collect();
    for _ in 0..20 {
        assert!(served.say(GOOD).ends_with("/good 0"));
    }
    drop(slow);
}

#[test]
fn a_request_that_does_not_come_to_its_end_is_dropped() {
    let served = served(200, GENEROUS_MS);
    assert_eq!(served.say("GET /slow HTTP/1.1\r\nHost: h\r\nX-"), "");
    for slow in [
        "POST /slow HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nx",
        "POST /slow HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n",
    ] {
        // One whose head comes late, since this thread had to wait for a processor, gets no answer: it asks again.
        let answer = (0..20).map(|_| served.say(slow)).find(|answer| !answer.is_empty()).unwrap_or_default();
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    }
    assert!(served.paths().is_empty());
}

#[test]
fn who_does_not_take_its_answer_is_dropped() {
    let served = served(GENEROUS_MS, 300);
    let mut stream = served.connect();
    stream.write_all(b"GET /endless HTTP/1.1\r\nHost: h\r\n\r\n").unwrap();
    std::thread::sleep(Duration::from_millis(600));
    // Sent data still arrives, then it ends.
    heard(&mut stream);
}

#[test]
fn heads_and_bodies_have_bounds() {
    let served = served(GENEROUS_MS, GENEROUS_MS);
    let many = "X: y\r\n".repeat(100);
    let long = format!("X: {}\r\n", "y".repeat(100_000));
    for fields in [&many, &long] {
        let answer = served.say(&format!("GET /no HTTP/1.1\r\nHost: h\r\n{fields}\r\n"));
        assert!(!answer.contains(" 200 OK"), "{answer}");
    }
    assert!(!served.say(&format!("GET /{} HTTP/1.1\r\nHost: h\r\n\r\n", "n".repeat(100_000))).contains(" 200 OK"));
    let answer = served.say("POST /no HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000000\r\n\r\nx");
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    let chunks = format!("186a0\r\n{}\r\n", "z".repeat(100_000)).repeat(2);
    let endless = format!("POST /no HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}");
    assert!(!served.say(&endless).contains(" 200 OK"));
    assert!(served.paths().is_empty());
    let most = format!(
        "POST /all HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\nConnection: close\r\n\r\n{}",
        "z".repeat(100_000)
    );
    assert!(served.say(&most).ends_with("/all 100000"));
}

#[test]
fn requests_may_come_together_and_a_client_may_have_said_all() {
    let served = served(GENEROUS_MS, GENEROUS_MS);
    let three =
        format!("GET /a HTTP/1.1\r\nHost: h\r\n\r\nPOST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nxy{GOOD}");
    let answers = served.say(&three);
    let at = |words: &str| answers.find(words).unwrap_or_else(|| panic!("{words}: {answers}"));
    assert!(at("/a 0") < at("/b 2") && at("/b 2") < at("/good 0"));
    let mut stream = served.connect();
    stream.write_all(b"GET /said HTTP/1.1\r\nHost: h\r\n\r\n").unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert!(heard(&mut stream).ends_with("/said 0"));
    // Without the announced body there is no answer.
    let mut stream = served.connect();
    stream.write_all(b"POST /half HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nxy").unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert!(!heard(&mut stream).contains(" 200 OK"));
    assert!(!served.paths().contains(&"/half".to_owned()));
}

#[test]
fn a_file_that_was_cut_is_not_taken_for_a_whole_one() {
    let answer = served(GENEROUS_MS, GENEROUS_MS)
        .say("GET /cut HTTP/1.1\r\nHost: h\r\n\r\nGET /next HTTP/1.1\r\nHost: h\r\n\r\n");
    // The connection ends in the middle, sometimes before the head.
    assert!(answer.matches("HTTP/1.1").count() <= 1 && !answer.contains("/next"), "{answer}");
}

/// Longer than this test waits for anything: who would wait for the end of a slow body gets no answer.
const ENDLESS_MS: u64 = 600_000;

/// A connection from another address of this machine.
fn connect_from(source: [u8; 4], served: &Served) -> TcpStream {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from((source, 0)).into()).unwrap();
    socket.connect(&served.address.into()).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket.into()
}

/// The beginnings of large bodies, which then say nothing.
fn slow_bodies(n: usize, n_bytes: usize, served: &Served) -> Vec<TcpStream> {
    let slow: Vec<TcpStream> = (0..n).map(|_| served.connect()).collect();
    for mut stream in &slow {
        stream.write_all(LARGE.as_bytes()).unwrap();
        stream.write_all(&vec![b'x'; n_bytes]).unwrap();
    }
    slow
}

const LARGE: &str = "POST /large HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 90000\r\n\r\n";

/// Large bodies have few places. Those who take one and then say nothing do not keep it from who has something to say.
#[test]
fn slow_bodies_do_not_keep_their_places_for_ever() {
    let served = served(GENEROUS_MS, GENEROUS_MS);
    let slow = slow_bodies(6, 70_000, &served);
    // Each of them is before this one.
    std::thread::sleep(Duration::from_millis(300));
    let said = served.say(&format!("{LARGE}{}", "x".repeat(90_000)));
    assert!(said.ends_with("/large 90000"), "{said}");
    drop(slow);
}

#[test]
fn slow_bodies_of_one_address_keep_no_other_waiting() {
    let served = served(ENDLESS_MS, GENEROUS_MS);
    let slow = [slow_bodies(100, 0, &served), slow_bodies(100, 70_000, &served)];
    std::thread::sleep(Duration::from_millis(300));
    let mut other = connect_from([127, 0, 0, 2], &served);
    other.write_all(format!("{LARGE}{}", "x".repeat(90_000)).as_bytes()).unwrap();
    let said = heard(&mut other);
    assert!(said.ends_with("/large 90000"), "{said}");
    drop(slow);
}

/// A connection that is closed before its bytes are read is reset, and the answer may be lost.
#[test]
fn who_is_refused_reads_why_although_it_still_sends() {
    let served = served(GENEROUS_MS, GENEROUS_MS);
    let body = vec![b'z'; 8 << 20];
    let ask = || {
        let (began, mut stream) = (Instant::now(), served.connect());
        let head = format!("POST /no HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n", body.len());
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
        let answer = heard(&mut stream);
        // On a busy machine it may send for longer than the server listens: then it asks again.
        (!answer.is_empty() || began.elapsed() < LINGER).then_some(answer)
    };
    for _ in 0..5 {
        let answer = (0..50).find_map(|_| ask()).unwrap_or_default();
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer:?}");
    }
}
