//! Module `deploy`: the program's own files. Functions spec, 7.3.

mod directory;
mod host;
mod path;
mod read;

pub(super) static DEFS: &[&super::FnDef] = &[
    &path::ABSPATH,
    &read::READFILE,
    &read::READFILEABS,
    &read::EXISTS,
    &directory::DEF,
    &host::BINARY_PATH,
    &host::BOOTSTRAP_PACKAGES,
];
