//! A proxy of a program's web server: what it pulls, keeps and ends.

use crate::case::{Case, until};
use crate::web::{Asked, answers, free_port, get, parts, say};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

/// Answers each request as it is told, one after the other, and counts them.
pub(crate) struct Upstream {
    pub(crate) port: u16,
    asked: std::sync::Arc<std::sync::Mutex<Vec<String>>>,
}

impl Upstream {
    pub(crate) fn new(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Upstream {
        Upstream::of_heads(move |head, stream| answer(head.lines().next().unwrap_or_default(), stream))
    }

    fn of_heads(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Upstream {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = std::sync::Arc::<std::sync::Mutex<Vec<String>>>::default();
        let (told, answer) = (asked.clone(), std::sync::Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, told, answer) = (stream.unwrap(), told.clone(), answer.clone());
                std::thread::spawn(move || {
                    let mut head = [0; 4096];
                    let n_read = stream.read(&mut head).unwrap_or(0);
                    let head = String::from_utf8_lossy(&head[..n_read]).into_owned();
                    told.lock().unwrap().push(head.lines().next().unwrap_or_default().to_owned());
                    answer(&head, &mut stream);
                });
            }
        });
        Upstream { port, asked }
    }

    /// The same for a server of parts: it is told from where the body is asked for.
    pub(crate) fn ranged(answer: impl Fn(&str, usize, &mut TcpStream) + Send + Sync + 'static) -> Upstream {
        Upstream::of_heads(move |head, stream| {
            let range = head
                .lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("range: bytes=").map(str::to_owned));
            let from = range.and_then(|range| range.split('-').next()?.parse().ok()).unwrap_or(0);
            answer(head.lines().next().unwrap_or_default(), from, stream);
        })
    }

    fn n_asked(&self, words: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|line| line.contains(words)).count()
    }
}

#[test]
fn a_proxy_pulls_once_for_all_and_keeps_what_is_whole() {
    let (free, is_free) = std::sync::mpsc::channel::<()>();
    let is_free = std::sync::Mutex::new(is_free);
    let upstream = Upstream::new(move |line, stream| {
        let send = |stream: &mut TcpStream, text: &str| drop(stream.write_all(text.as_bytes()));
        let head = "HTTP/1.1 200 OK\r\nLast-Modified: Fri, 02 Jan 2015 00:00:00 GMT\r\nContent-Length: 10\r\n\r\n";
        match line {
            line if line.contains("/d/slow") => {
                send(stream, &format!("{head}01234"));
                let _ = is_free.lock().unwrap().recv();
                send(stream, "56789");
            }
            line if line.contains("/d/cut") => send(stream, &format!("{head}01234")),
            line if line.contains("/d/a%20b.json") => send(stream, &format!("{head}0123456789")),
            _ => send(stream, "HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n"),
        }
    });
    let (port, head) = (free_port(), format!("http://127.0.0.1:{}/d/", upstream.port));
    let program = format!(
        "http:server \"127.0.0.1:{port}\" {{ }}\n\
         http:server:proxy \"/m/\" {{ sub => \"/m/\", head => \"{head}\", cache => \"@OUT@/cache/\", }}\n\
         http:server:proxy \"/kept/\" {{ cache => \"@OUT@/cache/\", }}\n"
    );
    let case = Case::new("web-proxy", &program);
    let _agent = case.start();
    until("the server listens", || !get(port, "/kept/x").is_empty());

    let answer = get(port, "/m/a%20b.json");
    assert_eq!(parts(&answer), ("200", "0123456789"), "{answer}");
    assert!(answer.contains("Last-Modified: Fri, 02 Jan 2015") && answer.contains("application/json"), "{answer}");
    until("it is kept", || case.read("out/cache/a b.json").as_deref() == Some("0123456789"));
    answers(port, "/kept/a%20b.json", "200", "0123456789");
    let answer = say(port, "GET /m/a%20b.json HTTP/1.1\r\nHost: h\r\nRange: bytes=8-\r\nConnection: close\r\n\r\n");
    assert_eq!(parts(&answer), ("206", "89"));
    assert!(answer.contains("Last-Modified: Fri, 02 Jan 2015"), "{answer}");
    assert_eq!(upstream.n_asked("json"), 1, "what is kept is not asked for again");

    // A client that has the head of its answer waits for the same download.
    let mut both = [0; 2].map(|_| Asked::get(port, "/m/slow"));
    let heads = both.each_mut().map(Asked::head);
    assert_eq!(upstream.n_asked("/d/slow"), 1, "one download serves all");
    free.send(()).unwrap();
    for (head, one) in heads.into_iter().zip(both) {
        let answer = head + &one.answer();
        assert_eq!(parts(&answer), ("200", "0123456789"), "{answer}");
    }

    assert!(!get(port, "/m/cut").ends_with("0123456789"));
    assert_eq!(case.read("out/cache/cut"), None, "what is not whole is not kept");
    for (path, status) in [("/m/gone", "404"), ("/m/", "404"), ("/m/a//b", "404"), ("/kept/none", "500")] {
        assert_eq!(parts(&get(port, path)).0, status, "{path}");
    }
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(case.path("out/cache")).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o700);
    assert!(case.read("state/audit.log").unwrap().contains("http:server:proxy"));
}

