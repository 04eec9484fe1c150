//! What one client may ask of the server: requests, bytes and work of the compiler.

use super::{Server, case, program};
use crate::case::until;
use serde_json::json;
use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

#[test]
fn who_asks_too_often_waits_and_a_trusted_proxy_tells_who_it_is() {
    let case = case("limits");
    let server =
        Server::start(&case, &["--limit-requests", "0.5", "--limit-compute", "0", "--trusted-proxy", "127.0.0.0/8"]);
    let ask = |from: &str| server.ask("GET", "/healthz", &format!("X-Forwarded-For: {from}\r\n"), b"").unwrap();
    let answers: Vec<u16> = (0..10).map(|_| ask("1.2.3.4").status).collect();
    assert!(answers.iter().all(|status| *status == 200), "{answers:?}");
    // However slow this machine is, it asks more often than the client may; each time with something else in front.
    let mut answers = (0..1000).map(|n| ask(&format!("9.9.{}.{}, 1.2.3.4", n / 250, n % 250)));
    let refused = answers.find(|answer| answer.status != 200).expect("what a client puts in front is not believed");
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!(refused.status == 429 && wait >= 1, "{refused:?}");
    assert_eq!((ask("5.6.7.8").status, ask("2001:db8::1").status), (200, 200), "others are served");
}

#[test]
fn a_proxy_that_is_not_trusted_is_reported_once() {
    let case = case("proxy");
    let forwarded = "X-Forwarded-For: 203.0.113.7\r\n";
    let trusting = Server::start(&case, &["--trusted-proxy", "127.0.0.0/8"]);
    let server = Server::start(&case, &[]);
    assert_eq!(server.get("/").status, 200);
    assert!(!server.agent.said().contains("--trusted-proxy"), "nobody is named");
    for _ in 0..3 {
        for server in [&server, &trusting] {
            assert_eq!(server.ask("GET", "/", forwarded, b"").unwrap().status, 200);
        }
    }
    server.agent.says("if it is your proxy, use --trusted-proxy 127.0.0.1");
    assert_eq!(server.agent.said().matches("warning").count(), 1, "{}", server.agent.said());
    assert!(!trusting.agent.said().contains("warning"), "{}", trusting.agent.said());
}

/// Bytes are charged afterwards: the request that exceeds the limit is answered, and the next one is refused.
#[test]
fn clients_that_move_too_many_bytes_are_told_when_to_retry() {
    let case = case("limit-bytes");
    std::fs::write(case.path("site/large.bin"), vec![0; 1 << 20]).unwrap();
    // A burst of 0.96 MiB. A file of 1 MiB exceeds it by what takes two and a half seconds.
    let flags = ["--limit-mib", "0.016", "--limit-requests", "0", "--trusted-proxy", "127.0.0.1"];
    let server = Server::start(&case, &flags);
    let ask = |method: &str, path: &str, from: &str, body: &[u8]| {
        server.ask(method, path, &format!("X-Forwarded-For: {from}\r\n"), body).unwrap()
    };
    // A client that asks again after two and a half seconds, since it got no processor before, is rightly served: then
    // another one takes its place.
    let until_refused = |net: u8, path: &str, costs: &dyn Fn(&str)| {
        let clients = (1..=20).map(|n| format!("{net}.2.{n}.4"));
        let mut answers = clients.map(|client| {
            costs(&client);
            (ask("GET", path, &client, b""), client)
        });
        answers.find(|(answer, _)| answer.status == 429).expect("one of them is refused")
    };
    let (refused, client) = until_refused(1, "/", &|client| {
        let whole = ask("GET", "/large.bin", client, b"");
        assert_eq!((whole.status, whole.body.len()), (200, 1 << 20));
    });
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!(refused.status == 429 && (1..=3).contains(&wait), "{refused:?}");
    assert!(refused.text().contains("too many requests from this address"), "{refused:?}");
    // What is sent counts as well, even if it is of no use.
    let (sender, _) = until_refused(5, "/api/v1/", &|client| {
        assert_eq!(ask("POST", "/api/v1/programs", client, &vec![b' '; 1 << 20]).status, 400);
    });
    assert!(sender.status == 429 && sender.json()["error"].is_string(), "{sender:?}");
    assert_eq!(ask("GET", "/", "9.9.9.9", b"").status, 200, "others are served");
    std::thread::sleep(Duration::from_secs(wait));
    assert_eq!(ask("GET", "/", &client, b"").status, 200, "it may come back when it was told");
}

#[test]
fn work_of_the_compiler_is_limited_as_well() {
    let case = case("limit-compute");
    let server = Server::start(&case, &["--limit-compute", "0.000001", "--limit-requests", "0", "--limit-mib", "0"]);
    let check = || server.post("/api/v1/check", &json!({ "program": program("$a = 1\n") })).status;
    assert_eq!((check(), check()), (200, 429));
}

#[test]
fn who_owes_too_much_is_refused_before_it_sends() {
    let case = case("limit-early");
    let server = Server::start(&case, &["--limit-requests", "0.001", "--access-log", "access.log"]);
    assert_eq!(server.get("/healthz").status, 200);
    // Nothing of the body is ever sent.
    let head = "POST /api/v1/programs HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n";
    let refused = server.say(head.as_bytes()).unwrap();
    assert!(refused.status == 429 && refused.json()["error"].is_string(), "{refused:?}");
    assert_eq!(refused.header("access-control-expose-headers"), "Retry-After");
    until("it is logged", || case.read("access.log").is_some_and(|log| log.contains("\"status\":429")));
}

#[test]
fn one_client_does_not_keep_the_compiler_from_the_others() {
    let case = case("compute-shares");
    let server = Server::start(&case, &["--api-at-once", "2", "--api-seconds", "60", "--trusted-proxy", "127.0.0.1"]);
    let looping = "import \"datetime\"\nimport \"fmt\"\nprint \"a\" { msg => fmt.printf(\"%d\", datetime.now()), }\n";
    let scenario = "run\n".to_owned() + &"wait 3650d\n".repeat(50);
    let endless = json!({ "program": program(looping), "scenario": scenario }).to_string();
    let request =
        format!("POST /api/v1/simulate HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n{endless}", endless.len());
    let _waiting: Vec<TcpStream> = (0..30)
        .map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            stream
        })
        .collect();
    let body = json!({ "program": program("$a = 1\n") }).to_string();
    let check = |from: &str| {
        server.ask("POST", "/api/v1/check", &format!("X-Forwarded-For: {from}\r\n"), body.as_bytes()).unwrap()
    };
    until("it has as many as it may have", || check("127.0.0.1").status == 429);
    let refused = check("127.0.0.1");
    assert!(refused.text().contains("too many requests at once from this address"), "{refused:?}");
    assert_eq!(check("1.2.3.4").status, 200);
}

#[test]
fn an_answer_without_its_body_costs_no_bytes() {
    let case = case("head");
    std::fs::write(case.path("site/large.bin"), vec![0; 1 << 20]).unwrap();
    let server = Server::start(&case, &["--limit-mib", "0.016", "--limit-requests", "0", "--access-log", "access.log"]);
    for _ in 0..5 {
        let head = server.ask("HEAD", "/large.bin", "", b"").unwrap();
        assert_eq!((head.status, head.header("content-length")), (200, "1048576"));
    }
    until("they are logged", || case.read("access.log").is_some_and(|log| log.matches("\"bytes\":0,").count() == 5));
}
