//! A web server of a program on this machine: what it answers, what is posted to it, how it ends.

use crate::case::{Case, until};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

/// A port that is free now.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Everything that a server says to these bytes; empty while nobody listens.
fn say(port: u16, bytes: &str) -> String {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return String::new() };
    let mut answer = Vec::new();
    let _ = stream.write_all(bytes.as_bytes()).and_then(|()| stream.read_to_end(&mut answer));
    String::from_utf8_lossy(&answer).into_owned()
}

fn get(port: u16, path: &str) -> String {
    say(port, &format!("GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"))
}

fn post(port: u16, path: &str, form: &str) -> String {
    let length = form.len();
    say(
        port,
        &format!("POST {path} HTTP/1.1\r\nHost: h\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{form}"),
    )
}

/// The status and the body.
fn parts(answer: &str) -> (&str, &str) {
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
    let agent = case.start();
    until("the server listens", || !get(port, "/data").is_empty());

    answers(port, "/data", "200", "one");
    answers(port, "/file", "200", "one");
    answers(port, "/dir/a", "200", "inside");
    answers(port, "/dir/b", "404", "404 page not found\n");
    answers(port, "/dir/link", "404", "404 page not found\n");
    answers(port, "/dir/../../in", "404", "404 page not found\n");
    answers(port, "/index.html", "200", "root");
    answers(port, "/dir/", "500", "500\n");
    answers(port, "/%zz", "400", "400\n");
    assert_eq!(parts(&post(port, "/data", "")), ("405", "Method Not Allowed\n"));
    assert_eq!(parts(&say(port, "nonsense\r\n\r\n")).0, "400");
    assert!(get(port, "/file").contains("Last-Modified: "));
    // A time before 1970 has no form in the protocol.
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
    // Another content is another server on the same address.
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
    agent.says("the policy does not allow a server on");
    assert_eq!(get(port, "/"), "");
}
