//! The figures of a run over HTTP, for Prometheus: `GET /metrics`. One thread, one request at a time.

use crate::show::Show;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(5);
const LONGEST_REQUEST: u64 = 16 << 10;

/// Serves until the program ends. The address that was bound.
pub(crate) fn serve(address: SocketAddr, show: Arc<Show>) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind(address)?;
    let bound = listener.local_addr()?;
    std::thread::Builder::new().name("prometheus".into()).stack_size(256 << 10).spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = answer(stream, &show);
        }
    })?;
    Ok(bound)
}

fn answer(stream: TcpStream, show: &Show) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new((&stream).take(LONGEST_REQUEST));
    let mut request = String::new();
    reader.read_line(&mut request)?;
    // The rest of the request says nothing that matters, but it is heard to its end.
    let mut line = String::new();
    while reader.read_line(&mut line)? > 0 && !line.trim_end().is_empty() {
        line.clear();
    }
    let mut words = request.split_whitespace();
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = path.split('?').next().unwrap_or_default();
    let (status, body) = match (method, path) {
        ("GET" | "HEAD", "/metrics") => ("200 OK", show.metrics_text()),
        ("GET" | "HEAD", "/") => ("200 OK", "mclive: see /metrics\n".to_string()),
        ("GET" | "HEAD", _) => ("404 Not Found", "there is only /metrics\n".to_string()),
        _ => ("405 Method Not Allowed", String::new()),
    };
    let mut stream = &stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if method != "HEAD" {
        stream.write_all(body.as_bytes())?;
    }
    Ok(())
}
