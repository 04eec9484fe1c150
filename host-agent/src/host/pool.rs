//! [`Pool`]: a bounded number of threads for work that waits for disks, so that many files are synced at
//! once; and threads of their own for work that waits for commands.
//!
//! Both are bounded by how many files this process may have open: a limit that we would reach by our own
//! zeal is never met, what is too much waits its turn.

use crate::lock::{Condvar, Mutex};
use rustix::process::{Resource, getrlimit};
use std::collections::VecDeque;
use std::sync::Arc;

type Job = Box<dyn FnOnce() + Send>;

/// More than processors: what is bounded is how many syncs of a disk are in flight.
const WORKERS: usize = 16;
const STACK: usize = 512 << 10;
/// What the rest of the agent has open: pipes, watches, the log, the library's own.
const OTHER_FILES: usize = 24;
/// A worker holds a directory, an old and a new file, and one that is copied.
const FILES_OF_WORKER: usize = 5;
/// A command has two pipes, at its start with both ends, a process and the way back of its start.
const FILES_OF_COMMAND: usize = 8;
/// A system has other things to do.
const MOST_COMMANDS: usize = 1024;

pub(crate) struct Pool {
    shared: Arc<Shared>,
    n_workers: usize,
    n_commands: usize,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    ready: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    workers: usize,
    idle: usize,
    /// Commands that wait until another has ended.
    commands: VecDeque<Job>,
    commanding: usize,
}

impl Pool {
    /// Under the limits of this process as they are now.
    pub(crate) fn new() -> Pool {
        let files = getrlimit(Resource::Nofile).current.unwrap_or(1 << 20);
        let free = usize::try_from(files).unwrap_or(usize::MAX).saturating_sub(OTHER_FILES);
        Pool {
            shared: Arc::default(),
            n_workers: (free / 2 / FILES_OF_WORKER).clamp(1, WORKERS),
            n_commands: (free / 2 / FILES_OF_COMMAND).clamp(1, MOST_COMMANDS),
        }
    }

    /// Runs a job soon, on one of the workers. Jobs begin in the order in which they come.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        let mut queue = self.shared.queue.lock();
        queue.jobs.push_back(Box::new(job));
        // Whoever is idle may have been woken for an earlier job already.
        if queue.jobs.len() <= queue.idle {
            self.shared.ready.notify_one();
        } else if queue.workers < self.n_workers {
            let shared = self.shared.clone();
            // Without a further thread those that run take the job in their turn.
            queue.workers += usize::from(thread("worker", move || work(&shared)));
            assert!(queue.workers > 0, "cannot start a single thread");
        }
    }

    /// Runs a job that waits for a command, on a thread of its own, as soon as there is room for one.
    pub(crate) fn run_command(&self, job: impl FnOnce() + Send + 'static) {
        let mut queue = self.shared.queue.lock();
        queue.commands.push_back(Box::new(job));
        if queue.commanding < self.n_commands {
            let shared = self.shared.clone();
            queue.commanding += usize::from(thread("command", move || command(&shared)));
            assert!(queue.commanding > 0, "cannot start a single thread");
        }
    }

    /// Runs a job that only listens, until it is told to end, on a thread of its own.
    pub(crate) fn run_apart(&self, job: impl FnOnce() + Send + 'static) -> bool {
        thread("listen", job)
    }
}

fn thread(name: &str, job: impl FnOnce() + Send + 'static) -> bool {
    std::thread::Builder::new().name(name.into()).stack_size(STACK).spawn(job).is_ok()
}

fn work(shared: &Shared) {
    let mut queue = shared.queue.lock();
    loop {
        match queue.jobs.pop_front() {
            Some(job) => {
                drop(queue);
                // A job that panics has had its say; the worker goes on.
                let _ = super::sound_of_mind(job);
                queue = shared.queue.lock();
            }
            None => {
                queue.idle += 1;
                queue = shared.ready.wait(queue);
                queue.idle -= 1;
            }
        }
    }
}

/// One job after the other, as long as there are any.
fn command(shared: &Shared) {
    let mut queue = shared.queue.lock();
    while let Some(job) = queue.commands.pop_front() {
        drop(queue);
        let _ = super::sound_of_mind(job);
        queue = shared.queue.lock();
    }
    queue.commanding -= 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_panics_takes_no_worker_with_it() {
        let pool = Pool::new();
        let (send, heard) = std::sync::mpsc::channel();
        for _ in 0..2 * WORKERS {
            pool.run(|| panic!("on purpose"));
            pool.run_command(|| panic!("on purpose"));
        }
        let again = send.clone();
        pool.run(move || send.send("worker").unwrap());
        pool.run_command(move || again.send("command").unwrap());
        let mut both = [heard.recv().unwrap(), heard.recv().unwrap()];
        both.sort_unstable();
        assert_eq!(both, ["command", "worker"]);
    }

    #[test]
    fn a_panic_is_an_answer() {
        assert_eq!(crate::host::sound_of_mind(|| 1).unwrap(), 1);
        let error = crate::host::sound_of_mind(|| -> u8 { panic!("at {}", "once") }).unwrap_err();
        assert!(error.message.contains("at once") && error.message.contains("report"), "{}", error.message);
    }
}
