//! Pools, and directories of functions, below the prefix.

use super::{Backend, Place, absent};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;

use mclive_base::vocab::local::Fact;
use mclive_base::vocab::subjects::Local;
use mclive_base::vocab::{Datum, HostError, Outcome};

impl Backend for Local {
    absent! { probe step watch }

    fn fact(shared: &Shared, fact: &Fact) -> Result<Datum, HostError> {
        match fact {
            Fact::Pool { namespace, uid } => shared.state.pool(namespace, uid).map(Datum::Int),
            Fact::Dir { path } => shared.state.local_dir(path).map(Datum::text),
            Fact::Tree { path, files } => shared.state.local_tree(path, files).map(Datum::text),
        }
    }
}
