//! Module `convert`. Functions spec, 7.1.

mod bool;
mod float;
mod int;
pub(crate) mod number;

pub(super) static DEFS: &[&super::FnDef] =
    &[&bool::FORMAT, &bool::PARSE, &int::PARSE, &float::PARSE, &float::TO_FLOAT, &float::TO_INT, &int::FORMAT];
