//! Every route, with its methods and headers, against one table.

use super::table::{API, Line, PAGE, PLAIN, TABLE};
use super::{Answer, Server, case, program};
use crate::case::{Case, until};
use serde_json::json;
use std::io::Write;
use std::net::TcpStream;

/// A stored program, one that does not exist, and one that was taken down.
struct Ids {
    stored: String,
    gone: String,
}

impl Ids {
    fn of(case: &Case) -> Ids {
        let server = Server::start(case, &[]);
        let ids = Ids { stored: server.share(SHARED), gone: server.share("$a = 2\n") };
        case.write("store/taken-down", &format!("{} spam\n", ids.gone));
        ids
    }

    fn put(&self, path: &str) -> String {
        path.replace("ID", &self.stored).replace("NONE", "abcdefghij").replace("GONE", &self.gone)
    }
}

const SHARED: &str = "$a = 1\n";

/// A body that the route takes.
fn body(route: &str) -> Vec<u8> {
    let body = match route {
        "share" => program(SHARED),
        "check" | "graph" => json!({ "program": program(SHARED) }),
        "format" => json!({ "path": "main.mcl", "content": SHARED }),
        "simulate" => json!({ "program": program(SHARED), "scenario": "run\n" }),
        _ => return Vec::new(),
    };
    body.to_string().into_bytes()
}

/// The request of a line of the table, with this method.
fn ask(server: &Server, ids: &Ids, (route, request, ..): &Line, method: &str, headers: &str) -> Answer {
    let (_, path) = request.split_once(' ').unwrap();
    let body = if method == "POST" { body(route) } else { Vec::new() };
    server.ask(method, &ids.put(path), headers, &body).unwrap()
}

/// An answer without a body has no type.
fn holds(what: &str, answer: &Answer, headers: &[(&str, &str)]) {
    for (name, value) in headers.iter().filter(|(name, _)| *name != "content-type" || answer.status >= 400) {
        let have = answer.header(name);
        assert!(if value.is_empty() { have.is_empty() } else { have.contains(value) }, "{what}: {name}: {have}");
    }
    let expected = headers.iter().find(|(name, _)| *name == "content-type").filter(|_| !answer.body.is_empty());
    assert!(expected.is_none_or(|(name, value)| answer.header(name).starts_with(value)), "{what}: {answer:?}");
    let policy = answer.header("content-security-policy");
    assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{what}: {policy}");
    // A page that may be framed is one of the embeds, whatever the table says.
    let is_framed = !policy.contains("frame-ancestors 'none'");
    assert!(!is_framed || what.contains("/embed"), "{what} can be framed: {policy}");
}

#[test]
fn every_route_has_the_headers_of_the_table() {
    let case = case("headers");
    let ids = Ids::of(&case);
    let server = Server::start(&case, &["--versions", "versions"]);
    let mut n_known = 0;
    for line in TABLE {
        let (_, request, status, headers) = line;
        let (method, _) = request.split_once(' ').unwrap();
        let answer = ask(&server, &ids, line, method, "");
        assert_eq!(answer.status, *status, "{request}: {answer:?}");
        holds(request, &answer, headers);
        assert!(answer.status != 405 || !answer.header("allow").is_empty(), "{request}: {answer:?}");
        if method == "GET" {
            let head = ask(&server, &ids, line, "HEAD", "");
            assert_eq!((head.status, head.body.len()), (*status, 0), "HEAD {request}: {head:?}");
            holds(request, &head, headers);
        }
        for method in ["DELETE", "PUT"] {
            let refused = ask(&server, &ids, line, method, "");
            assert!(refused.status == 405 && !refused.header("allow").is_empty(), "{method} {request}: {refused:?}");
            holds(request, &refused, headers);
        }
        if !answer.header("etag").is_empty() {
            let known = ask(&server, &ids, line, method, &format!("If-None-Match: {}\r\n", answer.header("etag")));
            assert_eq!((known.status, known.body.len()), (304, 0), "{request}: {known:?}");
            holds(request, &known, headers);
            let kind = known.header("content-type");
            assert!(kind.is_empty() || kind == answer.header("content-type"), "{request} keeps its type: {kind}");
            n_known += 1;
        }
    }
    assert!(n_known >= 8, "{n_known} answers have a tag");
}

