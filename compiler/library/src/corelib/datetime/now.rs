//! `datetime.now` and `datetime.str_now`: the time, each second.

use crate::corelib::facts::{ask, known};
use crate::corelib::{Example, FnDef, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, time};

const EACH_SECOND: FactSpec = FactSpec::Time(time::Fact::Clock { period_ms: 1000 });

pub(super) static DEF: FnDef = FnDef {
    path: "datetime.now",
    sig: Sig::Fixed("func() int"),
    doc: "Returns the Unix time in seconds, updated every second.",
    examples: &[
        Example { call: "datetime.now()", gives: "1443158163" },
        Example { call: "datetime.now() - datetime.now()", gives: "0" },
        Example { call: "datetime.print(datetime.now())", gives: r#""2015-09-25 05:16:03 +0000 UTC""# },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, _| ask(world, &EACH_SECOND)),
};

pub(super) static TEXT: FnDef = FnDef {
    path: "datetime.str_now",
    sig: Sig::Fixed("func() str"),
    doc: "Returns the Unix time in seconds as a string, updated every second.",
    examples: &[
        Example { call: "datetime.str_now()", gives: r#""1443158163""# },
        Example { call: "len(datetime.str_now())", gives: "10" },
        Example { call: "convert.str_to_int(datetime.str_now())", gives: "1443158163" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, _| Ok(Some(Value::from(known!(ask(world, &EACH_SECOND)).to_string())))),
};
