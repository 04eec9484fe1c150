//! `sys.hostname`, `load` and `uptime`.

use crate::corelib::facts::{ask, known};
use crate::corelib::{Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, hostname, machine, time};

pub(super) static HOSTNAME: FnDef = FnDef {
    path: "sys.hostname",
    sig: Sig::Fixed("func() str"),
    doc: "Returns the host name reported by the system, updated when it changes.\n\n`$hostname` is the name that the \
          agent was started with.",
    examples: &[
        Example { call: "sys.hostname()", gives: r#""host1""# },
        Example { call: "len(sys.hostname())", gives: "5" },
        Example { call: r#"sys.hostname() == "host1""#, gives: "true" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, _| {
        let fail = |error: FnError| {
            FnError::fatal(format!("failed to get org.freedesktop.hostname1.Hostname: {}", error.message))
        };
        ask(world, &FactSpec::Hostname(hostname::Fact)).map_err(fail)
    }),
};

pub(super) static LOAD: FnDef = FnDef {
    path: "sys.load",
    sig: Sig::Fixed("func() struct{x1 float; x5 float; x15 float}"),
    doc: "Returns the load averages over 1, 5 and 15 minutes, updated every 5 seconds.",
    examples: &[
        Example { call: "sys.load()", gives: "struct{x1: 0.5; x5: 0.25; x15: 0.125}" },
        Example { call: "sys.load()->x1 + 0.0", gives: "0.5" },
        Example { call: "sys.load()->x15 < 1.0", gives: "true" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, _| {
        let fail = |why: &str| FnError::fatal(format!("could not read load values: {why}"));
        let loads = known!(
            ask(world, &FactSpec::Machine(machine::Fact::Load { period_ms: 5000 }))
                .map_err(|error| fail(&error.message))
        );
        match loads.as_list().map(|loads| &**loads) {
            Some([x1, x5, x15]) => {
                Ok(Some(Value::structure([("x1", x1.clone()), ("x5", x5.clone()), ("x15", x15.clone())])))
            }
            _ => Err(fail("unexpected answer of the host")),
        }
    }),
};

pub(super) static UPTIME: FnDef = FnDef {
    path: "sys.uptime",
    sig: Sig::Fixed("func() int"),
    doc: "Returns the uptime of the host in whole seconds, updated every second.",
    examples: &[
        Example { call: "sys.uptime()", gives: "3600" },
        Example { call: "sys.uptime() > 60", gives: "true" },
        Example { call: "sys.uptime() / 3600", gives: "1" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, _| {
        let fail = |error: FnError| FnError::fatal(format!("could not read uptime value: {}", error.message));
        ask(world, &FactSpec::Time(time::Fact::Uptime { period_ms: 1000 })).map_err(fail)
    }),
};