#[test]
fn a_client_above_its_limit_gets_the_same_headers() {
    let case = case("headers-limited");
    let ids = Ids::of(&case);
    let server = Server::start(&case, &["--versions", "versions", "--limit-requests", "0.001"]);
    assert_eq!(server.get("/healthz").status, 200);
    for line in TABLE {
        let (_, request, _, headers) = line;
        let (method, _) = request.split_once(' ').unwrap();
        let answer = ask(&server, &ids, line, method, "");
        assert_eq!(answer.status, 429, "{request}: {answer:?}");
        assert!(answer.header("retry-after").parse().is_ok_and(|wait: u64| wait > 0), "{request}: {answer:?}");
        holds(request, &answer, headers);
    }
}

#[test]
fn what_is_out_of_order_has_the_same_headers() {
    let case = case("headers-broken");
    let ids = Ids::of(&case);
    // It is unknown what was taken down, so nothing is served.
    std::fs::remove_file(case.path("store/taken-down")).unwrap();
    std::fs::create_dir(case.path("store/taken-down")).unwrap();
    let server = Server::start(&case, &["--versions", "versions"]);
    let mut n_broken = 0;
    for line in TABLE {
        let (route, request, status, headers) = line;
        let (method, _) = request.split_once(' ').unwrap();
        let answer = ask(&server, &ids, line, method, "");
        let needs_store = ["readyz", "link", "embed", "preview", "share", "program"].contains(route);
        let expected = if needs_store && ![204, 405].contains(status) { 503 } else { *status };
        assert_eq!(answer.status, expected, "{request}: {answer:?}");
        holds(request, &answer, headers);
        n_broken += usize::from(expected == 503);
    }
    assert!(n_broken >= 15, "{n_broken}");
}

/// As many programs as may run and wait, each of which runs for long.
#[test]
fn a_busy_compiler_has_the_same_headers() {
    let case = case("headers-busy");
    let ids = Ids::of(&case);
    let flags = ["--api-at-once", "1", "--api-seconds", "60", "--api-memory", "64", "--trusted-proxy", "127.0.0.1"];
    let server = Server::start(&case, &flags);
    let looping = "import \"datetime\"\nimport \"fmt\"\nprint \"a\" { msg => fmt.printf(\"%d\", datetime.now()), }\n";
    let scenario = "run\n".to_owned() + &"wait 3650d\n".repeat(50);
    let endless = json!({ "program": program(looping), "scenario": scenario }).to_string();
    let _waiting: Vec<TcpStream> = (0..17)
        .map(|n| {
            let head = format!("Host: h\r\nX-Forwarded-For: 10.0.0.{n}\r\nContent-Length: {}", endless.len());
            let request = format!("POST /api/v1/simulate HTTP/1.1\r\n{head}\r\n\r\n{endless}");
            let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            stream
        })
        .collect();
    let check = ("check", "POST /api/v1/check", 503, PLAIN);
    until("all places are taken", || ask(&server, &ids, &check, "POST", "").status == 503);
    let computes = ["preview", "check", "graph", "format", "simulate"];
    let mut n_busy = 0;
    for line in TABLE.iter().filter(|(route, _, status, _)| computes.contains(route) && *status == 200) {
        let (_, request, _, headers) = line;
        let (method, _) = request.split_once(' ').unwrap();
        let answer = ask(&server, &ids, line, method, "");
        assert_eq!(answer.status, 503, "{request}: {answer:?}");
        assert!(answer.header("retry-after").parse().is_ok_and(|wait: u64| wait > 0), "{request}: {answer:?}");
        holds(request, &answer, headers);
        n_busy += 1;
    }
    assert_eq!(n_busy, 6);
}

#[test]
fn the_address_of_the_metrics_has_the_headers_of_plain_answers() {
    let case = case("headers-metrics");
    // The port must be chosen in advance: one that is free now.
    let port = mclive_kit::port::free();
    let _server = Server::start(&case, &["--metrics-address", &format!("127.0.0.1:{port}")]);
    let metrics = Server { agent: crate::case::Agent::spawn(case.command(&["help"])), port };
    for (request, status) in [("GET /metrics", 200), ("HEAD /metrics", 200), ("GET /", 404), ("POST /metrics", 404)] {
        let (method, path) = request.split_once(' ').unwrap();
        let answer = metrics.ask(method, path, "", b"").unwrap();
        assert_eq!(answer.status, status, "{request}: {answer:?}");
        holds(request, &answer, PLAIN);
    }
}

