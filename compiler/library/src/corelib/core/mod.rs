//! Functions without a module: those that syntax compiles to, and those in scope everywhere. Functions spec, sections
//! 4, 5 and 6.

mod collect;
mod concat;
mod contains;
mod field;
mod history;
mod len;
mod lookup;
mod operator;
mod panic;
mod random;

pub(crate) use lookup::{LIST_RUN, MAP_RUN};

use super::FnDef;

pub(super) static DEFS: &[&FnDef] = &[
    &operator::DEF,
    &lookup::SUBSCRIPT,
    &field::DEF,
    &field::OPTIONAL,
    &collect::DEF,
    &concat::DEF,
    &contains::DEF,
    &history::DEF,
    &len::DEF,
    &lookup::LIST,
    &lookup::MAP,
    &panic::DEF,
    &panic::DEBUG,
    &random::DEF,
];
