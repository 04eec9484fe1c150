//! A program's web server on this machine: its answers, posted forms, and its end.

use crate::case::{Case, until};
use std::io::{Read, Write};
use std::net::TcpStream;

pub(crate) use mclive_kit::port::free as free_port;

/// A request that was sent, and whose answer is still to come.
pub(crate) struct Asked(pub(crate) TcpStream);

/// States of a connection in `/proc/net/tcp`.
const ESTABLISHED: &str = "01";
const BEGINS: &str = "03";

impl Asked {
    pub(crate) fn send(port: u16, bytes: &str) -> Asked {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(bytes.as_bytes()).unwrap();
        Asked(stream)
    }

    pub(crate) fn get(port: u16, path: &str) -> Asked {
        Asked::send(port, &format!("GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"))
    }

    /// Waits until the server has read it: its end of the connection is accepted and has no unread data, or is closed
    /// after the answer.
    pub(crate) fn is_read(&self) {
        let ends = format!(
            "0100007F:{:04X} 0100007F:{:04X} ",
            self.0.peer_addr().unwrap().port(),
            self.0.local_addr().unwrap().port()
        );
        until("the server reads the request", || {
            let all = std::fs::read_to_string("/proc/net/tcp").unwrap();
            let Some(line) = all.lines().find(|line| line.contains(&ends)) else { return false };
            let fields: Vec<&str> = line.split_whitespace().collect();
            match fields[3] {
                ESTABLISHED => fields[4].ends_with(":00000000") && fields[9] != "0",
                state => state != BEGINS,
            }
        });
    }

    /// Reads the head of the answer, which shows that the server has begun with its body.
    pub(crate) fn head(&mut self) -> String {
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") && self.0.read(&mut byte).unwrap() == 1 {
            head.extend(byte);
        }
        String::from_utf8_lossy(&head).into_owned()
    }

    pub(crate) fn answer(mut self) -> String {
        let mut answer = Vec::new();
        let _ = self.0.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }
}

/// The whole answer of a server to these bytes; empty while there is no server.
pub(crate) fn say(port: u16, bytes: &str) -> String {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return String::new() };
    let mut answer = Vec::new();
    let _ = stream.write_all(bytes.as_bytes()).and_then(|()| stream.read_to_end(&mut answer));
    String::from_utf8_lossy(&answer).into_owned()
}

pub(crate) fn get(port: u16, path: &str) -> String {
    say(port, &format!("GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"))
}

pub(crate) fn post(port: u16, path: &str, form: &str) -> String {
    let length = form.len();
    say(
        port,
        &format!("POST {path} HTTP/1.1\r\nHost: h\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{form}"),
    )
}

/// The status and the body.
pub(crate) fn parts(answer: &str) -> (&str, &str) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    (head.split(' ').nth(1).unwrap_or_default(), body)
}

#[track_caller]
pub(crate) fn answers(port: u16, path: &str, status: &str, body: &str) {
    let answer = get(port, path);
    assert_eq!(parts(&answer), (status, body), "{path}: {answer}");
}

