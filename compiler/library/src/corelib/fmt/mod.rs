//! Module `fmt`: text from values. Functions spec, 7.6 and section 8.

mod format;
mod printf;

pub(super) static DEFS: &[&super::FnDef] = &[&printf::DEF];
