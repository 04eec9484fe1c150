//! The functions of every template, except `and` and `or`, which evaluate their arguments lazily. Functions spec, 9.1.

use super::data::Data;
use super::printf::printf;
use super::{compare, escape, render};
use crate::value::PART;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Builtin {
    And,
    Or,
    Not,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Len,
    Index,
    Slice,
    Print,
    Printf,
    Println,
    Html,
    Js,
    Urlquery,
    Call,
}

impl Builtin {
    pub(super) fn named(name: &str) -> Option<Builtin> {
        Some(match name {
            "and" => Builtin::And,
            "or" => Builtin::Or,
            "not" => Builtin::Not,
            "eq" => Builtin::Eq,
            "ne" => Builtin::Ne,
            "lt" => Builtin::Lt,
            "le" => Builtin::Le,
            "gt" => Builtin::Gt,
            "ge" => Builtin::Ge,
            "len" => Builtin::Len,
            "index" => Builtin::Index,
            "slice" => Builtin::Slice,
            "print" => Builtin::Print,
            "printf" => Builtin::Printf,
            "println" => Builtin::Println,
            "html" => Builtin::Html,
            "js" => Builtin::Js,
            "urlquery" => Builtin::Urlquery,
            "call" => Builtin::Call,
            _ => return None,
        })
    }

    /// The minimum number of arguments, and whether more are accepted.
    pub(super) fn arity(self) -> (usize, bool) {
        match self {
            Builtin::Print | Builtin::Println | Builtin::Html | Builtin::Js | Builtin::Urlquery => (0, true),
            Builtin::And | Builtin::Or | Builtin::Eq | Builtin::Index | Builtin::Slice => (1, true),
            Builtin::Printf | Builtin::Call => (1, true),
            Builtin::Not | Builtin::Len => (1, false),
            Builtin::Ne | Builtin::Lt | Builtin::Le | Builtin::Gt | Builtin::Ge => (2, false),
        }
    }

    /// The approximate number of bytes that a call reads and writes: its cost.
    pub(super) fn n_bytes(self, args: &[Data], made: &Data) -> u64 {
        let text = |data: &Data| if let Data::Str(text) = data { text.len() as u64 } else { 0 };
        match self {
            Builtin::Len | Builtin::Not | Builtin::And | Builtin::Or | Builtin::Call => 0,
            // Keys are compared with those of a map.
            Builtin::Index => args.iter().skip(1).map(text).sum(),
            Builtin::Slice => match made {
                Data::List(_, items) => PART * items.len() as u64,
                made => text(made),
            },
            Builtin::Eq
            | Builtin::Ne
            | Builtin::Lt
            | Builtin::Le
            | Builtin::Gt
            | Builtin::Ge
            | Builtin::Print
            | Builtin::Printf
            | Builtin::Println
            | Builtin::Html
            | Builtin::Js
            | Builtin::Urlquery => args.iter().chain([made]).map(text).sum(),
        }
    }

    /// Calls it with a valid number of arguments; no text gets longer than `limit`.
    pub(super) fn call(self, args: &[Data], limit: usize) -> Result<Data, String> {
        let text = |text: Vec<u8>| if text.len() > limit { Err(too_long()) } else { Ok(Data::text(text)) };
        match self {
            Builtin::And | Builtin::Or => Ok(args.last().cloned().unwrap_or(Data::Nil)),
            Builtin::Not => Ok(Data::Bool(!args[0].truth())),
            Builtin::Eq => compare::eq(&args[0], &args[1..]).map(Data::Bool),
            Builtin::Ne => compare::eq(&args[0], &args[1..]).map(|same| Data::Bool(!same)),
            Builtin::Lt => compare::lt(&args[0], &args[1]).map(Data::Bool),
            Builtin::Le => compare::le(&args[0], &args[1]).map(Data::Bool),
            Builtin::Gt => compare::le(&args[0], &args[1]).map(|is| Data::Bool(!is)),
            Builtin::Ge => compare::lt(&args[0], &args[1]).map(|is| Data::Bool(!is)),
            Builtin::Len => len(&args[0]).map(|len| Data::Int(len as i64)),
            Builtin::Index if matches!(args[0], Data::Nil) => Err("index of untyped nil".into()),
            Builtin::Index => args[1..].iter().try_fold(args[0].clone(), |item, key| index(&item, key)),
            Builtin::Slice => slice(&args[0], &args[1..]),
            Builtin::Print => text(render::print(args, false)),
            Builtin::Println => text(render::print(args, true)),
            Builtin::Printf => match &args[0] {
                Data::Str(format) => printf(format, &args[1..], limit).map(Data::text),
                other => Err(format!("wrong type for value; expected string; got {}", other.type_name())),
            },
            Builtin::Html => text(escape::html(&joined(args))),
            Builtin::Js => text(escape::js(&joined(args))),
            Builtin::Urlquery => text(escape::urlquery(&joined(args))),
            Builtin::Call => Err(format!("non-function of type {}", args[0].type_name())),
        }
    }
}

