//! Unifies two types of the table, and finds the unknown parts of one. Language spec, 9.8.

use super::table::{Content, Table, Ty, TyId, UniVar};
use crate::span::Span;
use rustc_hash::FxHashSet;

/// Why two types cannot be unified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Mismatch {
    /// The differing parts, and where each was decided, if known.
    Kinds {
        want: TyId,
        got: TyId,
        want_from: Option<Span>,
        got_from: Option<Span>,
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
    /// The same with expected and found exchanged.
    pub(super) fn flipped(&self) -> Mismatch {
        match *self {
            Mismatch::Kinds { want, got, want_from, got_from } => {
                Mismatch::Kinds { want: got, got: want, want_from: got_from, got_from: want_from }
            }
            Mismatch::ArgCount { want, got } => Mismatch::ArgCount { want: got, got: want },
            Mismatch::FieldCount | Mismatch::FieldNames | Mismatch::Infinite => self.clone(),
        }
    }
}

impl Table {
    /// Unifies two types. `because` is recorded for variables that become known.
    ///
    /// After an error they agree as far as possible; nothing is undone.
    pub(super) fn unify(&mut self, want: TyId, got: TyId, because: Option<Span>) -> Result<(), Mismatch> {
        if want == got {
            return Ok(());
        }
        let mut work = vec![(want, got)];
        let mut seen = FxHashSet::default();
        let mut n_steps = 0_usize;
        let mut structs = Vec::new();
        while let Some((want, got)) = work.pop() {
            let ((want, want_from), (got, got_from)) = (self.shallow_with_origin(want), self.shallow_with_origin(got));
            if want == got {
                continue;
            }
            // Shared parts of big terms would be visited repeatedly.
            n_steps += 1;
            if n_steps > 64 && !seen.insert((want, got)) {
                continue;
            }
            self.n_walked += 1;
            match (self.get(want).clone(), self.get(got).clone()) {
                // An earlier error makes the other side wrong too, without another report.
                (Ty::Error, _) => self.silence(got),
                (_, Ty::Error) => self.silence(want),
                (Ty::Var(a), Ty::Var(b)) => self.vars.union(a, b),
                (Ty::Var(var), _) => self.bind(var, got, because)?,
                (_, Ty::Var(var)) => self.bind(var, want, because)?,
                (Ty::List(a), Ty::List(b)) => work.push((a, b)),
                (Ty::Map(ak, av), Ty::Map(bk, bv)) => work.extend([(av, bv), (ak, bk)]),
                (Ty::Struct(_), Ty::Struct(_)) if self.agreed.contains(&(want, got)) => {}
                (Ty::Struct(a), Ty::Struct(b)) => {
                    if a.len() != b.len() {
                        return Err(Mismatch::FieldCount);
                    }
                    if a.iter().zip(b.iter()).any(|(a, b)| a.0 != b.0) {
                        return Err(Mismatch::FieldNames);
                    }
                    structs.push((want, got));
                    work.extend(a.iter().zip(b.iter()).rev().map(|(a, b)| (a.1, b.1)));
                }
                (Ty::Func(a), Ty::Func(b)) => {
                    if a.params.len() != b.params.len() {
                        return Err(Mismatch::ArgCount { want: a.params.len(), got: b.params.len() });
                    }
                    work.push((a.ret, b.ret));
                    work.extend(a.params.iter().zip(&b.params).rev().map(|(a, b)| (a.1, b.1)));
                }
                _ => return Err(Mismatch::Kinds { want, got, want_from, got_from }),
            }
        }
        self.agreed.extend(structs);
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
        if self.is_closed(ty) {
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

    /// Visits each unknown variable of a term, until `visit` returns false.
    fn walk_unknown(&mut self, ty: TyId, mut visit: impl FnMut(&mut Table, UniVar) -> bool) {
        let mut work = vec![ty];
        let mut seen = FxHashSet::default();
        while let Some(id) = work.pop() {
            let id = self.shallow(id);
            if self.is_closed(id) || self.known.contains(&id) || !seen.insert(id) {
                continue;
            }
            self.n_walked += 1;
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

    /// Whether part of the type is still unknown.
    pub(super) fn is_ambiguous(&mut self, ty: TyId) -> bool {
        if self.is_closed(ty) {
            return false;
        }
        let mut found = false;
        self.walk_unknown(ty, |_, _| {
            found = true;
            false
        });
        if !found {
            let id = self.shallow(ty);
            self.known.insert(id);
        }
        found
    }

    /// Replaces unknown parts of a type by the error type, so that they are reported once.
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Type;

    fn with(check: impl FnOnce(&mut Table)) {
        check(&mut Table::new());
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

    #[test]
    fn a_large_struct_is_compared_once_and_looked_through_once() {
        with(|table| {
            let n_fields = 1_000;
            let mut large = |part: &mut dyn FnMut(&mut Table) -> TyId| {
                let fields = (0..n_fields).map(|at| (format!("f{at}").into(), part(table))).collect();
                table.add(Ty::Struct(fields))
            };
            let (open, closed) = (large(&mut |table| table.fresh()), large(&mut |_| Table::INT));
            for _ in 0..n_fields {
                table.unify(closed, open, None).unwrap();
                assert!(!table.is_ambiguous(open));
            }
            assert!(table.n_walked <= 5 * n_fields, "{}", table.n_walked);
            assert_eq!(table.finish(open), table.finish(closed));
        });
    }
}
