//! [`Progress`]: what an engine reports while it pulls an image: a line of JSON for each part of each layer. A long
//! pull exceeds the limit for a response, so the lines are processed as they arrive.

use serde_json::Value;

/// The longest line that is read, and how much of the answer is kept. Units: bytes.
const LONGEST: usize = 256 << 10;

#[derive(Default)]
pub(super) struct Progress {
    /// The beginning of the answer, which may be a refusal.
    pub(super) head: Vec<u8>,
    line: Vec<u8>,
    failed: Option<String>,
}

impl Progress {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        add(&mut self.head, bytes);
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            add(&mut self.line, piece);
            if piece.ends_with(b"\n") {
                self.end_line();
            }
        }
    }

    /// Errors: why the pull has failed. The engine reported success before it began.
    pub(super) fn end(mut self) -> Result<(), String> {
        self.end_line();
        self.failed.map_or(Ok(()), Err)
    }

    fn end_line(&mut self) {
        let told: Value = serde_json::from_slice(&std::mem::take(&mut self.line)).unwrap_or_default();
        if let Some(why) = told.get("error").and_then(Value::as_str) {
            self.failed.get_or_insert_with(|| why.to_owned());
        }
    }
}

fn add(to: &mut Vec<u8>, bytes: &[u8]) {
    let room = LONGEST.saturating_sub(to.len());
    to.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

#[cfg(test)]
mod tests {
    use super::super::engine::Engine;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    /// The end of a pull from an engine that says this.
    fn pulled(status: &str, body: &str) -> Result<(), String> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let engine = Engine::Net(format!("http://{}", listener.local_addr().unwrap()));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let (mut stream, _) = listener.accept().unwrap();
                assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
                let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\n\r\n");
                // The other end may have left.
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
            });
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().unwrap();
            runtime.block_on(engine.pull("", "h/x:1")).map_err(|error| error.message)
        })
    }

    #[test]
    fn a_long_pull_is_heard_to_its_end() {
        let line = format!("{{\"status\":\"Downloading\",\"progress\":\"{}\"}}\n", "=".repeat(1000));
        let many = line.repeat(17_000);
        assert_eq!(pulled("200 OK", &many), Ok(()));
        let failed = format!("{many}{{\"error\":\"no space left\"}}\n{line}");
        assert_eq!(pulled("200 OK", &failed), Err("pull the image h/x:1: no space left".into()));
        assert_eq!(pulled("200 OK", "{\"error\":\"no such tag\"}"), Err("pull the image h/x:1: no such tag".into()));
        let refused = pulled("404 Not Found", "{\"message\":\"no such image\"}");
        assert_eq!(refused, Err("pull the image h/x:1: no such image".into()));
    }
}
