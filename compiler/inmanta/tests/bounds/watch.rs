//! [`Watch`]: tells the input of a test that does not end.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "it ends a test that hangs")]

use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long one model may take. Its work is counted, and takes seconds on a slow machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// The maximum number of bytes of an input that are printed: the file has all of it.
const MAX_PRINTED: usize = 20_000;

/// Ends the program with the text of an input, unless it is dropped in time.
pub(crate) struct Watch {
    ended: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    pub(crate) fn begin(input: String) -> Watch {
        let (ended, end) = channel::<()>();
        let thread = std::thread::spawn(move || {
            if end.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                report(&input);
                std::process::abort();
            }
        });
        Watch { ended: Some(ended), thread: Some(thread) }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // The thread waits for nothing else. What it holds is given back before the next model is measured.
        self.ended = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Writes to the error output itself: what a test prints is lost with the program.
fn report(input: &str) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("endless-model.txt");
    let kept = match std::fs::write(&path, input) {
        Ok(()) => format!("; it is in {}", path.display()),
        Err(_) => String::new(),
    };
    let end = (0..=input.len().min(MAX_PRINTED)).rev().find(|end| input.is_char_boundary(*end)).unwrap_or(0);
    let mut out = std::io::stderr();
    let _ = writeln!(out, "a model did not end within {} s{kept}:\n{}", PATIENCE.as_secs(), &input[..end]);
    let _ = out.flush();
}
