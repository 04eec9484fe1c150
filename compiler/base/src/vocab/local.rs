//! State that functions keep on this host: numbers of pools, and private directories.

use super::Learn;
use super::subject::never;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Probe, Finding, Step, Watch }

/// All of them are sampled.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Fact {
    /// `Int`: the number of `uid` in the pool: the stored one, or one more than the highest, which is then stored.
    Pool { namespace: String, uid: String },
    /// `Bytes`: an absolute directory with a trailing slash, private to the program and durable,
    /// made on demand (mode 0750) below the host's `vardir/functions/`.
    Dir { path: String },
    /// `Bytes`: an absolute directory with a trailing slash that holds exactly these files (path
    /// below it, content), below the host's `vardir/directory/` and `path`.
    Tree { path: String, files: Vec<(String, Vec<u8>)> },
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Fact::Pool { namespace, uid } => write!(f, "the number of {uid} in the pool {namespace}"),
            Fact::Dir { path } => write!(f, "the directory {path}"),
            Fact::Tree { path, .. } => write!(f, "the files {path}"),
        }
    }
}
