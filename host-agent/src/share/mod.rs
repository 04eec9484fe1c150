//! Programs under short links.
//!
//! ```text
//! JSON --Shared::read--> a checked program --canonical--> bytes --Store::put--> Id     (POST, `mclive share`)
//! Id --Store::get--> bytes whose hash begins with the ID --Shared::read--> a program   (links, the page)
//! ```
//!
//! A program is stored once, under the start of the hash of its bytes, and is never changed. So any number of servers
//! share a store without talking to each other, and whoever reads a program can tell whether it is the right one.

mod id;
mod program;
mod remote;
mod store;

pub(crate) use id::{Id, Spelled};
pub(crate) use program::{LARGEST_BODY, Shared, Theme};
pub(crate) use remote::{Link, send};
pub(crate) use store::{Bucket, Fault, Folder, Memory, Put, Store};
