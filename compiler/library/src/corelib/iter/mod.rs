//! Module `iter`: list functions. Functions spec, 7.8. The engine runs those that call a function, with a subgraph per
//! element.

mod flatten;
mod over;
mod range;

pub(super) static DEFS: &[&super::FnDef] =
    &[&over::FILTER, &flatten::DEF, &over::MAP, &range::DEF, &over::REDUCE, &over::ZIP];
