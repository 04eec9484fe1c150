//! Module `test`: functions for tests of the language. Functions spec, 7.18.

mod count;
mod once;
mod ticking;

pub(super) static DEFS: &[&super::FnDef] = &[
    &count::FASTCOUNT,
    &ticking::FORKVLOOP,
    &ticking::FORLOOP,
    &once::A,
    &once::B,
    &once::C,
    &once::D,
    &once::E,
    &once::F,
    &once::G,
    &once::H,
    &count::ONE_STREAM,
    &ticking::SLOW_STRING,
];
