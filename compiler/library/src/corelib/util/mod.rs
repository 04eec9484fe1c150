//! Module `util`. Functions spec, 7.19.

use crate::corelib::facts::known;
use crate::corelib::net::interfaces::{hardware_addresses, interfaces};
use crate::corelib::{Args, CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;

pub(super) static DEFS: &[&FnDef] = &[&HOSTNAME_MAPPER];

static HOSTNAME_MAPPER: FnDef = FnDef {
    path: "util.hostname_mapper",
    sig: Sig::Fixed("func(map{str: str}) str"),
    doc: "Looks up the MAC addresses of this host in a map and returns the matching name; empty if there is none.",
    examples: &[
        Example { call: r#"util.hostname_mapper({"52:54:00:12:34:56" => "web1"})"#, gives: r#""web1""# },
        Example { call: r#"util.hostname_mapper({"00:00:00:00:00:00" => "x"})"#, gives: r#""""# },
        Example {
            call: r#"util.hostname_mapper({"52:54:00:12:34:56" => "a", "52:54:00:12:34:57" => "b"})"#,
            gives: "error: multiple hostnames found: a, b",
        },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(run),
};

fn run(world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
    let map = args.values[0].as_map().ok_or_else(|| FnError::fatal("unexpected type of argument #0"))?;
    let interfaces = known!(interfaces(world));
    let mut found: Vec<Value> = Vec::new();
    for address in hardware_addresses(&interfaces) {
        if let Some(name) =
            map.get(&Value::from(address)).filter(|name| **name != Value::str("") && !found.contains(name))
        {
            found.push(name.clone());
        }
    }
    match &found[..] {
        [] => Ok(Some(Value::str(""))),
        [name] => Ok(Some(name.clone())),
        names => {
            let names: Vec<_> = names.iter().filter_map(Value::as_text).collect();
            Err(FnError::fatal(format!("multiple hostnames found: {}", names.join(", "))))
        }
    }
}
