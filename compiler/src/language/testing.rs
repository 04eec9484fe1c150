//! The interface of the languages to scenarios.

use super::Inmanta;
use crate::diag::Diags;
use crate::engine_language::Mcl;
use mclive_base::shapes::scenario::Covered;
use mclive_base::source::ProgramFiles;
use mclive_inmanta::ast::ExprKind;
use mclive_inmanta::model::Model;
use mclive_inmanta::{Environment, Hosts, understand_in};
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

    /// Every constructor in the program's own files, and whether it made an instance that no later export replaces.
    fn made(&self, given: &Given<'_>) -> Vec<Covered> {
        let understood = understand_in(&**given.world, given.entry, Hosts::None, environment(given));
        understood.models().into_iter().flat_map(|model| constructors(given, model)).collect()
    }
}

fn constructors(given: &Given<'_>, model: Model<'_>) -> Vec<Covered> {
    let (sources, instances) = (&model.compilation.sources, &model.view().store().instances);
    let made: BTreeSet<_> = model.instances().flat_map(|instance| &instances[instance].constructs).collect();
    let found = model.compilation.program.tree.exprs.iter().filter_map(|(id, expr)| match &expr.kind {
        ExprKind::Construct { class, .. } => {
            let source = sources.get(expr.span.file);
            let line = source.line_of(expr.span.start);
            let is_own = given.world.read(&source.path).is_some();
            is_own.then(|| Covered { file: source.path.clone(), line, what: class.text(), seen: made.contains(&id) })
        }
        _ => None,
    });
    found.collect()
}
