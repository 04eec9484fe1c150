//! `sys.getenv`, `hasenv` and `env`.

use crate::corelib::facts::{ask, ask_optional, known};
use crate::corelib::{Args, CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, program};

pub(super) static GET: FnDef = FnDef {
    path: "sys.getenv",
    sig: Sig::Fixed("func(str) str"),
    doc: "Returns an environment variable.\n\nAn unset variable is an error, which `<|>` can catch.",
    examples: &[
        Example { call: r#"sys.getenv("HOME")"#, gives: r#""/root""# },
        Example { call: r#"sys.getenv("EMPTY")"#, gives: r#""""# },
        Example { call: r#"sys.getenv("NOPE")"#, gives: "error: environment variable not set: NOPE" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, args| {
        let missing =
            || FnError::catchable(format!("environment variable not set: {}", args.text(0).unwrap_or_default()));
        known!(variable(world, args)).ok_or_else(missing).map(Some)
    }),
};

pub(super) static HAS: FnDef = FnDef {
    path: "sys.hasenv",
    sig: Sig::Fixed("func(str) bool"),
    doc: "Reports whether an environment variable is set, even if it is empty.",
    examples: &[
        Example { call: r#"sys.hasenv("HOME")"#, gives: "true" },
        Example { call: r#"sys.hasenv("EMPTY")"#, gives: "true" },
        Example { call: r#"sys.hasenv("NOPE")"#, gives: "false" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, args| Ok(Some(Value::Bool(known!(variable(world, args)).is_some())))),
};

pub(super) static ALL: FnDef = FnDef {
    path: "sys.env",
    sig: Sig::Fixed("func() map{str: str}"),
    doc: "Returns all environment variables.",
    examples: &[
        Example { call: "sys.env()", gives: r#"{"EMPTY": "", "HOME": "/root"}"# },
        Example { call: r#"map_lookup(sys.env(), "HOME")"#, gives: r#""/root""# },
        Example { call: "len(sys.env())", gives: "2" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, _| ask(world, &FactSpec::Program(program::Fact::Environment))),
};

fn variable(world: &mut dyn CallContext, args: &Args) -> Result<Option<Option<Value>>, FnError> {
    ask_optional(world, &FactSpec::Program(program::Fact::Env { name: args.text(0)?.into_owned() }))
}
