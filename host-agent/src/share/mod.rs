//! Programs with short links.
//!
//! ```text
//! JSON --Shared::read--> a checked program --canonical--> bytes --Store::put--> Id     (POST, `mclive share`)
//! Id --Store::get--> bytes whose hash begins with the ID --Shared::read--> a program   (links, the page)
//! ```
//!
//! A program is stored once, under a prefix of the hash of its bytes, and never changes. So any number of servers can
//! share a store without coordination, and every reader can verify the program.

mod id;
mod object;
mod program;
mod remote;
mod store;

pub(crate) use id::{Id, Spelled};
pub(crate) use object::read as read_object;
pub(crate) use program::{LARGEST_BODY, Shared, Theme, is_version};
pub(crate) use remote::{Link, named, send};
pub(crate) use store::{Bucket, Fault, Folder, Memory, Put, Store};
