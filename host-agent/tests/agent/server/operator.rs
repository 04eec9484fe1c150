//! The operator's needs: limits, logs, metrics, a stop without losses.

use super::{Server, case, port_in, program};
use crate::case::{Case, cannot_look, until};
use crate::web::{Asked, parts};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
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
fn a_proxy_that_is_not_trusted_is_told_once() {
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
fn who_moves_too_many_bytes_is_told_when_to_come_back() {
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
    // All of it or nothing: here files can be created, but not filled.
    for (dir, is_there) in [("other", false), ("empty", true)] {
        if is_there {
            std::fs::create_dir(case.path(dir)).unwrap();
        }
        let limited = format!(
            "trap '' XFSZ; ulimit -f 0; exec {} serve --site site --export {dir}",
            env!("CARGO_BIN_EXE_mclive")
        );
        let failed = Command::new("sh").args(["-c", &limited]).current_dir(&case.root).output().unwrap();
        assert!(!failed.status.success(), "{failed:?}");
        let left = std::fs::read_dir(case.path(dir)).map_or(0, Iterator::count);
        assert_eq!((left, case.path(dir).exists()), (0, is_there), "{failed:?}");
    }
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
fn a_store_that_fails_is_told_with_the_file_and_without_a_flood() {
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

#[test]
fn a_public_url_has_a_host() {
    let case = case("public-url");
    for url in ["https://", "http:///play", "play.example.org", "https://h/?x", ""] {
        let wrong = case.run(&["serve", "--address", "127.0.0.1:0", "--site", "site", "--public-url", url]);
        let told = String::from_utf8_lossy(&wrong.stderr).into_owned();
        assert!(wrong.status.code() == Some(2) && told.contains("such as https://play.example.org"), "{url}: {told}");
    }
    let server = Server::start(&case, &["--public-url", "https://h.example/s/play/"]);
    let made = server.post("/api/v1/programs", &program("$a = 1\n")).json();
    assert!(made["url"].as_str().unwrap().starts_with("https://h.example/s/play/s/"), "{made}");
}

/// A site of the real shells, with files of the names that the build gives them.
fn built(case: &Case) {
    std::fs::create_dir_all(case.path("built/embed")).unwrap();
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/web");
    for (page, to, up) in [("index", "index", ""), ("reference", "reference", ""), ("index", "embed/index", "../")] {
        let shell = std::fs::read_to_string(web.join(format!("{page}.html"))).unwrap();
        let mut html = String::new();
        for (at, part) in shell.split("{{").enumerate() {
            let Some((name, rest)) = part.split_once("}}").filter(|_| at > 0) else {
                html += part;
                continue;
            };
            let ending = match name {
                "ENTRIES" | "CONTENT" | "POLICY" => None,
                "ICON" => Some("svg"),
                "STYLE" | "REFERENCE_STYLE" => Some("css"),
                _ if name.ends_with("WASM") => Some("wasm"),
                _ => Some("js"),
            };
            if let Some(ending) = ending {
                let file = format!("{}-0123456789.{ending}", name.to_ascii_lowercase());
                case.write(&format!("built/{file}"), &format!("the content of {file}"));
                html += &format!("{up}{file}");
            }
            html += rest;
        }
        case.write(&format!("built/{to}.html"), &html);
    }
}

/// The files that a page names: scripts, styles, modules, icons.
fn named(html: &str) -> Vec<String> {
    let values = ["src=\"", "href=\""].iter().flat_map(|attribute| html.split(attribute).skip(1));
    let values = values.map(|rest| rest.split('"').next().unwrap().to_owned());
    values.filter(|path| !path.is_empty() && !path.ends_with('/') && !path.contains([':', '#'])).collect()
}

/// A server of plain files, which knows nothing of mclive.
#[test]
fn a_plain_file_server_serves_the_export() {
    let case = case("export-served");
    built(&case);
    let mut sites = vec![case.path("built")];
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/dist");
    sites.extend(dist.join("index.html").is_file().then_some(dist));
    for (n, site) in sites.iter().enumerate() {
        let public = format!("public{n}");
        let exported = case.run(&["serve", "--site", site.to_str().unwrap(), "--export", &public]);
        assert!(exported.status.success(), "{exported:?}");
        let mut python = Command::new("python3");
        python.args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory"]).arg(case.path(&public));
        if Command::new("python3").arg("--version").output().is_err() {
            return cannot_look("the export on a plain file server: python3 is not installed");
        }
        let files = crate::case::Agent::spawn(python);
        until("the file server listens", || files.said().contains("Serving HTTP on 127.0.0.1 port "));
        let said = files.said();
        let port = said.split("127.0.0.1 port ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        let server = Server { agent: files, port };
        let mut kinds = BTreeSet::new();
        for page in ["", "reference.html", "embed/"] {
            let html = server.get(&format!("/{page}"));
            assert!(html.status == 200 && html.header("content-type").starts_with("text/html"), "{page}: {html:?}");
            for name in named(&html.text()) {
                let (folder, name) = match name.strip_prefix("../") {
                    Some(name) => ("", name.to_owned()),
                    None => (if page.ends_with('/') { page } else { "" }, name.trim_start_matches("./").to_owned()),
                };
                let path = format!("{folder}{name}");
                let answer = server.get(&format!("/{path}"));
                assert_eq!(answer.status, 200, "{page} names {path}");
                assert_eq!(answer.body, std::fs::read(site.join(&path)).unwrap(), "{path}");
                let (_, ending) = name.rsplit_once('.').unwrap();
                let expected: &[&str] = match ending {
                    "js" | "mjs" => &["text/javascript", "application/javascript"],
                    "css" => &["text/css"],
                    "wasm" => &["application/wasm"],
                    "svg" => &["image/svg+xml"],
                    "html" => &["text/html"],
                    _ => panic!("{page} names {path}, whose type is unknown"),
                };
                let kind = answer.header("content-type");
                assert!(expected.iter().any(|expected| kind.starts_with(expected)), "{path}: {kind}");
                kinds.insert(ending.to_owned());
            }
        }
        for kind in ["js", "css", "wasm", "svg"] {
            assert!(kinds.contains(kind), "no page names a file of this kind: {kind}");
        }
    }
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
