//! [`Power`]: what a program must be allowed, as the policy judges it.

use super::CommandSpec;
use std::borrow::Cow;

/// One thing that a probe, step, watch or fact needs to be allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Power<'a> {
    /// To read what is at a path.
    Read(&'a str),
    /// To change what is at a path.
    Write(&'a str),
    /// To run a command.
    Run(Cow<'a, CommandSpec>),
    /// To serve on an address.
    Listen(&'a str),
}
