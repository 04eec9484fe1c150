//! A server for this machine only: the files of `www/dist`, with the headers of `headers.txt`.

use crate::steps::say;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

/// The headers of answers by path, sent by every server of the site.
const HEADERS: &str = include_str!("../headers.txt");

/// Serves until it is stopped. The address is printed once the server listens.
pub(crate) fn serve(address: Option<&str>) -> Result<(), String> {
    let dist = super::site::here().join("dist");
    if !dist.join("index.html").is_file() {
        return Err(format!(
            "{} does not contain a site yet: run `cargo run -p mclive-www -- build` first",
            dist.display()
        ));
    }
    let address = address.unwrap_or("127.0.0.1:8080");
    let listener = match TcpListener::bind(address) {
        // The usual port is taken: any other one will do, it is printed.
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse && address == "127.0.0.1:8080" => {
            say("port 8080 is in use; using another port");
            TcpListener::bind("127.0.0.1:0")
        }
        other => other,
    };
    let listener = listener.map_err(|error| format!("cannot listen on {address}: {error}"))?;
    let local = listener.local_addr().map_err(|error| error.to_string())?;
    println!("http://{local}/");
    for connection in listener.incoming().flatten() {
        let dist = dist.clone();
        std::thread::spawn(move || {
            // A browser that disconnects early is not a failure.
            let _ = answer(connection, &dist);
        });
    }
    Ok(())
}

fn answer(mut connection: TcpStream, dist: &Path) -> std::io::Result<()> {
    let mut head = BufReader::new(connection.try_clone()?.take(16 << 10));
    let mut request = String::new();
    head.read_line(&mut request)?;
    let mut line = String::new();
    while head.read_line(&mut line)? > 2 {
        line.clear();
    }
    let mut words = request.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or("/"));
    let found = if matches!(method, "GET" | "HEAD") { find(dist, target) } else { None };
    let (status, kind, body) = match found.and_then(|file| Some((media_type(&file), std::fs::read(file).ok()?))) {
        Some((kind, body)) => ("200 OK", kind, body),
        None => ("404 Not Found", "text/plain; charset=utf-8", b"not found\n".to_vec()),
    };
    let mut out = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n", body.len());
    out += "Cache-Control: no-cache\r\nConnection: close\r\n";
    for header in headers(target) {
        out += header;
        out += "\r\n";
    }
    connection.write_all((out + "\r\n").as_bytes())?;
    if method != "HEAD" {
        connection.write_all(&body)?;
    }
    connection.flush()
}

/// The headers for a path: those of its part of the list, or those of the default part.
fn headers(target: &str) -> impl Iterator<Item = &'static str> {
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let is_framed = path == "/embed.js" || path.starts_with("/embed/");
    let paths = if is_framed { "/embed/* /embed.js" } else { "/*" };
    let part = HEADERS.lines().skip_while(move |line| *line != paths).skip(1).take_while(|line| !line.starts_with('/'));
    part.filter(|line| !line.is_empty())
}

/// The file of a request's target; `None` for anything that could lead out of the folder.
fn find(dist: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next().unwrap_or_default().trim_start_matches('/');
    let plain = |name: &str| {
        !name.is_empty()
            && !name.starts_with('.')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    if path.is_empty() || path == "embed/" {
        return Some(dist.join(path).join("index.html"));
    }
    path.split('/').all(plain).then(|| dist.join(path))
}

fn media_type(file: &Path) -> &'static str {
    match file.extension().and_then(|ending| ending.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "json" | "webmanifest" => "application/json",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_the_folder_is_found() {
        let dist = Path::new("/dist");
        assert_eq!(find(dist, "/"), Some(PathBuf::from("/dist/index.html")));
        assert_eq!(find(dist, "/embed/"), Some(PathBuf::from("/dist/embed/index.html")));
        assert_eq!(find(dist, "/page-1a.wasm?x=/.."), Some(PathBuf::from("/dist/page-1a.wasm")));
        assert_eq!(find(dist, "//etc/passwd"), Some(PathBuf::from("/dist/etc/passwd")));
        for target in ["/../Cargo.toml", "/a/../../b", "/%2e%2e/x", "/.git/config"] {
            assert_eq!(find(dist, target), None, "{target}");
        }
    }

    #[test]
    fn headers_are_headers() {
        for (target, ancestors) in
            [("/", "'none'"), ("/embed.json", "'none'"), ("/embed/#c=x", "*"), ("/embed.js?x", "*")]
        {
            let headers: Vec<&str> = headers(target).collect();
            assert!(headers.len() >= 5 && headers.iter().all(|header| header.contains(": ")), "{headers:?}");
            let policy = headers.iter().find(|header| header.starts_with("Content-Security-Policy: ")).unwrap();
            assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe-inline"), "{policy}");
            assert!(policy.contains(&format!("frame-ancestors {ancestors};")), "{target}: {policy}");
        }
    }
}
