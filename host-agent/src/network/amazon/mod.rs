//! Requests to Amazon's interfaces and compatible ones, signed with the user's keys.

mod credentials;
mod sign;

pub(crate) use credentials::Credentials;
pub(crate) use sign::{Request, Scope};

/// The metadata service of an instance.
pub(crate) const METADATA: &str = "http://169.254.169.254";
