//! Every route, with its methods and headers, against one table.

use super::{Server, case};

/// Headers with a part of their values; an empty value: there is no such header.
type Headers = &'static [(&'static str, &'static str)];

/// Pages may not be framed, and run only the site's own scripts.
const PAGE: Headers = &[
    ("content-security-policy", "frame-ancestors 'none'"),
    ("content-security-policy", "default-src 'none'"),
    ("content-security-policy", "script-src 'self' 'wasm-unsafe-eval';"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=()"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];
const EMBED: Headers = &[
    ("content-security-policy", "frame-ancestors *"),
    ("content-security-policy", "default-src 'none'"),
    ("content-security-policy", "script-src 'self' 'wasm-unsafe-eval';"),
    ("cross-origin-resource-policy", "cross-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", ""),
];
const API: Headers = &[
    (
        "content-security-policy",
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
    ),
    ("access-control-allow-origin", "*"),
    ("cross-origin-resource-policy", "cross-origin"),
    ("content-type", "application/json"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];
const PICTURE: Headers = &[
    ("content-security-policy", "frame-ancestors 'none'; sandbox"),
    ("access-control-allow-origin", ""),
    ("cross-origin-resource-policy", "cross-origin"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];
const PLAIN: Headers = &[
    ("content-security-policy", "frame-ancestors 'none'; sandbox"),
    ("access-control-allow-origin", ""),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];

#[test]
fn every_route_has_the_headers_of_the_table() {
    let case = case("headers");
    let server = Server::start(&case, &["--versions", "versions"]);
    let id = server.share("$a = 1\n");
    let none = "abcdefghij";
    let table: Vec<(String, u16, Headers)> = vec![
        ("/".into(), 200, PAGE),
        ("/index.html".into(), 200, PAGE),
        ("/app-0123456789.js".into(), 200, PAGE),
        ("/nothing".into(), 404, PAGE),
        ("/v/0.0.9/".into(), 200, PAGE),
        (format!("/s/{id}"), 200, PAGE),
        (format!("/s/{none}"), 404, PAGE),
        ("/embed/".into(), 200, EMBED),
        ("/embed.js".into(), 200, EMBED),
        (format!("/embed/{id}"), 302, EMBED),
        (format!("/preview/{id}.svg"), 200, PICTURE),
        (format!("/preview/{none}.svg"), 404, PICTURE),
        ("/api/v1/".into(), 200, API),
        (format!("/api/v1/programs/{id}"), 200, API),
        (format!("/api/v1/programs/{none}"), 404, API),
        ("/api/v1/openapi.json".into(), 200, API),
        ("/api/v1/programs".into(), 405, API),
        ("/api/v1/check".into(), 405, API),
        ("/api/v1/graph".into(), 405, API),
        ("/api/v1/format".into(), 405, API),
        ("/api/v1/simulate".into(), 405, API),
        ("/api/v1/other".into(), 404, PLAIN),
        ("/healthz".into(), 200, PLAIN),
        ("/readyz".into(), 200, PLAIN),
        ("/metrics".into(), 404, PAGE),
    ];
    for (path, status, headers) in table {
        for method in ["GET", "HEAD", "DELETE"] {
            let answer = server.ask(method, &path, "", b"").unwrap();
            let expected = if method == "DELETE" { 405 } else { status };
            assert_eq!(answer.status, expected, "{method} {path}: {answer:?}");
            for (name, value) in headers {
                let have = answer.header(name);
                assert!(
                    if value.is_empty() { have.is_empty() } else { have.contains(value) },
                    "{method} {path}: {name}: {have}"
                );
            }
            let policy = answer.header("content-security-policy");
            assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{path}: {policy}");
        }
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