#[test]
fn a_server_answers_takes_forms_and_follows_its_program() {
    let port = free_port();
    let program = format!(
        r#"import "os"
http:server "s" {{
	address => "127.0.0.1:{port}",
	root => "@OUT@/root/",
}}
http:server:file "/data" {{
	data => os.readfile("@OUT@/in"),
}}
http:server:file "/file" {{
	path => "@OUT@/in",
}}
http:server:file "/dir/" {{
	path => "@OUT@/dir/",
}}
http:server:flag "/flag" {{
	key => "a",
}}
file "@OUT@/posted" {{
	state => "exists",
	content => "nothing",
}}
Http:Server:Flag["/flag"].value -> File["@OUT@/posted"].content
"#
    );
    let case = Case::new("web", &program);
    case.write("out/in", "one");
    for dir in ["out/root", "out/dir"] {
        std::fs::create_dir(case.path(dir)).unwrap();
    }
    case.write("out/root/index.html", "root");
    case.write("out/dir/a", "inside");
    case.write("out/dir/old", "old\n");
    std::os::unix::fs::symlink(case.path("out/in"), case.path("out/dir/link")).unwrap();
    for pipe in ["out/root/pipe", "out/dir/pipe"].map(|pipe| case.path(pipe)) {
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
    }
    let agent = case.start();
    until("the server listens", || !get(port, "/data").is_empty());

    answers(port, "/data", "200", "one");
    answers(port, "/file", "200", "one");
    answers(port, "/dir/a", "200", "inside");
    answers(port, "/dir/b", "404", "404 page not found\n");
    answers(port, "/dir/link", "404", "404 page not found\n");
    answers(port, "/dir/../../in", "404", "404 page not found\n");
    answers(port, "/index.html", "200", "root");
    answers(port, "/dir/", "404", "404 page not found\n");
    // Nothing writes to it.
    answers(port, "/dir/pipe", "404", "404 page not found\n");
    answers(port, "/pipe", "404", "404 page not found\n");
    answers(port, "/%zz", "400", "400\n");
    assert_eq!(parts(&post(port, "/data", "")), ("405", "Method Not Allowed\n"));
    assert_eq!(parts(&say(port, "nonsense\r\n\r\n")).0, "400");
    assert!(get(port, "/file").contains("Last-Modified: "));
    // HTTP cannot express a time before 1970.
    let old = std::fs::File::options().write(true).open(case.path("out/dir/old")).unwrap();
    old.set_modified(std::time::SystemTime::UNIX_EPOCH - std::time::Duration::from_secs(86_400)).unwrap();
    assert!(!get(port, "/dir/old").contains("Last-Modified: "));
    answers(port, "/dir/old", "200", "old\n");
    let since = "GET /file HTTP/1.1\r\nHost: h\r\nIf-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT\r\nConnection: close\r\n\r\n";
    assert_eq!(parts(&say(port, since)), ("304", ""));
    // Two requests on one connection.
    let both =
        say(port, "HEAD /data HTTP/1.1\r\nHost: h\r\n\r\nGET /file HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    assert_eq!((both.matches("200 OK").count(), both.ends_with("\r\n\r\none")), (2, true), "{both}");

    assert_eq!(parts(&post(port, "/flag", "a=x+y%21&b=z")), ("200", ""));
    case.holds("out/posted", "x y!");
    // Other content is another server on the same address.
    case.write("out/in", "two");
    until("the new content is served", || parts(&get(port, "/data")) == ("200", "two"));
    drop(agent);
    until("nobody listens", || get(port, "/data").is_empty());
}

#[test]
fn each_request_is_a_line_of_a_log_without_what_may_be_secret() {
    let port = free_port();
    let program = format!(
        "http:server \"127.0.0.1:{port}\" {{ }}\n\
         http:server:file \"/data\" {{ data => \"x\", }}\n"
    );
    let case = Case::new("web-log", &program);
    let mut agent = case.start();
    until("the server listens", || !get(port, "/data").is_empty());
    answers(port, "/data?token=hush", "200", "x");
    answers(port, "/none", "404", "404 page not found\n");
    assert_eq!(parts(&post(port, "/data", "word=hush")), ("405", "Method Not Allowed\n"));
    assert_eq!(agent.stop().code(), Some(0));
    let log = case.read("state/requests.log").unwrap();
    let asked = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        format!("{} {} {}", line["method"].as_str().unwrap(), line["path"].as_str().unwrap(), line["status"])
    };
    let asked: Vec<String> = log.lines().map(asked).collect();
    let last = ["GET /data 200", "GET /none 404", "POST /data 405"].map(String::from);
    assert!(asked.ends_with(&last), "{asked:?}");
    assert!(!log.contains("hush"), "{log}");
}

#[test]
fn a_policy_says_where_a_server_may_listen() {
    let port = free_port();
    let case = Case::new("web-policy", &format!("http:server \"127.0.0.1:{port}\" {{\n}}\n"));
    case.write("policy.toml", "listen = [\"127.0.0.1:1\"]\n");
    let agent = case.start_with(&["--policy", "policy.toml"]);
    agent.says("the policy does not allow listening on");
    assert_eq!(get(port, "/"), "");
}

