//! The types of inference: hash-consed terms, and a union-find over their variables.
//!
//! Equal terms have equal ids, so most comparisons compare two numbers, and a type whose text would be exponential in
//! its parts stays small. Nothing here is recursive: terms can be as deep as a chain of binds is long.

use super::convert::{Finished, MAX_DEPTH, MAX_PARTS};
use crate::ident::Name;
use crate::span::Span;
use crate::types::{Type, TypeKind};
use ena::unify::{InPlaceUnificationTable, UnifyKey, UnifyValue};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::sync::Arc;

/// Id of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct TyId(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct UniVar(pub(super) u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Ty {
    Bool,
    Str,
    Int,
    Float,
    Variant,
    /// Already reported: agrees with everything.
    Error,
    List(TyId),
    Map(TyId, TyId),
    Struct(Arc<[(Name, TyId)]>),
    Func(Arc<FuncTy>),
    Var(UniVar),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct FuncTy {
    pub(super) params: Vec<(Name, TyId)>,
    pub(super) ret: TyId,
}

/// The content of a variable, and the place that decided it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Content(pub(super) Option<(TyId, Option<Span>)>);

impl UnifyValue for Content {
    type Error = ena::unify::NoError;
    fn unify_values(a: &Content, b: &Content) -> Result<Content, Self::Error> {
        // Two variables that both have content are never merged: their contents are unified.
        Ok(if a.0.is_some() { a.clone() } else { b.clone() })
    }
}

impl UnifyKey for UniVar {
    type Value = Content;
    fn index(&self) -> u32 {
        self.0
    }
    fn from_index(index: u32) -> UniVar {
        UniVar(index)
    }
    fn tag() -> &'static str {
        "UniVar"
    }
}

pub(super) struct Table {
    terms: IndexSet<Ty, FxBuildHasher>,
    shapes: Vec<Shape>,
    pub(super) vars: InPlaceUnificationTable<UniVar>,
    /// Parsed declared types, by text.
    pub(super) parsed: FxHashMap<&'static str, Type>,
    pub(super) finished: FxHashMap<TyId, Option<Finished>>,
    /// Structs without variables as types, and back by the address of their fields, which these types keep alive.
    pub(super) exported: FxHashMap<TyId, Type>,
    pub(super) imported: FxHashMap<usize, TyId>,
    /// The number of fields copied for that.
    pub(super) n_exported: u64,
    /// Pairs of equal structs, and terms without unknown parts: both stay so, whatever becomes known later.
    pub(super) agreed: FxHashSet<(TyId, TyId)>,
    pub(super) known: FxHashSet<TyId>,
    /// The number of parts compared or visited.
    pub(super) n_walked: u64,
}

/// Properties of a term that do not depend on its variables.
#[derive(Clone, Copy)]
struct Shape {
    has_vars: bool,
    depth: usize,
    n_parts: usize,
}

impl Table {
    pub(super) const BOOL: TyId = TyId(0);
    pub(super) const STR: TyId = TyId(1);
    pub(super) const INT: TyId = TyId(2);
    pub(super) const FLOAT: TyId = TyId(3);
    pub(super) const VARIANT: TyId = TyId(4);
    pub(super) const ERROR: TyId = TyId(5);

    pub(super) fn new() -> Table {
        let mut table = Table {
            terms: IndexSet::default(),
            shapes: Vec::new(),
            vars: InPlaceUnificationTable::new(),
            parsed: FxHashMap::default(),
            finished: FxHashMap::default(),
            exported: FxHashMap::default(),
            imported: FxHashMap::default(),
            n_exported: 0,
            agreed: FxHashSet::default(),
            known: FxHashSet::default(),
            n_walked: 0,
        };
        for ty in [Ty::Bool, Ty::Str, Ty::Int, Ty::Float, Ty::Variant, Ty::Error] {
            table.add(ty);
        }
        table
    }

