//! Attributes of a machine's firmware: files of the kernel's that take a value whole. They are looked at as files are.

use super::subject::never;
use super::{Change, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Probe, Finding, Watch, Fact }

/// Gives an attribute another value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// Of the file that takes the value.
    pub path: String,
    pub key: String,
    pub value: String,
    pub now: String,
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        write!(f, "set the firmware attribute {}: {} → {}", self.key, self.now, self.value)
    }

    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Write(&self.path)]
    }
}
