//! Requests to Amazon's interfaces, and to those of others that speak them: signed, for who has the keys.

mod credentials;
mod sign;

pub(crate) use credentials::Credentials;
pub(crate) use sign::{Request, Scope};

/// Where the metadata service of an instance is.
pub(crate) const METADATA: &str = "http://169.254.169.254";
