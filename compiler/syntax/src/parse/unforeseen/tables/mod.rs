//! The mistakes that are known by their text. The first pattern that matches counts, so the more specific one comes
//! first.

mod blocks;
mod calls;
mod collections;
mod comments;
mod configs;
mod declared;
mod definitions;
mod edges;
mod ends;
mod files;
mod functions;
mod half;
mod heads;
mod infrastructure;
mod kinds;
mod languages;
mod modules;
mod operators;
mod params;
mod pasted;
mod programs;
mod quoted;
mod quotes;
mod resources;
mod shell;
mod sql;
mod strings;
mod tools;
mod types;
mod values;

use super::Mistake;

/// All tables in the order in which they are asked.
pub(super) const ALL: &[&[Mistake]] = &[
    quotes::TABLE,
    comments::TABLE,
    infrastructure::TABLE,
    pasted::TABLE,
    tools::TABLE,
    configs::TABLE,
    files::TABLE,
    declared::TABLE,
    kinds::TABLE,
    calls::TABLE,
    sql::TABLE,
    languages::TABLE,
    values::TABLE,
    programs::TABLE,
    shell::TABLE,
    modules::TABLE,
    edges::TABLE,
    params::TABLE,
    definitions::TABLE,
    blocks::TABLE,
    heads::TABLE,
    resources::TABLE,
    operators::TABLE,
    functions::TABLE,
    collections::TABLE,
    strings::TABLE,
    types::TABLE,
    ends::TABLE,
    half::TABLE,
];

/// What is reported at foreign quotes instead of the quotes; only these are asked there.
pub(super) const AT_QUOTES: &[&[Mistake]] = &[quoted::TABLE];
