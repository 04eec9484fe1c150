//! Hostile requests: too large, too deep, too slow, too clever.

use super::{Server, case, program};
use serde_json::json;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

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
    // Short as it is sent, and six times as long as it would be stored: `AQEB` is three bytes that JSON escapes.
    let escaped = json!({ "entry": "0.mcl", "files": { "0.mcl": "", "x": { "base64": "AQEB".repeat(300_000) } } });
    let answer = server.post("/api/v1/programs", &escaped);
    assert!(answer.status == 400 && answer.text().contains("3072 KiB in JSON"), "{}", answer.text());
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
        "/preview/../../secret.png",
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

/// A server holds its answers until slow clients have received them.
#[test]
fn a_short_program_has_no_endless_answer() {
    let case = case("large-answer");
    let server = Server::start(&case, &[]);
    let ask = |n_doublings: usize| {
        let doubled = |n: usize| format!("b{} = \"{{{{b{n}}}}}{{{{b{n}}}}}\"\n", n + 1);
        let text: String = (0..n_doublings).map(doubled).collect();
        let shape = "entity A:\n    string s\nend\nimplementation none for A:\nend\nimplement A using none\n";
        let text = format!("b0 = \"xxxxxxxx\"\n{text}{shape}A(s=b{n_doublings})\n");
        let program = json!({ "entry": "main.cf", "files": { "main.cf": text } });
        server.post("/api/v1/graph", &json!({ "program": program, "of": "model" }))
    };
    let most = ask(18);
    assert!(most.status == 200 && most.body.len() > 2 << 20, "{most:?}");
    let more = ask(20);
    assert_eq!(
        (more.status, more.json()),
        (422, json!({ "error": "the response would be larger than the limit of 4 MiB" }))
    );
}

/// Another attempt may succeed, and then the cache of someone else must not stand in the way.
#[test]
fn no_cache_keeps_the_picture_of_a_program_for_which_there_was_no_room() {
    let case = case("too-much-to-draw");
    let server = Server::start(&case, &[]);
    let doubled = |n: usize| format!("b{} = \"{{{{b{n}}}}}{{{{b{n}}}}}\"\n", n + 1);
    let large: String = std::iter::once("b0 = \"xxxxxxxx\"\n".to_owned()).chain((0..40).map(doubled)).collect();
    let large = json!({ "entry": "main.cf", "files": { "main.cf": large } });
    let large = server.post("/api/v1/programs", &large).json()["id"].as_str().unwrap().to_owned();
    let broken = server.share("$a = \n");
    for form in ["png", "svg"] {
        let picture = |id: &str| server.get(&format!("/preview/{id}.{form}"));
        let (large, broken) = (picture(&large), picture(&broken));
        assert_eq!((large.status, large.header("cache-control")), (200, "no-cache"));
        assert_eq!((broken.status, broken.header("cache-control")), (200, "public, max-age=3600"));
        assert_eq!(large.body, broken.body);
    }
}

/// Taken-down programs are answered with the operator's words, which may contain anything.
#[test]
fn the_reason_for_taking_a_program_down_is_text() {
    let case = case("reason");
    let id = {
        let server = Server::start(&case, &[]);
        server.share("$a = 1\n")
    };
    let reason = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>";
    case.write("store/taken-down", &format!("{id} {reason}\n"));
    let server = Server::start(&case, &[]);
    for path in ["/s/ID", "/embed/ID", "/preview/ID.svg", "/preview/ID.png", "/api/v1/programs/ID"] {
        let answer = server.get(&path.replace("ID", &id));
        assert_eq!(answer.status, 410, "{path}: {answer:?}");
        assert!(answer.text().contains("alert(1)"), "the reason is told: {path}: {answer:?}");
        let is_text = answer.header("content-type").starts_with("text/plain")
            && answer.header("x-content-type-options") == "nosniff";
        let is_data = answer.header("content-type") == "application/json" && answer.json()["error"].is_string();
        assert!(is_text || is_data || !answer.text().contains("<img"), "{path}: {answer:?}");
    }
}

