//! The first resource graph of a program, on a host that answers immediately: for `check`, `plan` and the corpus.

use super::{Interpreter, ResGraph, asked, autoedge, autogroup};
use crate::diag::{Diagnostic, Diags, Stage, codes};
use crate::fgraph::Ir;
use crate::gather;
use crate::kinds::{self, Claim};
use crate::react::{Answer, React, first_table};
use crate::source::MemoryWorld;
use crate::vocab::{Datum, FactSpec, HostError, HostErrorKind, file};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The passes to run over the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passes {
    /// Add automatic edges.
    pub autoedge: bool,
    /// Group automatically, and validate again as an engine does.
    pub autogroup: bool,
    /// Run the part of validation that needs the host. Not for a simulated host, which has hardly any files.
    pub ask_host: bool,
}

/// Runs the program up to its first complete table and makes its resource graph.
///
/// Errors: those of the first stage that has any.
pub fn first_graph(
    ir: Arc<Ir>,
    files: Arc<MemoryWorld>,
    answer: &mut Answer<'_>,
    passes: Passes,
) -> Result<ResGraph, Diags> {
    let mut react = React::new(ir, files);
    first_table(&mut react, answer).map_err(|failures| {
        let mut diags = Diags::default();
        failures.into_iter().for_each(|failure| diags.push(failure));
        diags
    })?;
    graph_of(&react, answer, passes)
}

/// The resource graph of a complete table.
pub(super) fn graph_of(react: &React, answer: &mut Answer<'_>, passes: Passes) -> Result<ResGraph, Diags> {
    let graph = Interpreter::default().interpret(react.table())?;
    finished(graph, answer, passes)
}

/// The resource graph of a language, after the passes over it.
pub fn finished(mut graph: ResGraph, answer: &mut Answer<'_>, passes: Passes) -> Result<ResGraph, Diags> {
    if passes.autogroup {
        validate(&graph)?;
    }
    if passes.ask_host {
        validate_there(&graph, answer)?;
    }
    if passes.autoedge {
        let facts: BTreeMap<FactSpec, Datum> = gather::map(asked(&graph).into_iter().filter_map(|spec| {
            let fact = answer(&spec, 0)?.ok()?;
            Some((spec, fact))
        }));
        autoedge(&mut graph, &|spec| facts.get(spec));
    }
    if passes.autogroup
        && let Err(error) = autogroup(&mut graph)
    {
        let mut diags = Diags::default();
        diags.push(*error);
        return Err(diags);
    }
    Ok(graph)
}

/// The part of validation that needs the host. In the existing implementation the two are one, so it counts as making
/// the resources.
fn validate_there(graph: &ResGraph, answer: &mut Answer<'_>) -> Result<(), Diags> {
    let mut diags = Diags::default();
    let shown = || graph.resources.values().filter(|resource| !resource.meta.hidden);
    let asking = || shown().map(|resource| (resource, resource.kind.asks_host(&resource.want())));
    // Files that the program itself provides need not exist before.
    let claims = asking().any(|(_, questions)| !questions.is_empty());
    let claims = claims.then(|| shown().flat_map(|resource| resource.kind.claims(&resource.want())));
    let path_of = |claim: Claim| if let Claim::File(path) = claim { Some(path) } else { None };
    let brought: BTreeSet<String> = gather::set(claims.into_iter().flatten().filter_map(path_of));
    let is_brought = |spec: &FactSpec| match spec {
        FactSpec::File(file::Fact::State { path }) => {
            let path = path.trim_end_matches('/');
            brought.contains(path) || brought.contains(&format!("{path}/"))
        }
        _ => false,
    };
    for (resource, questions) in asking() {
        let mut known = |spec: &FactSpec| if is_brought(spec) { None } else { found(spec, answer(spec, 0)?) };
        let facts: Vec<Option<Datum>> = questions.iter().map(&mut known).collect();
        if let Err(reason) = resource.kind.validate_there(&resource.want(), &facts) {
            let message = format!("`{}` is not valid on this host: {reason}", resource.id);
            let diag = Diagnostic::error(codes::NOT_VALID, Stage::Interpret, message);
            diags.push(match resource.span {
                Some(span) => diag.at(span, "this resource"),
                None => diag,
            });
        }
    }
    if diags.has_errors() { Err(diags) } else { Ok(()) }
}

/// What an answer means for validation; `None`: unknown.
fn found(spec: &FactSpec, answered: Result<Datum, HostError>) -> Option<Datum> {
    match (spec, answered) {
        // For a function this is an error; for a resource, nothing is there.
        (FactSpec::File(file::Fact::State { .. }), Err(error)) if error.kind == HostErrorKind::NotADirectory => {
            Some(file::state(None))
        }
        (_, answered) => answered.ok(),
    }
}

/// The engine's own validation of each resource.
fn validate(graph: &ResGraph) -> Result<(), Diags> {
    let mut diags = Diags::default();
    for resource in graph.resources.values() {
        if let Err(reason) = kinds::validate(resource.kind, &resource.want()) {
            let message = format!("`{}` is not valid: {reason}", resource.id);
            let diag = Diagnostic::error(codes::NOT_VALID, Stage::Validate, message);
            diags.push(match resource.span {
                Some(span) => diag.at(span, "this resource"),
                None => diag,
            });
        }
    }
    if diags.has_errors() { Err(diags) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_below_a_file() {
        let spec = FactSpec::File(file::Fact::State { path: "/a/b".into() });
        let failed = |kind| Err(HostError::new(kind, "stat /a/b: failed"));
        assert_eq!(found(&spec, failed(HostErrorKind::NotADirectory)), Some(file::state(None)));
        assert_eq!(found(&spec, failed(HostErrorKind::PermissionDenied)), None);
    }
}
