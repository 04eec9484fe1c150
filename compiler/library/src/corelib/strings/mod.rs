//! Module `strings`. Functions spec, 7.16. Texts are bytes that are usually UTF-8.

mod case;
mod pad;
pub(crate) mod replace;
pub(crate) mod split;
mod substr;
mod test;
pub(crate) mod trim;

pub(super) static DEFS: &[&super::FnDef] = &[
    &test::CONTAINS,
    &test::HAS_PREFIX,
    &test::HAS_SUFFIX,
    &split::JOIN_NONEMPTY,
    &pad::LEFT,
    &pad::RIGHT,
    &replace::DEF,
    &split::DEF,
    &substr::DEF,
    &case::LOWER,
    &case::UPPER,
    &trim::DEF,
];
