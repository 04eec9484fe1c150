//! `datetime.weekday`, `hour` and `print`: a moment in the host's time zone.

use super::civil::{Civil, WEEKDAYS};
use super::zone::Zone;
use crate::corelib::facts::{ask, known};
use crate::corelib::{Args, CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, time};

pub(super) static WEEKDAY: FnDef = FnDef {
    path: "datetime.weekday",
    sig: Sig::Fixed("func(a int) str"),
    doc: "Returns the English name of the weekday in lower case, in the time zone of the host.",
    examples: &[
        Example { call: "datetime.weekday(0)", gives: r#""thursday""# },
        Example { call: "datetime.weekday(1443158163)", gives: r#""friday""# },
        Example { call: "datetime.weekday(-1)", gives: "error: epoch delta must be positive" },
    ],
    shape: Shape::PLAIN,
    run: Run::World(|world, args| {
        let local = known!(local(world, args));
        Ok(Some(Value::from(WEEKDAYS[local.civil.weekday].to_lowercase())))
    }),
};

pub(super) static HOUR: FnDef = FnDef {
    path: "datetime.hour",
    sig: Sig::Fixed("func(a int) int"),
    doc: "Returns the hour of the day, 0 to 23, in the time zone of the host.",
    examples: &[
        Example { call: "datetime.hour(0)", gives: "0" },
        Example { call: "datetime.hour(1443158163)", gives: "5" },
        Example { call: "datetime.hour(-1)", gives: "error: epoch delta must be positive" },
    ],
    shape: Shape::PLAIN,
    run: Run::World(|world, args| Ok(Some(Value::Int(i64::from(known!(local(world, args)).civil.hour))))),
};

pub(super) static PRINT: FnDef = FnDef {
    path: "datetime.print",
    sig: Sig::Fixed("func(a int) str"),
    doc: "Formats a timestamp as date, time, UTC offset and time zone, such as `2015-09-25 05:16:03 +0000 UTC`.",
    examples: &[
        Example { call: "datetime.print(1443158163)", gives: r#""2015-09-25 05:16:03 +0000 UTC""# },
        Example { call: "datetime.print(253402300800)", gives: r#""10000-01-01 00:00:00 +0000 UTC""# },
        Example { call: "datetime.print(-1)", gives: "error: epoch delta must be positive" },
    ],
    shape: Shape::PLAIN,
    run: Run::World(|world, args| {
        let Local { civil, offset, abbreviation } = known!(local(world, args));
        let Civil { year, month, day, hour, minute, second, .. } = civil;
        let (sign, offset) = (if offset < 0 { '-' } else { '+' }, offset.unsigned_abs() / 60);
        Ok(Some(Value::from(format!(
            "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} {sign}{:02}{:02} {abbreviation}",
            offset / 60,
            offset % 60
        ))))
    }),
};

/// A moment in the host's time zone.
pub(crate) struct Local {
    pub(crate) civil: Civil,
    /// Offset east of UTC. Units: seconds.
    pub(crate) offset: i64,
    pub(crate) abbreviation: String,
}

/// The moment of the first argument.
///
/// Errors: fatal, if it is before 1970.
pub(crate) fn local(world: &mut dyn CallContext, args: &Args) -> Result<Option<Local>, FnError> {
    let seconds = args.int(0)?;
    if seconds < 0 {
        return Err(FnError::fatal("epoch delta must be positive"));
    }
    let rules = known!(ask(world, &FactSpec::Time(time::Fact::Zone)));
    let (offset, abbreviation) = Zone::parse(rules.as_bytes().map_or(&[][..], |rules| rules)).at(seconds);
    Ok(Some(Local { civil: Civil::of(seconds.saturating_add(offset)), offset, abbreviation }))
}