/// A program that runs for long, while others are served.
#[test]
fn a_program_without_end_stops_at_its_limit_and_holds_nobody_up() {
    let case = case("endless");
    let flags = ["--api-seconds", "3", "--api-memory", "64", "--api-at-once", "2", "--trusted-proxy", "127.0.0.1"];
    let server = Server::start(&case, &flags);
    let scenario = "run\n".to_owned() + &"wait 3650d\n".repeat(50);
    let looping =
        "import \"datetime\"\nimport \"fmt\"\nfile \"/tmp/a\" { content => fmt.printf(\"%d\", datetime.now()), }\n";
    let body = json!({ "program": program(looping), "scenario": scenario });
    let n_served = AtomicU64::new(0);
    std::thread::scope(|scope| {
        // It is played again until someone was served beside it: which of the two is quicker is not what this tests.
        let played = scope.spawn(|| {
            let began = Instant::now();
            loop {
                assert!(began.elapsed() < 6 * SOON, "nobody was served beside it");
                let played = server.post("/api/v1/simulate", &body);
                assert!(played.status == 422 && played.text().contains("limit"), "{played:?}");
                if n_served.load(SeqCst) > 0 {
                    return;
                }
            }
        });
        while !played.is_finished() {
            // The page and links need no turn, and a sound program gets the other one.
            let asked = Instant::now();
            assert_eq!((server.get("/").status, server.get("/api/v1/").status), (200, 200));
            assert_eq!(checked(&server), 200);
            assert!(asked.elapsed() < SOON, "served after {:?}", asked.elapsed());
            n_served.fetch_add(1, SeqCst);
        }
        played.join().unwrap();
    });
    assert_eq!(checked(&server), 200, "the next one is served");
}

/// A program that eats memory is refused, each time, while the programs of others are checked.
#[test]
fn a_program_that_eats_memory_is_refused_and_others_are_served_meanwhile() {
    let case = case("greedy");
    // The time limit is far away: what ends it is the memory.
    let flags = ["--api-seconds", "60", "--api-memory", "32", "--api-at-once", "2", "--trusted-proxy", "127.0.0.1"];
    let server = Server::start(&case, &flags);
    // A text that doubles with each line, and all of them are kept.
    let mut greedy = "import \"fmt\"\n$a0 = \"0123456789abcdef\"\n".to_owned();
    for n in 1..=20 {
        greedy += &format!("$a{n} = fmt.printf(\"%s%s\", $a{0}, $a{0})\n", n - 1);
    }
    greedy += "file \"/tmp/a\" { content => $a20, }\n";
    let body = json!({ "program": program(&greedy), "of": "resources" });
    let n_served = AtomicU64::new(0);
    std::thread::scope(|scope| {
        // It eats until others were served beside it: a meal may be over sooner than a check.
        let eating = scope.spawn(|| {
            let (began, mut n_eaten) = (Instant::now(), 0);
            while n_eaten < 5 || n_served.load(SeqCst) < 5 {
                assert!(began.elapsed() < 6 * SOON, "{} were served meanwhile", n_served.load(SeqCst));
                let asked = Instant::now();
                let eaten = server.post("/api/v1/graph", &body);
                assert!(eaten.status == 422 && eaten.text().contains("memory limit"), "{eaten:?}");
                assert!(asked.elapsed() < SOON, "ended by the time limit: {:?}", asked.elapsed());
                n_eaten += 1;
            }
        });
        while !eating.is_finished() {
            let asked = Instant::now();
            assert_eq!(checked(&server), 200);
            assert!(asked.elapsed() < SOON, "served after {:?}", asked.elapsed());
            n_served.fetch_add(1, SeqCst);
        }
        eating.join().unwrap();
    });
    assert_eq!(checked(&server), 200, "the next one is served");
}

/// The status of a check of a sound program, for another client.
fn checked(server: &Server) -> u16 {
    let body = json!({ "program": program("$a = 1\nprint \"a\" {}\n") }).to_string();
    server.ask("POST", "/api/v1/check", "X-Forwarded-For: 10.0.0.1\r\n", body.as_bytes()).unwrap().status
}

