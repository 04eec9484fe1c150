//! `local.pool`: a number that belongs to a name.

use crate::corelib::facts::ask;
use crate::corelib::{Args, CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, local};

pub(super) static DEF: FnDef = FnDef {
    path: "local.pool",
    sig: Sig::Fixed("func(namespace str, uid str) int"),
    doc: "Returns a positive number that is unique to a name within a namespace. It stays the same across restarts.",
    examples: &[
        Example { call: r#"local.pool("ports", "web")"#, gives: "1" },
        Example { call: r#"local.pool("", "web")"#, gives: "error: namespace is empty" },
        Example { call: r#"local.pool("a/b", "web")"#, gives: "error: namespace contains slash" },
        Example { call: r#"local.pool("ports", "")"#, gives: "error: uid is empty" },
        Example { call: r#"local.pool("ports", "a/b")"#, gives: "error: uid contains slash" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(run),
};

fn run(world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
    let part = |index: usize, what: &str| {
        let text = args.text(index)?.into_owned();
        match () {
            () if text.is_empty() => Err(FnError::fatal(format!("{what} is empty"))),
            () if text.contains('/') => Err(FnError::fatal(format!("{what} contains slash"))),
            () => Ok(text),
        }
    };
    let (namespace, uid) = (part(0, "namespace")?, part(1, "uid")?);
    ask(world, &FactSpec::Local(local::Fact::Pool { namespace, uid }))
}
