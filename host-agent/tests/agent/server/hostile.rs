//! Hostile requests: too large, too deep, too slow, too clever.

use super::{Server, case, program};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;

#[test]
fn what_is_too_much_is_refused_and_the_next_is_served() {
    let case = case("too-much");
    let server = Server::start(&case, &[]);
    let big = vec![b' '; 10 << 20];
    assert_eq!(server.ask("POST", "/api/v1/programs", "", &big).unwrap().status, 413);
    // Without an announced length.
    let mut chunked = b"POST /api/v1/programs HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for _ in 0..10 {
        chunked.extend(b"100000\r\n");
        chunked.extend(&big[..1 << 20]);
        chunked.extend(b"\r\n");
    }
    chunked.extend(b"0\r\n\r\n");
    assert!(server.say(&chunked).is_none_or(|answer| answer.status == 413));
    for nested in ["[", "{\"a\":", "{\"files\":{\"main.mcl\":["] {
        for path in ["programs", "check", "graph", "format", "simulate"] {
            let answer = server.ask("POST", &format!("/api/v1/{path}"), "", nested.repeat(100_000).as_bytes()).unwrap();
            assert_eq!(answer.status, 400, "{path} {nested}");
        }
    }
    let text = "x".repeat((1 << 20) + 1);
    let answer = server.post("/api/v1/programs", &program(&text));
    assert!(answer.status == 400 && answer.text().contains("KiB"), "{}", answer.text());
    let files: serde_json::Map<_, _> = (0..300).map(|n| (format!("{n}.mcl"), json!(""))).collect();
    assert_eq!(server.post("/api/v1/programs", &json!({ "entry": "0.mcl", "files": files })).status, 400);
    for headers in ["X: y\r\n".repeat(200), format!("X: {}\r\n", "y".repeat(100_000))] {
        let status = server.ask("GET", "/", &headers, b"").map(|answer| answer.status);
        assert!(matches!(status, None | Some(431)), "{status:?}");
    }
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn no_path_leads_out() {
    let case = case("paths");
    case.write("secret", "the secret");
    let server = Server::start(&case, &["--versions", "versions"]);
    for path in [
        "/../secret",
        "/site/../../secret",
        "/%2e%2e/secret",
        "/..%2fsecret",
        "//secret",
        "/v/../secret",
        "/v/%2e%2e/secret",
        "/v/0.0.9/../../secret",
        "/s/../secret",
        "/s/ab/../../",
        "/embed/../secret",
        "/preview/../../secret.svg",
        "/preview/abcdefghij.svg/../x",
        "/api/v1/programs/../../secret",
        "/api/v1/programs/abcdefghi0",
        "/api/v1/programs/abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijab",
        "/s/%00%00%00%00%00%00%00%00%00%00",
        "/s/<script>alert(1)</script>",
        "/\u{ff0e}\u{ff0e}/secret",
    ] {
        let Some(answer) = server.ask("GET", path, "", b"") else { continue };
        assert!([400, 404].contains(&answer.status), "{path}: {answer:?}");
        assert!(!answer.text().contains("secret") && !answer.text().contains('<'), "{path}: {answer:?}");
    }
}

#[test]
fn nothing_that_a_program_holds_becomes_markup() {
    let case = case("markup");
    let server = Server::start(&case, &[]);
    let evil = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>";
    let text = format!(
        "# {evil}\nprint \"{}\" {{ msg => \"</pre>{}\", }}\n",
        evil.replace('"', "\\\""),
        evil.replace('"', "\\\"")
    );
    let body = json!({ "entry": "main.mcl", "files": { "main.mcl": text, "\"><script>.mcl": evil } });
    let id = server.post("/api/v1/programs", &body).json()["id"].as_str().unwrap().to_owned();
    for path in [format!("/s/{id}"), format!("/preview/{id}.svg")] {
        // The host name is untrusted text as well.
        let answer =
            server.ask("GET", &path, "X-Forwarded-Proto: \"><script>\r\nX-Forwarded-Host: <b>\r\n", b"").unwrap();
        assert_eq!(answer.status, 200);
        let text = answer.text();
        assert!(
            !text.contains("<script")
                && !text.contains("<img")
                && !text.contains("</pre>&lt;")
                && !text.contains("<b>"),
            "{text}"
        );
    }
    let host = server.say(b"GET /s/x HTTP/1.1\r\nHost: \"><script>\r\nConnection: close\r\n\r\n").unwrap();
    assert_eq!(host.status, 400);
}

/// Programs that run for long, while other clients are served.
#[test]
fn a_program_without_end_stops_at_its_limit_and_holds_nobody_up() {
    let case = case("endless");
    let server = Server::start(&case, &["--api-seconds", "1", "--api-memory", "64", "--api-at-once", "1"]);
    let endless = "run\n".to_owned() + &"wait 3650d\n".repeat(50);
    let looping =
        "import \"datetime\"\nimport \"fmt\"\nfile \"/tmp/a\" { content => fmt.printf(\"%d\", datetime.now()), }\n";
    // A list that doubles with each line.
    let mut greedy = "$l0 = [\"x\", \"y\",]\nimport \"fmt\"\n".to_owned();
    for n in 1..40 {
        greedy += &format!(
            "$l{n} = [fmt.printf(\"%v%v\", $l{}, $l{}), fmt.printf(\"%v%v\", $l{}, $l{}),]\n",
            n - 1,
            n - 1,
            n - 1,
            n - 1
        );
    }
    greedy += "file \"/tmp/a\" { content => fmt.printf(\"%v\", $l39), }\n";
    std::thread::scope(|scope| {
        let played = scope
            .spawn(|| server.post("/api/v1/simulate", &json!({ "program": program(looping), "scenario": endless })));
        let eaten =
            scope.spawn(|| server.post("/api/v1/graph", &json!({ "program": program(&greedy), "of": "resources" })));
        // The page and links need no turn.
        for _ in 0..20 {
            assert_eq!(server.get("/").status, 200);
            assert_eq!(server.get("/api/v1/").status, 200);
        }
        let played = played.join().unwrap();
        assert!(played.status == 422 && played.text().contains("limit"), "{played:?}");
        let eaten = eaten.join().unwrap();
        assert!(matches!(eaten.status, 200 | 422), "{eaten:?}");
    });
    let check = server.post("/api/v1/check", &json!({ "program": program("$a = 1\n") }));
    assert_eq!(check.status, 200, "the next one is served: {check:?}");
}

/// A thousand clients that send nothing, or half a request, or do not read.
#[test]
fn slow_clients_take_nobody_s_place() {
    let case = case("slow");
    let server = Server::start(&case, &[]);
    let mut slow: Vec<TcpStream> = Vec::new();
    for n in 0..1000 {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", server.port)) else { break };
        let start: &[u8] = match n % 3 {
            0 => b"",
            1 => b"GET / HTTP/1.1\r\nHost: h\r\nX-Slow: ",
            _ => b"POST /api/v1/programs HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n{\"entry\":",
        };
        let _ = stream.write_all(start);
        slow.push(stream);
        if n % 100 == 0 {
            assert_eq!(server.get("/").status, 200, "beside {n} slow ones");
        }
    }
    assert_eq!(slow.len(), 1000);
    assert_eq!(server.get("/healthz").status, 200);
    // The first ones were closed for others.
    let mut rest = Vec::new();
    let _ = slow[0].read_to_end(&mut rest);
}
