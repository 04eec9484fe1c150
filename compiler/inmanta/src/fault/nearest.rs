//! Names that were probably meant: searched only after a model was refused, so that valid models are not slowed down.

use super::{Failure, Fault, Missing, Sought};
use crate::ast::{StmtId, StmtKind};
use crate::program::{Def, EntityId, NsId, Program};
use mclive_base::diag::suggest::closest;
use mclive_base::span::Span;

/// The maximum number of attributes of an entity that are listed.
const MOST_NAMED: usize = 20;

/// Adds suggestions to faults and their causes.
pub fn suggest(program: &Program, faults: &mut [Failure]) {
    faults.iter_mut().for_each(|fault| in_fault(program, fault));
}

fn in_fault(program: &Program, fault: &mut Fault) {
    if let Some(Missing::Import(ns, name)) = &fault.missing {
        let visible = &program.namespaces[*ns].visible;
        let there = program.by_name.get(name);
        let alias = visible.iter().filter(|(_, other)| Some(*other) == there).map(|(alias, _)| alias).min();
        fault.help.push(match (alias, closest(name, visible.keys().map(|name| &**name))) {
            (Some(alias), _) => format!("this file imports `{name}` as `{alias}`"),
            (None, Some(meant)) => format!("did you mean `{meant}`?"),
            (None, None) => format!("add `import {name}` to this file"),
        });
    } else if let Some(help) = not_a_variable(program, fault) {
        fault.help.push(help);
    } else if let Some(meant) = fault.missing.as_ref().and_then(|missing| meant(program, missing, fault.place?.span()))
    {
        fault.help.push(format!("did you mean `{meant}`?"));
    } else if let Some(Missing::Attribute(entity, _)) = &fault.missing {
        fault.help.extend(all_attributes(program, *entity));
    } else if let (Some(Missing::Variable(name)), Some(place)) = (&fault.missing, fault.place) {
        if is_in_block(program, name, place.span()) {
            let help = format!("`{name}` is only visible in the block that assigns it: assign it outside of the block");
            fault.help.push(help);
        }
        fault.help.extend(all_variables(program, name, place.span()));
    }
    fault.causes.iter_mut().for_each(|cause| in_fault(program, cause));
}

fn meant(program: &Program, missing: &Missing, span: Span) -> Option<String> {
    match missing {
        Missing::Type(sought, ns, name) => a_type(program, *sought, *ns, name),
        Missing::Import(..) => None,
        Missing::Attribute(entity, name) => closest(name, attributes(program, *entity)).map(str::to_owned),
        Missing::Variable(name) => {
            if let Some((qualifier, short)) = name.rsplit_once("::") {
                let there = named_from(program, qualifier, span)?;
                let names = program.namespaces[there].vars.keys().map(|name| &**name);
                return closest(short, names).map(|meant| format!("{qualifier}::{meant}"));
            }
            let (ns, namespace) = program.namespaces.iter().find(|(_, namespace)| namespace.file == span.file)?;
            if name.len() < 2 || is_in_block(program, name, span) {
                return None;
            }
            let holds = |stmt: &crate::ast::StmtId| {
                let body = program.tree.stmts[*stmt].span;
                body.file == span.file && body.start <= span.start && span.end <= body.end
            };
            let around = program.implementations.values().find(|one| one.ns == ns && one.body.iter().any(holds));
            let own = around.into_iter().flat_map(|one| attributes(program, one.entity));
            let here = own.chain(namespace.vars.keys().map(|name| &**name));
            closest(name, here).map(str::to_owned).or_else(|| elsewhere(program, ns, name))
        }
    }
}

/// What to write instead of a function or type that is used like a variable.
fn not_a_variable(program: &Program, fault: &Fault) -> Option<String> {
    let Some(Missing::Variable(name)) = &fault.missing else { return None };
    let file = fault.place?.span().file;
    let (ns, namespace) = program.namespaces.iter().find(|(_, namespace)| namespace.file == file)?;
    let (there, short) = match name.rsplit_once("::") {
        Some((qualifier, short)) => (*namespace.visible.get(qualifier)?, short),
        None => (ns, &**name),
    };
    match program.namespaces[there].types.get(short)? {
        Def::Function(_) => Some(format!("`{name}` is a function: call it, as in `{name}(...)`")),
        Def::Typedef(_) => Some(format!("`{name}` is a type, not a value")),
        Def::Entity(_) | Def::Implementation(_) => None,
    }
}

/// Whether a block of the file, of a `for` or an `if`, has a variable of this name.
fn is_in_block(program: &Program, name: &str, span: Span) -> bool {
    let assigns = |body: &[StmtId]| {
        body.iter().any(|stmt| match &program.tree.stmts[*stmt].kind {
            StmtKind::Assign { target, .. } => target.namespace.is_none() && *target.name == *name,
            StmtKind::Set { .. } | StmtKind::For { .. } | StmtKind::If { .. } | StmtKind::Expr(_) => false,
        })
    };
    program.tree.stmts.values().filter(|stmt| stmt.span.file == span.file).any(|stmt| match &stmt.kind {
        StmtKind::For { var, body, .. } => **var == *name || assigns(body),
        StmtKind::If { then, otherwise, .. } => assigns(then) || assigns(otherwise),
        StmtKind::Assign { .. } | StmtKind::Set { .. } | StmtKind::Expr(_) => false,
    })
}

/// The namespace that is called like this in the file of a place.
fn named_from(program: &Program, qualifier: &str, span: Span) -> Option<NsId> {
    let namespace = program.namespaces.values().find(|namespace| namespace.file == span.file)?;
    namespace.visible.get(qualifier).copied()
}

