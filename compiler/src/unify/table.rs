//! The types of inference: hash-consed terms, and a union-find over their variables.
//!
//! Equal terms have equal ids, so most comparisons are one of two numbers, and a type whose text
//! would be exponential in its parts stays small. Nothing here recurses: terms can be as deep as a
//! chain of binds is long.

use super::convert::{Finished, MAX_DEPTH, MAX_PARTS};
use crate::ident::Name;
use crate::span::Span;
use crate::types::{Type, TypeKind};
use ena::unify::{InPlaceUnificationTable, UnifyKey, UnifyValue};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::sync::Arc;

/// A term.
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

/// What a variable stands for, and the place that said so.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Content(Option<(TyId, Option<Span>)>);

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

/// Why two types cannot be one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Mismatch {
    /// The parts that differ, and where the wanted one was decided when that is known.
    Kinds {
        want: TyId,
        got: TyId,
        because: Option<Span>,
    },
    FieldCount,
    FieldNames,
    ArgCount {
        want: usize,
        got: usize,
    },
    /// The type would contain itself.
    Infinite,
}

impl Mismatch {
    /// With what is wanted and what was found exchanged.
    pub(super) fn flipped(&self) -> Mismatch {
        match *self {
            Mismatch::Kinds { want, got, because } => Mismatch::Kinds { want: got, got: want, because },
            Mismatch::ArgCount { want, got } => Mismatch::ArgCount { want: got, got: want },
            Mismatch::FieldCount | Mismatch::FieldNames | Mismatch::Infinite => self.clone(),
        }
    }
}

pub(super) struct Table {
    terms: IndexSet<Ty, FxBuildHasher>,
    shapes: Vec<Shape>,
    pub(super) vars: InPlaceUnificationTable<UniVar>,
    /// The declared types by their texts.
    pub(super) parsed: FxHashMap<&'static str, Type>,
    pub(super) finished: FxHashMap<TyId, Option<Finished>>,
}

