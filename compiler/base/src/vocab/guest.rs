//! Machines of `systemd-nspawn`, registered with systemd-machined.

use super::subject::never;
use super::{Change, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Fact }

/// → `Guest`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// The machine's name.
    pub name: String,
}

/// The answer to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The machine.
    Guest {
        /// Its state: `running`, `opening`, `closing`; `None`: it is not running.
        state: Option<String>,
        /// Whether there is an image of its name.
        has_image: bool,
    },
}

/// A change of a machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// The machine's name.
    pub name: String,
    /// What to do.
    pub change: Move,
    /// The unit that starts and stops it: see [`unit()`].
    pub unit: String,
    /// The state that was seen.
    pub now: String,
}

/// A change of the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Move {
    /// Start it.
    Start,
    /// Stop it.
    Stop,
    /// Kill all its processes, if it was not started by a unit.
    Terminate,
}

/// The machine starting or stopping.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    /// The machine's name.
    pub name: String,
}

/// The unit of a machine.
pub fn unit(name: &str) -> String {
    format!("systemd-nspawn@{name}.service")
}

impl Look for Probe {
    type Finding = Finding;

    fn waits(&self) -> bool {
        true
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        let verb = match self.change {
            Move::Start => "start",
            Move::Stop => "stop",
            Move::Terminate => "terminate",
        };
        write!(f, "{verb} the machine {} (is {})", self.name, self.now)
    }

    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Unit(&self.unit)]
    }

    fn waits(&self) -> bool {
        true
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        write!(f, "the machine {}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_say_what_was_before() {
        let step = Step { name: "db".into(), change: Move::Start, unit: unit("db"), now: "stopped".into() };
        assert_eq!(super::super::Step::from(step.clone()).to_string(), "start the machine db (is stopped)");
        assert_eq!(step.powers(), [Power::Unit("systemd-nspawn@db.service")]);
    }
}
