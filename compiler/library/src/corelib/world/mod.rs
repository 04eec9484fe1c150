//! Modules `world` and `world/collect`: data shared by the hosts of a cluster. Functions spec, 7.21.

mod collect;
mod store;

pub(super) static DEFS: &[&super::FnDef] = &[&store::GETVAL, &store::KVLOOKUP, &store::SCHEDULE, &collect::RES];
