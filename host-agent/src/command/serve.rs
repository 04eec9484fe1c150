//! `serve`: the built site on a local address, with security headers on every answer.
//!
//! One thread; the files are part of the program. What is asked for is looked up in a table, so no path of
//! a request ever reaches the file system, unless `--site` names a directory: then its files are read
//! into the table at the start.

use super::{Done, GOOD, unusable};
use crate::cli::Serve;
use crate::network::Network;
use crate::network::http::{self, Body, Bytes, HeaderMap, Limits, Method, Request, Response, StatusCode, header};
use crate::output::print;
use sha2::{Digest, Sha256};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/site.rs"));

    pub(super) fn files() -> &'static [(&'static str, &'static [u8])] {
        FILES
    }
}

/// The headers of every answer, one `Name: value` a line: what every server of the site sends.
const HEADERS: &str = include_str!("../../../www/headers.txt");

struct Page {
    bytes: Bytes,
    kind: &'static str,
    tag: String,
}

struct Site(BTreeMap<String, Page>);

impl http::Site for Site {
    fn limits(&self) -> Limits {
        Limits::READ_ONLY
    }

    async fn answer(&self, request: Request<Bytes>) -> Response<Body> {
        answer(self, request.method(), request.uri().path(), request.headers())
    }
}

pub(super) fn serve(args: &Serve) -> Done {
    let site = match &args.site {
        Some(dir) => read_site(dir)?,
        None => {
            let page =
                |(path, bytes): &(&str, &'static [u8])| (format!("/{path}"), page(path, Bytes::from_static(bytes)));
            Site(embedded::files().iter().map(page).collect())
        }
    };
    if site.0.is_empty() {
        return Err(unusable(
            "this build holds no site (www/dist was not there when it was built); give --site DIR".into(),
        ));
    }
    let listener = TcpListener::bind(args.address)
        .map_err(|error| unusable(format!("cannot listen on {}: {error}", args.address)))?;
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let address = listener.local_addr()?;
    let network = Network::default();
    let _server = http::serve(&network, listener, Arc::new(site))?;
    print(&format!("serving the playground on http://{address}/\n"));
    let _ = signals.forever().next();
    Ok(GOOD)
}

fn read_site(dir: &Path) -> Result<Site, crate::program::Failure> {
    let mut site = BTreeMap::new();
    let mut ahead = vec![dir.to_owned()];
    while let Some(next) = ahead.pop() {
        let entries = std::fs::read_dir(&next)
            .map_err(|error| unusable(format!("cannot read the site {}: {error}", next.display())))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                ahead.push(path);
                continue;
            }
            let below = path.strip_prefix(dir).unwrap_or(&path).to_string_lossy().into_owned();
            site.insert(format!("/{below}"), page(&below, std::fs::read(&path)?.into()));
        }
    }
    Ok(Site(site))
}

fn page(path: &str, bytes: Bytes) -> Page {
    let hash: String = Sha256::digest(&bytes)[..12].iter().map(|byte| format!("{byte:02x}")).collect();
    Page { kind: kind(path), tag: format!("\"{hash}\""), bytes }
}

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "md" | "mcl" | "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn answer(site: &Site, method: &Method, path: &str, asked: &HeaderMap) -> Response<Body> {
    if path == "/healthz" {
        return with_headers(StatusCode::OK, "text/plain; charset=utf-8", None, "ok\n".into());
    }
    if *method != Method::GET && *method != Method::HEAD {
        return with_headers(
            StatusCode::METHOD_NOT_ALLOWED,
            "text/plain; charset=utf-8",
            None,
            "only GET and HEAD\n".into(),
        );
    }
    let index = if path.ends_with('/') { format!("{path}index.html") } else { path.to_owned() };
    let Some(page) = site.0.get(&index) else {
        return with_headers(StatusCode::NOT_FOUND, "text/plain; charset=utf-8", None, "not found\n".into());
    };
    let known = asked.get(header::IF_NONE_MATCH).is_some_and(|tag| tag.as_bytes() == page.tag.as_bytes());
    if known {
        return with_headers(StatusCode::NOT_MODIFIED, page.kind, Some(&page.tag), "".into());
    }
    let body = page.bytes.clone().into();
    with_headers(StatusCode::OK, page.kind, Some(&page.tag), body)
}

fn with_headers(status: StatusCode, kind: &str, tag: Option<&str>, body: Body) -> Response<Body> {
    let mut answer =
        Response::builder().status(status).header(header::CONTENT_TYPE, kind).header(header::CACHE_CONTROL, "no-cache");
    for line in HEADERS.lines().filter(|line| !line.starts_with('#')) {
        if let Some((name, value)) = line.split_once(": ") {
            answer = answer.header(name, value);
        }
    }
    if let Some(tag) = tag {
        answer = answer.header(header::ETAG, tag);
    }
    answer.body(body).expect("the headers are well formed")
}
