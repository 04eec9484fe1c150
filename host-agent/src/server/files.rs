//! [`Site`]: the files of a built site, in memory, with their precompressed forms.
//!
//! `page.js.br` and `page.js.gz` are forms of `page.js`, and have no separate path.

use super::reply::Reply;
use crate::network::http::{Bytes, HeaderMap, StatusCode, header};
use mclive_base::hash::sha256;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// The files of a site by their path, without a leading slash.
#[derive(Default)]
pub(crate) struct Site(BTreeMap<String, File>);

struct File {
    plain: Bytes,
    /// Best first: the coding's name and the bytes.
    packed: Vec<(&'static str, Bytes)>,
    kind: &'static str,
    tag: String,
    /// The name contains a hash of the content, so it may be cached forever.
    is_hashed: bool,
}

/// Codings, best first, with their file extensions.
const CODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

impl Site {
    pub(crate) fn new(files: impl IntoIterator<Item = (String, Bytes)>) -> Site {
        let mut files: BTreeMap<String, Bytes> = files.into_iter().collect();
        let is_form = |path: &String| {
            let stem = CODINGS.iter().find_map(|(_, ending)| path.strip_suffix(ending));
            stem.is_some_and(|stem| files.contains_key(stem))
        };
        let forms: Vec<String> = files.keys().filter(|path| is_form(path)).cloned().collect();
        let mut forms: BTreeMap<String, Bytes> =
            forms.into_iter().filter_map(|path| files.remove(&path).map(|bytes| (path, bytes))).collect();
        let made = files.into_iter().map(|(path, plain)| {
            let packed = CODINGS.iter().filter_map(|(coding, ending)| {
                let bytes = forms.remove(&format!("{path}{ending}"))?;
                (bytes.len() < plain.len()).then_some((*coding, bytes))
            });
            let packed = packed.collect();
            let hash: String = sha256(&plain)[..12].iter().map(|byte| format!("{byte:02x}")).collect();
            let (kind, is_hashed) = (kind(&path), is_hashed(&path));
            (path, File { plain, packed, kind, tag: hash, is_hashed })
        });
        Site(made.collect())
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    pub(super) fn answer(&self, path: &str, asked: &HeaderMap) -> Reply {
        let index = if path.is_empty() || path.ends_with('/') { format!("{path}index.html") } else { path.to_owned() };
        let Some(file) = self.0.get(&index) else {
            return Reply::refusal(StatusCode::NOT_FOUND, "not found");
        };
        let packed = file.packed.iter().find(|(coding, _)| accepts(asked, coding));
        let tag = match packed {
            Some((coding, _)) => format!("\"{}-{coding}\"", file.tag),
            None => format!("\"{}\"", file.tag),
        };
        let reply = match knows(asked, &tag) {
            true => Reply::new(StatusCode::NOT_MODIFIED, file.kind, ""),
            false => match packed {
                Some((coding, bytes)) => {
                    Reply::new(StatusCode::OK, file.kind, bytes.clone()).with(header::CONTENT_ENCODING, coding)
                }
                None => Reply::new(StatusCode::OK, file.kind, file.plain.clone()),
            },
        };
        let reply = if file.is_hashed {
            reply.with(header::CACHE_CONTROL, "public, max-age=31536000, immutable")
        } else {
            reply
        };
        let reply = if file.packed.is_empty() { reply } else { reply.with(header::VARY, "Accept-Encoding") };
        reply.with(header::ETAG, &tag)
    }
}

/// Reads the files below a directory. Links are followed, since the directory belongs to the operator.
pub(crate) fn read(dir: &Path) -> io::Result<Vec<(String, Bytes)>> {
    let mut files = Vec::new();
    let mut ahead = vec![dir.to_owned()];
    while let Some(next) = ahead.pop() {
        for entry in std::fs::read_dir(&next)? {
            let path = entry?.path();
            if path.is_dir() {
                ahead.push(path);
                continue;
            }
            // A pipe or a socket would keep the start waiting.
            if !path.is_file() {
                return Err(io::Error::other(format!("{} is not a regular file", path.display())));
            }
            let below = path.strip_prefix(dir).unwrap_or(&path).to_string_lossy().into_owned();
            files.push((below, std::fs::read(&path)?.into()));
        }
    }
    Ok(files)
}

/// Whether the client has the content with this tag.
pub(super) fn knows(asked: &HeaderMap, tag: &str) -> bool {
    let lists = asked.get_all(header::IF_NONE_MATCH).iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).map(str::trim).any(|one| one == "*" || one.trim_start_matches("W/") == tag)
}

/// Whether the client accepts this coding, and not with `q=0`.
fn accepts(asked: &HeaderMap, coding: &str) -> bool {
    let lists = asked.get_all(header::ACCEPT_ENCODING).iter().filter_map(|list| list.to_str().ok());
    let mut choices = lists.flat_map(|list| list.split(','));
    choices.any(|choice| {
        let mut parts = choice.split(';').map(str::trim);
        let is_named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(coding));
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        is_named && weight.is_none_or(|weight| weight.parse().is_ok_and(|weight: f32| weight > 0.0))
    })
}

/// `page-0123456789.wasm`: the build puts the start of the content's hash before the extension.
fn is_hashed(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let hash = name.split_once('.').and_then(|(stem, _)| stem.rsplit_once('-')).map_or("", |(_, hash)| hash);
    hash.len() == 10 && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Scratch;
    use crate::network::http::HeaderMap;
    use crate::network::http::header::HeaderValue;

    fn asked(codings: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(codings))])
    }

    #[test]
    fn codings_are_taken_only_where_they_are_wished() {
        assert!(accepts(&asked("gzip, deflate, BR"), "br") && accepts(&asked("br;q=0.5"), "br"));
        assert!(
            !accepts(&asked("br;q=0, gzip"), "br")
                && !accepts(&asked("gzip, br; Q=0.000"), "br")
                && !accepts(&asked("brotli"), "br")
                && !accepts(&HeaderMap::new(), "br")
        );
    }

    #[test]
    fn a_pipe_in_a_site_is_reported_and_not_read() {
        let dir = Scratch::new("site-pipe");
        std::fs::write(dir.join("index.html"), "x").unwrap();
        assert_eq!(read(&dir).unwrap().len(), 1);
        let pipe = dir.join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        assert!(read(&dir).unwrap_err().to_string().contains("pipe is not a regular file"));
    }

    #[test]
    fn names_with_a_hash_are_distinguished_from_others() {
        assert!(is_hashed("page-0123456789.wasm") && is_hashed("a/x-y-abcdef0123.js"));
        assert!(!is_hashed("index.html") && !is_hashed("page-0123.wasm") && !is_hashed("page-quicksands.js"));
    }
}
