//! [`Facts`]: what the host says of itself while a resource graph is drawn.

use super::{ANY_HOST, LOOKED_AT};
use crate::protocol::Moment;
use crate::rgraph::Passes;
use crate::sim::SimHost;
use crate::vocab::{Datum, FactSpec, HostError};
use std::collections::{BTreeMap, BTreeSet};

/// Facts that were read of a real host.
pub type Known = BTreeMap<FactSpec, Result<Datum, HostError>>;

/// The facts that a graph is made with.
pub(crate) enum Facts {
    Simulated(Box<SimHost>),
    /// With those that were asked for and are not known yet.
    Read {
        known: Known,
        missing: BTreeSet<FactSpec>,
    },
}

impl Facts {
    /// Without facts of a real host, those of a simulated one with this name.
    pub(crate) fn new(known: Option<Known>, host: Option<&str>) -> Facts {
        match known {
            Some(known) => Facts::Read { known, missing: BTreeSet::new() },
            None => Facts::Simulated(Box::new(SimHost::new(host.unwrap_or(ANY_HOST)))),
        }
    }

    pub(crate) fn answer(&mut self, spec: &FactSpec, now: u64) -> Option<Result<Datum, HostError>> {
        match self {
            Facts::Simulated(host) => Some(host.read_fact(Moment(now), spec)),
            Facts::Read { known, missing } => {
                let told = known.get(spec).cloned();
                if told.is_none() {
                    missing.insert(spec.clone());
                }
                told
            }
        }
    }

    /// A real host is asked what validation must know of it as well.
    pub(crate) fn passes(&self) -> Passes {
        match self {
            Facts::Simulated(_) => LOOKED_AT,
            Facts::Read { .. } => Passes { ask_host: true, ..LOOKED_AT },
        }
    }

    /// What must be read of the host before there is a graph.
    pub(crate) fn missing(self) -> Vec<FactSpec> {
        match self {
            Facts::Simulated(_) => Vec::new(),
            Facts::Read { missing, .. } => missing.into_iter().collect(),
        }
    }
}
