//! Module `value`: values published by `value` resources. Functions spec, 7.20.

use crate::corelib::facts::{ask_optional, keep_first, known};
use crate::corelib::{Args, CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::types::{self, Type};
use crate::value::Value;
use crate::vocab::{FactSpec, store};

pub(super) static DEFS: &[&FnDef] = &[&GET, &GET_BOOL, &GET_STR, &GET_INT, &GET_FLOAT];

static GET: FnDef = FnDef {
    path: "value.get",
    sig: Sig::Inferred {
        infer: |_| Err("its type is unknown: use `value.get_str` or another of the typed functions".into()),
        check: |_, _| Ok(()),
        shown: &["func(key str) struct{value ?1; ready bool}"],
    },
    doc: "Cannot be called: use `value.get_str` and the other typed functions.",
    examples: &[
        Example { call: r#"value.get("x")"#, gives: "error: its type is unknown: use `value.get_str`" },
        Example { call: r#"value.get("x")->ready"#, gives: "error: its type is unknown: use `value.get_str`" },
        Example { call: r#"value.get("")->value + 1"#, gives: "error: its type is unknown: use `value.get_str`" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(run),
};

macro_rules! get {
    ($name:ident, $path:literal, $sig:literal, $known:literal, $set:literal, $unset:literal) => {
        static $name: FnDef = FnDef {
            path: $path,
            sig: Sig::Fixed($sig),
            doc: "Returns the value published by the `value` resource with this name, and whether it is \
                  ready.\n\nUntil then, the value is the zero value of its type. The key must not change while the \
                  program runs.",
            examples: &[
                Example { call: concat!($path, "(\"", $known, "\")"), gives: $set },
                Example { call: concat!($path, "(\"nope\")"), gives: $unset },
                Example { call: concat!($path, "(\"\")"), gives: "error: can't use an empty key" },
                Example { call: concat!($path, "(\"list\")"), gives: "error: type mismatch" },
            ],
            shape: Shape::DYNAMIC,
            run: Run::World(run),
        };
    };
}

get!(
    GET_BOOL,
    "value.get_bool",
    "func(key str) struct{value bool; ready bool}",
    "bool",
    "struct{value: true; ready: true}",
    "struct{value: false; ready: false}"
);
get!(
    GET_STR,
    "value.get_str",
    "func(key str) struct{value str; ready bool}",
    "str",
    r#"struct{value: "x"; ready: true}"#,
    r#"struct{value: ""; ready: false}"#
);
get!(
    GET_INT,
    "value.get_int",
    "func(key str) struct{value int; ready bool}",
    "int",
    "struct{value: 5; ready: true}",
    "struct{value: 0; ready: false}"
);
get!(
    GET_FLOAT,
    "value.get_float",
    "func(key str) struct{value float; ready bool}",
    "float",
    "struct{value: 0.5; ready: true}",
    "struct{value: 0; ready: false}"
);

fn run(world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
    let key = args.text(0)?.into_owned();
    if key.is_empty() {
        return Err(FnError::fatal("can't use an empty key"));
    }
    keep_first(world, &key, "key")?;
    let wanted = match &args.ty.ret {
        Type::Struct(fields) => fields.first().map(|(_, ty)| ty),
        _ => None,
    };
    let wanted = wanted.ok_or_else(|| FnError::fatal("unexpected type of the result"))?;
    let fail = |error: FnError| FnError::fatal(format!("channel read failed on `{key}`: {}", error.message));
    let published =
        known!(ask_optional(world, &FactSpec::Store(store::Fact::Local { key: key.clone() })).map_err(fail));
    // An empty value has a kind but no type.
    let compared = published.as_ref().map(|value| match value.type_of() {
        Some(ty) => types::compare(wanted, &ty),
        None if value.kind() == wanted.kind() => Ok(()),
        None => Err(format!("base kind does not match ({} != {})", wanted.kind(), value.kind())),
    });
    if let Some(Err(differs)) = compared {
        return Err(FnError::fatal(format!("type mismatch, check type in Value[{key}]: {differs}")));
    }
    let ready = published.is_some();
    let value = published.or_else(|| Value::zero(wanted)).ok_or_else(|| FnError::fatal("a value without a zero"))?;
    Ok(Some(Value::structure([("value", value), ("ready", Value::Bool(ready))])))
}
