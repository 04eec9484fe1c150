//! `sys.cpu_count`.

use crate::corelib::facts::{ask, known};
use crate::corelib::{Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, machine};

pub(super) static DEF: FnDef = FnDef {
    path: "sys.cpu_count",
    sig: Sig::Fixed("func() int"),
    doc: "Returns the number of processors that are online.",
    examples: &[
        Example { call: "sys.cpu_count()", gives: "4" },
        Example { call: "sys.cpu_count() > 0", gives: "true" },
        Example { call: "sys.cpu_count() * 2", gives: "8" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, _| {
        let fail = |why: &str| FnError::fatal(format!("could not get CPU count: {why}"));
        let ranges =
            known!(ask(world, &FactSpec::Machine(machine::Fact::CpusOnline)).map_err(|error| fail(&error.message)));
        let ranges = ranges.as_text().unwrap_or_default();
        count(ranges.trim()).map(|n| Some(Value::Int(n))).ok_or_else(|| fail("malformed range list"))
    }),
};

/// The number of entries in a list such as `0-1,3`.
fn count(ranges: &str) -> Option<i64> {
    let range = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        Some(i64::from(last.checked_sub(first)?) + 1)
    };
    ranges.split(',').map(range).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert_eq!(count("0-1,3"), Some(3));
        assert_eq!(count("0"), Some(1));
        assert_eq!(count("3-1"), None);
        assert_eq!(count(""), None);
    }
}
