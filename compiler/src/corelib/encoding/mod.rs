//! Module `encoding`. Functions spec, 7.4.

mod base64;

pub(super) static DEFS: &[&super::FnDef] = &[&base64::ENCODE, &base64::DECODE];
