//! `world/collect.res`: the exported resources of a kind.

use crate::corelib::facts::{ask, keep_first, known};
use crate::corelib::{Args, CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::kinds;
use crate::value::Value;
use crate::vocab::{FactSpec, store};

pub(super) static RES: FnDef = FnDef {
    path: "world/collect.res",
    sig: Sig::Fixed("func(kind str) []struct{name str; host str}"),
    doc: "Returns the name and host of each exported resource of a kind that is visible to this host. The kind must \
          not change while the program runs.",
    examples: &[
        Example { call: r#"collect.res("file")"#, gives: r#"[struct{name: "/tmp/a"; host: "host2"}]"# },
        Example { call: r#"collect.res("noop")"#, gives: "[]" },
        Example { call: r#"collect.res("")"#, gives: "error: resource kind is empty" },
        Example { call: r#"collect.res("nope")"#, gives: "error: invalid resource kind: nope" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(run),
};

fn run(world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
    let kind = args.text(0)?.into_owned();
    if kind.is_empty() {
        return Err(FnError::fatal("resource kind is empty"));
    }
    if kinds::lookup(&kind).is_none() {
        return Err(FnError::fatal(format!("invalid resource kind: {kind}")));
    }
    keep_first(world, &kind, "kind")?;
    let exported = known!(ask(world, &FactSpec::Store(store::Fact::Exported { kind })));
    let entry = |entry: &Value| {
        let entry = entry.as_struct()?;
        Some(Value::structure([("name", entry.get("name")?.clone()), ("host", entry.get("host")?.clone())]))
    };
    Ok(Some(Value::list(exported.as_list().into_iter().flat_map(|items| items.iter()).filter_map(entry))))
}
