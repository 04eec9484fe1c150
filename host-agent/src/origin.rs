//! [`Origins`]: where the running program describes a resource. The compiler is only asked on request, so it costs
//! nothing otherwise.

use crate::embed::contract::{Program, Shown};
use crate::embed::{STACK, Sandbox};
use crate::lock::Mutex;
use crate::program::Loaded;
use std::sync::Arc;
use std::time::Duration;

/// How long an answer may take. Half of what `mclive why` waits.
const PATIENCE: Duration = Duration::from_millis(2500);

pub(crate) struct Origins {
    running: Mutex<Arc<Running>>,
    hostname: String,
}

/// The program that runs, and how its places are shown: a part of a model has another folder in each.
struct Running {
    program: Program,
    shown: Shown,
}

impl Running {
    fn of(loaded: &Loaded) -> Arc<Running> {
        Arc::new(Running { program: loaded.program.clone(), shown: loaded.shown(false) })
    }
}

impl Origins {
    pub(crate) fn new(loaded: &Loaded, hostname: String) -> Origins {
        Origins { running: Mutex::new(Running::of(loaded)), hostname }
    }

    /// Another program runs now.
    pub(crate) fn replace(&self, loaded: &Loaded) {
        *self.running.lock() = Running::of(loaded);
    }

    /// How the places of the program that runs are shown.
    pub(crate) fn shown(&self, colour: bool) -> Shown {
        Shown { colour, ..self.running.lock().shown.clone() }
    }

    /// Lines with places, from the inside out; empty if that is not known.
    pub(crate) async fn of(self: Arc<Origins>, resource: String) -> Vec<String> {
        let (send, answer) = tokio::sync::oneshot::channel();
        let find = move || {
            // The receiver may have stopped waiting.
            let _ = send.send(self.find(&resource));
        };
        if std::thread::Builder::new().name("origin".into()).stack_size(STACK).spawn(find).is_err() {
            return Vec::new();
        }
        tokio::time::timeout(PATIENCE, answer).await.ok().and_then(Result::ok).unwrap_or_default()
    }

    fn find(&self, resource: &str) -> Vec<String> {
        let running = self.running.lock().clone();
        let Running { program, shown } = &*running;
        let lines = Sandbox::start().and_then(|mut sandbox| sandbox.origin(program, &self.hostname, resource, shown));
        // The answer does without it.
        lines.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::deployed;

    /// The model has its own part by then, so the one that is added to it gets another folder.
    #[test]
    fn the_places_of_a_part_are_those_in_the_program_that_runs() {
        let model = |text: &str| deployed("/main.cf", vec![("/main.cf".to_owned(), text.as_bytes().to_vec())]);
        let one = || model("").with_part(model("# one\n"), &[]).unwrap();
        let two = one().with_part(model("# two\n"), &[]).unwrap();
        let origins = Origins::new(&one(), "h".into());
        let folders = || {
            let running = origins.running.lock().clone();
            let elsewhere = [running.shown.elsewhere.clone(), origins.shown(true).elsewhere].concat();
            elsewhere.into_iter().map(|(folder, _)| folder).collect::<Vec<_>>()
        };
        assert_eq!(folders(), ["/partial/1/"; 2]);
        origins.replace(&two);
        assert_eq!(folders(), ["/partial/2/"; 2]);
        assert!(origins.running.lock().program.files.iter().any(|file| file.path == "/partial/2/main.cf"));
    }
}
