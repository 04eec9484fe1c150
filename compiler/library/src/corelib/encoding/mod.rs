//! Module `encoding`. Functions spec, 7.4.

mod base64;
mod decode;
mod json;
mod type_text;

pub(super) static DEFS: &[&super::FnDef] = &[&base64::ENCODE, &base64::DECODE, &decode::STRICT, &decode::FLEXIBLE];
