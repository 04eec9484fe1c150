//! `http:client` against a small test server, which answers well, late, elsewhere or incompletely.

use crate::case::{Case, cannot_look, until};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

/// The raw answer for each path.
#[derive(Clone)]
struct Served {
    answers: Arc<Mutex<BTreeMap<String, String>>>,
    /// Request lines with headers, in order.
    asked: Arc<Mutex<Vec<String>>>,
    port: u16,
}

impl Served {
    fn new() -> Served {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let served = Served { answers: Arc::default(), asked: Arc::default(), port };
        let mine = served.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mine = mine.clone();
                std::thread::spawn(move || mine.answer(stream));
            }
        });
        served
    }

    fn answer(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let (mut head, mut line) = (String::new(), String::new());
        while reader.read_line(&mut line).is_ok_and(|n| n > 2) {
            head.push_str(&std::mem::take(&mut line));
        }
        let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        let _ = reader.read_exact(&mut body);
        head.push_str(&String::from_utf8_lossy(&body));
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let served = || self.answers.lock().unwrap().get(&path).cloned();
        let now = served();
        let since = head.lines().find_map(|line| line.strip_prefix("If-Modified-Since: "));
        let is_known = since.zip(now.as_ref()).is_some_and(|(since, now)| now.contains(since.trim()));
        let is_known = is_known || path.starts_with("/held-always");
        self.asked.lock().unwrap().push(head);
        // Until there is something new, as long as the test lasts.
        while path.starts_with("/held") && is_known && served() == now {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let answer = served();
        let _ = (&stream).write_all(
            answer.unwrap_or_else(|| "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".into()).as_bytes(),
        );
    }

    fn serve(&self, path: &str, status: &str, headers: &str, body: &str) {
        let length = body.len();
        let text = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}");
        self.answers.lock().unwrap().insert(path.into(), text);
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

fn client(url: &str, fields: &str) -> String {
    format!("http:client \"@OUT@/page\" {{ url => \"{url}\", Meta:poll => 1, {fields} }}\n")
}

const MODIFIED: &str = "Last-Modified: Tue, 14 Nov 2023 22:13:20 GMT\r\n";

#[test]
fn a_page_is_fetched_and_a_second_run_asks_whether_it_changed() {
    let served = Served::new();
    served.serve("/a", "200 OK", MODIFIED, "one");
    let case = Case::new("client", &client(&served.url("/a"), ""));
    assert!(case.once().status.success());
    assert_eq!(case.read("out/page").as_deref(), Some("one"));
    let steps = case.lines("state/audit.log");
    served.serve("/a", "304 Not Modified", "", "");
    let output = case.once();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(case.lines("state/audit.log"), steps, "a second run makes no step");
    let last = served.asked.lock().unwrap().last().cloned().unwrap();
    assert!(last.to_lowercase().contains("if-modified-since: tue, 14 nov 2023 22:13:20 gmt"), "{last}");
}

/// Without a path, too, the date is the server's, and not that of the download.
#[test]
fn an_update_with_an_older_date_is_fetched_without_a_path() {
    let served = Served::new();
    served.serve("/a", "200 OK", MODIFIED, "one");
    let program = format!("http:client \"page\" {{ url => \"{}\", Meta:poll => 1, }}\n", served.url("/a"));
    let case = Case::new("client-private", &program);
    let asked_since = || {
        assert!(case.once().status.success());
        let last = served.asked.lock().unwrap().last().cloned().unwrap().to_lowercase();
        last.lines().find_map(|line| Some(line.strip_prefix("if-modified-since: ")?.to_owned()))
    };
    assert_eq!(asked_since(), None);
    served.serve("/a", "200 OK", "Last-Modified: Mon, 13 Nov 2023 22:13:20 GMT\r\n", "older");
    assert_eq!(asked_since().as_deref(), Some("tue, 14 nov 2023 22:13:20 gmt"));
    served.serve("/a", "200 OK", "", "undated");
    assert_eq!(asked_since().as_deref(), Some("mon, 13 nov 2023 22:13:20 gmt"));
    assert_eq!(asked_since(), None, "of what has no date none is known");
}

#[test]
fn what_changes_there_or_here_is_fetched_again() {
    let served = Served::new();
    served.serve("/a", "200 OK", "", "one");
    let asks = "import \"net/http\" as http\nimport \"fmt\"\nfile \"@OUT@/status\" { state => \"exists\", content => fmt.printf(\"%d %s\", http.response(\"@OUT@/page\")->status, http.response(\"@OUT@/page\")->output), }\n";
    let case = Case::new("client-poll", &format!("{asks}{}", client(&served.url("/a"), "")));
    let mut agent = case.start();
    case.holds("out/page", "one");
    case.holds("out/status", "200 one");
    served.serve("/a", "200 OK", "", "two");
    case.holds("out/page", "two");
    std::fs::remove_file(case.path("out/page")).unwrap();
    case.holds("out/page", "two");
    case.write("out/page", "spoilt");
    case.holds("out/page", "two");
    served.serve("/a", "503 Service Unavailable", "", "");
    case.holds("out/status", "503 ");
    agent.says("unexpected status: 503 Service Unavailable");
    served.serve("/a", "200 OK", "", "three");
    case.holds("out/page", "three");
    assert!(agent.stop().success());
}

#[test]
fn a_body_that_breaks_off_or_is_another_one_leaves_what_was_there() {
    let served = Served::new();
    let broken = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nConnection: close\r\n\r\nhalf".to_owned();
    served.answers.lock().unwrap().insert("/half".into(), broken);
    let case = Case::new("client-broken", &client(&served.url("/half"), ""));
    case.write("out/page", "old");
    let said = |case: &Case| String::from_utf8_lossy(&case.once().stdout).into_owned();
    let broke = said(&case);
    assert!(broke.contains("the response was interrupted"), "{broke}");
    served.serve("/other", "200 OK", "", "x");
    case.program(&client(&served.url("/other"), &format!("sha256 => \"{}\",", "0".repeat(64))));
    let other = said(&case);
    assert!(
        other.contains("sha256 mismatch: got 2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"),
        "{other}"
    );
    case.program(&client("http://127.0.0.1:1/", ""));
    let nobody = said(&case);
    assert!(nobody.contains("http://127.0.0.1:1/: connection refused"), "{nobody}");
    assert_eq!(case.read("out/page").as_deref(), Some("old"));
    let left: Vec<_> = std::fs::read_dir(case.path("out")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

/// An answer with an entity tag is requested conditionally, even without a date.
#[test]
fn what_is_known_by_its_mark_is_not_fetched_again() {
    let served = Served::new();
    served.serve("/a", "200 OK", "ETag: \"one\"\r\n", "one");
    let case = Case::new("client-mark", &client(&served.url("/a"), ""));
    let mut agent = case.start();
    case.holds("out/page", "one");
    served.serve("/a", "304 Not Modified", "ETag: \"one\"\r\n", "");
    let n_asked = || served.asked.lock().unwrap().iter().filter(|it| it.contains("If-None-Match: \"one\"")).count();
    until("it is asked for by its mark", || n_asked() > 1);
    std::fs::remove_file(case.path("out/page")).unwrap();
    case.holds("out/page", "one");
    served.serve("/a", "200 OK", "ETag: \"two\"\r\n", "two");
    case.holds("out/page", "two");
    assert!(agent.stop().success());
}

/// Only the rest of an interrupted body is requested; another body starts again.
#[test]
fn a_download_that_broke_off_is_taken_up() {
    let served = Served::new();
    let broken = |etag: &str, body: &str| {
        format!("HTTP/1.1 200 OK\r\nETag: {etag}\r\nContent-Length: 8\r\nConnection: close\r\n\r\n{body}")
    };
    let put = |answer: String| served.answers.lock().unwrap().insert("/a".into(), answer);
    put(broken("\"one\"", "half"));
    let case = Case::new("client-resume", &client(&served.url("/a"), "Meta:retry => -1, Meta:delay => 50,"));
    let mut agent = case.start();
    let asked = |text: &str| served.asked.lock().unwrap().iter().any(|head| head.contains(text));
    until("the rest is asked for", || asked("Range: bytes=4-"));
    assert!(asked("If-Range: \"one\""));
    served.serve("/a", "206 Partial Content", "ETag: \"one\"\r\nContent-Range: bytes 4-7/8\r\n", "more");
    case.holds("out/page", "halfmore");
    put(broken("\"two\"", "tw"));
    until("the rest of the other is asked for", || asked("Range: bytes=2-"));
    served.serve("/a", "200 OK", "ETag: \"three\"\r\n", "three");
    case.holds("out/page", "three");
    // A partial answer without a request for it is rejected.
    put(broken("\"four\"", "fo"));
    until("the rest of the fourth is asked for", || asked("If-Range: \"four\""));
    served.serve("/a", "206 Partial Content", "ETag: \"four\"\r\nContent-Range: bytes 7-7/8\r\n", "r");
    agent.says("it sent a different range than requested");
    assert_eq!(case.read("out/page").as_deref(), Some("three"));
    // Servers may send less than what was asked for.
    put(broken("\"less\"", "le"));
    until("the rest of the shorter is asked for", || asked("If-Range: \"less\""));
    served.serve("/a", "206 Partial Content", "ETag: \"less\"\r\nContent-Range: bytes 2-4/8\r\n", "ss ");
    until("what is still missing is asked for", || asked("Range: bytes=5-"));
    assert_eq!(case.read("out/page").as_deref(), Some("three"));
    assert!(agent.stop().success());
}

#[test]
fn a_request_that_is_held_tells_of_each_change_at_once() {
    let served = Served::new();
    let time = |second: u32| format!("Last-Modified: Tue, 14 Nov 2023 22:13:{second} GMT\r\n");
    served.serve("/held", "200 OK", &time(20), "one");
    let longpoll = |url: &str, style: &str| {
        format!("http:client \"@OUT@/page\" {{ url => \"{url}\", longpoll => true, longpoll_{style} => true, }}\n")
    };
    let case = Case::new("client-held", &longpoll(&served.url("/held"), "conditional"));
    assert!(case.once().status.success(), "one run has the first answer");
    assert_eq!(case.read("out/page").as_deref(), Some("one"));
    let mut agent = case.start();
    let asked = || served.asked.lock().unwrap().clone();
    until("the next request is held", || asked().last().is_some_and(|head| head.contains("Prefer: wait=60")));
    let n_asked = asked().len();
    case.write("out/page", "spoilt");
    case.holds("out/page", "one");
    assert_eq!(asked().len(), n_asked, "what is at hand is not asked for");
    served.serve("/held", "200 OK", &time(21), "two");
    case.holds("out/page", "two");
    // A server that is down is asked again, and the wait is reported.
    served.serve("/held", "503 Service Unavailable", "Retry-After: 1\r\n", "");
    agent.says("unexpected status: 503 Service Unavailable");
    served.serve("/held", "200 OK", &time(22), "three");
    case.holds("out/page", "three");
    assert!(agent.stop().success());

    served.serve("/there", "200 OK", "", "first");
    served.serve("/held-always", "404 Not Found", "", "");
    case.program(&longpoll(&served.url("/held-always"), "redirect"));
    std::fs::remove_file(case.path("out/page")).unwrap();
    let mut agent = case.start();
    agent.says("the server has not answered the blocking request yet");
    served.serve("/held-always", "302 Found", &format!("Location: {}\r\n", served.url("/there")), "");
    case.holds("out/page", "first");
    served.serve("/there", "200 OK", "", "second");
    served.serve("/held-always", "307 Temporary Redirect", &format!("Location: {}\r\n", served.url("/there")), "");
    case.holds("out/page", "second");
    assert!(agent.stop().success());
}

/// The program's own server holds the request of its own client.
#[test]
fn the_server_and_the_client_of_a_program_find_each_other() {
    let port = mclive_kit::port::free();
    let program = format!(
        "http:server \"127.0.0.1:{port}\" {{ }}\nhttp:server:file \"/file\" {{ path => \"@OUT@/file\", longpoll => true, }}\n\
         http:client \"@OUT@/page\" {{ url => \"http://127.0.0.1:{port}/file\", longpoll => true, longpoll_conditional => true, }}\n"
    );
    let case = Case::new("client-own", &program);
    case.write("out/file", "one");
    let mut agent = case.start();
    case.holds("out/page", "one");
    for text in ["two", "three", "four"] {
        case.write("out/next", text);
        std::fs::rename(case.path("out/next"), case.path("out/file")).unwrap();
        case.holds("out/page", text);
    }
    assert!(agent.stop().success());
}

/// A server that holds no requests is not flooded.
#[test]
fn a_server_that_answers_at_once_is_asked_less_and_less() {
    let served = Served::new();
    served.serve("/a", "200 OK", "", "one");
    let url = served.url("/a");
    let program =
        format!("http:client \"@OUT@/page\" {{ url => \"{url}\", longpoll => true, longpoll_conditional => true, }}\n");
    let case = Case::new("client-eager", &program);
    let begins = std::time::Instant::now();
    let mut agent = case.start();
    case.holds("out/page", "one");
    // After the first answer and one that is the same, it pauses for 1 s, 2 s and 4 s. A slow machine only adds to this.
    until("it has asked five times", || served.asked.lock().unwrap().len() >= 5);
    let took = begins.elapsed();
    assert!(took >= std::time::Duration::from_secs(7), "five requests within {took:?}");
    assert!(agent.stop().success());
}

#[test]
fn redirections_are_followed_as_far_as_the_policy_goes() {
    let (served, other) = (Served::new(), Served::new());
    other.serve("/b", "200 OK", "", "there");
    served.serve("/a", "302 Found", &format!("Location: {}\r\n", other.url("/b")), "");
    served.serve("/round", "301 Moved Permanently", "Location: round\r\n", "");
    let with_password = served.url("/a").replace("127", "me:hunter2@127");
    let case = Case::new("client-redirect", &client(&with_password, ""));
    let output = case.once();
    assert_eq!(case.read("out/page").as_deref(), Some("there"), "{output:?}");
    let asked = served.asked.lock().unwrap().concat().to_lowercase();
    assert!(asked.contains("authorization: basic bwu6ahvudgvymg=="), "{asked}");
    let elsewhere = other.asked.lock().unwrap().concat().to_lowercase();
    assert!(!elsewhere.contains("authorization"), "a password is for the host that it was given for: {elsewhere}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("hunter2"), "{output:?}");
    assert!(!case.read("state/audit.log").unwrap().contains("hunter2"));
    std::fs::remove_file(case.path("out/page")).unwrap();
    case.write("policy.toml", &format!("hosts = ['127.0.0.1:{}']\n", served.port));
    let refused = case.run(&["run", "--once", "--prefix", "state", "--policy", "policy.toml", "main.mcl"]);
    let said = String::from_utf8_lossy(&refused.stdout).into_owned();
    assert!(
        said.contains(&format!("the policy does not allow contacting the host `127.0.0.1:{}`", other.port)),
        "{said}"
    );
    case.write("policy.toml", "hosts = []\n");
    let plan = case.run(&["plan", "--prefix", "state", "--policy", "policy.toml", "main.mcl"]);
    assert!(String::from_utf8_lossy(&plan.stdout).contains("the policy does not allow contacting"), "{plan:?}");
    case.program(&client(&served.url("/round"), ""));
    let round = String::from_utf8_lossy(&case.once().stdout).into_owned();
    assert!(round.contains("more than 10 redirects"), "{round}");
}

#[test]
fn a_body_is_sent_and_the_answer_is_the_file() {
    let served = Served::new();
    served.serve("/form", "200 OK", "", "taken");
    let case = Case::new("client-post", &client(&served.url("/form"), "method => \"POST\", body => \"a=1\","));
    let plan = case.run(&["plan", "--prefix", "state", "main.mcl"]);
    assert!(String::from_utf8_lossy(&plan.stdout).contains("POST http://127.0.0.1"), "{plan:?}");
    assert!(served.asked.lock().unwrap().is_empty(), "a plan changes nothing elsewhere");
    assert!(case.once().status.success());
    assert_eq!(case.read("out/page").as_deref(), Some("taken"));
    assert!(served.asked.lock().unwrap()[0].ends_with("a=1"));
}

/// A server that never answers is abandoned when the agent stops.
#[test]
fn a_silent_server_does_not_hold_up_the_end() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let case = Case::new("client-silent", &client(&url, ""));
    let mut agent = case.start();
    let (_held, _) = listener.accept().unwrap();
    agent.stop_however_often();
}

#[test]
fn an_encrypted_server_is_trusted_when_the_host_trusts_it() {
    let case = Case::new("client-tls", "");
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"])
        .args([
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
            "-keyout",
            "key.pem",
            "-out",
            "cert.pem",
        ])
        .current_dir(&case.root)
        .output();
    if !made.as_ref().is_ok_and(|made| made.status.success()) {
        return cannot_look(&format!("client-tls: cannot create certificates: {made:?}"));
    }
    let port = mclive_kit::port::free();
    case.write("page", "secret page");
    let mut server = Command::new("openssl")
        .args(["s_server", "-quiet", "-WWW", "-cert", "cert.pem", "-key", "key.pem", "-accept", &port.to_string()])
        .current_dir(&case.root)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("the server listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    case.program(&client(&format!("https://localhost:{port}/page"), ""));
    let args = ["run", "--once", "--prefix", "state", "main.mcl"];
    let unknown = case.command(&args).output().unwrap();
    let said = String::from_utf8_lossy(&unknown.stdout).into_owned();
    assert!(said.contains("cannot set up TLS") || said.contains("ca-certificates"), "{said}");
    let trusted = case.command(&args).env("SSL_CERT_FILE", case.path("cert.pem")).output().unwrap();
    let _ = server.kill();
    let _ = server.wait();
    assert_eq!(case.read("out/page").as_deref(), Some("secret page"), "{trusted:?}");
}
