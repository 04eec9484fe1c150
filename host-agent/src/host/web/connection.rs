//! One connection: requests one after the other, until either side has enough.

use super::answer::{Answer, answer};
use super::request::{NoRequest, Request};
use super::{Server, Shared};
use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Between two requests.
const IDLE: Duration = Duration::from_secs(120);

pub(super) fn serve(server: &Server, shared: &Shared, id: u64, stream: TcpStream) {
    let Ok(reading) = stream.try_clone() else { return };
    let _ = stream.set_nodelay(true);
    let mut out = stream;
    let mut from = BufReader::new(reading);
    while let Some(spec) = server.set_busy(id, false) {
        let limit = |seconds: u64| (seconds > 0).then(|| Duration::from_secs(seconds));
        let _ = out.set_read_timeout(Some(limit(spec.read_timeout_s).unwrap_or(IDLE).min(IDLE)));
        let _ = out.set_write_timeout(limit(spec.write_timeout_s));
        let request = match Request::read(&mut from, &mut out) {
            Ok(request) => request,
            Err(NoRequest::Gone) => return,
            Err(NoRequest::Refused(status)) => {
                let _ = write(&mut out, &Answer::plain(status), true, false);
                return;
            }
        };
        // What is served may be other than when the connection began to wait.
        let Some(spec) = server.set_busy(id, true) else { return };
        let answer = answer(server, shared, &spec, &request);
        let has_body = request.method != "HEAD";
        if write(&mut out, &answer, has_body, request.keeps).is_err() || !request.keeps {
            return;
        }
    }
}

fn write(out: &mut TcpStream, answer: &Answer<'_>, has_body: bool, keeps: bool) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {} {}\r\n", answer.status, reason(answer.status));
    head.push_str(&format!("Date: {}\r\n", httpdate::fmt_http_date(std::time::SystemTime::now())));
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if answer.status != 304 {
        head.push_str(&format!("Content-Length: {}\r\n", answer.body.len()));
    }
    head.push_str(if keeps { "\r\n" } else { "Connection: close\r\n\r\n" });
    out.write_all(head.as_bytes())?;
    if has_body {
        let length = answer.body.len();
        let sent = std::io::copy(&mut answer.body.reader().take(length), out)?;
        if sent < length {
            // It was cut while we read it: the peer must not take the rest for another answer.
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    out.flush()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        304 => "Not Modified",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        _ => "Internal Server Error",
    }
}
