//! [`Prefixes`]: the names that the imports of a block, and its includes with an alias, put before others.
//!
//! Imports come before includes, so a prefix keeps its index, and the indices by name stay valid.

use crate::hir::{Alias, Import, Include};
use crate::ident::Name;
use crate::scope::env::EnvId;
use crate::span::Span;
use rustc_hash::FxHashMap;
use std::ops::Index;

/// An import, or an include with an alias.
#[derive(Debug)]
pub(in crate::scope) struct Prefix<'a> {
    /// `None` for a star import.
    pub alias: Option<Name>,
    /// The import or include statement.
    pub span: Span,
    /// The scope it stands for.
    pub target: Target<'a>,
    /// The alias is derived from the path, so the program does not spell it.
    is_derived: bool,
    /// The include, if it is one whose alias is not a duplicate.
    include: Option<&'a Include>,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::scope) enum Target<'a> {
    Env(EnvId),
    /// An include whose class body has no scope yet.
    Include(&'a Include, Span),
    /// Its scope is being made: a lookup now comes from inside it.
    Opening,
    /// Already reported: lookups in it cause no errors.
    Broken,
}

#[derive(Debug, Default)]
pub(in crate::scope) struct Prefixes<'a> {
    /// Imports, then includes, each in source order.
    list: Vec<Prefix<'a>>,
    /// Where the includes begin.
    n_imports: usize,
    /// The first import of each import string.
    import_names: FxHashMap<Name, Span>,
    /// The candidates for the first part of a dotted name.
    by_chunk: FxHashMap<Name, Vec<usize>>,
    /// The star imports.
    stars: Vec<usize>,
}

impl<'a> Prefixes<'a> {
    /// Adds an import; all come before the includes. The alias of a star import is ignored.
    pub(in crate::scope) fn add_import(&mut self, import: &Import, span: Span, alias: Name, target: Target<'a>) {
        let is_derived = import.alias == Alias::Default && alias != import.path;
        let at = self.list.len();
        let alias = match import.alias {
            Alias::Star => {
                self.stars.push(at);
                None
            }
            Alias::Default | Alias::Name(_) => {
                self.by_chunk.entry(first_part(&alias).into()).or_default().push(at);
                Some(alias)
            }
        };
        self.import_names.entry(import.path.clone()).or_insert(span);
        self.list.push(Prefix { alias, span, target, is_derived, include: None });
        self.n_imports = self.list.len();
    }

    /// Adds an include with an alias. Of includes with equal aliases the first one counts.
    pub(in crate::scope) fn add_include(&mut self, include: &'a Include, alias: &Name, span: Span, is_broken: bool) {
        let known = self.by_chunk.entry(alias.clone()).or_default();
        let is_double = known.iter().any(|at| *at >= self.n_imports);
        known.push(self.list.len());
        let target = if is_double || is_broken { Target::Broken } else { Target::Include(include, span) };
        let include = (!is_double).then_some(include);
        self.list.push(Prefix { alias: Some(alias.clone()), span, target, is_derived: false, include });
    }

