//! Pages of controls of a program: what a browser gets, what it may save, and who is notified.

use crate::case::{Case, until};
use crate::web::{free_port, get, parts, say};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(240);

/// Posts a form with additional headers.
fn save(port: u16, form: &str, headers: &str) -> String {
    let length = form.len();
    say(
        port,
        &format!(
            "POST /ui/save/ HTTP/1.1\r\nHost: h\r\nContent-Length: {length}\r\n{headers}Connection: close\r\n\r\n{form}"
        ),
    )
}

/// The lines of an event stream.
struct Events(BufReader<TcpStream>);

impl Events {
    fn of(port: u16) -> Events {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream.write_all(b"GET /ui/events HTTP/1.1\r\nHost: h\r\n\r\n").unwrap();
        Events(BufReader::new(stream))
    }

    /// Reads up to a line that contains this.
    #[track_caller]
    fn says(&mut self, words: &str) {
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ended before `{words}`");
        }
    }
}

fn program(port: u16) -> String {
    format!(
        r#"import "os"
http:server "127.0.0.1:{port}" {{ }}
http:server:ui "/ui/" {{
	data => struct{{title => os.readfile("@OUT@/title"), head => "<meta name=\"mine\">"}},
}}
http:server:ui:input "volume" {{
	type => "range://?max=10&step=5",
	store => "world://",
}}
http:server:ui:input "greeting" {{
	value => "<i>",
}}
file "@OUT@/greeting" {{
	state => "exists",
}}
Http:Server:Ui:Input["greeting"].value -> File["@OUT@/greeting"].content
"#
    )
}

#[test]
fn a_page_is_plain_and_saves_what_fits() {
    let port = free_port();
    let case = Case::new("web-page", &program(port));
    case.write("out/title", "<b>");
    let mut agent = case.start();
    until("the page is there", || parts(&get(port, "/ui/ping")).0 == "200");
    let index = get(port, "/ui/index.html");
    for part in [
        "<title>&lt;b&gt;</title>",
        "<meta name=\"mine\">",
        "value=\"&lt;i&gt;\"",
        "Content-Security-Policy: default-src 'self'",
    ] {
        assert!(index.to_lowercase().contains(&part.to_lowercase()), "{part}: {index}");
    }
    assert!(get(port, "/ui/").contains("302") && get(port, "/ui/").to_lowercase().contains("location: /ui/index.html"));
    assert!(parts(&get(port, "/ui/ui.js")).1.contains("EventSource"));
    for path in ["/ui/none", "/ui/list/none", "/ui/save/"] {
        assert_eq!(parts(&get(port, path)).0, "404", "{path}");
    }

    let mut events = Events::of(port);
    events.says(r#"data: {"id":"greeting","value":"<i>"}"#);
    let own = "Origin: http://h\r\nContent-Type: application/x-www-form-urlencoded;charset=UTF-8\r\n";
    assert_eq!(parts(&save(port, "id=volume&value=5", own)).0, "200");
    events.says(r#"data: {"id":"volume","value":"5"}"#);
    until("it is stored", || parts(&get(port, "/ui/list/volume")) == ("200", "{\"value\":\"5\"}\n"));
    assert_eq!(parts(&save(port, "id=greeting&value=hello", "")).0, "200");
    case.holds("out/greeting", "hello");

    // Without scripts a browser is redirected back to the page.
    let answer = save(port, "id=greeting&value=again", "Accept: text/html,*/*\r\nOrigin: http://h\r\n");
    assert_eq!(parts(&answer).0, "303", "{answer}");
    case.holds("out/greeting", "again");

    for (form, headers, status, why) in [
        ("id=greeting&value=bad", "Origin: http://evil.example\r\n", "403", "another site"),
        ("id=greeting&value=bad", "Origin: null\r\n", "403", "another site"),
        ("id=volume&value=11", "", "400", "from 0 to 10"),
        ("id=volume&value=4", "", "400", "in steps of 5"),
        ("id=nobody&value=4", "", "400", "cannot find a control"),
        ("id=greeting&value=bad", "Content-Type: text/plain\r\n", "400", "has no `id`"),
    ] {
        let answer = save(port, form, headers);
        assert!(parts(&answer).0 == status && answer.contains(why), "{form}: {answer}");
    }
    assert_eq!(case.read("out/greeting").as_deref(), Some("again"));

    // Another title is another server: a client that reconnects learns that the page has changed.
    case.write("out/title", "other");
    until("the page is another one", || get(port, "/ui/index.html").contains("<title>other</title>"));
    let now = get(port, "/ui/index.html");
    let edition = |page: &str| page.split("data-edition=\"").nth(1).unwrap()[..16].to_owned();
    assert_ne!(edition(&index), edition(&now));
    assert!(now.contains("value=\"5\"") && now.contains("value=\"&lt;i&gt;\""), "what is stored is kept: {now}");
    let mut events = Events::of(port);
    events.says(&edition(&now));
    events.says("volume");
    // An open stream does not delay the end of the agent.
    assert!(agent.stop().success());

    let again = case.start();
    until("the page is there again", || parts(&get(port, "/ui/list/volume")).1.contains('5'));
    assert!(!again.said().contains("show the value"), "{}", again.said());
}

#[test]
fn stalled_readers_block_no_others_and_those_beyond_the_limit_are_refused() {
    let port = free_port();
    let case = Case::new("web-page-many", &program(port));
    case.write("out/title", "t");
    let _agent = case.start();
    until("the page is there", || parts(&get(port, "/ui/ping")).0 == "200");
    // None of these reads anything.
    let stalled: Vec<Events> = (0..200).map(|_| Events::of(port)).collect();
    until("no more are held", || parts(&get(port, "/ui/events")).0 == "503");
    for n in 0..50 {
        let text = "x".repeat(60_000);
        assert_eq!(parts(&save(port, &format!("id=greeting&value={n}{text}"), "")).0, "200");
    }
    drop(stalled);
    until("there is room again", || {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(b"HEAD /ui/events HTTP/1.1\r\nHost: h\r\n\r\n").unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).is_ok() && line.contains("200")
    });
    Events::of(port).says("\"id\":\"greeting\"");
}

#[test]
fn markup_and_port_are_a_matter_of_policy_and_the_port_is_waited_for() {
    let port = free_port();
    let case = Case::new("web-page-policy", &program(port));
    case.write("out/title", "t");
    case.write("policy.toml", "markup = []\n");
    let agent = case.start_with(&["--policy", "policy.toml"]);
    agent.says("the policy does not allow a custom `head` on the page `/ui/`: no pattern of `markup` matches it");
    drop(agent);
    case.write("policy.toml", "markup = [\"/ui/\"]\n");
    let taken = std::net::TcpListener::bind(("127.0.0.1", port)).unwrap();
    let agent = case.start_with(&["--policy", "policy.toml"]);
    agent.says("could not start listener");
    drop(taken);
    until("the page is there", || parts(&get(port, "/ui/ping")).0 == "200");
}
