//! Modules `example` and `example/nested`: small functions for learning and testing. Functions spec, 7.5.

mod flipflop;
mod simple;
mod vumeter;

pub(super) static DEFS: &[&super::FnDef] = &[
    &simple::ANSWER,
    &simple::ERRORBOOL,
    &flipflop::DEF,
    &simple::INT2STR,
    &simple::PLUS,
    &simple::STR2INT,
    &vumeter::DEF,
    &simple::HELLO,
];
