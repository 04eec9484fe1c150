//! Lints: what is allowed but probably not meant. In: the files of a program that compiles. Out: warnings with codes
//! `W…`.
//!
//! A lint looks at one file's tree and never at values, so that an editor has it at once. It is written to stay quiet
//! when in doubt. Files of downloaded modules are not looked at: their users cannot mend them.

mod broken;
mod commands;
mod hosts;
mod levels;
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

/// What is below this directory belongs to others.
const MODULES: &str = "/modules/";

/// A program that compiles, as lints look at it.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub world: &'a dyn ProgramFiles,
    pub path: &'a str,
    pub setup: Setup<'a>,
    pub sources: &'a Sources,
    /// The trees of its files.
    pub modules: &'a [Module],
}

/// Lints all files of a program. Out: by file and place, without what a comment or the levels allow; then what is wrong
/// with definitions that nothing uses.
pub fn lint(subject: Subject<'_>, switches: &Switches, levels: &Levels) -> Diags {
    let Subject { sources, modules, .. } = subject;
    let mut diags = Diags::default();
    let mut unused = BTreeSet::new();
    for module in modules.iter().filter(|module| !sources.get(module.file).path.starts_with(MODULES)) {
        let mut found = switches.problems(module.file);
        unused::find(module, sources.get(module.file), &mut found);
        tree::find(module, &mut found);
        hosts::find(module, sources.get(module.file), &mut found);
        let names = found.iter().filter(|one| DEFINITIONS.contains(&one.code)).filter_map(Diagnostic::judged_span);
        unused.extend(names);
        found.sort_by_key(Diagnostic::judged_span);
        let heard = found.into_iter().filter_map(|one| switches.hear(one, levels));
        heard.for_each(|one| diags.push(one));
    }
    diags.extend(filter(broken::definitions(subject, &unused), switches, levels));
    diags
}

/// What is said of a definition that nothing uses.
const DEFINITIONS: [Code; 3] = [codes::UNUSED_VARIABLE, codes::UNUSED_FUNCTION, codes::UNUSED_CLASS];

/// Leaves out the lints that a comment or the levels allow.
pub fn filter(found: Diags, switches: &Switches, levels: &Levels) -> Diags {
    let mut diags = Diags::default();
    found.into_vec().into_iter().filter_map(|one| switches.hear(one, levels)).for_each(|one| diags.push(one));
    diags
}

/// Whether a diagnostic is one that can be switched.
fn is_lint(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Warning && diagnostic.code.is_lint()
}
