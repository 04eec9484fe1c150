//! [`Origins`]: where the running program describes a resource. The compiler is asked when somebody wants to know, so it
//! costs nothing before.

use crate::embed::contract::{Program, Shown};
use crate::embed::{STACK, Sandbox};
use crate::lock::Mutex;
use std::sync::Arc;
use std::time::Duration;

/// How long an answer may take. Half of what `mclive why` waits.
const PATIENCE: Duration = Duration::from_millis(2500);

pub(crate) struct Origins {
    program: Mutex<Arc<Program>>,
    hostname: String,
    shown: Shown,
}

impl Origins {
    pub(crate) fn new(program: Program, hostname: String, shown: Shown) -> Origins {
        Origins { program: Mutex::new(Arc::new(program)), hostname, shown }
    }

    /// Another program runs now.
    pub(crate) fn replace(&self, program: Program) {
        *self.program.lock() = Arc::new(program);
    }

    /// Lines with places, from the inside out; empty if that is not known.
    pub(crate) async fn of(self: Arc<Origins>, resource: String) -> Vec<String> {
        let (send, answer) = tokio::sync::oneshot::channel();
        let find = move || {
            // Nobody may be waiting any more.
            let _ = send.send(self.find(&resource));
        };
        if std::thread::Builder::new().name("origin".into()).stack_size(STACK).spawn(find).is_err() {
            return Vec::new();
        }
        tokio::time::timeout(PATIENCE, answer).await.ok().and_then(Result::ok).unwrap_or_default()
    }

    fn find(&self, resource: &str) -> Vec<String> {
        let program = self.program.lock().clone();
        let lines =
            Sandbox::start().and_then(|mut sandbox| sandbox.origin(&program, &self.hostname, resource, &self.shown));
        // The answer does without it.
        lines.unwrap_or_default()
    }
}
