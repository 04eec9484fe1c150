//! The core function library: every builtin function, constant and variable, one definition each.
//!
//! Definitions are data: inference reads the signature, the engine runs the body, and docs, hover and completion come
//! from the same entry. Functions know types and values, never the tree, the engine or the scheduler.
//!
//! To add a function, write a file with a `DEF`, and add a line to the list of its module; to add a module, make a
//! folder, and add a line to [`LISTS`].

pub mod def;
pub mod docs;

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod bounded;
pub(crate) mod bytes;
mod convert;
mod core;
mod datetime;
mod deploy;
mod encoding;
mod example;
mod facts;
mod fmt;
mod golang;
mod iter;
mod list;
mod local;
mod map;
mod math;
mod mcl;
mod net;
mod os;
mod paths;
mod provisioner;
mod regexp;
mod runnable;
mod state;
mod strings;
mod symbols;
mod sys;
mod testing;
mod ticks;
mod util;
mod value;
mod variables;
mod work;
mod world;

pub use bytes::MAX_TEXT;
pub use def::{
    Args, CallContext, CallSite, Example, FnDef, FnError, IterShape, KnownArg, Label, Long, OUTER_VARS, Progress, Run,
    Shape, Sig, Task,
};
pub use mcl::MclFile;
pub use state::CallState;
pub use variables::{Builtin, Variable};
pub use work::{EVALUATION, ROUND, SLICE, Work};

use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// Every list of functions, in the order of the docs.
static LISTS: &[&[&FnDef]] = &[
    core::DEFS,
    convert::DEFS,
    datetime::DEFS,
    deploy::DEFS,
    encoding::DEFS,
    example::DEFS,
    fmt::DEFS,
    iter::DEFS,
    list::DEFS,
    local::DEFS,
    map::DEFS,
    math::DEFS,
    net::DEFS,
    os::DEFS,
    regexp::DEFS,
    strings::DEFS,
    sys::DEFS,
    testing::DEFS,
    util::DEFS,
    value::DEFS,
    world::DEFS,
    provisioner::DEFS,
];

/// Every function, in the order of the docs.
pub fn all() -> impl Iterator<Item = &'static FnDef> {
    static ALL: OnceLock<Vec<&'static FnDef>> = OnceLock::new();
    let lists = LISTS.iter().chain(golang::LISTS);
    ALL.get_or_init(|| lists.flat_map(|list| list.iter().copied()).collect()).iter().copied()
}

/// The function with this full path: `len`, `golang/strings.to_upper`, `_operator`.
pub fn lookup(path: &str) -> Option<&'static FnDef> {
    static BY_PATH: OnceLock<FxHashMap<&'static str, &'static FnDef>> = OnceLock::new();
    BY_PATH.get_or_init(|| all().map(|def| (def.path, def)).collect()).get(path).copied()
}

/// The functions that are in scope without an import, hidden ones (`_operator`) included.
pub fn top_level() -> impl Iterator<Item = &'static FnDef> {
    core::DEFS.iter().copied()
}

/// The variables and constants that are in scope without an import.
pub fn top_level_variables() -> impl Iterator<Item = &'static Variable> {
    variables::ALL.iter().filter(|variable| variable.module.is_none())
}

/// The content of a system module. Language spec, 7.3.
#[derive(Debug)]
pub struct Module {
    /// Its functions.
    pub functions: Vec<&'static FnDef>,
    /// Its constants and variables.
    pub variables: Vec<&'static Variable>,
    /// Its MCL source files, sorted by name; each file sees only the rest of the module.
    pub files: &'static [MclFile],
    /// The files of a compiled-in module (`embedded/…`), with `metadata.yaml` at its root: used first.
    pub embedded: &'static [MclFile],
}

/// The system module of an import name; `None` if there is none.
pub fn module(name: &str) -> Option<Module> {
    let functions: Vec<_> = all().filter(|def| def.module() == Some(name)).collect();
    let variables: Vec<_> = variables::ALL.iter().filter(|variable| variable.module == Some(name)).collect();
    let (files, embedded) = (mcl::system(name), mcl::embedded(name));
    let is_empty = functions.is_empty() && variables.is_empty() && files.is_empty();
    (!is_empty).then_some(Module { functions, variables, files, embedded })
}

/// The names of all system modules, sorted: for completion and suggestions.
pub fn module_names() -> impl Iterator<Item = &'static str> {
    let names: std::collections::BTreeSet<_> = all().filter_map(FnDef::module).collect();
    names.into_iter()
}