#[test]
fn a_proxy_keeps_each_query_and_ends_what_nobody_waits_for() {
    let (left, is_left) = std::sync::mpsc::channel();
    let upstream = Upstream::new(move |line, stream| {
        if line.contains("/endless") {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
            while stream.write_all(&[b'x'; 1024]).is_ok() {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            let _ = left.send(());
        } else {
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{line}", line.len());
        }
    });
    let (port, head) = (free_port(), format!("http://127.0.0.1:{}/", upstream.port));
    let program = format!(
        "http:server \"127.0.0.1:{port}\" {{ }}\n\
         http:server:file \"/files/\" {{ path => \"@OUT@/\", }}\n\
         http:server:proxy \"/m/\" {{ sub => \"/m/\", head => \"{head}\", cache => \"@OUT@/cache/\", }}\n"
    );
    let case = Case::new("web-proxy-queries", &program);
    let _agent = case.start();
    until("the server listens", || !get(port, "/x").is_empty());

    answers(port, "/m/a", "200", "GET /a HTTP/1.1");
    answers(port, "/m/a?q=1", "200", "GET /a?q=1 HTTP/1.1");
    until("both are kept", || std::fs::read_dir(case.path("out/cache")).is_ok_and(|found| found.count() == 2));
    answers(port, "/m/a", "200", "GET /a HTTP/1.1");
    answers(port, "/m/a?q=1", "200", "GET /a?q=1 HTTP/1.1");
    assert_eq!((upstream.n_asked("/a "), upstream.n_asked("/a?q=1 ")), (1, 1), "each is asked for once");

    let long = "n".repeat(256);
    answers(port, &format!("/m/{long}"), "200", &format!("GET /{long} HTTP/1.1"));
    answers(port, "/m/b/c", "200", "GET /b/c HTTP/1.1");
    until("it is kept", || case.path("out/cache/b/c").exists());
    answers(port, "/m/b", "200", "GET /b HTTP/1.1");
    for path in ["/files/".to_owned(), "/files/cache".to_owned(), format!("/files/{long}")] {
        assert_eq!(parts(&get(port, &path)).0, "404", "{path}");
    }

    let mut visitor = Asked::get(port, "/m/endless").0;
    visitor.read_exact(&mut [0; 1]).unwrap();
    drop(visitor);
    until("nobody pulls what nobody waits for", || is_left.try_recv().is_ok());
}

#[test]
fn a_proxy_asks_and_keeps_as_the_policy_says() {
    let upstream = Upstream::new(|_, stream| drop(stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")));
    let (port, head) = (free_port(), format!("http://127.0.0.1:{}/", upstream.port));
    let program = format!(
        "http:server \"127.0.0.1:{port}\" {{ }}\n\
         http:server:proxy \"/m/\" {{ sub => \"/m/\", head => \"{head}\", cache => \"@OUT@/cache/\", }}\n"
    );
    let case = Case::new("web-proxy-policy", &program);
    let policy = |hosts: &str| format!("listen = [\"127.0.0.1:{port}\"]\npaths = []\nhosts = [{hosts}]\n");
    case.write("policy.toml", &policy(""));
    let agent = case.start_with(&["--policy", "policy.toml"]);
    agent.says("no pattern of `hosts` matches it");
    drop(agent);
    case.write("policy.toml", &policy(&format!("\"127.0.0.1:{}\"", upstream.port)));
    let _agent = case.start_with(&["--policy", "policy.toml"]);
    until("the server listens", || !get(port, "/m/").is_empty());
    // A client that asks during the first answer shares it.
    until("it is asked for again", || {
        answers(port, "/m/a", "200", "x");
        upstream.n_asked("/a") == 2
    });
    assert_eq!(case.read("out/cache/a"), None, "nothing may be kept");
}
