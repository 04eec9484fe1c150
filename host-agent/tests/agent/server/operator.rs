//! The operator's needs: logs, metrics, the store, a stop without losses.

use super::{Server, case, port_in, program};
use crate::case::until;
use crate::web::{Asked, parts};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;

#[test]
fn requests_that_cannot_be_read_are_logged_and_counted() {
    let case = case("unread");
    let server = Server::start(&case, &["--access-log", "access.log"]);
    let broken = server.say(b"GET / HTTP/1.1\r\nno header\r\n\r\n").unwrap();
    let large = server.ask("GET", "/", &"X: y\r\n".repeat(200), b"").unwrap();
    assert_eq!((broken.status, large.status), (400, 431));
    let line = |status: u16| {
        let log = case.read("access.log").unwrap_or_default();
        log.lines().find(|line| line.contains(&format!("\"status\":{status}"))).map(str::to_owned)
    };
    until("both are logged", || line(400).is_some() && line(431).is_some());
    let line: serde_json::Value = serde_json::from_str(&line(400).unwrap()).unwrap();
    assert_eq!((&line["method"], &line["path"], &line["from"]), (&json!("-"), &json!("-"), &json!("127.0.0.0/24")));
}

#[test]
fn a_second_signal_does_not_wait() {
    let case = case("stop-twice");
    let mut server = Server::start(&case, &["--grace", "600"]);
    let mut begun = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    begun.write_all(b"POST /api/v1/check HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nx").unwrap();
    // Answered after the connection above was accepted.
    assert_eq!(server.get("/healthz").status, 200);
    server.agent.signal(Signal::TERM);
    until("it listens no longer", || TcpStream::connect(("127.0.0.1", server.port)).is_err());
    assert!(server.agent.runs(), "it waits for what was begun");
    server.agent.signal(Signal::TERM);
    until("it has ended", || !server.agent.runs());
    assert!(!server.agent.child.wait().unwrap().success());
}