/// What is known of a term whatever its variables stand for.
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

    /// Is there no variable in the term, whatever variables stand for?
    pub(super) fn is_closed(&self, id: TyId) -> bool {
        !self.shapes[id.0 as usize].has_vars
    }

    /// Can the term be walked as a tree, as far as it is known?
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

    /// The term behind known variables.
    pub(super) fn shallow(&mut self, id: TyId) -> TyId {
        self.shallow_with_origin(id).0
    }

    fn shallow_with_origin(&mut self, id: TyId) -> (TyId, Option<Span>) {
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

    /// Makes two types one. `because` is remembered for variables that learn what they are.
    ///
    /// After an error the two agree as far as they did; nothing is undone.
    pub(super) fn unify(&mut self, want: TyId, got: TyId, because: Option<Span>) -> Result<(), Mismatch> {
        let mut work = vec![(want, got)];
        let mut seen = FxHashSet::default();
        let mut n_steps = 0_usize;
        while let Some((want, got)) = work.pop() {
            let ((want, origin), (got, got_origin)) = (self.shallow_with_origin(want), self.shallow_with_origin(got));
            if want == got {
                continue;
            }
            // Shared parts of big terms would be looked at again and again.
            n_steps += 1;
            if n_steps > 64 && !seen.insert((want, got)) {
                continue;
            }
            match (self.get(want).clone(), self.get(got).clone()) {
                // What is wrong already makes the other side wrong, too, without another word.
                (Ty::Error, _) => self.silence(got),
                (_, Ty::Error) => self.silence(want),
                (Ty::Var(a), Ty::Var(b)) => self.vars.union(a, b),
                (Ty::Var(var), _) => self.bind(var, got, because)?,
                (_, Ty::Var(var)) => self.bind(var, want, because)?,
                (Ty::List(a), Ty::List(b)) => work.push((a, b)),
                (Ty::Map(ak, av), Ty::Map(bk, bv)) => work.extend([(av, bv), (ak, bk)]),
                (Ty::Struct(a), Ty::Struct(b)) => {
                    if a.len() != b.len() {
                        return Err(Mismatch::FieldCount);
                    }
                    if a.iter().zip(b.iter()).any(|(a, b)| a.0 != b.0) {
                        return Err(Mismatch::FieldNames);
                    }
                    work.extend(a.iter().zip(b.iter()).rev().map(|(a, b)| (a.1, b.1)));
                }
                (Ty::Func(a), Ty::Func(b)) => {
                    if a.params.len() != b.params.len() {
                        return Err(Mismatch::ArgCount { want: a.params.len(), got: b.params.len() });
                    }
                    work.push((a.ret, b.ret));
                    work.extend(a.params.iter().zip(&b.params).rev().map(|(a, b)| (a.1, b.1)));
                }
                _ => return Err(Mismatch::Kinds { want, got, because: origin.or(got_origin) }),
            }
        }
        Ok(())
    }

    fn bind(&mut self, var: UniVar, ty: TyId, because: Option<Span>) -> Result<(), Mismatch> {
        if self.occurs(var, ty) {
            return Err(Mismatch::Infinite);
        }
        self.vars.union_value(var, Content(Some((ty, because))));
        Ok(())
    }

    fn occurs(&mut self, var: UniVar, ty: TyId) -> bool {
        if !self.shapes[ty.0 as usize].has_vars {
            return false;
        }
        let root = self.vars.find(var);
        let mut found = false;
        self.walk_unknown(ty, |table, unknown| {
            found |= table.vars.find(unknown) == root;
            !found
        });
        found
    }

    /// Visits each variable of a term that is not known yet, until `visit` says no.
    fn walk_unknown(&mut self, ty: TyId, mut visit: impl FnMut(&mut Table, UniVar) -> bool) {
        let mut work = vec![ty];
        let mut seen = FxHashSet::default();
        while let Some(id) = work.pop() {
            let id = self.shallow(id);
            if !self.shapes[id.0 as usize].has_vars || !seen.insert(id) {
                continue;
            }
            match self.get(id) {
                Ty::Bool | Ty::Str | Ty::Int | Ty::Float | Ty::Variant | Ty::Error => {}
                Ty::List(element) => work.push(*element),
                Ty::Map(key, value) => work.extend([*key, *value]),
                Ty::Struct(fields) => work.extend(fields.iter().map(|(_, ty)| *ty)),
                Ty::Func(func) => work.extend(func.params.iter().map(|(_, ty)| *ty).chain([func.ret])),
                Ty::Var(var) => {
                    let var = *var;
                    if !visit(self, var) {
                        return;
                    }
                }
            }
        }
    }

    /// Is part of the type still unknown?
    pub(super) fn is_ambiguous(&mut self, ty: TyId) -> bool {
        let mut found = false;
        self.walk_unknown(ty, |_, _| {
            found = true;
            false
        });
        found
    }

    /// What is unknown in a type becomes the error type, so that it is reported once.
    pub(super) fn silence(&mut self, ty: TyId) {
        let mut unknown = Vec::new();
        self.walk_unknown(ty, |_, var| {
            unknown.push(var);
            true
        });
        for var in unknown {
            if self.vars.probe_value(var).0.is_none() {
                self.vars.union_value(var, Content(Some((Table::ERROR, None))));
            }
        }
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

    #[test]
    fn a_variable_learns_and_tells() {
        with(|table| {
            let var = table.fresh();
            let (want, got) = (table.list(var), table.list(Table::STR));
            table.unify(want, got, None).unwrap();
            assert_eq!(table.finish(var), Some(Type::Str));
            assert!(table.unify(var, Table::INT, None).is_err());
        });
    }

    #[test]
    fn a_type_that_contains_itself_is_refused() {
        with(|table| {
            let var = table.fresh();
            let list = table.list(var);
            assert_eq!(table.unify(var, list, None), Err(Mismatch::Infinite));
        });
    }

    #[test]
    fn pairs_of_pairs_stay_small() {
        with(|table| {
            let mut tower = |leaf: TyId| {
                (0..60).fold(leaf, |part, _| table.add(Ty::Struct([("a".into(), part), ("b".into(), part)].into())))
            };
            let (a, b) = (tower(Table::INT), tower(Table::INT));
            assert_eq!(a, b);
            let (left, right) = (table.fresh(), table.fresh());
            let mut tower = |leaf: TyId| {
                (0..60).fold(leaf, |part, _| table.add(Ty::Struct([("a".into(), part), ("b".into(), part)].into())))
            };
            let (a, b) = (tower(left), tower(right));
            table.unify(a, b, None).unwrap();
            table.unify(left, Table::BOOL, None).unwrap();
            assert!(!table.is_ambiguous(b));
        });
    }
}
