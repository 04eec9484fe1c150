//! The words in which the brain and a host speak: plain data, nothing else.
//!
//! A *fact* is what a core function reads. A *probe* looks, a *step* changes, a *watch* says when
//! to look again. Each is a small closed enum that both bodies, the simulated and the real host,
//! implement completely; one that cannot do something answers with [`HostError::unavailable`],
//! never with silence.

mod datum;
mod error;
mod fact;
mod key_store;
pub mod path;
mod probe;
pub mod serve;
mod step;
mod watch;

pub use datum::Datum;
pub use error::{HostError, HostErrorKind};
pub use fact::FactSpec;
pub use key_store::KeyStore;
pub use probe::{CommandOutcome, CommandSpec, FileKind, FileStat, Finding, Probe};
pub use serve::{Route, RouteKind, ServeSpec, Taken};
pub use step::{Content, Outcome, Step};
pub use watch::{WatchPath, WatchSpec};
