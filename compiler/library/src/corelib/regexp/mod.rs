//! Module `regexp`. Functions spec, 7.15 and 15.5: patterns in RE2 syntax, matched in time linear in the text.

mod bracket;
mod class;
mod error;
mod escape;
mod fold;
mod group;
mod matcher;
mod parser;
mod program;
mod property;
mod repeat;
mod search;
#[cfg(test)]
mod tests;

pub(super) static DEFS: &[&super::FnDef] = &[&matcher::DEF];
