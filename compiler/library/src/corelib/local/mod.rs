//! Module `local`: data kept on this host for the program. Functions spec, 7.10.

mod pool;
mod vardir;

pub(super) static DEFS: &[&super::FnDef] = &[&pool::DEF, &vardir::DEF];