    /// All of them: imports, then includes, each in source order.
    pub(in crate::scope) fn all(&self) -> impl Iterator<Item = &Prefix<'a>> {
        self.list.iter()
    }

    /// The star imports.
    pub(in crate::scope) fn stars(&self) -> impl Iterator<Item = &Prefix<'a>> {
        self.stars.iter().map(move |at| &self.list[*at])
    }

    /// Whether there are includes.
    pub(in crate::scope) fn has_includes(&self) -> bool {
        self.list.len() > self.n_imports
    }

    /// The indices of those that may provide a name, in the order in which they were added.
    pub(in crate::scope) fn candidates(&self, name: &str) -> Vec<usize> {
        if self.list.is_empty() {
            return Vec::new();
        }
        let chunk = name.split_once('.').and_then(|(chunk, _)| self.by_chunk.get(chunk));
        let mut candidates: Vec<usize> = chunk.into_iter().flatten().chain(&self.stars).copied().collect();
        candidates.sort_unstable();
        candidates
    }

    /// The index of an include; `None` if another include has its alias.
    pub(in crate::scope) fn index_of(&self, include: &Include) -> Option<usize> {
        let same = |at: &&usize| self.list[**at].include.is_some_and(|other| std::ptr::eq(other, include));
        self.by_chunk.get(include.alias.as_ref()?)?.iter().find(same).copied()
    }

    /// The first import of an import string.
    pub(in crate::scope) fn first_import(&self, name: &Name) -> Option<Span> {
        self.import_names.get(name).copied()
    }

    /// The first one with an alias.
    pub(in crate::scope) fn first_with(&self, alias: &Name) -> Option<&Prefix<'a>> {
        let mut behind = self.by_chunk.get(first_part(alias)).into_iter().flatten().map(move |at| &self.list[*at]);
        behind.find(|prefix| prefix.alias.as_ref() == Some(alias))
    }

    /// The first import whose alias is this one and is derived from its path. `alias` has no dots.
    pub(in crate::scope) fn first_derived(&self, alias: &Name) -> Option<&Prefix<'a>> {
        let mut behind = self.by_chunk.get(alias).into_iter().flatten().map(move |at| &self.list[*at]);
        behind.find(|prefix| prefix.is_derived && prefix.alias.as_ref() == Some(alias))
    }

    pub(in crate::scope) fn set_target(&mut self, at: usize, target: Target<'a>) {
        self.list[at].target = target;
    }
}

impl<'a> Index<usize> for Prefixes<'a> {
    type Output = Prefix<'a>;

    fn index(&self, at: usize) -> &Prefix<'a> {
        &self.list[at]
    }
}

/// The first part of a dotted name.
fn first_part(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Id;
    use crate::span::FileId;

    fn span(at: usize) -> Span {
        Span::new(FileId(0), at, at + 1)
    }

    fn import(path: &str, alias: Alias) -> Import {
        Import { path: path.into(), path_span: span(0), alias }
    }

    fn include(alias: &str) -> Include {
        Include { class: "c".into(), class_span: span(0), args: Vec::new(), alias: Some(alias.into()) }
    }

    fn env() -> Target<'static> {
        Target::Env(EnvId::from_index(0))
    }

    #[test]
    fn a_dotted_name_may_be_in_its_alias_and_in_each_star_import() {
        let mut prefixes = Prefixes::default();
        prefixes.add_import(&import("a", Alias::Star), span(1), "".into(), env());
        prefixes.add_import(&import("b/c", Alias::Default), span(2), "c".into(), env());
        prefixes.add_import(&import("d", Alias::Name("e.f".into())), span(3), "e.f".into(), env());
        assert_eq!(prefixes.candidates("c.x"), [0, 1]);
        assert_eq!(prefixes.candidates("e.f.x"), [0, 2]);
        assert_eq!(prefixes.candidates("x"), [0]);
        assert_eq!(prefixes.first_with(&"e.f".into()).map(|import| import.span), Some(span(3)));
        assert!(prefixes.first_with(&"e".into()).is_none());
        assert_eq!(prefixes.first_derived(&"c".into()).map(|import| import.span), Some(span(2)));
        assert!(!prefixes.has_includes());
    }

    #[test]
    fn of_includes_with_one_alias_the_first_counts() {
        let (first, second) = (include("x"), include("x"));
        let mut prefixes = Prefixes::default();
        prefixes.add_import(&import("x", Alias::Default), span(1), "x".into(), env());
        prefixes.add_include(&first, &"x".into(), span(2), false);
        prefixes.add_include(&second, &"x".into(), span(3), false);
        assert_eq!((prefixes.index_of(&first), prefixes.index_of(&second)), (Some(1), None));
        assert!(matches!(prefixes[1].target, Target::Include(..)));
        assert!(matches!(prefixes[2].target, Target::Broken));
        assert!(prefixes.first_derived(&"x".into()).is_none(), "the program spells it");
        assert!(prefixes.has_includes());
    }
}