/// The variables of a module, of which none is similar to a qualified name.
fn all_variables(program: &Program, name: &str, span: Span) -> Option<String> {
    let (qualifier, _) = name.rsplit_once("::")?;
    let there = named_from(program, qualifier, span)?;
    let names: Vec<String> = program.namespaces[there].vars.keys().map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => Some(format!("`{qualifier}` has no variables")),
        1 => Some(format!("the only variable of `{qualifier}` is {}", names[0])),
        2..=MOST_NAMED => Some(format!("the variables of `{qualifier}` are {}", names.join(", "))),
        _ => None,
    }
}

/// The attributes that an entity has, of which none is similar.
fn all_attributes(program: &Program, entity: EntityId) -> Option<String> {
    let is_own = |name: &&str| !matches!(*name, "requires" | "provides");
    let names: Vec<String> = attributes(program, entity).filter(is_own).map(|name| format!("`{name}`")).collect();
    match names.len() {
        1 => Some(format!("its only attribute is {}", names[0])),
        2..=MOST_NAMED => Some(format!("its attributes are {}", names.join(", "))),
        _ => None,
    }
}

/// A variable of a module that is visible here.
fn elsewhere(program: &Program, ns: NsId, name: &str) -> Option<String> {
    let mut visible: Vec<(&str, NsId)> =
        program.namespaces[ns].visible.iter().map(|(alias, ns)| (&**alias, *ns)).collect();
    visible.sort_unstable();
    visible.into_iter().find_map(|(alias, there)| {
        let mut names = program.namespaces[there].vars.keys().map(|name| &**name).filter(|_| there != ns);
        let same = names.clone().find(|known| *known == name);
        let found = same.or_else(|| closest(name, names.by_ref()))?;
        Some(format!("{alias}::{found}"))
    })
}

/// What a function of other languages is called here.
fn foreign_function(name: &str) -> Option<&'static str> {
    Some(match name {
        "range" => "std::sequence",
        "str" => "string",
        "size" => "std::count",
        "env" | "getenv" | "environ" => "std::get_env",
        "echo" | "println" | "puts" | "log" | "debug" => "std::print",
        "substr" | "substring" => "std::limit",
        "sorted" | "sort" => "std::key_sort",
        _ => return None,
    })
}

fn attributes(program: &Program, entity: EntityId) -> impl Iterator<Item = &str> {
    program.entities[entity].slots.keys().map(|name| &**name)
}

/// Whether a definition is what is sought.
fn is_sought(sought: Sought, def: &Def) -> bool {
    match sought {
        Sought::Type => matches!(def, Def::Typedef(_)),
        Sought::Entity => matches!(def, Def::Entity(_)),
        Sought::Implementation => matches!(def, Def::Implementation(_)),
        Sought::Function => matches!(def, Def::Function(_)),
    }
}

/// What a type of other languages is called here.
fn foreign_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "str" | "text" | "char" | "varchar" => "string",
        "integer" | "long" | "uint" | "short" => "int",
        "boolean" => "bool",
        "double" | "real" | "decimal" => "float",
        "map" | "hash" | "object" | "dictionary" => "dict",
        "array" | "vector" | "tuple" => "list",
        _ => return None,
    })
}

/// An entity that is written without its capital.
fn entity_in_lower_case<'p>(program: &'p Program, ns: NsId, written: &str) -> Option<&'p str> {
    let mut types = program.namespaces[ns].types.iter();
    types.find_map(|(name, def)| {
        let is_it = matches!(def, Def::Entity(_)) && **name != *written && name.eq_ignore_ascii_case(written);
        is_it.then_some(&**name)
    })
}

/// The same name in a module that is visible here, or else a similar one here, in the named module or in `std`.
fn a_type(program: &Program, sought: Sought, ns: NsId, written: &str) -> Option<String> {
    let here = &program.namespaces[ns];
    let names_of = |ns: NsId| {
        let types = program.namespaces[ns].types.iter();
        types.filter(move |(_, def)| is_sought(sought, def)).map(|(name, _)| &**name)
    };
    if let Some((qualifier, short)) = written.rsplit_once("::") {
        let there = *here.visible.get(qualifier)?;
        let entity = entity_in_lower_case(program, there, short);
        return entity.or_else(|| closest(short, names_of(there))).map(|name| format!("{qualifier}::{name}"));
    }
    if let Some(known) = foreign_type(written).filter(|_| sought == Sought::Type) {
        return Some(known.to_owned());
    }
    if let Some(entity) = entity_in_lower_case(program, ns, written) {
        return Some(entity.to_owned());
    }
    let mut elsewhere: Vec<(&str, NsId)> = here.visible.iter().map(|(alias, ns)| (&**alias, *ns)).collect();
    elsewhere.sort_unstable();
    let is_there =
        |(_, ns): &&(&str, NsId)| program.namespaces[*ns].types.get(written).is_some_and(|def| is_sought(sought, def));
    if let Some((alias, _)) = elsewhere.iter().find(is_there) {
        return Some(format!("{alias}::{written}"));
    }
    let primitives: &[&str] = match sought {
        Sought::Type => &["string", "int", "float", "bool", "list", "dict"],
        Sought::Function => &["string", "int", "float", "bool"],
        Sought::Entity | Sought::Implementation => &[],
    };
    if let Some(name) = closest(written, names_of(ns).chain(primitives.iter().copied())) {
        return Some(name.to_owned());
    }
    if let Some(known) = foreign_function(written).filter(|_| sought == Sought::Function) {
        return Some(known.to_owned());
    }
    let std = *here.visible.get("std")?;
    closest(written, names_of(std)).map(|name| format!("std::{name}"))
}
