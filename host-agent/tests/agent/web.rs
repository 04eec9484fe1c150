//! A program's web server on this machine: its answers, posted forms, and its end.

use crate::case::{Case, until};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

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
fn answers(port: u16, path: &str, status: &str, body: &str) {
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
    // Nobody writes to it.
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
    case.write("out/file", "three");
    until("its time moves on", || time("/file") != before);
    let last = wait("/file", time("/file"));
    last.is_read();
    assert!(agent.stop().success());
    let answer = last.answer();
    assert!(answer.contains("503") && answer.contains("Retry-After: 1"), "{answer}");
}

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

    let both = [0; 2].map(|_| Asked::get(port, "/m/slow"));
    until("it is asked for", || upstream.n_asked("/d/slow") == 1);
    both.iter().for_each(Asked::is_read);
    free.send(()).unwrap();
    for one in both {
        assert_eq!(parts(&one.answer()), ("200", "0123456789"));
    }
    assert_eq!(upstream.n_asked("/d/slow"), 1, "one download serves all");

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
