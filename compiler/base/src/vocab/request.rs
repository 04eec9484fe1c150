//! What HTTP client resources ask of other hosts.

use super::subject::never;
use super::{Changes, Learn, Listen};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Probe, Finding, Step }

/// A new answer for a resource.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    pub uid: String,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Fact {
    /// `Struct { status Int, output Bytes }`: how the HTTP client resource of this name stands;
    /// 0 and empty when unknown. Again on change.
    Last { uid: String },
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        write!(f, "the answer to {}", self.uid)
    }
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        let Fact::Last { uid } = self;
        write!(f, "the answer to {uid}")
    }

    fn changes(&self) -> Changes {
        let Fact::Last { uid } = self;
        Changes::With(vec![Watch { uid: uid.clone() }.into()])
    }
}
