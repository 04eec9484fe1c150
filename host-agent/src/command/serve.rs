//! `serve`: the built site on a local address, with security headers on every answer.
//!
//! One thread; the files are part of the program. What is asked for is looked up in a table, so no path of
//! a request ever reaches the file system, unless `--site` names a directory: then its files are read
//! into the table at the start.

use super::{Done, GOOD, unusable};
use crate::cli::Serve;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Response, StatusCode, Uri, header};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
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
    bytes: std::borrow::Cow<'static, [u8]>,
    kind: &'static str,
    tag: String,
}

type Site = BTreeMap<String, Page>;

pub(super) fn serve(args: &Serve) -> Done {
    let site = match &args.site {
        Some(dir) => read_site(dir)?,
        None => {
            embedded::files().iter().map(|(path, bytes)| (format!("/{path}"), page(path, (*bytes).into()))).collect()
        }
    };
    if site.is_empty() {
        return Err(unusable(
            "this build holds no site (www/dist was not there when it was built); give --site DIR".into(),
        ));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(args.address)
            .await
            .map_err(|error| unusable(format!("cannot listen on {}: {error}", args.address)))?;
        println!("serving the playground on http://{}/", listener.local_addr()?);
        let site = Arc::new(site);
        let app = Router::new().fallback(move |method: Method, uri: Uri, headers: HeaderMap| {
            let answer = answer(&site, &method, uri.path(), &headers);
            async move { answer }
        });
        let stop = async {
            let _ = tokio::signal::ctrl_c().await;
        };
        axum::serve(listener, app).with_graceful_shutdown(stop).await?;
        Ok(GOOD)
    })
}

fn read_site(dir: &Path) -> Result<Site, crate::program::Failure> {
    let mut site = Site::new();
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
    Ok(site)
}

fn page(path: &str, bytes: std::borrow::Cow<'static, [u8]>) -> Page {
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
        return with_headers(StatusCode::OK, "text/plain; charset=utf-8", None, Body::from("ok\n"));
    }
    if *method != Method::GET && *method != Method::HEAD {
        return with_headers(
            StatusCode::METHOD_NOT_ALLOWED,
            "text/plain; charset=utf-8",
            None,
            Body::from("only GET and HEAD\n"),
        );
    }
    let index = if path.ends_with('/') { format!("{path}index.html") } else { path.to_owned() };
    let Some(page) = site.get(&index) else {
        return with_headers(StatusCode::NOT_FOUND, "text/plain; charset=utf-8", None, Body::from("not found\n"));
    };
    let known = asked.get(header::IF_NONE_MATCH).is_some_and(|tag| tag.as_bytes() == page.tag.as_bytes());
    if known {
        return with_headers(StatusCode::NOT_MODIFIED, page.kind, Some(&page.tag), Body::empty());
    }
    let body = match &page.bytes {
        _ if *method == Method::HEAD => Body::empty(),
        std::borrow::Cow::Borrowed(bytes) => Body::from(*bytes),
        std::borrow::Cow::Owned(bytes) => Body::from(bytes.clone()),
    };
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
