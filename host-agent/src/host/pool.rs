//! [`Pool`]: a limited number of threads for work that waits for disks, so that many files are synced at
//! once, and separate threads for work that waits for commands.
//!
//! Both are limited by the number of files that this process may open: excess work waits, so the agent itself never
//! reaches that limit.

use crate::lock::{Condvar, Mutex};
use mclive_base::vocab::{HostError, HostErrorKind};
use rustix::process::{Resource, getrlimit};
use std::collections::VecDeque;
use std::sync::Arc;

type Job = Box<dyn FnOnce() + Send>;

/// More than processors: the limit applies to disk syncs in progress.
const WORKERS: usize = 16;
const STACK: usize = 512 << 10;
/// Files that the rest of the agent keeps open: pipes, watches, the log, libraries.
const OTHER_FILES: usize = 24;
/// A worker holds a directory, an old and a new file, and a source of a copy.
const FILES_OF_WORKER: usize = 5;
/// A command has two pipes, with both ends during its start, a process and a pipe for start errors.
const FILES_OF_COMMAND: usize = 8;
/// The system needs capacity for other processes.
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
    /// Commands that wait until another ends.
    commands: VecDeque<Job>,
    commanding: usize,
}

impl Pool {
    /// A pool for the current limits of this process.
    pub(crate) fn new() -> Pool {
        let files = getrlimit(Resource::Nofile).current.unwrap_or(1 << 20);
        let free = usize::try_from(files).unwrap_or(usize::MAX).saturating_sub(OTHER_FILES);
        Pool {
            shared: Arc::default(),
            n_workers: (free / 2 / FILES_OF_WORKER).clamp(1, WORKERS),
            n_commands: (free / 2 / FILES_OF_COMMAND).clamp(1, MOST_COMMANDS),
        }
    }

    /// Runs a job on one of the workers. Jobs start in the order of their submission.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        let mut queue = self.shared.queue.lock();
        queue.jobs.push_back(Box::new(job));
        // An idle worker may already have been woken for an earlier job.
        if queue.jobs.len() <= queue.idle {
            self.shared.ready.notify_one();
        } else if queue.workers < self.n_workers {
            let shared = self.shared.clone();
            // Without another thread the running workers take the job in turn.
            queue.workers += usize::from(thread("worker", move || work(&shared)));
            assert!(queue.workers > 0, "cannot start a single thread");
        }
    }

    /// Runs a job that waits for a command, on a separate thread, when the limit allows one.
    pub(crate) fn run_command(&self, job: impl FnOnce() + Send + 'static) {
        let mut queue = self.shared.queue.lock();
        queue.commands.push_back(Box::new(job));
        if queue.commanding < self.n_commands {
            let shared = self.shared.clone();
            queue.commanding += usize::from(thread("command", move || command(&shared)));
            assert!(queue.commanding > 0, "cannot start a single thread");
        }
    }

    /// Runs a job that listens until it is asked to end, on a separate thread.
    pub(crate) fn run_apart(&self, job: impl FnOnce() + Send + 'static) -> Result<(), HostError> {
        let no_thread = || HostError::new(HostErrorKind::Unavailable, "cannot start another thread");
        thread("listen", job).then_some(()).ok_or_else(no_thread)
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
                // A job that panics has given its answer; the worker continues.
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

/// Runs one job after the other until none is left.
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
