//! Which hosts are elected for a task.

use super::subject::never;
use super::{Changes, Learn, Listen};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Probe, Finding, Step }

/// The result for a name space.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    pub namespace: String,
}

/// `List` of `Bytes`: the hosts elected for a name space; empty before a first result. Again on change.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Fact {
    pub namespace: String,
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        write!(f, "the schedule {}", self.namespace)
    }
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        write!(f, "the schedule {}", self.namespace)
    }

    fn changes(&self) -> Changes {
        Changes::With(vec![Watch { namespace: self.namespace.clone() }.into()])
    }
}
