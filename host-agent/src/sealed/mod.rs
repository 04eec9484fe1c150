//! Values that are sealed for chosen hosts: those who can read the store see for which hosts they are, but not the
//! content. World specification, 18.
//!
//! ```text
//! value > a box for each key of each host (SealingKey) > Sealed > sealed/KEY       `mclive world set --seal-for`
//! sealed/KEY > Sealed > the box of this host (OpeningKey) > value                   the agent of each of them
//! ```
//!
//! A box is a sealed box of libsodium (X25519, XSalsa20-Poly1305). Anyone with the public key of a host can make one,
//! so a box says nothing about who made it. Its content names the value and the cluster, so a box that was moved to
//! another value is not valid.

mod keys;
mod parts;
mod recipients;
mod value;

pub(crate) use keys::{OpeningKey, SealingKey};
pub(crate) use parts::parts;
pub(crate) use recipients::Recipients;
pub(crate) use value::{LONGEST, Sealed, Unopened, ValueName};
