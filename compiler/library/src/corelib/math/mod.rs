//! Module `math`. Functions spec, 7.12.

pub(crate) mod exp;
mod fortytwo;
mod minus1;
mod modulo;
pub(crate) mod power;

pub(super) static DEFS: &[&super::FnDef] = &[&fortytwo::DEF, &minus1::DEF, &modulo::DEF, &power::DEF, &power::SQRT];