pub(super) fn too_long() -> String {
    "text too long".into()
}

/// The arguments as `print` writes them, except a missing value.
fn joined(args: &[Data]) -> Vec<u8> {
    let shown = |data: &Data| match data {
        Data::Nil => Data::text("<no value>"),
        data => data.clone(),
    };
    render::print(&args.iter().map(shown).collect::<Vec<_>>(), false)
}

fn len(item: &Data) -> Result<usize, String> {
    match item {
        Data::Str(text) => Ok(text.len()),
        Data::List(_, items) => Ok(items.len()),
        Data::Map(map) => Ok(map.entries.len()),
        Data::Nil => Err("len of nil pointer".into()),
        Data::Bool(_)
        | Data::Int(_)
        | Data::Int64(_)
        | Data::Byte(_)
        | Data::Float(_)
        | Data::Complex(..)
        | Data::Struct(_) => Err(format!("len of type {}", item.type_name())),
    }
}

/// An index of a list or text; one past the end is allowed only for slicing.
fn place(key: &Data, len: usize) -> Result<usize, String> {
    let Some(at) = key.int() else {
        return Err(format!("cannot index slice/array with type {}", key.type_name()));
    };
    usize::try_from(at).ok().filter(|at| *at <= len).ok_or_else(|| format!("index out of range: {at}"))
}

fn index(item: &Data, key: &Data) -> Result<Data, String> {
    let behind = || "reflect: slice index out of range".to_string();
    match item {
        Data::Nil => Err("index of untyped nil".into()),
        Data::Str(text) => text.get(place(key, text.len())?).map(|byte| Data::Byte(*byte)).ok_or_else(behind),
        Data::List(_, items) => items.get(place(key, items.len())?).cloned().ok_or_else(behind),
        Data::Map(map) => {
            let found = key.ty();
            // All int types are interchangeable as keys.
            let fits = found.as_ref() == Some(&map.key) || key.int().is_some() && map.key.zero().int().is_some();
            if !fits {
                return Err(format!("value has type {}; should be {}", key.type_name(), map.key));
            }
            Ok(map.get(key).cloned().unwrap_or_else(|| map.value.zero()))
        }
        Data::Bool(_)
        | Data::Int(_)
        | Data::Int64(_)
        | Data::Byte(_)
        | Data::Float(_)
        | Data::Complex(..)
        | Data::Struct(_) => Err(format!("can't index item of type {}", item.type_name())),
    }
}

fn slice(item: &Data, keys: &[Data]) -> Result<Data, String> {
    if keys.len() > 3 {
        return Err(format!("too many slice indexes: {}", keys.len()));
    }
    let len = match item {
        Data::Str(_) if keys.len() == 3 => return Err("cannot 3-index slice a string".into()),
        Data::Str(text) => text.len(),
        Data::List(_, items) => items.len(),
        Data::Nil => return Err("slice of untyped nil".into()),
        other => return Err(format!("can't slice item of type {}", other.type_name())),
    };
    let places = keys.iter().map(|key| place(key, len)).collect::<Result<Vec<_>, _>>()?;
    let from = places.first().copied().unwrap_or(0);
    let to = places.get(1).copied().unwrap_or(len);
    if from > to || places.get(2).is_some_and(|limit| to > *limit) {
        return Err(format!("invalid slice index: {from} > {to}"));
    }
    Ok(match item {
        Data::Str(text) => Data::text(&text[from..to]),
        Data::List(element, items) => Data::List(element.clone(), Arc::from(&items[from..to])),
        other => other.clone(),
    })
}
