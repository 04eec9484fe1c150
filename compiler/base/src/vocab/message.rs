//! Lines for people.

use super::subject::never;
use super::{Change, Effect};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Probe, Finding, Watch, Fact }

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// A line of output.
    Print { text: String },
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        let Step::Print { text } = self;
        write!(f, "print {text}")
    }

    fn audit(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str("print")
    }

    fn effect(&self) -> Effect {
        Effect::Message
    }
}