#[test]
fn what_is_refused_before_it_is_read_has_the_same_headers() {
    let case = case("headers-early");
    let server = Server::start(&case, &["--access-log", "access.log"]);
    let large = "POST /api/v1/programs HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\n\r\n";
    let unclear = "GET /api/v1/ HTTP/1.1\r\nHost: <b>\r\n\r\n";
    let requests = [("GET / HTTP/1.1\r\n\r\n", 400, PAGE), (unclear, 400, API), (large, 413, API)];
    for (request, status, headers) in requests {
        let answer = server.say(request.as_bytes()).unwrap();
        assert_eq!(answer.status, status, "{request}: {answer:?}");
        holds(request, &answer, headers);
        assert_eq!(answer.header("connection"), "close", "{request}");
    }
    let said = server.say(large.as_bytes()).unwrap();
    assert_eq!(said.json()["error"], "this request is larger than the limit of 3072 KiB");
    until("all are logged", || case.read("access.log").is_some_and(|log| log.matches("\"status\":4").count() == 4));
}

/// The only pages that the server itself writes. Those of the build are read by `tests/browser/inline.test.mjs`.
#[test]
fn the_page_of_a_short_link_has_no_inline_script_or_style() {
    let case = case("inline");
    let hostile = "\" onload=x style=y <script>\nprint \"<style>\" {}\n";
    let ids = {
        let server = Server::start(&case, &[]);
        let ids = Ids { stored: server.share(&format!("# {hostile}")), gone: server.share(&format!("#  {hostile}")) };
        case.write("store/taken-down", &format!("{} {}\n", ids.gone, hostile.lines().next().unwrap()));
        ids
    };
    let server = Server::start(&case, &[]);
    is_plain_html(&server.get(&ids.put("/s/ID")), 200);
    is_plain_html(&server.get(&ids.put("/s/GONE")), 410);
    is_plain_html(&server.get(&ids.put("/s/NONE")), 404);
}

fn is_plain_html(answer: &Answer, status: u16) {
    assert_eq!((answer.status, answer.header("content-type")), (status, "text/html; charset=utf-8"), "{answer:?}");
    let page = answer.text();
    let tags: Vec<&str> = page.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()).collect();
    assert!(tags.len() > 15, "{page}");
    for tag in tags {
        let name = tag.split([' ', '/']).next().unwrap().to_ascii_lowercase();
        assert!(!["script", "style"].contains(&&*name), "{tag}");
        // Outside of the values of attributes.
        for part in tag.split('"').step_by(2) {
            let mut words = part.split_whitespace().map(str::to_ascii_lowercase);
            assert!(!words.any(|word| word.starts_with("on") || word.starts_with("style")), "{tag}");
        }
        assert!(!tag.to_ascii_lowercase().contains("javascript:"), "{tag}");
    }
}

#[test]
fn what_never_changes_is_kept_and_what_changes_is_asked_for_again() {
    let case = case("caching");
    let server = Server::start(&case, &[]);
    let get = |path: &str, headers: &str| server.ask("GET", path, headers, b"").unwrap();
    let (page, script) = (get("/", ""), get("/app-0123456789.js", ""));
    assert_eq!((page.header("cache-control"), page.text().as_str()), ("no-cache", "<!doctype html>the page"));
    assert_eq!(script.header("cache-control"), "public, max-age=31536000, immutable");
    assert_eq!((script.header("vary"), script.header("content-encoding")), ("Accept-Encoding", ""));
    for (accepts, coding, body) in
        [("gzip, br", "br", "as br"), ("gzip", "gzip", "as gzip"), ("br;q=0, gzip", "gzip", "as gzip")]
    {
        let packed = get("/app-0123456789.js", &format!("Accept-Encoding: {accepts}\r\n"));
        assert_eq!((packed.header("content-encoding"), packed.text().as_str()), (coding, body));
        assert_eq!(packed.header("content-type"), "text/javascript; charset=utf-8");
        assert_ne!(packed.header("etag"), script.header("etag"), "each form has its own tag");
        let known = format!("Accept-Encoding: {accepts}\r\nIf-None-Match: \"x\", W/{}\r\n", packed.header("etag"));
        assert_eq!(get("/app-0123456789.js", &known).status, 304);
    }
    assert_eq!(get("/app-0123456789.js.br", "").status, 404, "a form has no path of its own");
    assert_eq!(get("/", &format!("If-None-Match: {}\r\n", page.header("etag"))).status, 304);
}
