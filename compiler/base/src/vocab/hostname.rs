//! The host's name.

use super::subject::never;
use super::{Changes, Learn, Listen};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Probe, Finding, Step }

/// Any of the host's names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch;

/// `Bytes`: the host name as the host's own service tells it, again on change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Fact;

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str("the host name")
    }
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str("the host name")
    }

    fn changes(&self) -> Changes {
        Changes::With(vec![Watch.into()])
    }
}