#[test]
fn what_happens_is_counted_and_logged_without_addresses() {
    let case = case("logs");
    let flags = ["--access-log", "access.log", "--metrics-address", "127.0.0.1:0"];
    // The port of the metrics must be chosen in advance: one that is free now.
    let port = mclive_kit::port::free();
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
    for name in ["mclive_build_info{version=\"", "process_resident_memory_bytes ", "process_open_fds "] {
        assert!(metrics.lines().any(|line| line.starts_with(name)), "{name}\n{metrics}");
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
    let head = "POST /api/v1/simulate HTTP/1.1\r\nHost: h\r\nConnection: close\r\n";
    let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
    let asked: Vec<Asked> = (0..4).map(|_| Asked::send(server.port, &request)).collect();
    asked.iter().for_each(Asked::is_read);
    server.agent.signal(Signal::TERM);
    for answer in asked.into_iter().map(Asked::answer) {
        assert_eq!(parts(&answer).0, "200", "{answer}");
    }
    until("it has ended", || !server.agent.runs());
    assert!(server.agent.child.wait().unwrap().success());
}

#[test]
fn a_store_is_a_directory_or_a_bucket() {
    let case = case("store-name");
    for store in ["S3://links", "gs://links", "https://s3.example/links"] {
        let failed = case.run(&["serve", "--site", "site", "--address", "127.0.0.1:0", "--store", store]);
        let said = String::from_utf8_lossy(&failed.stderr).into_owned();
        assert!(failed.status.code() == Some(2) && said.contains("s3://links"), "{store}: {said}");
    }
    assert!(!case.path("S3:").exists() && !case.path("gs:").exists(), "no directory of that name is created");
}

#[test]
fn older_sites_may_fetch_from_the_same_servers() {
    let case = case("fetch-versions");
    case.write("versions/0.0.9/index.html", "<meta content=\"default-src 'none'; connect-src 'self'\">");
    let server = Server::start(&case, &["--versions", "versions", "--fetch-from", "raw.example.org"]);
    let page = server.get("/v/0.0.9/");
    let allowed = "connect-src 'self' https://raw.example.org";
    assert!(page.text().contains(allowed) && page.header("content-security-policy").contains(allowed), "{page:?}");
}

/// A full disk, as far as the server can tell: no file can grow.
#[test]
fn a_store_that_fails_is_reported_with_the_file_and_without_a_flood() {
    let case = case("failing");
    case.write(
        "failing.sh",
        &format!(
            "trap '' XFSZ\nulimit -f 0\nexec {} serve --address 127.0.0.1:0 --site site --store store\n",
            env!("CARGO_BIN_EXE_mclive")
        ),
    );
    let mut shell = Command::new("sh");
    shell.arg("failing.sh").current_dir(&case.root);
    let agent = crate::case::Agent::spawn(shell);
    agent.says("serving the playground on ");
    let server = Server { port: port_in(&agent.said()), agent };
    for n in 0..5 {
        let answer = server.post("/api/v1/programs", &program(&format!("$a = {n}\n")));
        assert!(answer.status == 503 && !answer.text().contains("store/"), "{answer:?}");
    }
    server.agent.says("cannot write store/programs/");
    let said = server.agent.said();
    assert!(said.matches("cannot write").count() == 1 && !said.contains("os error"), "{said}");
}

/// Those of a role are valid for some hours only.
#[test]
fn keys_to_a_bucket_that_have_expired_are_found_again() {
    let case = case("bucket-keys");
    let keys = |id: &str| {
        case.write("keys", &format!("[default]\naws_access_key_id = {id}\naws_secret_access_key = secret\n"));
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, mut head, mut piece) = (stream.unwrap(), Vec::<u8>::new(), [0; 4096]);
            while !head.ends_with(b"\r\n\r\n") {
                match stream.read(&mut piece) {
                    Ok(n) if n > 0 => head.extend_from_slice(&piece[..n]),
                    Ok(_) | Err(_) => break,
                }
            }
            let (status, code) = match String::from_utf8_lossy(&head).contains("Credential=OLD/") {
                true => ("400 Bad Request", "ExpiredToken"),
                false => ("404 Not Found", "NoSuchKey"),
            };
            let body = format!("<Error><Code>{code}</Code></Error>");
            let length = body.len();
            let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
        }
    });
    keys("OLD");
    let mut command = case.command(&["serve", "--address", "127.0.0.1:0", "--site", "site", "--store", "s3://links"]);
    for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_ENDPOINT_URL"] {
        command.env_remove(name);
    }
    command.env("AWS_SHARED_CREDENTIALS_FILE", case.path("keys")).env("AWS_ENDPOINT_URL_S3", endpoint);
    let agent = crate::case::Agent::spawn(command);
    agent.says("serving the playground on ");
    // The error names the address of the bucket, which is not the server's.
    let said = agent.said();
    let serving = said.lines().find(|line| line.contains("serving the playground on ")).unwrap();
    let server = Server { port: port_in(serving), agent };
    assert_eq!(server.get("/readyz").status, 503);
    keys("NEW");
    // They are looked up at most every ten seconds.
    until("the new keys are used", || server.get("/readyz").status == 200);
}

#[test]
fn a_folder_among_the_versions_has_the_name_of_one() {
    let case = case("version-names");
    for name in ["old site", "\u{e9}", "0.0.1..0"] {
        let folder = case.path("versions").join(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("index.html"), "<!doctype html>").unwrap();
        let wrong = case.run(&["serve", "--address", "127.0.0.1:0", "--site", "site", "--versions", "versions"]);
        let told = String::from_utf8_lossy(&wrong.stderr).into_owned();
        assert!(wrong.status.code() == Some(2) && told.contains("such as 0.1.0"), "{name}: {told}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn a_public_url_has_a_host() {
    let case = case("public-url");
    for url in ["https://", "http:///play", "play.example.org", "https://h/?x", "https://me:secret@h", ""] {
        let wrong = case.run(&["serve", "--address", "127.0.0.1:0", "--site", "site", "--public-url", url]);
        let told = String::from_utf8_lossy(&wrong.stderr).into_owned();
        assert!(wrong.status.code() == Some(2) && told.contains("such as https://play.example.org"), "{url}: {told}");
        assert!(!told.contains("secret"), "{told}");
    }
    let server = Server::start(&case, &["--public-url", "https://h.example/s/play/"]);
    let made = server.post("/api/v1/programs", &program("$a = 1\n")).json();
    assert!(made["url"].as_str().unwrap().starts_with("https://h.example/s/play/s/"), "{made}");
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
