//! Everything that the agent says goes out here: standard output, standard error, and the log of events.
//!
//! ```text
//! text --filter--> who writes waits (commands: a pipe slows them down)        --> file descriptor
//!              \-> a queue with a bound (runs: nobody waits for a reader) --> a thread --> file descriptor or log
//! ```
//!
//! A reader that has gone is no failure, as for `| head`. Any other failure to write is told once, and is the exit
//! code of a command that has no worse one.

pub(crate) mod file;
mod filter;
mod queue;
mod sink;

pub(crate) use queue::Queue;
pub(crate) use sink::Sink;

use crate::host::words;
use crate::lock::Mutex;
use rustix::io::Errno;
use sink::Standard;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// At the end, who takes nothing for so long is not waited for.
const LAST_WAIT: Duration = Duration::from_secs(2);

static OUT: Stream = Stream::new(Standard::Output);
static ERR: Stream = Stream::new(Standard::Error);

struct Stream {
    standard: Standard,
    /// Of a run: from when on nobody waits.
    queue: OnceLock<Queue>,
    failed: Mutex<Option<Errno>>,
    /// Are machines told what is missing?
    is_json: AtomicBool,
}

/// Text for people, on standard output.
pub(crate) fn print(text: &str) {
    OUT.write(&filter::text(text));
}

/// JSON on standard output.
pub(crate) fn print_json(text: &str) {
    OUT.write(&filter::json(text));
}

/// A text that must come out as it is, such as a program: only a terminal is shown it filtered.
pub(crate) fn print_exact(text: &str) {
    if Standard::Output.is_terminal() { print(text) } else { OUT.write(text) }
}

/// What steers the terminal on purpose: a frame of the live table, made of lines that [`line`] gave.
pub(crate) fn draw(frame: &str) {
    OUT.write(frame);
}

/// A line as it may stand in a frame.
pub(crate) fn line(text: &str) -> String {
    filter::text(text).into_owned()
}

/// A line for people, on standard error.
pub(crate) fn tell(text: &str) {
    ERR.write(&filter::text(&format!("{text}\n")));
    ERR.flush();
}

/// Rendered text, on standard error.
pub(crate) fn tell_text(text: &str) {
    ERR.write(&filter::text(text));
    ERR.flush();
}

/// A line of JSON for a log.
pub(crate) fn json_line(text: &str) -> String {
    filter::json(text).into_owned() + "\n"
}

/// What was printed is to be seen now.
pub(crate) fn flush() {
    OUT.flush();
}

/// Has the reader of standard output gone, so that nothing more need be made?
pub(crate) fn is_unread() -> bool {
    *OUT.failed.lock() == Some(Errno::PIPE)
}

/// Has all that was printed been taken?
pub(crate) fn is_idle() -> bool {
    OUT.queue.get().is_none_or(Queue::is_idle)
}

/// From here on nobody waits for a reader. `for_machines`: what is missing is told in JSON.
pub(crate) fn outlive_readers(for_machines: bool) -> std::io::Result<()> {
    OUT.is_json.store(for_machines, Ordering::Relaxed);
    for stream in [&OUT, &ERR] {
        let missing: fn(u64) -> String = if stream.is_json.load(Ordering::Relaxed) { missing_json } else { missing };
        let queue = Queue::start(stream.standard.name(), ToStandard { stream }, missing)?;
        // Called once; a second queue would have nobody who writes to it.
        let _ = stream.queue.set(queue);
    }
    Ok(())
}

/// The end of the program: what waits is written, if somebody reads it. Was all of it written that somebody wanted?
pub(crate) fn finish() -> bool {
    let mut is_whole = true;
    for stream in [&OUT, &ERR] {
        let n_lost = stream.queue.get().map_or(0, |queue| queue.finish(LAST_WAIT));
        let failed = stream.failed.lock().filter(|errno| *errno != Errno::PIPE);
        if n_lost > 0 && failed.is_none() {
            let name = stream.standard.name();
            tell(&format!("mclive: warning: {n_lost} lines were not written: the reader of {name} was too slow"));
        }
        is_whole &= failed.is_none();
    }
    if let Some(queue) = ERR.queue.get() {
        queue.finish(LAST_WAIT / 10);
    }
    is_whole
}

impl Stream {
    const fn new(standard: Standard) -> Stream {
        Stream { standard, queue: OnceLock::new(), failed: Mutex::new(None), is_json: AtomicBool::new(false) }
    }

    fn write(&'static self, text: &str) {
        match self.queue.get() {
            Some(queue) => queue.push(text),
            None => self.write_now(text.as_bytes(), &|| {}),
        }
    }

    fn flush(&self) {
        if let Some(queue) = self.queue.get() {
            queue.flush();
        }
    }

    fn write_now(&self, bytes: &[u8], moves: &dyn Fn()) {
        let mut failed = self.failed.lock();
        // Who has gone does not come back; a disk may.
        if *failed == Some(Errno::PIPE) {
            return;
        }
        let before = *failed;
        drop(failed);
        let written = self.standard.write(bytes, moves);
        failed = self.failed.lock();
        let Err(errno) = written else { return };
        *failed = Some(errno);
        drop(failed);
        if before.is_none() && self.standard == Standard::Output {
            let goes_on = self.queue.get().map_or("", |_| "; the run continues without it");
            match errno {
                Errno::PIPE if goes_on.is_empty() => {}
                Errno::PIPE => tell("mclive: warning: standard output was closed; the run continues"),
                errno => tell(&format!("mclive: error: cannot write to standard output: {}{goes_on}", words(errno))),
            }
        }
    }
}

struct ToStandard {
    stream: &'static Stream,
}

impl Sink for ToStandard {
    fn write(&mut self, bytes: &[u8], moves: &dyn Fn()) {
        self.stream.write_now(bytes, moves);
    }
}

fn missing(n: u64) -> String {
    format!("mclive: {n} lines were dropped here: the reader was too slow\n")
}

/// The same for machines.
pub(crate) fn missing_json(n: u64) -> String {
    format!("{{\"type\":\"missing\",\"lines\":{n}}}\n")
}
