//! What an operator relies on: limits, logs, metrics, encryption, a stop that loses nothing.

use super::{Server, case, port_in, program};
use crate::case::{cannot_look, until};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn who_asks_too_often_waits_and_a_trusted_proxy_tells_who_it_is() {
    let case = case("limits");
    let server =
        Server::start(&case, &["--limit-requests", "0.5", "--limit-compute", "0", "--trusted-proxy", "127.0.0.0/8"]);
    let ask = |from: &str| server.ask("GET", "/healthz", &format!("X-Forwarded-For: {from}\r\n"), b"").unwrap();
    let answers: Vec<u16> = (0..15).map(|_| ask("1.2.3.4").status).collect();
    assert!(answers[..10].iter().all(|status| *status == 200) && answers.contains(&429), "{answers:?}");
    let refused = ask("9.9.9.9, 1.2.3.4");
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!(refused.status == 429 && wait >= 1, "what a client puts in front is not believed: {refused:?}");
    assert_eq!((ask("5.6.7.8").status, ask("2001:db8::1").status), (200, 200), "others are served");
}

#[test]
fn work_of_the_compiler_is_limited_as_well() {
    let case = case("limit-compute");
    let server = Server::start(&case, &["--limit-compute", "0.001", "--limit-requests", "0", "--limit-mib", "0"]);
    let check = || server.post("/api/v1/check", &json!({ "program": program("$a = 1\n") })).status;
    assert_eq!((check(), check()), (200, 429));
}

#[test]
fn what_happens_is_counted_and_logged_without_addresses() {
    let case = case("logs");
    let flags = ["--access-log", "access.log", "--metrics-address", "127.0.0.1:0"];
    // A metrics address of its own choice cannot be told here: one that is free now.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let mut server = Server::start(&case, &[flags[0], flags[1], flags[2], &address, "--trusted-proxy", "127.0.0.1"]);
    server.share("$a = 1\n");
    server.share("$a = 1\n");
    let odd = server.ask("GET", "/nothing?secret=1", "X-Forwarded-For: 203.0.113.77\r\n", b"").unwrap();
    assert_eq!(odd.status, 404);
    let metrics = Server { agent: crate::case::Agent::spawn(case.command(&["help"])), port }.get("/metrics").text();
    for line in [
        "mclive_requests_total{route=\"share\",status=\"201\"} 1",
        "mclive_requests_total{route=\"file\",status=\"404\"} 1",
        "mclive_programs_stored_total 1",
        "mclive_programs_known_total 1",
    ] {
        assert!(metrics.lines().any(|one| one == line), "{line}\n{metrics}");
    }
    assert!(server.agent.stop().success());
    let log = case.read("access.log").unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3, "{log}");
    assert_eq!(
        (&lines[2]["from"], &lines[2]["path"], &lines[2]["status"]),
        (&json!("203.0.113.0/24"), &json!("/nothing"), &json!(404))
    );
    assert!(!log.contains("203.0.113.77") && !log.contains("secret"), "{log}");
}

#[test]
fn a_stop_answers_what_is_under_way() {
    let case = case("stop");
    let mut server = Server::start(&case, &[]);
    let scenario = "run\n".to_owned() + &"expect no steps for 3650d\n".repeat(20);
    let body = json!({ "program": program("$a = 1\n"), "scenario": scenario }).to_string();
    std::thread::scope(|scope| {
        let asked: Vec<_> =
            (0..4).map(|_| scope.spawn(|| server.ask("POST", "/api/v1/simulate", "", body.as_bytes()))).collect();
        std::thread::sleep(Duration::from_millis(30));
        server.agent.signal(Signal::TERM);
        let statuses: Vec<_> = asked.into_iter().map(|one| one.join().unwrap().map(|answer| answer.status)).collect();
        assert_eq!(statuses, [Some(200); 4]);
    });
    until("it has ended", || !server.agent.runs());
    assert!(server.agent.child.wait().unwrap().success());
}

#[test]
fn connections_can_be_encrypted() {
    let case = case("tls");
    if !super::hosting::certificate(&case) {
        return cannot_look("HTTPS connections to `serve`: openssl cannot create a certificate here");
    }
    let server = Server::start(&case, &["--tls-certificate", "own.pem", "--tls-key", "key.pem"]);
    assert!(server.agent.said().contains("https://127.0.0.1:"), "{}", server.agent.said());
    let url = format!("https://localhost:{}", server.port);
    let run = |args: &[&str]| case.command(args).env("SSL_CERT_FILE", case.path("own.pem")).output().unwrap();
    let shared = run(&["share", "main.mcl", "--server", &url]);
    let link = String::from_utf8(shared.stdout).unwrap().trim().to_owned();
    assert!(link.starts_with(&format!("{url}/s/")), "{link} {}", String::from_utf8_lossy(&shared.stderr));
    assert!(run(&["check", &link]).status.success());
    assert!(!case.run(&["check", &link]).status.success(), "who does not trust the certificate opens nothing");
    // One who speaks without encryption is not answered, and takes nobody's place.
    assert!(server.ask("GET", "/", "", b"").is_none());
    assert!(run(&["check", &link]).status.success());

    case.write("key.pem", "no key");
    let wrong = case.run(&["serve", "--site", "site", "--tls-certificate", "own.pem", "--tls-key", "key.pem"]);
    assert!(wrong.status.code() == Some(2) && String::from_utf8_lossy(&wrong.stderr).contains("key.pem"), "{wrong:?}");
}

#[test]
fn the_site_can_be_exported_for_any_host() {
    let case = case("export");
    let export = || case.run(&["serve", "--site", "site", "--export", "public"]);
    assert!(export().status.success());
    assert_eq!(case.read("public/embed/index.html").as_deref(), Some("<!doctype html>the frame"));
    let again = export();
    assert!(
        again.status.code() == Some(2) && String::from_utf8_lossy(&again.stderr).contains("not empty"),
        "{again:?}"
    );
}

#[test]
fn a_server_without_a_store_says_so() {
    let case = case("no-store");
    let agent = crate::case::Agent::spawn(case.command(&["serve", "--address", "127.0.0.1:0", "--site", "site"]));
    agent.says("serving the playground on ");
    let server = Server { port: port_in(&agent.said()), agent };
    assert_eq!(server.get("/api/v1/").json()["shares"], false);
    let answer = server.post("/api/v1/programs", &program("$a = 1\n"));
    assert!(answer.status == 404 && answer.text().contains("does not store programs"), "{answer:?}");
    assert_eq!(server.get("/readyz").status, 200);
    drop(server);
    case.write("file", "not a directory");
    let wrong = case.run(&["serve", "--site", "site", "--store", "file"]);
    assert!(
        wrong.status.code() == Some(2) && String::from_utf8_lossy(&wrong.stderr).contains("cannot use the store"),
        "{wrong:?}"
    );
}