#[test]
pub(crate) fn parts_of_a_file_and_of_data_are_served() {
    let port = free_port();
    let program = format!(
        "http:server \"127.0.0.1:{port}\" {{ }}\n\
         http:server:file \"/data\" {{ data => \"0123456789\", }}\n\
         http:server:file \"/file\" {{ path => \"@OUT@/in\", }}\n"
    );
    let case = Case::new("web-parts", &program);
    case.write("out/in", "0123456789");
    let _agent = case.start();
    until("the server listens", || !get(port, "/data").is_empty());
    let ask = |path: &str, more: &str| {
        say(port, &format!("GET {path} HTTP/1.1\r\nHost: h\r\n{more}\r\nConnection: close\r\n\r\n"))
    };
    for path in ["/data", "/file"] {
        let answer = ask(path, "Range: bytes=2-4");
        assert_eq!(parts(&answer), ("206", "234"), "{answer}");
        assert!(answer.contains("Content-Range: bytes 2-4/10\r\n"), "{answer}");
        assert_eq!(parts(&ask(path, "Range: bytes=-3")), ("206", "789"));
        let beyond = ask(path, "Range: bytes=10-");
        assert!(parts(&beyond).0 == "416" && beyond.contains("Content-Range: bytes */10\r\n"), "{beyond}");
        let changed = "Range: bytes=2-4\r\nIf-Range: Fri, 01 Jan 2100 00:00:00 GMT";
        assert_eq!(parts(&ask(path, changed)), ("200", "0123456789"), "a part of another content is of no use");
        let whole = ask(path, "Accept: */*");
        let time = whole.split("Last-Modified: ").nth(1).unwrap().split("\r\n").next().unwrap().to_owned();
        assert_eq!(parts(&ask(path, &format!("Range: bytes=9-\r\nIf-Range: {time}"))), ("206", "9"));
        assert_eq!(parts(&ask(path, &format!("If-Modified-Since: {time}"))), ("304", ""));
    }
}

#[test]
fn who_knows_the_content_waits_for_the_next() {
    let port = free_port();
    let program = format!(
        r#"import "os"
http:server "127.0.0.1:{port}" {{ }}
http:server:file "/data" {{
	longpoll => true,
}}
value "v" {{
	any => os.readfile("@OUT@/in"),
}}
Value["v"].any -> Http:Server:File["/data"].data
http:server:file "/file" {{
	path => "@OUT@/file",
	longpoll => true,
}}
"#
    );
    let case = Case::new("web-longpoll", &program);
    case.write("out/in", "one");
    case.write("out/file", "one");
    let mut agent = case.start();
    until("the server listens", || parts(&get(port, "/data")) == ("200", "one"));
    answers(port, "/file", "200", "one");
    let time = |path: &str| {
        let answer = get(port, path);
        answer.split("Last-Modified: ").nth(1).unwrap().split("\r\n").next().unwrap().to_owned()
    };
    let wait = |path: &'static str, since: String| {
        let head = format!("GET {path} HTTP/1.1\r\nHost: h\r\nIf-Modified-Since: {since}\r\nConnection: close\r\n\r\n");
        Asked::send(port, &head)
    };
    for path in ["/data", "/file"] {
        answers(port, path, "200", "one");
        let old = "Thu, 01 Jan 2015 00:00:00 GMT".to_owned();
        assert_eq!(parts(&wait(path, old).answer()), ("200", "one"), "an old content is answered at once");
        let waits: Vec<_> = (0..3).map(|_| wait(path, time(path))).collect();
        waits.iter().for_each(Asked::is_read);
        // Written at once: otherwise waiting clients would get the empty file.
        case.write("out/next", "two");
        let place = if path == "/data" { "out/in" } else { "out/file" };
        std::fs::rename(case.path("out/next"), case.path(place)).unwrap();
        for one in waits {
            let answer = one.answer();
            assert_eq!(parts(&answer), ("200", "two"), "{answer}");
        }
    }
    // A second change within a second counts as newer.
    let before = time("/file");
    case.write("out/next", "three");
    std::fs::rename(case.path("out/next"), case.path("out/file")).unwrap();
    until("its time moves on", || time("/file") != before);
    // All that it has heard of this change is done.
    agent.rests();
    let last = wait("/file", time("/file"));
    last.is_read();
    assert!(agent.stop().success());
    let answer = last.answer();
    assert!(answer.contains("503") && answer.contains("Retry-After: 1"), "{answer}");
}