    pub(super) fn add(&mut self, ty: Ty) -> TyId {
        if let Some(index) = self.terms.get_index_of(&ty) {
            return TyId(index as u32);
        }
        let mut shape = Shape { has_vars: false, depth: 0, n_parts: 1 };
        let mut part = |id: &TyId| {
            let part = self.shapes[id.0 as usize];
            shape.has_vars |= part.has_vars;
            shape.depth = shape.depth.max(part.depth + 1);
            shape.n_parts = shape.n_parts.saturating_add(part.n_parts);
        };
        match &ty {
            Ty::Bool | Ty::Str | Ty::Int | Ty::Float | Ty::Variant | Ty::Error => {}
            Ty::List(element) => part(element),
            Ty::Map(key, value) => [key, value].into_iter().for_each(part),
            Ty::Struct(fields) => fields.iter().for_each(|(_, ty)| part(ty)),
            Ty::Func(func) => func.params.iter().map(|(_, ty)| ty).chain([&func.ret]).for_each(part),
            Ty::Var(_) => shape.has_vars = true,
        }
        let (index, _) = self.terms.insert_full(ty);
        self.shapes.push(shape);
        TyId(index as u32)
    }

    pub(super) fn get(&self, id: TyId) -> &Ty {
        &self.terms[id.0 as usize]
    }

    /// Whether the term contains no variable at all.
    pub(super) fn is_closed(&self, id: TyId) -> bool {
        !self.shapes[id.0 as usize].has_vars
    }

    /// Whether the term is small enough to be walked as a tree.
    pub(super) fn is_small(&self, id: TyId) -> bool {
        let shape = self.shapes[id.0 as usize];
        shape.depth <= MAX_DEPTH && shape.n_parts <= MAX_PARTS
    }

    pub(super) fn fresh(&mut self) -> TyId {
        let var = self.vars.new_key(Content(None));
        self.add(Ty::Var(var))
    }

    pub(super) fn list(&mut self, element: TyId) -> TyId {
        self.add(Ty::List(element))
    }

    pub(super) fn func(&mut self, params: Vec<(Name, TyId)>, ret: TyId) -> TyId {
        self.add(Ty::Func(Arc::new(FuncTy { params, ret })))
    }

    /// The term with known variables at its root resolved.
    pub(super) fn shallow(&mut self, id: TyId) -> TyId {
        self.shallow_with_origin(id).0
    }

    pub(super) fn shallow_with_origin(&mut self, id: TyId) -> (TyId, Option<Span>) {
        let (mut id, mut origin) = (id, None);
        while let Ty::Var(var) = *self.get(id) {
            match self.vars.probe_value(var).0 {
                Some((content, because)) => {
                    id = content;
                    origin = origin.or(because);
                }
                None => break,
            }
        }
        (id, origin)
    }

    /// Whether the elements of a list or map are unknown because of an error that was already reported.
    pub(super) fn is_of_errors(&mut self, id: TyId) -> bool {
        match *self.get(id) {
            Ty::List(element) => self.kind(element).is_none(),
            Ty::Map(key, value) => self.kind(key).is_none() || self.kind(value).is_none(),
            _ => false,
        }
    }

    pub(super) fn kind(&mut self, id: TyId) -> Option<TypeKind> {
        let id = self.shallow(id);
        Some(match self.get(id) {
            Ty::Bool => TypeKind::Bool,
            Ty::Str => TypeKind::Str,
            Ty::Int => TypeKind::Int,
            Ty::Float => TypeKind::Float,
            Ty::Variant => TypeKind::Variant,
            Ty::Error => return None,
            Ty::List(_) => TypeKind::List,
            Ty::Map(..) => TypeKind::Map,
            Ty::Struct(_) => TypeKind::Struct,
            Ty::Func(_) => TypeKind::Func,
            Ty::Var(_) => TypeKind::Var,
        })
    }

    /// The variable with this number.
    pub(super) fn var(&mut self, number: u32) -> TyId {
        self.add(Ty::Var(UniVar(number)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(check: impl FnOnce(&mut Table)) {
        check(&mut Table::new());
    }

    #[test]
    fn equal_terms_are_one() {
        with(|table| {
            let (a, b) = (table.list(Table::INT), table.list(Table::INT));
            assert_eq!(a, b);
        });
    }
}
