//! Names that were probably meant: looked for once a model is refused, so that valid models do not pay for it.

use super::{Failure, Fault, Missing};
use crate::program::{Def, EntityId, NsId, Program};
use mclive_base::diag::suggest::closest;
use mclive_base::span::Span;

/// Adds suggestions to faults and their causes.
pub fn suggest(program: &Program, faults: &mut [Failure]) {
    faults.iter_mut().for_each(|fault| in_fault(program, fault));
}

fn in_fault(program: &Program, fault: &mut Fault) {
    if let Some(meant) = fault.missing.as_ref().and_then(|missing| meant(program, missing, fault.place?.span())) {
        fault.help.push(format!("did you mean `{meant}`?"));
    }
    fault.causes.iter_mut().for_each(|cause| in_fault(program, cause));
}

fn meant(program: &Program, missing: &Missing, span: Span) -> Option<String> {
    match missing {
        Missing::Type(ns, name) => a_type(program, *ns, name),
        Missing::Attribute(entity, name) => closest(name, attributes(program, *entity)).map(str::to_owned),
        Missing::Variable(name) => {
            let (ns, namespace) = program.namespaces.iter().find(|(_, namespace)| namespace.file == span.file)?;
            let holds = |stmt: &crate::ast::StmtId| {
                let body = program.tree.stmts[*stmt].span;
                body.file == span.file && body.start <= span.start && span.end <= body.end
            };
            let around = program.implementations.values().find(|one| one.ns == ns && one.body.iter().any(holds));
            let own = around.into_iter().flat_map(|one| attributes(program, one.entity));
            closest(name, own.chain(namespace.vars.keys().map(|name| &**name))).map(str::to_owned)
        }
    }
}

fn attributes(program: &Program, entity: EntityId) -> impl Iterator<Item = &str> {
    program.entities[entity].slots.keys().map(|name| &**name)
}

/// The same name in a module that is visible here, or else a similar one.
fn a_type(program: &Program, ns: NsId, written: &str) -> Option<String> {
    let here = &program.namespaces[ns];
    if let Some((qualifier, short)) = written.rsplit_once("::") {
        let types = &program.namespaces[*here.visible.get(qualifier)?].types;
        return closest(short, types.keys().map(|name| &**name)).map(|name| format!("{qualifier}::{name}"));
    }
    let is_type = |def: &Def| !matches!(def, Def::Implementation(_));
    let elsewhere =
        here.visible.iter().filter(|(_, ns)| program.namespaces[**ns].types.get(written).is_some_and(is_type));
    if let Some(alias) = elsewhere.map(|(alias, _)| &**alias).min() {
        return Some(format!("{alias}::{written}"));
    }
    let primitives = ["string", "int", "float", "bool", "list", "dict"];
    closest(written, here.types.keys().map(|name| &**name).chain(primitives)).map(str::to_owned)
}
