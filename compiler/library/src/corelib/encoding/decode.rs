//! `encoding.decode_json` and `decode_json_flexible`. Functions spec, section 10.

use super::json::{self, Json};
use super::type_text::{self, Named};
use crate::corelib::{Args, CallSite, Example, FnDef, FnError, Run, Shape, Sig};
use crate::gather;
use crate::types::{self, Type};
use crate::value::{Struct, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

const SHOWN: &[&str] = &["func(data str) ?1", "func(data str, type str) ?1"];

pub(super) static STRICT: FnDef = FnDef {
    path: "encoding.decode_json",
    sig: Sig::Inferred { infer, check: |_, _| Ok(()), shown: SHOWN },
    doc: "Decodes the first JSON value in a string into a value of the given type.\n\nThe type is a string such as \
          `struct{host str; port int}`, or is inferred. The fields of a struct must match the keys of the object \
          exactly. Errors end the program and cannot be caught.",
    examples: &[
        Example { call: r#"encoding.decode_json("[1, 2]", "[]int")"#, gives: "[1, 2]" },
        Example {
            call: r#"encoding.decode_json("{\"b\": true, \"a\": 1.5}", "struct{a float; b bool}")"#,
            gives: "struct{a: 1.5; b: true}",
        },
        Example { call: r#"encoding.decode_json("7 8") + 1"#, gives: "8" },
        Example { call: r#"encoding.decode_json("", "int")"#, gives: "error: invalid JSON: EOF" },
        Example { call: r#"encoding.decode_json("null", "int")"#, gives: "error: type doesn't match int" },
        Example { call: r#"encoding.decode_json("1.0", "int")"#, gives: "error: num doesn't contain int64" },
        Example {
            call: r#"encoding.decode_json("{}", "struct{a int}")"#,
            gives: "error: incompatible number of fields",
        },
        Example { call: r#"encoding.decode_json("1", "Int")"#, gives: "error: invalid type specification" },
    ],
    shape: Shape { inline: false, ..Shape::STATIC },
    run: Run::Pure(|args| run(args, Fields::Exact)),
};

pub(super) static FLEXIBLE: FnDef = FnDef {
    path: "encoding.decode_json_flexible",
    sig: Sig::Inferred { infer, check: |_, _| Ok(()), shown: SHOWN },
    doc: "Like `decode_json`, but missing fields get their zero value and unknown keys are ignored.",
    examples: &[
        Example { call: r#"encoding.decode_json_flexible("{\"x\": 1}", "struct{a int}")"#, gives: "struct{a: 0}" },
        Example {
            call: r#"encoding.decode_json_flexible("{\"a\": {}}", "struct{a struct{b str}}")"#,
            gives: r#"struct{a: struct{b: ""}}"#,
        },
        Example {
            call: r#"encoding.decode_json_flexible("{\"a\": null}", "struct{a int}")"#,
            gives: "error: type doesn't match int",
        },
    ],
    shape: Shape::DYNAMIC,
    run: Run::Pure(|args| run(args, Fields::Flexible)),
};

/// The keys an object needs in order to be a struct.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fields {
    Exact,
    Flexible,
}

fn infer(site: &CallSite) -> Result<Type, String> {
    let mut params = vec![("data".into(), Type::Str)];
    let ret = match site.args {
        [_] => Type::Var(1),
        [_, wanted] => {
            params.push(("type".into(), Type::Str));
            let named = match &wanted.value {
                None => None,
                Some(value) => {
                    let text = value.as_text().ok_or("invalid type specification")?;
                    Some(type_text::parse(&text).ok_or("invalid type specification")?)
                }
            };
            match (named, &wanted.value) {
                (Some(Named::Type(ty)), _) => ty,
                (Some(Named::Func), Some(value)) => {
                    value.as_text().and_then(|text| types::parse(&text)).ok_or("invalid type specification")?
                }
                _ => Type::Var(1),
            }
        }
        _ => return Err("it takes 1 or 2 arguments".into()),
    };
    Ok(Type::func(params, ret))
}

fn run(args: &Args, fields: Fields) -> Result<Value, FnError> {
    let wanted = &args.ty.ret;
    if args.len() == 2 {
        // A text known only at run time may disagree; an invalid one says nothing.
        if let Some(Named::Type(told)) = type_text::parse(&args.text(1)?) {
            types::compare(wanted, &told)
                .map_err(|differs| FnError::fatal(format!("incompatible types: {differs}")))?;
        }
    }
    if matches!(wanted, Type::Func(_)) {
        return Err(FnError::fatal("func type"));
    }
    let json = json::parse(args.bytes(0)?).map_err(|why| FnError::fatal(format!("invalid JSON: {why}")))?;
    decode(&json, wanted, fields)
}

/// The type limits the depth.
fn decode(json: &Json, ty: &Type, fields: Fields) -> Result<Value, FnError> {
    Ok(match (ty, json) {
        (Type::Bool, Json::Bool(value)) => Value::Bool(*value),
        (Type::Str, Json::Str(text)) => Value::str(text),
        (Type::Int, Json::Number(text)) => Value::Int(text.parse().map_err(|_| {
            FnError::fatal("num doesn't contain int64").said(format!("expected `int` in the JSON, found {text}"))
        })?),
        (Type::Float, Json::Number(text)) => {
            let float = text.parse::<f64>().ok().filter(|float| float.is_finite());
            let said = || format!("expected `float` in the JSON, found {text}");
            Value::Float(float.ok_or_else(|| FnError::fatal("num doesn't contain float64").said(said()))?)
        }
        (Type::List(element), Json::Array(items)) => {
            Value::list(items.iter().map(|item| decode(item, element, fields)).collect::<Result<Vec<_>, _>>()?)
        }
        (Type::Map(parts), Json::Object(entries)) => {
            if !entries.is_empty() && parts.0 != Type::Str {
                return Err(FnError::fatal(format!("type doesn't match {}", parts.0.kind())));
            }
            let entry = |(key, value): (&str, &Json)| Ok((Value::str(key), decode(value, &parts.1, fields)?));
            Value::map(last(entries).into_iter().map(entry).collect::<Result<Vec<_>, FnError>>()?)
        }
        (Type::Struct(wanted), Json::Object(entries)) => structure(entries, wanted, fields)?,
        (ty, json) => {
            let said = format!("expected `{ty}` in the JSON, found {}", json.form());
            return Err(FnError::fatal(format!("type doesn't match {}", ty.kind())).said(said));
        }
    })
}

/// Of a duplicate key the last value counts, and the others may be anything.
fn last(entries: &[(String, Json)]) -> BTreeMap<&str, &Json> {
    gather::map(entries.iter().map(|(key, value)| (&**key, value)))
}

fn structure(entries: &[(String, Json)], wanted: &[(Arc<str>, Type)], fields: Fields) -> Result<Value, FnError> {
    let last = last(entries);
    if fields == Fields::Exact && last.len() != wanted.len() {
        let said = format!("the JSON object has {} fields, and the type {}", last.len(), wanted.len());
        return Err(FnError::fatal("incompatible number of fields").said(said));
    }
    let field = |(name, ty): &(Arc<str>, Type)| {
        let value = match last.get(&**name) {
            Some(value) => decode(value, ty, fields)?,
            None => match (fields, Value::zero(ty)) {
                (Fields::Flexible, Some(zero)) => zero,
                _ => {
                    let said = format!("field `{name}` is missing in the JSON object");
                    return Err(FnError::fatal(format!("field {name} was not found in struct")).said(said));
                }
            },
        };
        Ok((name.clone(), value))
    };
    let fields = wanted.iter().map(field).collect::<Result<_, FnError>>()?;
    Ok(Value::Struct(Arc::new(Struct { fields })))
}
