//! `_collect`: the hidden call of a `collect` statement. Functions spec, section 5.

use crate::corelib::facts::keep_first;
use crate::corelib::{Args, CallContext, CallSite, FnDef, FnError, Run, Shape, Sig};
use crate::kinds;
use crate::types::{self, FuncType, Type};
use crate::value::Value;
use crate::vocab::{FactSpec, store};

pub(super) static DEF: FnDef = FnDef {
    path: "_collect",
    sig: Sig::Inferred {
        infer,
        check,
        shown: &[
            "func(kind str, names str) []struct{name str; host str; data str}",
            "func(kind str, names []str) []struct{name str; host str; data str}",
            "func(kind str, names []struct{name str; host str}) []struct{name str; host str; data str}",
        ],
    },
    doc: "Implements the `collect` statement: returns the exported resources of a kind that match.\n\n`names` is a \
          name on any host, a list of such names, or a list of name and host pairs, where an empty string matches \
          anything.",
    examples: &[],
    shape: Shape::DYNAMIC,
    run: Run::World(run),
};

const NAMES: [&str; 3] = ["str", "[]str", "[]struct{name str; host str}"];

fn is_accepted(ty: &Type) -> bool {
    NAMES.iter().any(|form| types::parse(form).as_ref() == Some(ty))
}

fn infer(site: &CallSite) -> Result<Type, String> {
    if site.args.len() != 2 {
        return Err("function must have exactly two args".into());
    }
    let kind = site.text(0).unwrap_or_default();
    if kind.is_empty() {
        return Err("function must not have an empty kind arg".into());
    }
    if kinds::lookup(&kind).is_none() {
        return Err(format!("invalid resource kind: {kind}"));
    }
    let names = site.args[1].ty.clone().filter(is_accepted).unwrap_or(Type::Var(1));
    let found = types::parse("[]struct{name str; host str; data str}").ok_or("malformed signature")?;
    Ok(Type::func(vec![("kind".into(), Type::Str), ("names".into(), names)], found))
}

fn check(_: &CallSite, solved: &FuncType) -> Result<(), String> {
    match solved.params.get(1) {
        Some((_, ty)) if is_accepted(ty) => Ok(()),
        Some((_, ty)) => Err(format!("unexpected type: {ty}")),
        None => Err("function must have exactly two args".into()),
    }
}

/// One entry of `names`: a name and a host, where `None` matches anything.
type Wanted = (Option<Value>, Option<Value>);

fn wanted(names: &Value) -> Vec<Wanted> {
    let part =
        |part: Option<&Value>| part.filter(|value| value.as_bytes().is_some_and(|bytes| !bytes.is_empty())).cloned();
    match names {
        Value::List(items) => items.iter().flat_map(wanted).collect(),
        Value::Struct(fields) => vec![(part(fields.get("name")), part(fields.get("host")))],
        name => vec![(part(Some(name)), None)],
    }
}

fn run(world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
    let kind = args.text(0)?.into_owned();
    keep_first(world, &kind, "kind")?;
    let Some(exported) = world.fact(&FactSpec::Store(store::Fact::Exported { kind })) else { return Ok(None) };
    let exported = Value::from(&exported.map_err(|error| FnError::fatal(error.message))?);
    let wanted = wanted(&args.values[1]);
    let matches = |entry: &&Value| {
        let Some(entry) = entry.as_struct() else { return false };
        let fits = |want: &Option<Value>, field: &str| want.as_ref().is_none_or(|want| entry.get(field) == Some(want));
        wanted.iter().any(|(name, host)| fits(name, "name") && fits(host, "host"))
    };
    let found = exported.as_list().map(|items| items.iter().filter(matches).cloned().collect::<Vec<_>>());
    Ok(Some(Value::list(found.unwrap_or_default())))
}
