//! Machines of `systemd-nspawn`, as systemd-machined knows them.

use super::subject::never;
use super::{Change, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Fact }

/// → `Guest`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    pub name: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    Guest {
        /// The word for how it is: `running`, `opening`, `closing`; `None`: it is not up.
        state: Option<String>,
        /// There is an image of its name.
        has_image: bool,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    pub name: String,
    pub change: Move,
    /// What starts and stops it: see [`unit()`].
    pub unit: String,
    /// How it was when it was looked at.
    pub now: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Move {
    Start,
    Stop,
    /// Ends all of its processes, for one that no unit has started.
    Terminate,
}

/// Its coming and going.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    pub name: String,
}

/// The unit that runs a machine.
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
