//! `world.getval`, `kvlookup` and `schedule`.

use crate::corelib::facts::{ask, ask_optional, keep_first, known};
use crate::corelib::{Args, CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, schedule, store};

pub(super) static GETVAL: FnDef = FnDef {
    path: "world.getval",
    sig: Sig::Fixed("func(key str) struct{value str; exists bool}"),
    doc: "Returns the value of a key in the shared store, and whether it exists. The key must not change \
          while the program runs.",
    examples: &[
        Example { call: r#"world.getval("colour")"#, gives: r#"struct{value: "blue"; exists: true}"# },
        Example { call: r#"world.getval("nope")"#, gives: r#"struct{value: ""; exists: false}"# },
        Example { call: r#"world.getval("")"#, gives: "error: can't use an empty key" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, args| {
        let key = first(world, args, "key")?;
        let found = ask_optional(world, &FactSpec::Store(store::Fact::Value { key: key.clone() }));
        let found = known!(found.map_err(|error| failed(&key, &error)));
        let exists = Value::Bool(found.is_some());
        Ok(Some(Value::structure([("value", found.unwrap_or_else(|| Value::str(""))), ("exists", exists)])))
    }),
};

pub(super) static KVLOOKUP: FnDef = FnDef {
    path: "world.kvlookup",
    sig: Sig::Fixed("func(namespace str) map{str: str}"),
    doc: "Returns the values that the hosts have stored in a namespace, by host. The namespace must not change while \
          the program runs.",
    examples: &[
        Example { call: r#"world.kvlookup("addresses")"#, gives: r#"{"host1": "192.0.2.1"}"# },
        Example { call: r#"world.kvlookup("nope")"#, gives: "{}" },
        Example { call: r#"world.kvlookup("")"#, gives: "error: can't use an empty namespace" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, args| {
        let namespace = first(world, args, "namespace")?;
        let found = ask(world, &FactSpec::Store(store::Fact::Map { namespace: namespace.clone() }));
        found.map_err(|error| failed(&namespace, &error))
    }),
};

pub(super) static SCHEDULE: FnDef = FnDef {
    path: "world.schedule",
    sig: Sig::Fixed("func(namespace str) []str"),
    doc: "Returns the hosts elected by the cluster's scheduler; empty before the first result.\n\nCalling it does not \
          make this host a candidate. The namespace must not change while the program runs.",
    examples: &[
        Example { call: r#"world.schedule("web")"#, gives: r#"["host1"]"# },
        Example { call: r#"world.schedule("nope")"#, gives: "[]" },
        Example { call: r#"world.schedule("")"#, gives: "error: can't use an empty namespace" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, args| {
        let namespace = first(world, args, "namespace")?;
        let fail = |error: FnError| FnError::fatal(format!("scheduler result error: {}", error.message));
        ask(world, &FactSpec::Schedule(schedule::Fact { namespace })).map_err(fail)
    }),
};

fn first(world: &mut dyn CallContext, args: &Args, what: &str) -> Result<String, FnError> {
    let key = args.text(0)?.into_owned();
    if key.is_empty() {
        return Err(FnError::fatal(format!("can't use an empty {what}")));
    }
    keep_first(world, &key, what)?;
    Ok(key)
}

fn failed(key: &str, error: &FnError) -> FnError {
    FnError::fatal(format!("channel read failed on `{key}`: {}", error.message))
}
