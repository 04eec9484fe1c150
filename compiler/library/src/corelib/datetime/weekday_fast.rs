//! `datetime.weekday_fast`: the weekday.

use super::civil::{Civil, WEEKDAYS};
use super::zone::Zone;
use crate::corelib::facts::{ask, known};
use crate::corelib::{Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, time};

/// Every local midnight is one of these moments: offsets are whole quarters of an hour.
const EACH_QUARTER: FactSpec = FactSpec::Time(time::Fact::Clock { period_ms: 900_000 });

pub(super) static DEF: FnDef = FnDef {
    path: "datetime.weekday_fast",
    sig: Sig::Fixed("func() str"),
    doc: "Returns the English name of the current local weekday in lower case, updated at midnight.",
    examples: &[
        Example { call: "datetime.weekday_fast()", gives: r#""friday""# },
        Example { call: "len(datetime.weekday_fast())", gives: "6" },
        Example { call: "datetime.weekday_fast() == datetime.weekday(datetime.now())", gives: "true" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, _| {
        let rules = known!(ask(world, &FactSpec::Time(time::Fact::Zone)));
        let now = known!(ask(world, &EACH_QUARTER));
        let now = now.as_int().ok_or_else(|| FnError::fatal("unexpected answer of the host"))?;
        let (offset, _) = Zone::parse(rules.as_bytes().map_or(&[][..], |rules| rules)).at(now);
        Ok(Some(Value::from(WEEKDAYS[Civil::of(now.saturating_add(offset)).weekday].to_lowercase())))
    }),
};
