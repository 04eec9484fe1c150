//! Looks up types by name. Spec, 4.3.

use crate::ast::Path;
use crate::fault::{Class, Failure, Fault, Location, Missing, Sought};
use crate::program::{Def, NsId, Primitive, Program};

/// The meaning of a type name.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TypeLookup {
    /// A primitive type.
    Primitive(Primitive),
    /// A definition.
    Def(Def),
}

/// Looks up a name of a type, function or implementation in a namespace. What is sought matters to messages only.
pub fn find_type(program: &Program, ns: NsId, path: &Path, sought: Sought) -> Result<TypeLookup, Failure> {
    let here = &program.namespaces[ns];
    let written = path.text();
    let not_found = |namespace: &str| {
        Fault::new(Class::TypeNotFound, format!("could not find type {written} in namespace {namespace}"))
            .at(Location::Column(path.span))
            .missing(Missing::Type(sought, ns, written.as_str().into()))
    };
    if let Some(qualifier) = &path.namespace {
        let Some(target) = here.visible.get(qualifier) else {
            let message = format!(
                "could not find type {written} in namespace {}.\nTry importing the module with `import {qualifier}` in {}",
                here.name, here.path
            );
            return Err(Fault::new(Class::MissingImport, message)
                .at(Location::Column(path.span))
                .missing(Missing::Import(ns, qualifier.clone())));
        };
        let target = &program.namespaces[*target];
        return target.types.get(&path.name).map(|def| TypeLookup::Def(*def)).ok_or_else(|| not_found(qualifier));
    }
    if let Some(primitive) = Primitive::of(&path.name) {
        return Ok(TypeLookup::Primitive(primitive));
    }
    let mut name: &str = &here.name;
    loop {
        if let Some(found) = program.by_name.get(name).and_then(|ns| program.namespaces[*ns].types.get(&path.name)) {
            return Ok(TypeLookup::Def(*found));
        }
        match name.rsplit_once("::") {
            Some((parent, _)) => name = parent,
            None => return Err(not_found(&here.name)),
        }
    }
}
