//! [`WatchSpec`]: a subscription whose only message is "look again".

use super::{CommandSpec, KeyStore, ServeSpec};
use serde::{Deserialize, Serialize};

/// What to watch for one resource. The host says when everything is in place, then once for each
/// change; several changes may be one message. Engine spec and resource spec, 1.4.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct WatchSpec {
    /// Paths, by name: a path that is missing is watched through its nearest existing ancestor. A
    /// trailing slash marks a directory.
    pub paths: Vec<WatchPath>,
    /// Commands, each non-empty line of whose output is a change. One that ends, ends the whole
    /// watch with a failure.
    pub commands: Vec<CommandSpec>,
    /// Keys of a store. A key that ends in `/` stands for all below it.
    pub keys: Vec<(KeyStore, String)>,
    /// A change after each period; 0: none. Units: milliseconds.
    pub every_ms: u64,
    /// A web server to open; each form that is posted to it is a change. One that cannot be opened
    /// ends the whole watch with a failure.
    pub serve: Option<ServeSpec>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WatchPath {
    pub path: String,
    /// With a trailing slash: all directories below, also those that appear later.
    pub recursive: bool,
}
