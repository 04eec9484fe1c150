//! [`Facts`]: information about the host for drawing a resource graph.

use super::{ANY_HOST, LOOKED_AT};
use crate::protocol::Moment;
use crate::rgraph::Passes;
use crate::sim::SimHost;
use crate::vocab::{Datum, FactSpec, HostError};
use std::collections::{BTreeMap, BTreeSet};

/// Facts read from a real host.
pub type HostFacts = BTreeMap<FactSpec, Result<Datum, HostError>>;

/// The facts used to make a graph.
pub(crate) enum Facts {
    Simulated(Box<SimHost>),
    /// Known facts of a real host, with the requested ones that are still missing.
    Read {
        known: HostFacts,
        missing: BTreeSet<FactSpec>,
    },
}

impl Facts {
    /// Without facts of a real host, those of a simulated one with this name.
    pub(crate) fn new(known: Option<HostFacts>, host: Option<&str>) -> Facts {
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

    /// With a real host, validation can use it as well.
    pub(crate) fn passes(&self) -> Passes {
        match self {
            Facts::Simulated(_) => LOOKED_AT,
            Facts::Read { .. } => Passes { ask_host: true, ..LOOKED_AT },
        }
    }

    /// The facts to read from the host before there is a graph.
    pub(crate) fn missing(self) -> Vec<FactSpec> {
        match self {
            Facts::Simulated(_) => Vec::new(),
            Facts::Read { missing, .. } => missing.into_iter().collect(),
        }
    }
}
