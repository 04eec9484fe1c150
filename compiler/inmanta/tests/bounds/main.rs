//! Whatever a template asks for, it ends within its budget: with a result or a fault, and without more memory than is stated.
//!
//! Work is counted, so these tests do not look at a clock. What is held is measured with an allocator that counts, which is
//! why the tests of this file run one after the other.

mod calls;
mod issue;
mod random;
mod unseen;
mod watch;

use mclive_base::source::MemoryWorld;
use mclive_inmanta::eval::Limits;
use mclive_inmanta::{Setup, compile};
use peak_alloc::PeakAlloc;
use std::sync::{Mutex, PoisonError};
use watch::Watch;

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// What a template that makes all that it may holds at most, in MiB: what it made, once more what minijinja makes of it
/// before it hands it on, and the doubling of a text that grows.
const MOST_HELD: f32 = 700.0;

/// How a model ended.
#[derive(Debug)]
struct Ended {
    /// What is wrong, at the bottom of its causes; empty if nothing is.
    message: String,
    /// MiB, beyond what was held before.
    held: f32,
}

impl Ended {
    fn is_refused(&self) -> bool {
        ["exceeds the work limit", "creates more than", "nests more than", "did not finish", "of memory"]
            .iter()
            .any(|part| self.message.contains(part))
    }
}

/// Compiles a model whose module `m` has a template.
fn run(model: &str, template: &str) -> Ended {
    run_within(model, template, Limits::default())
}

fn run_within(model: &str, template: &str, limits: Limits) -> Ended {
    static ONE: Mutex<()> = Mutex::new(());
    let _alone = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let text = format!("import m\n{model}\nrendered = std::template(\"m/t\")\n");
    let _watch = Watch::begin(format!("{text}\n--- the template:\n{template}"));
    let files = [
        ("/main.cf", text.as_bytes()),
        ("/libs/m/model/_init.cf", b"".as_slice()),
        ("/libs/m/templates/t", template.as_bytes()),
    ];
    let world = MemoryWorld::of(files);
    let before = ALLOCATED.current_usage_as_mb();
    ALLOCATED.reset_peak_usage();
    let compilation = compile(&world, "/main.cf", &Setup { limits, ..Setup::default() });
    let held = ALLOCATED.peak_usage_as_mb() - before;
    let Some(mut fault) = compilation.faults.first().map(|fault| &**fault) else {
        return Ended { message: String::new(), held };
    };
    while let Some(cause) = fault.causes.first() {
        fault = cause;
    }
    Ended { message: fault.foreign_cause.clone().unwrap_or_else(|| fault.message.clone()), held }
}
