//! Whether two static types are the same. Language spec, 8.2 and 9.6.

use super::table::{Table, Ty, TyId};
use rustc_hash::FxHashMap;

impl Table {
    /// Whether two types are the same before anything is solved: the names of parameters do not count, and variables
    /// must be in the same places. A part that both types share is the same without a look at its variables.
    pub(super) fn is_same(&self, one: TyId, other: TyId) -> bool {
        let (mut to_other, mut to_one) = (FxHashMap::default(), FxHashMap::default());
        let mut work = vec![(one, other)];
        while let Some((one, other)) = work.pop() {
            match (self.get(one), self.get(other)) {
                (Ty::Var(a), Ty::Var(b)) => {
                    if *to_other.entry(*a).or_insert(*b) != *b || *to_one.entry(*b).or_insert(*a) != *a {
                        return false;
                    }
                }
                _ if one == other => {}
                (Ty::List(a), Ty::List(b)) => work.push((*a, *b)),
                (Ty::Map(ak, av), Ty::Map(bk, bv)) => work.extend([(*ak, *bk), (*av, *bv)]),
                (Ty::Struct(a), Ty::Struct(b)) => {
                    if a.len() != b.len() || a.iter().zip(b.iter()).any(|(a, b)| a.0 != b.0) {
                        return false;
                    }
                    work.extend(a.iter().zip(b.iter()).map(|(a, b)| (a.1, b.1)));
                }
                (Ty::Func(a), Ty::Func(b)) => {
                    if a.params.len() != b.params.len() {
                        return false;
                    }
                    work.push((a.ret, b.ret));
                    work.extend(a.params.iter().zip(&b.params).map(|(a, b)| (a.1, b.1)));
                }
                _ => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parameters_do_not_count() {
        let mut table = Table::new();
        let mut func = |name: &str, ty: TyId| table.func(vec![(name.into(), ty)], Table::STR);
        let (one, other, wrong) = (func("a", Table::INT), func("b", Table::INT), func("a", Table::BOOL));
        assert_ne!(one, other);
        assert!(table.is_same(one, other));
        assert!(!table.is_same(one, wrong));
    }

    #[test]
    fn variables_are_in_the_same_places() {
        let mut table = Table::new();
        let (a, b) = (table.fresh(), table.fresh());
        let mut map = |key: TyId, value: TyId| table.add(Ty::Map(key, value));
        let (same, two, swapped) = (map(a, a), map(a, b), map(b, a));
        assert!(table.is_same(a, b));
        assert!(table.is_same(two, swapped));
        assert!(!table.is_same(same, two));
        assert!(!table.is_same(a, Table::INT));
    }
}
