//! Comparison of two resources of one kind: of duplicates in one program, and field by field.
//! Language spec, 12.5; resource spec, 8.3.

use super::decl::{Compared, Field};
use super::kind::Kind;
use super::meta::Meta;
use super::want::Want;
use crate::sort;
use crate::value::Value;

/// Whether two resources of one kind and name are the same. `Err` is the first difference: in the kind's own fields,
/// the meta parameters, or the switches.
pub fn duplicates(kind: &dyn Kind, one: &Want, other: &Want) -> Result<(), String> {
    kind.compare(one, other)?;
    meta(one.meta, other.meta)?;
    let traits = &one.decl.traits;
    if (traits.edgeable || traits.edgeable_inert) && one.meta.autoedge != other.meta.autoedge {
        return Err("autoedge differs".into());
    }
    if traits.groupable && one.meta.autogroup != other.meta.autogroup {
        return Err("autogroup differs".into());
    }
    if traits.reversible && one.meta.reverse != other.meta.reverse {
        return Err("reversible differs".into());
    }
    Ok(())
}

/// Compares the meta parameters that matter; `retryreset` does not.
fn meta(one: &Meta, other: &Meta) -> Result<(), String> {
    let pairs = [
        (one.noop == other.noop, "Noop"),
        (one.retry == other.retry, "Retry"),
        (one.delay == other.delay, "Delay"),
        (one.timeout == other.timeout, "Timeout"),
        (one.poll == other.poll, "Poll"),
        (one.limit == other.limit, "Limit"),
        (one.burst == other.burst, "Burst"),
        (one.reset == other.reset, "Reset"),
    ];
    if let Some((_, name)) = pairs.into_iter().find(|(same, _)| !same) {
        return Err(format!("values for {name} are different"));
    }
    sorted_lists(&one.sema, &other.sema).map_err(|why| format!("values for Sema are different: {why}"))?;
    let pairs = [
        (one.rewatch == other.rewatch, "Rewatch"),
        (one.realize == other.realize, "Realize"),
        (one.dollar == other.dollar, "Dollar"),
        (one.hidden == other.hidden, "Hidden"),
    ];
    if let Some((_, name)) = pairs.into_iter().find(|(same, _)| !same) {
        return Err(format!("values for {name} are different"));
    }
    sorted_lists(&one.export, &other.export).map_err(|why| format!("values for Export are different: {why}"))
}

fn sorted_lists(one: &[String], other: &[String]) -> Result<(), String> {
    if one.len() != other.len() {
        return Err(format!("slices have different lengths: {} vs {}", one.len(), other.len()));
    }
    let sorted = |list: &[String]| {
        let mut list = list.to_vec();
        list.sort();
        list
    };
    match sorted(one).iter().zip(&sorted(other)).find(|(a, b)| a != b) {
        Some((a, b)) => Err(format!("values do not match: {a} vs {b}")),
        None => Ok(()),
    }
}

/// Compares every field that matters; `Err` names the first difference.
pub fn fields(one: &Want, other: &Want) -> Result<(), String> {
    for (index, field) in one.decl.fields.iter().enumerate() {
        match field.compared {
            Compared::AsWritten => field_equal(field, one.params.get(index), other.params.get(index))?,
            Compared::Effective | Compared::Loosely | Compared::Never => {}
        }
    }
    Ok(())
}

/// Whether everything is equal, including fields that [`fields`] skips. For a running resource whose program changed:
/// differences that duplicates may have still matter.
pub fn is_same(one: &Want, other: &Want) -> bool {
    let mut fields = one.decl.fields.iter().enumerate();
    let is_equal = |(index, field)| field_equal(field, one.params.get(index), other.params.get(index)).is_ok();
    fields.all(is_equal)
}

/// Compares one field as written.
pub(crate) fn field_equal(field: &Field, a: Option<&Value>, b: Option<&Value>) -> Result<(), String> {
    let equal = match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a == b,
        (Some(set), None) | (None, Some(set)) => match field.unset_value() {
            Some(default) => *set == default,
            // Null equals the empty list or map, unless the kind distinguishes them; a nullable field that is set never
            // equals null.
            None => !field.nullable && !field.empty_differs && is_empty(set),
        },
    };
    if equal { Ok(()) } else { Err(format!("the {} differs", field.printed_name)) }
}

/// Compares two lists without regard to their order.
pub(crate) fn unordered(field: &str, one: &Want, other: &Want) -> Result<(), String> {
    let sorted = |want: &Want| {
        let mut items = want.items(field).to_vec();
        sort::by(&mut items, Value::total_cmp);
        items
    };
    let known = one.decl.fields.iter().find(|known| known.name == field);
    let differs = || known.map(|known| format!("the {} differs", known.printed_name)).unwrap_or_default();
    let null_differs = known.is_some_and(|known| known.empty_differs);
    if null_differs && one.set(field).is_some() != other.set(field).is_some() {
        return Err(differs());
    }
    if sorted(one) == sorted(other) { Ok(()) } else { Err(differs()) }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::List(items) => items.is_empty(),
        Value::Map(map) => map.is_empty(),
        Value::Bool(_) | Value::Str(_) | Value::Int(_) | Value::Float(_) | Value::Struct(_) | Value::Func(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::check::Draft;

    fn check(one: Draft, other: Draft, expect: &str) {
        let got = duplicates(one.kind, &one.want(), &other.want());
        assert_eq!(got.err().unwrap_or_default(), expect);
    }

    fn test() -> Draft {
        Draft::new("test", "t")
    }

    #[test]
    fn null_and_zero() {
        check(test(), test().set("int64", Value::Int(0)), "");
        check(test(), test().set("int64ptr", Value::Int(0)), "the Int64Ptr differs");
        check(test(), test().set("slicestring", Value::list([])), "the SliceString differs");
        check(Draft::new("exec", "x"), Draft::new("exec", "x").set("args", Value::list([])), "");
        check(
            test().set("interface", Value::Int(1)),
            test().set("interface", Value::Float(1.0)),
            "the Interface differs",
        );
    }

    #[test]
    fn meta_parameters_follow_the_fields() {
        check(test(), test().meta(|meta| meta.retryreset = true), "");
        check(test(), test().meta(|meta| meta.burst = 1), "values for Burst are different");
        let semas = |list: &[&str]| {
            let list = list.iter().map(|name| name.to_string()).collect();
            test().meta(|meta| meta.sema = list)
        };
        check(semas(&["a", "b"]), semas(&["b", "a"]), "");
        check(semas(&["a"]), semas(&["b"]), "values for Sema are different: values do not match: a vs b");
        check(semas(&["a"]), semas(&[]), "values for Sema are different: slices have different lengths: 1 vs 0");
    }

    #[test]
    fn switches_count_where_the_kind_has_them() {
        check(test(), test().meta(|meta| meta.autoedge = false), "");
        check(
            Draft::new("file", "/a"),
            Draft::new("file", "/a").meta(|meta| meta.autoedge = false),
            "autoedge differs",
        );
    }
}
