//! Types to terms and back: a declared type becomes a term, and a solved term a [`Type`].
//!
//! The depth and number of parts of a type are limited here, since everything after inference walks types recursively.

use super::table::{Table, Ty, TyId};
use crate::corelib::def::OUTER_VARS;
use crate::ident::Name;
use crate::types::Type;
use rustc_hash::FxHashMap;

/// Maximum depth of a finished type.
pub(super) const MAX_DEPTH: usize = 300;

/// The maximum number of parts of a finished type: later stages walk all of them.
pub(super) const MAX_PARTS: usize = 10_000;

/// A finished type, its depth, and its number of parts.
pub(super) type Finished = (Type, usize, usize);

impl Table {
    /// A term for a type. Its variables become fresh ones, one for each number in `vars`; but variables exported from
    /// [`OUTER_VARS`] on keep their identity.
    pub(super) fn import(&mut self, ty: &Type, vars: &mut FxHashMap<u32, TyId>) -> TyId {
        match ty {
            Type::Bool => Table::BOOL,
            Type::Str => Table::STR,
            Type::Int => Table::INT,
            Type::Float => Table::FLOAT,
            Type::Variant => Table::VARIANT,
            Type::List(element) => {
                let element = self.import(element, vars);
                self.add(Ty::List(element))
            }
            Type::Map(parts) => {
                let (key, value) = (self.import(&parts.0, vars), self.import(&parts.1, vars));
                self.add(Ty::Map(key, value))
            }
            Type::Struct(fields) => {
                if let Some(known) = self.imported.get(&(fields.as_ptr() as usize)) {
                    return *known;
                }
                let fields = fields.iter().map(|(name, ty)| (name.clone(), self.import(ty, vars))).collect();
                self.add(Ty::Struct(fields))
            }
            Type::Func(func) => {
                let params = func.params.iter().map(|(name, ty)| (name.clone(), self.import(ty, vars))).collect();
                let ret = self.import(&func.ret, vars);
                self.func(params, ret)
            }
            Type::Var(number) if *number >= OUTER_VARS => self.var(*number - OUTER_VARS),
            Type::Var(number) => match vars.get(number) {
                Some(known) => *known,
                None => {
                    let fresh = self.fresh();
                    vars.insert(*number, fresh);
                    fresh
                }
            },
        }
    }

    /// The term of a type without variables.
    pub(super) fn closed(&mut self, ty: &Type) -> TyId {
        match ty {
            Type::Bool => Table::BOOL,
            Type::Str => Table::STR,
            Type::Int => Table::INT,
            Type::Float => Table::FLOAT,
            Type::Variant => Table::VARIANT,
            Type::List(_) | Type::Map(_) | Type::Struct(_) | Type::Func(_) | Type::Var(_) => {
                self.import(ty, &mut FxHashMap::default())
            }
        }
    }

    /// A fresh copy of a signature that a builtin or a kind declares.
    pub(super) fn signature(&mut self, text: &'static str) -> TyId {
        let ty = match self.parsed.get(text) {
            Some(ty) => ty.clone(),
            None => {
                // A declaration that does not parse is a broken invariant; a test reads them all.
                let ty = crate::types::parse(text).unwrap_or(Type::Variant);
                self.parsed.insert(text, ty.clone());
                ty
            }
        };
        self.closed(&ty)
    }

    /// The finished type, with unknown parts numbered; `None` if it is too deep or too big.
    ///
    /// Call this only after the last unification: results are cached.
    pub(super) fn finish(&mut self, ty: TyId) -> Option<Type> {
        Some(self.finish_at(ty, 0)?.0)
    }

    /// The type as currently known, for a message; nothing is cached.
    pub(super) fn finish_open(&mut self, ty: TyId) -> Option<Type> {
        let remembered = std::mem::take(&mut self.finished);
        let open = self.finish(ty);
        self.finished = remembered;
        open
    }

