//! Reading one request: head and body, within bounds.

use std::io::{BufRead, Read, Write};

/// Bytes of a head.
const LONGEST_HEAD: u64 = 32 << 10;
/// Bytes of a body, as for a form.
const LONGEST_BODY: u64 = 4 << 20;
const MOST_HEADERS: usize = 64;

/// One request.
pub(super) struct Request {
    pub(super) method: String,
    pub(super) target: String,
    /// Lower-case names.
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    /// May another request follow on the connection?
    pub(super) keeps: bool,
}

/// Why there is none.
pub(super) enum NoRequest {
    /// The peer has gone, or said nothing in time.
    Gone,
    /// A status to answer with, and nothing more.
    Refused(u16),
}

impl Request {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A body of a form, which is all that is taken.
    pub(super) fn form(&self) -> &[u8] {
        let is_form = |kind: &str| kind.trim().to_ascii_lowercase().starts_with("application/x-www-form-urlencoded");
        if self.header("content-type").is_none_or(is_form) { &self.body } else { &[] }
    }

    /// `out` is for the word that an asker may wait for before it sends a body.
    pub(super) fn read(from: &mut impl BufRead, out: &mut impl Write) -> Result<Request, NoRequest> {
        let head = head(from)?;
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        match parsed.parse(&head) {
            Ok(httparse::Status::Complete(_)) => {}
            Ok(httparse::Status::Partial) | Err(_) => return Err(NoRequest::Refused(400)),
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut request = Request {
            method: parsed.method.unwrap_or_default().to_owned(),
            target: parsed.path.unwrap_or_default().to_owned(),
            headers: parsed
                .headers
                .iter()
                .map(|header| (header.name.to_ascii_lowercase(), text(header.value)))
                .collect(),
            body: Vec::new(),
            keeps: false,
        };
        let connection = request.header("connection").unwrap_or_default().to_ascii_lowercase();
        request.keeps = parsed.version == Some(1) && !connection.contains("close");
        let chunked = request.header("transfer-encoding").map(|how| how.eq_ignore_ascii_case("chunked"));
        let length = request.header("content-length").map(|length| length.trim().parse::<u64>());
        if request.header("expect").is_some() && (chunked.is_some() || length.is_some()) {
            out.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").map_err(|_| NoRequest::Gone)?;
        }
        request.body = match (chunked, length) {
            (Some(true), None) => chunks(from)?,
            // Two ways to tell where it ends are one too many.
            (Some(_), _) | (None, Some(Err(_))) => return Err(NoRequest::Refused(400)),
            (None, Some(Ok(length))) if length > LONGEST_BODY => return Err(NoRequest::Refused(413)),
            (None, Some(Ok(length))) => exactly(from, length)?,
            (None, None) => Vec::new(),
        };
        Ok(request)
    }
}

/// Up to the empty line, which belongs to it.
fn head(from: &mut impl BufRead) -> Result<Vec<u8>, NoRequest> {
    let mut head = Vec::new();
    loop {
        let before = head.len();
        let left = LONGEST_HEAD - before as u64;
        from.by_ref().take(left).read_until(b'\n', &mut head).map_err(|_| NoRequest::Gone)?;
        match &head[before..] {
            [] if before == 0 => return Err(NoRequest::Gone),
            // An empty line before a request is passed over.
            b"\r\n" | b"\n" if before == 0 => head.clear(),
            b"\r\n" | b"\n" => return Ok(head),
            [.., b'\n'] => {}
            _ if head.len() as u64 >= LONGEST_HEAD => return Err(NoRequest::Refused(431)),
            _ => return Err(NoRequest::Gone),
        }
    }
}

fn exactly(from: &mut impl BufRead, length: u64) -> Result<Vec<u8>, NoRequest> {
    let mut body = Vec::new();
    from.by_ref().take(length).read_to_end(&mut body).map_err(|_| NoRequest::Gone)?;
    if body.len() as u64 == length { Ok(body) } else { Err(NoRequest::Gone) }
}

fn chunks(from: &mut impl BufRead) -> Result<Vec<u8>, NoRequest> {
    let mut body = Vec::new();
    loop {
        let size = match httparse::parse_chunk_size(&line(from)?) {
            Ok(httparse::Status::Complete((_, size))) => size,
            Ok(httparse::Status::Partial) | Err(_) => return Err(NoRequest::Refused(400)),
        };
        if size > LONGEST_BODY - body.len() as u64 {
            return Err(NoRequest::Refused(413));
        }
        if size == 0 {
            // Trailers, up to an empty line; nobody reads them.
            for _ in 0..MOST_HEADERS {
                if line(from)?.len() <= 2 {
                    return Ok(body);
                }
            }
            return Err(NoRequest::Refused(431));
        }
        body.append(&mut exactly(from, size)?);
        if line(from)?.len() > 2 {
            return Err(NoRequest::Refused(400));
        }
    }
}

fn line(from: &mut impl BufRead) -> Result<Vec<u8>, NoRequest> {
    let mut line = Vec::new();
    from.by_ref().take(4096).read_until(b'\n', &mut line).map_err(|_| NoRequest::Gone)?;
    if line.ends_with(b"\n") { Ok(line) } else { Err(NoRequest::Refused(400)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The method, the target and the body, or the status that refuses it; 0: nobody is there.
    fn check(text: &str, expect: Result<(&str, &str, &str), u16>) {
        let got = Request::read(&mut text.as_bytes(), &mut Vec::new());
        let got = match &got {
            Ok(request) => Ok((&*request.method, &*request.target, std::str::from_utf8(&request.body).unwrap())),
            Err(NoRequest::Gone) => Err(0),
            Err(NoRequest::Refused(status)) => Err(*status),
        };
        assert_eq!(got, expect, "{text}");
    }

    #[test]
    fn heads_and_bodies() {
        check("GET /a?b HTTP/1.1\r\nHost: h\r\n\r\n", Ok(("GET", "/a?b", "")));
        check("\r\nPOST / HTTP/1.0\nContent-Length: 3\n\na=b", Ok(("POST", "/", "a=b")));
        check(
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na=\r\n1;x\r\nb\r\n0\r\nT: x\r\n\r\n",
            Ok(("POST", "/", "a=b")),
        );
    }

    #[test]
    fn what_is_no_request_or_too_much() {
        check("", Err(0));
        check("GET / HTTP/1.1\r\nHost", Err(0));
        check("GET / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab", Err(0));
        check("GET\r\n\r\n", Err(400));
        check("GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", Err(400));
        check("POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", Err(400));
        check("POST / HTTP/1.1\r\nContent-Length: 4194305\r\n\r\n", Err(413));
        check("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", Err(413));
        check(&format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(40_000)), Err(431));
    }
}
