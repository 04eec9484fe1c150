//! The running tests, and the standard harness's line about slow ones: a runner that kills a hanging process can name
//! the test.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// As in the standard harness.
const LONG: Duration = Duration::from_secs(60);

/// The running tests with their start, until they are reported.
static AT_WORK: Mutex<BTreeMap<String, Instant>> = Mutex::new(BTreeMap::new());

fn at_work() -> MutexGuard<'static, BTreeMap<String, Instant>> {
    AT_WORK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A test counts as running while this lives.
pub(crate) struct Work(String);

impl Work {
    pub(crate) fn begins(name: &str) -> Work {
        at_work().insert(name.to_owned(), Instant::now());
        Work(name.to_owned())
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        at_work().remove(&self.0);
    }
}

/// Reports slow tests, each once, on a thread that ends with the process.
pub(crate) fn watch() {
    std::thread::spawn(|| {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let mut at_work = at_work();
            let long: Vec<String> =
                at_work.iter().filter(|(_, since)| since.elapsed() >= LONG).map(|(name, _)| name.clone()).collect();
            for name in long {
                at_work.remove(&name);
                // The reader has ended, so there is nothing to inform.
                let _ = writeln!(std::io::stdout(), "test {name} has been running for over 60 seconds");
            }
        }
    });
}
