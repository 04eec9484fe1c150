//! Lints: programs that are valid but probably not as intended. In: the files of a program that compiles. Out: warnings
//! with codes `W…`.
//!
//! A lint looks only at one file's tree, never at values, so it is cheap enough for an editor. It stays quiet when in
//! doubt. Files of downloaded modules are skipped: their users cannot fix them.

mod arguments;
mod body;
mod broken;
mod commands;
mod fields;
mod fold;
mod hosts;
mod levels;
mod order;
mod spellings;
mod substitution;
mod switches;
mod tree;
mod unused;
mod words;

pub use levels::{Level, Levels};

use crate::diag::{Code, Diagnostic, Diags, Severity, codes};
use crate::hir::Module;
use crate::source::{ProgramFiles, Sources};
use crate::understand::Setup;
use std::collections::BTreeSet;

pub use switches::Switches;

/// Files below this directory are downloaded.
const MODULES: &str = "/modules/";

/// A program that compiles, as input of the lints.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// Its files.
    pub world: &'a dyn ProgramFiles,
    /// The path of the main file.
    pub path: &'a str,
    /// How it was compiled.
    pub setup: Setup<'a>,
    /// The files that were read.
    pub sources: &'a Sources,
    /// The trees of its files.
    pub modules: &'a [Module],
}

/// Lints all files of a program. Out: warnings by file and place, without those allowed by comments or levels; then
/// problems of unused definitions.
pub fn lint(subject: Subject<'_>, switches: &Switches, levels: &Levels) -> Diags {
    let Subject { sources, modules, .. } = subject;
    let mut diags = Diags::default();
    let mut unused = BTreeSet::new();
    for module in modules.iter().filter(|module| !sources.get(module.file).path.starts_with(MODULES)) {
        let mut found = switches.problems(module.file);
        unused::find(module, sources.get(module.file), &mut found);
        tree::find(module, &mut found);
        order::find(module, &mut found);
        hosts::find(module, sources.get(module.file), &mut found);
        spellings::find(module, &mut found);
        substitution::find(module, sources.get(module.file), &mut found);
        let names = found.iter().filter(|one| DEFINITIONS.contains(&one.code)).filter_map(Diagnostic::judged_span);
        unused.extend(names);
        // All of them are in this file; one without a place comes first.
        found.sort_by_cached_key(|one| one.judged_span().map_or(0, |span| span.in_file() + 1));
        let heard = found.into_iter().filter_map(|one| switches.hear(one, levels));
        heard.for_each(|one| diags.push(one));
    }
    diags.extend(filter(broken::definitions(subject, &unused), switches, levels));
    diags
}

/// The lints about unused definitions.
const DEFINITIONS: [Code; 3] = [codes::UNUSED_VARIABLE, codes::UNUSED_FUNCTION, codes::UNUSED_CLASS];

/// Removes the lints that comments or levels allow.
pub fn filter(found: Diags, switches: &Switches, levels: &Levels) -> Diags {
    let mut diags = Diags::default();
    found.into_vec().into_iter().filter_map(|one| switches.hear(one, levels)).for_each(|one| diags.push(one));
    diags
}

/// Whether a diagnostic is a lint.
fn is_lint(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Warning && diagnostic.code.is_lint()
}
