//! [`Queue`]: lines for a reader that may be slow, blocked or gone. Writing to the queue never blocks.
//!
//! A separate thread does. The size is limited; lines that do not fit are dropped, counted, and reported in their place
//! as soon as there is room again. Without output the thread sleeps without a timer.

use super::sink::Sink;
use crate::lock::{Condvar, Mutex};
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

/// The maximum size of the queue. Units: bytes.
const ROOM: usize = 4 << 20;
/// The size at which the thread is woken without a flush. Units: bytes.
const PLENTY: usize = 64 << 10;

pub(crate) struct Queue {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<Backlog>,
    /// There is something to write.
    ready: Condvar,
    /// Something was written.
    written: Condvar,
    /// The line that replaces missing lines.
    missing: fn(u64) -> String,
}

#[derive(Default)]
struct Backlog {
    waiting: Vec<u8>,
    /// Lines dropped since the last write, at the end of the queue.
    n_dropped: u64,
    n_dropped_ever: u64,
    is_writing: bool,
    n_writes: u64,
    is_flushed: bool,
    /// A thread waits for the output: only then is a notification worth a system call.
    is_awaited: bool,
}

impl Queue {
    pub(crate) fn start(name: &str, mut sink: impl Sink, missing: fn(u64) -> String) -> std::io::Result<Queue> {
        let shared =
            Arc::new(Shared { state: Mutex::default(), ready: Condvar::new(), written: Condvar::new(), missing });
        let of_thread = shared.clone();
        let run = move || of_thread.run(&mut sink);
        std::thread::Builder::new().name(name.into()).stack_size(128 << 10).spawn(run)?;
        Ok(Queue { shared })
    }

    /// Appends whole lines, or text that belongs together.
    pub(crate) fn push(&self, text: &str) {
        let mut state = self.shared.lock();
        state.push(text.as_bytes(), self.shared.missing);
        let is_plenty = state.waiting.len() >= PLENTY;
        drop(state);
        if is_plenty {
            self.flush();
        }
    }

    /// Wakes the thread to write the queue.
    pub(crate) fn flush(&self) {
        let mut state = self.shared.lock();
        // A thread that was woken takes what has come since: each line of a flood would cost a system call otherwise.
        if state.is_flushed || state.waiting.is_empty() {
            return;
        }
        state.is_flushed = true;
        drop(state);
        self.shared.ready.notify_one();
    }

    /// Whether everything has been written.
    pub(crate) fn is_idle(&self) -> bool {
        self.shared.lock().is_idle()
    }

    /// Waits until everything is written, or until the reader has accepted nothing for this long. Returns the number of
    /// lost lines.
    pub(crate) fn finish(&self, patience: Duration) -> u64 {
        self.flush();
        let mut state = self.shared.lock();
        state.is_awaited = true;
        let (mut n_writes, mut since) = (state.n_writes, Instant::now());
        while !state.is_idle() && since.elapsed() < patience {
            state = self.shared.written.wait_timeout(state, patience);
            if state.n_writes != n_writes {
                (n_writes, since) = (state.n_writes, Instant::now());
            }
        }
        let n_left = state.waiting.iter().filter(|byte| **byte == b'\n').count() as u64;
        state.n_dropped_ever + n_left
    }
}

impl Shared {
    fn run(&self, sink: &mut impl Sink) {
        let mut state = self.lock();
        loop {
            state = self.ready.wait_while(state, |state| !state.is_flushed);
            state.is_flushed = false;
            if state.n_dropped > 0 {
                let missing = (self.missing)(std::mem::take(&mut state.n_dropped));
                state.waiting.extend_from_slice(missing.as_bytes());
            }
            let bytes = std::mem::take(&mut state.waiting);
            state.is_writing = true;
            drop(state);
            sink.write(&bytes, &|| self.wrote(&mut self.lock()));
            drop(bytes);
            state = self.lock();
            state.is_writing = false;
            self.wrote(&mut state);
        }
    }

    fn wrote(&self, state: &mut Backlog) {
        state.n_writes += 1;
        if state.is_awaited {
            self.written.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Backlog> {
        self.state.lock()
    }
}

impl Backlog {
    fn push(&mut self, bytes: &[u8], missing: fn(u64) -> String) {
        if !self.waiting.is_empty() && self.waiting.len() + bytes.len() > ROOM {
            let n_lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
            self.n_dropped += n_lines;
            self.n_dropped_ever += n_lines;
            return;
        }
        if self.n_dropped > 0 {
            self.waiting.extend_from_slice(missing(std::mem::take(&mut self.n_dropped)).as_bytes());
        }
        self.waiting.extend_from_slice(bytes);
    }

    fn is_idle(&self) -> bool {
        self.waiting.is_empty() && !self.is_writing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

    /// Accepts one piece each time it is allowed to.
    struct Reluctant {
        lets: Receiver<()>,
        got: Arc<Mutex<String>>,
    }

    impl Sink for Reluctant {
        fn write(&mut self, bytes: &[u8], _moves: &dyn Fn()) {
            let _ = self.lets.recv();
            self.got.lock().push_str(std::str::from_utf8(bytes).unwrap());
        }
    }

    fn reluctant() -> (SyncSender<()>, Arc<Mutex<String>>, Queue) {
        let (lets, receiver) = sync_channel(100);
        let got = Arc::new(Mutex::new(String::new()));
        let sink = Reluctant { lets: receiver, got: got.clone() };
        (lets, got, Queue::start("test", sink, |n| format!("<{n} missing>\n")).unwrap())
    }

    /// As for lines of resources, of which each is flushed.
    #[test]
    fn a_flood_of_flushed_lines_is_written_in_a_few_pieces() {
        let (lets, got, queue) = reluctant();
        let line = |text: &str| {
            queue.push(text);
            queue.flush();
        };
        line("first\n");
        mclive_kit::until("the first line is being written", || queue.shared.lock().is_writing, String::new);
        (0..1000).for_each(|_| line("next\n"));
        (0..2).for_each(|_| lets.send(()).unwrap());
        assert_eq!(queue.finish(Duration::from_secs(30)), 0);
        assert_eq!(*got.lock(), format!("first\n{}", "next\n".repeat(1000)));
    }

    #[test]
    fn who_writes_does_not_wait_and_what_is_dropped_is_told_in_its_place() {
        let (lets, got, queue) = reluctant();
        queue.push("first\n");
        queue.flush();
        // A thread that took the first line among the others would tell twice what was dropped.
        mclive_kit::until("the first line is being written", || queue.shared.lock().is_writing, String::new);
        let line = "x".repeat(99) + "\n";
        // More than fits in the queue and in the write in progress.
        let n_lines = 3 * ROOM / line.len();
        (0..n_lines).for_each(|_| queue.push(&line));
        assert!(queue.shared.lock().waiting.len() <= ROOM);
        assert!(queue.finish(Duration::from_millis(20)) > 0, "a blocked reader is not waited for");
        (0..10).for_each(|_| lets.send(()).unwrap());
        queue.finish(Duration::from_secs(30));
        queue.push("last\n");
        queue.finish(Duration::from_secs(30));
        let got = got.lock();
        let n_got = got.lines().filter(|got| **got == line[..99]).count();
        let told = format!("<{} missing>", n_lines - n_got);
        assert!(got.starts_with("first\n") && got.ends_with("last\n"));
        assert!(got.contains(&told), "{told}");
    }
}
