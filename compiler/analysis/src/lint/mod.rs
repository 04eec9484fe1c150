//! Lints: what is allowed but probably not meant. In: the files of a program that compiles. Out: warnings with codes
//! `W…`.
//!
//! A lint looks at one file's tree and never at values, so that an editor has it at once. It is written to stay quiet
//! when in doubt. Files of downloaded modules are not looked at: their users cannot mend them.

mod broken;
mod levels;
mod switches;
mod tree;
mod unused;
mod words;

pub use broken::broken_definitions;
pub use levels::{Level, Levels};

use crate::diag::{Code, Diagnostic, Diags, Severity, codes};
use crate::front;
use crate::source::Sources;
use crate::span::{FileId, Span};
use std::collections::BTreeMap;
use switches::Switches;

/// What is below this directory belongs to others.
const MODULES: &str = "/modules/";

/// What the lints found.
#[derive(Default)]
pub struct Linted {
    /// By file and place, without what a comment or the levels allow.
    pub diags: Diags,
    /// The names of all variables, functions and classes that are not used, allowed or not.
    pub unused: Vec<Span>,
}

/// Lints all files of a program.
pub fn lint(sources: &Sources, levels: &Levels) -> Linted {
    let mut linted = Linted::default();
    for (id, source) in sources.iter().filter(|(_, source)| !source.path.starts_with(MODULES)) {
        let module = front::read_module(source, id, &mut Diags::default());
        let switches = Switches::of(&module, source);
        let mut found = switches.problems();
        unused::find(&module, id.0 == 0, &mut found);
        tree::find(&module, &mut found);
        let unused = found.iter().filter(|one| DEFINITIONS.contains(&one.code)).filter_map(Diagnostic::judged_span);
        linted.unused.extend(unused);
        found.retain(|diagnostic| !switches.allow(diagnostic));
        found.sort_by_key(Diagnostic::judged_span);
        found.into_iter().filter_map(|diagnostic| levels.apply(diagnostic)).for_each(|one| linted.diags.push(one));
    }
    linted
}

const DEFINITIONS: [Code; 3] = [codes::UNUSED_VARIABLE, codes::UNUSED_FUNCTION, codes::UNUSED_CLASS];

/// The same lints' switches, for warnings that were found elsewhere.
pub fn filter(found: Diags, sources: &Sources, levels: &Levels) -> Diags {
    let mut diags = Diags::default();
    // A file is read once, however much is said of it.
    let mut switches: BTreeMap<FileId, Switches> = BTreeMap::new();
    for diagnostic in found.into_vec() {
        if !is_lint(&diagnostic) {
            diags.push(diagnostic);
            continue;
        }
        let allowed = diagnostic.judged_span().is_some_and(|span| {
            let switches = switches.entry(span.file).or_insert_with(|| {
                let source = sources.get(span.file);
                Switches::of(&front::read_module(source, span.file, &mut Diags::default()), source)
            });
            switches.allow(&diagnostic)
        });
        if !allowed && let Some(diagnostic) = levels.apply(diagnostic) {
            diags.push(diagnostic);
        }
    }
    diags
}

/// Whether a diagnostic is one that can be switched.
fn is_lint(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Warning && diagnostic.code.is_lint()
}
