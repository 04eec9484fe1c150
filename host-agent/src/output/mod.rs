//! All output of the agent: standard output, standard error, and the log of events.
//!
//! ```text
//! text --filter--> direct writes (commands: a pipe slows them down)         --> file descriptor
//!              \-> a bounded queue (runs: never block on a reader) --> a thread --> file descriptor or log
//! ```
//!
//! A closed pipe is not a failure, as for `| head`. Any other write failure is reported once, and determines the exit
//! code of a command that has no worse one.

pub(crate) mod file;
mod filter;
pub(crate) mod live;
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

/// At the end, how long to wait for a reader that accepts nothing.
const LAST_WAIT: Duration = Duration::from_secs(2);

static OUT: Stream = Stream::new(Standard::Output);
static ERR: Stream = Stream::new(Standard::Error);

struct Stream {
    standard: Standard,
    /// The queue of a run: from then on nothing blocks.
    queue: OnceLock<Queue>,
    failed: Mutex<Option<Errno>>,
    /// Missing output is reported in JSON.
    is_json: AtomicBool,
}

/// Prints text on standard output, without colours.
pub(crate) fn print(text: &str) {
    OUT.write(&filter::plain(text));
}

/// Prints text that the agent may have coloured; whatever others wrote must be visible in it already.
pub(crate) fn print_coloured(text: &str) {
    OUT.write(&filter::coloured(text));
}

/// Prints JSON on standard output.
pub(crate) fn print_json(text: &str) {
    OUT.write(&filter::json(text));
}

/// Prints text, or JSON, on standard output.
pub(crate) fn say(text: &str, is_json: bool) {
    if is_json { print_json(text) } else { print(text) }
}

/// Prints a text unchanged, such as a program: it is filtered only for a terminal.
pub(crate) fn print_exact(text: &str) {
    if Standard::Output.is_terminal() { print(text) } else { OUT.write(text) }
}

/// Prints a frame of the live table, with its terminal controls; its lines come from [`line()`].
pub(crate) fn draw(frame: &str) {
    OUT.write(frame);
}

/// Filters a line for a frame.
pub(crate) fn line(text: &str) -> String {
    filter::coloured(text).into_owned()
}

/// Prints a line on standard error.
pub(crate) fn tell(text: &str) {
    ERR.write(&filter::plain(&format!("{text}\n")));
    ERR.flush();
}

/// Prints rendered text on standard error, with its colours.
pub(crate) fn tell_text(text: &str) {
    ERR.write(&filter::coloured(text));
    ERR.flush();
}

/// Filters a line of JSON for a log.
pub(crate) fn json_line(text: &str) -> String {
    filter::json(text).into_owned() + "\n"
}

/// Writes what was printed so far.
pub(crate) fn flush() {
    OUT.flush();
}

/// Whether the reader of standard output is gone, so that no more output is needed.
pub(crate) fn is_unread() -> bool {
    *OUT.failed.lock() == Some(Errno::PIPE)
}

/// Whether everything printed has been written.
pub(crate) fn is_idle() -> bool {
    OUT.queue.get().is_none_or(Queue::is_idle)
}

/// From here on output never blocks. `for_machines`: missing output is reported in JSON.
pub(crate) fn outlive_readers(for_machines: bool) -> std::io::Result<()> {
    OUT.is_json.store(for_machines, Ordering::Relaxed);
    for stream in [&OUT, &ERR] {
        let missing: fn(u64) -> String = if stream.is_json.load(Ordering::Relaxed) { missing_json } else { missing };
        let queue = Queue::start(stream.standard.name(), ToStandard { stream }, missing)?;
        // Called once; a second queue would never be written to.
        let _ = stream.queue.set(queue);
    }
    Ok(())
}

/// At the end of the program: writes the queued output if it is read. Returns whether all wanted output was written.
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
        // A closed pipe stays closed; a full disk may recover.
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

/// The same in JSON.
pub(crate) fn missing_json(n: u64) -> String {
    format!("{{\"type\":\"missing\",\"lines\":{n}}}\n")
}
