//! Attributes of a machine's firmware: kernel files that take a whole value. They are probed as files.

use super::subject::never;
use super::{Change, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Probe, Finding, Watch, Fact }

/// Sets an attribute.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// Path of the file that takes the value.
    pub path: String,
    /// The attribute's name.
    pub key: String,
    /// The new value.
    pub value: String,
    /// The value that was seen.
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