/// How much a client does at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slow {
    /// It sends nothing.
    Silent,
    /// It sends a head byte by byte.
    Head,
    /// It sends a body byte by byte.
    Body,
    /// It asks for a large answer and never reads it.
    Reader,
}

/// A thousand clients at once that send nothing, send slowly, or never read.
#[test]
fn slow_clients_take_nobody_s_place() {
    let case = case("slow");
    // More than the kernel keeps for a client that does not read.
    std::fs::write(case.path("site/large.bin"), vec![0; LARGE]).unwrap();
    let server = Server::start(&case, &[]);
    let before = sockets(&server);
    let began = Instant::now();
    // Others are served all the time.
    let mut n_served = 0;
    let mut slow: Vec<(Slow, TcpStream)> = Vec::new();
    for n in 0..1000 {
        // Few of those who do not read: the kernel keeps some megabytes for each.
        let kind = if n % 10 == 9 { Slow::Reader } else { [Slow::Silent, Slow::Head, Slow::Body][n % 3] };
        let start: &[u8] = match kind {
            Slow::Silent => b"",
            Slow::Head => b"GET / HTTP/1.1\r\nHost: h\r\nX-Slow: ",
            Slow::Body => b"POST /api/v1/programs HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n{\"entry\":",
            Slow::Reader => b"GET /large.bin HTTP/1.1\r\nHost: h\r\n\r\n",
        };
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        // Some of those before were closed for this one.
        let _ = stream.write_all(start);
        slow.push((kind, stream));
        if n % 50 == 49 {
            served_soon(&server);
            n_served += 1;
        }
    }
    let all_there = Instant::now();
    let most = sockets(&server);
    assert!(most >= before + 100, "slow clients are there at the same time: {most} sockets");
    // All thousand are still open on their side. Each ends at its limit.
    while sockets(&server) > before {
        assert!(all_there.elapsed() < LIMIT + SOON, "{} sockets after {:?}", sockets(&server), all_there.elapsed());
        for (kind, stream) in &mut slow {
            if matches!(kind, Slow::Head | Slow::Body) {
                let _ = stream.write_all(b"x");
            }
        }
        served_soon(&server);
        n_served += 1;
        std::thread::sleep(Duration::from_millis(500));
    }
    assert!(began.elapsed() > Duration::from_secs(15), "they had their time: {:?}", began.elapsed());
    assert!(n_served > 10, "{n_served} served");
    for (n, (kind, mut stream)) in slow.into_iter().enumerate() {
        stream.set_read_timeout(Some(SOON)).unwrap();
        // Until the end, or a reset; a connection that is still open times out.
        let mut heard = Vec::new();
        let ended = stream.read_to_end(&mut heard);
        let is_open = ended.is_err_and(|error| [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind()));
        assert!(!is_open, "{kind:?} {n} is still open");
        match kind {
            Slow::Silent | Slow::Head | Slow::Body => {
                // Nothing, or a refusal: too late, or no room.
                let is_refused = [b"HTTP/1.1 408", b"HTTP/1.1 503"].iter().any(|status| heard.starts_with(*status));
                assert!(heard.is_empty() || is_refused, "{kind:?} {n}: {}", String::from_utf8_lossy(&heard));
            }
            Slow::Reader => assert!(heard.len() < LARGE, "{n} was given the whole answer, though it did not read"),
        }
    }
}

const LARGE: usize = 16 << 20;
/// A generous bound for an answer on a busy machine; it is below the time limit of a program that ends by another one.
const SOON: Duration = Duration::from_secs(50);
/// The longest limit of a slow client: one that receives nothing.
const LIMIT: Duration = Duration::from_secs(30);

fn served_soon(server: &Server) {
    let asked = Instant::now();
    assert_eq!((server.get("/").status, server.get("/healthz").status), (200, 200));
    assert!(asked.elapsed() < SOON, "served after {:?}", asked.elapsed());
}

/// The open sockets of the server: its listener, and a connection each.
fn sockets(server: &Server) -> usize {
    let files = std::fs::read_dir(format!("/proc/{}/fd", server.agent.pid())).unwrap();
    let links = files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
    links.filter(|link| link.to_string_lossy().starts_with("socket:")).count()
}