    fn finish_at(&mut self, ty: TyId, depth: usize) -> Option<Finished> {
        let id = self.shallow(ty);
        if let Some(done) = self.finished.get(&id) {
            return done.clone();
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let done = self
            .finish_parts(id, depth + 1)
            .filter(|(_, nested, n_parts)| *nested <= MAX_DEPTH && *n_parts <= MAX_PARTS);
        self.finished.insert(id, done.clone());
        done
    }

    fn finish_parts(&mut self, id: TyId, depth: usize) -> Option<Finished> {
        let (mut nested, mut n_parts) = (0, 1);
        let mut part = |table: &mut Table, ty: TyId| {
            let (ty, below, n) = table.finish_at(ty, depth)?;
            nested = nested.max(below + 1);
            n_parts += n;
            Some(ty)
        };
        let ty = match self.get(id).clone() {
            Ty::Bool => Type::Bool,
            Ty::Str => Type::Str,
            Ty::Int => Type::Int,
            Ty::Float => Type::Float,
            Ty::Variant | Ty::Error => Type::Variant,
            Ty::List(element) => Type::list(part(self, element)?),
            Ty::Map(key, value) => Type::map(part(self, key)?, part(self, value)?),
            Ty::Struct(fields) => {
                let fields = fields.iter().map(|(name, ty)| Some((name.clone(), part(self, *ty)?)));
                Type::structure(fields.collect::<Option<Vec<_>>>()?)
            }
            Ty::Func(func) => {
                let params = func.params.iter().map(|(name, ty)| Some((name.clone(), part(self, *ty)?)));
                let params = params.collect::<Option<Vec<_>>>()?;
                Type::func(params, part(self, func.ret)?)
            }
            Ty::Var(var) => Type::Var(self.vars.find(var).0),
        };
        Some((ty, nested, n_parts))
    }

    /// A term as a type whose variables keep their identity: variable `v` is number `first + v`. Known variables are
    /// *not* resolved: this is the information before solving.
    ///
    /// A struct without variables is made once, so that ten thousand lookups in one struct do not copy its fields as
    /// often.
    pub(super) fn export(&mut self, id: TyId, first: u32) -> Type {
        match self.get(id).clone() {
            Ty::Bool => Type::Bool,
            Ty::Str => Type::Str,
            Ty::Int => Type::Int,
            Ty::Float => Type::Float,
            Ty::Variant | Ty::Error => Type::Variant,
            Ty::List(element) => Type::list(self.export(element, first)),
            Ty::Map(key, value) => Type::map(self.export(key, first), self.export(value, first)),
            Ty::Struct(fields) => self.export_struct(id, &fields, first),
            Ty::Func(func) => {
                let params = func.params.iter().map(|(name, ty)| (name.clone(), self.export(*ty, first))).collect();
                Type::func(params, self.export(func.ret, first))
            }
            Ty::Var(var) => Type::Var(first + var.0),
        }
    }

    fn export_struct(&mut self, id: TyId, fields: &[(Name, TyId)], first: u32) -> Type {
        if let Some(known) = self.exported.get(&id) {
            return known.clone();
        }
        self.n_exported += fields.len() as u64;
        let ty = Type::structure(fields.iter().map(|(name, ty)| (name.clone(), self.export(*ty, first))));
        if self.is_closed(id)
            && let Type::Struct(fields) = &ty
        {
            self.imported.insert(fields.as_ptr() as usize, id);
            self.exported.insert(id, ty.clone());
        }
        ty
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_that_nests_too_deep_is_not_finished() {
        let mut table = Table::new();
        let deep = (0..100_000).fold(Table::INT, |part, _| table.list(part));
        assert_eq!(table.finish(deep), None);
    }

    #[test]
    fn finishing_from_the_inside_out_is_no_way_around_the_bound() {
        let mut table = Table::new();
        let mut part = Table::INT;
        let mut n_finished = 0;
        for _ in 0..1_000 {
            part = table.list(part);
            n_finished += usize::from(table.finish(part).is_some());
        }
        assert_eq!(n_finished, MAX_DEPTH);
    }

    #[test]
    fn a_struct_is_copied_once_however_often_it_is_handed_out_and_in() {
        let mut table = Table::new();
        let fields = (0..1_000).map(|at| (Name::from(format!("f{at}")), Table::INT)).collect();
        let id = table.add(Ty::Struct(fields));
        for _ in 0..1_000 {
            let ty = table.export(id, 0);
            assert_eq!(table.import(&ty, &mut FxHashMap::default()), id);
        }
        assert_eq!(table.n_exported, 1_000);
    }
}
