//! The interface of the languages to scenarios.

use super::Inmanta;
use crate::diag::Diags;
use crate::engine_language::Mcl;
use mclive_base::shapes::scenario::Covered;
use mclive_base::source::ProgramFiles;
use mclive_inmanta::ast::ExprKind;
use mclive_inmanta::{Environment, Hosts, Setup, compile, main_file, understand_in};
use mclive_scenario::{Given, Testable};
use std::collections::BTreeSet;

/// The languages whose programs can be tested.
pub static TESTABLE: [&dyn Testable; 2] = [&Mcl, &Inmanta];

fn environment(given: &Given<'_>) -> Environment {
    Environment::whole(given.environment.iter().map(|(name, value)| (name.clone(), value.clone())))
}

impl Testable for Inmanta {
    fn errors(&self, given: &Given<'_>) -> Diags {
        understand_in(&**given.world, given.entry, Hosts::One(given.hostname), environment(given)).diags
    }

    /// Every constructor in the program's own files, and whether it made an instance.
    fn made(&self, given: &Given<'_>) -> Vec<Covered> {
        let setup = Setup { environment: environment(given), ..Setup::default() };
        let compilation = compile(&**given.world, &main_file(given.entry), &setup);
        let tree = &compilation.program.tree;
        let made: BTreeSet<_> = compilation.store.instances.iter().flat_map(|(_, held)| &held.constructs).collect();
        let constructors = tree.exprs.iter().filter_map(|(id, expr)| match &expr.kind {
            ExprKind::Construct { class, .. } => {
                let source = compilation.sources.get(expr.span.file);
                let line = source.line_of(expr.span.start);
                let is_own = given.world.read(&source.path).is_some();
                is_own.then(|| Covered {
                    file: source.path.clone(),
                    line,
                    what: class.text(),
                    seen: made.contains(&id),
                })
            }
            _ => None,
        });
        constructors.collect()
    }
}
