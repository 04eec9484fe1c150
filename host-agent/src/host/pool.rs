//! [`Pool`]: a bounded number of threads for work that waits for disks, so that many files are synced at
//! once; and threads of their own for work that waits for commands.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};

type Job = Box<dyn FnOnce() + Send>;

/// More than processors: what is bounded is how many syncs of a disk are in flight.
const WORKERS: usize = 16;
const STACK: usize = 512 << 10;

#[derive(Default)]
pub(crate) struct Pool {
    shared: Arc<Shared>,
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
}

impl Pool {
    /// Runs a job soon, on one of the workers. Jobs begin in the order in which they come.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        let mut queue = self.shared.queue.lock().expect("no holder panics");
        queue.jobs.push_back(Box::new(job));
        if queue.idle > 0 {
            self.shared.ready.notify_one();
        } else if queue.workers < WORKERS {
            let shared = self.shared.clone();
            let started =
                std::thread::Builder::new().name("worker".into()).stack_size(STACK).spawn(move || work(&shared));
            // Without a further thread those that run take the job in their turn.
            queue.workers += usize::from(started.is_ok());
            assert!(queue.workers > 0, "not even one thread can be started");
        }
    }

    /// Runs a job on a thread of its own: it may wait for as long as a command runs.
    pub(crate) fn run_apart(&self, job: impl FnOnce() + Send + 'static) {
        std::thread::Builder::new()
            .name("command".into())
            .stack_size(STACK)
            .spawn(job)
            .expect("a thread can be started");
    }
}

fn work(shared: &Shared) {
    let mut queue = shared.queue.lock().expect("no holder panics");
    loop {
        match queue.jobs.pop_front() {
            Some(job) => {
                drop(queue);
                job();
                queue = shared.queue.lock().expect("no holder panics");
            }
            None => {
                queue.idle += 1;
                queue = shared.ready.wait(queue).expect("no holder panics");
                queue.idle -= 1;
            }
        }
    }
}
