//! Signatures of functions: `count(item_list: any[]) -> int`. Spec, 12.3.

use crate::program::{Base, Def, Primitive, Program, Type};
use crate::value::{Int, Value};
use indexmap::IndexMap;

/// How a parameter takes its argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamKind {
    /// By position or by name.
    Plain,
    /// By name only.
    KeywordOnly,
    /// Further positional arguments.
    Rest,
    /// Further keyword arguments.
    Keywords,
}

/// A parameter.
#[derive(Debug)]
pub struct Param {
    /// The name.
    pub name: String,
    /// How it takes its argument.
    pub kind: ParamKind,
    /// The default, if any.
    pub default: Option<Value>,
    ty: SignatureType,
}

/// A type in a signature, by name.
#[derive(Debug)]
pub(super) struct SignatureType {
    base: SignatureBase,
    is_list: bool,
    is_nullable: bool,
}

#[derive(Debug)]
enum SignatureBase {
    Named(String),
    /// `dict[string, T]`.
    DictOf(Box<SignatureType>),
    /// `Union[T,U]`.
    Union(Vec<SignatureType>),
}

#[derive(Debug)]
pub(super) struct Signature {
    pub(super) params: Vec<Param>,
    pub(super) result: SignatureType,
}

impl Param {
    /// The type.
    pub fn ty(&self, program: &Program) -> Type {
        let ty = self.ty.resolve(program);
        // A default of null makes null a valid argument.
        if matches!(self.default, Some(Value::Null)) { Type { is_nullable: true, ..ty } } else { ty }
    }
}

impl SignatureType {
    fn parse(text: &str) -> SignatureType {
        let text = text.trim();
        let (text, is_nullable) = text.strip_suffix('?').map_or((text, false), |text| (text, true));
        let (name, is_list) = text.strip_suffix("[]").map_or((text, false), |text| (text, true));
        let args_of = |head: &str| name.strip_prefix(head)?.strip_suffix(']').map(split);
        let base = if let Some(members) = args_of("Union[") {
            SignatureBase::Union(members.into_iter().map(SignatureType::parse).collect())
        } else if let Some(&[_, value]) = args_of("dict[").as_deref() {
            SignatureBase::DictOf(Box::new(SignatureType::parse(value)))
        } else {
            SignatureBase::Named(name.to_owned())
        };
        SignatureType { base, is_list, is_nullable }
    }

    pub(super) fn resolve(&self, program: &Program) -> Type {
        let base = match &self.base {
            SignatureBase::DictOf(value) => Base::DictOf(Box::new(value.resolve(program))),
            SignatureBase::Union(members) => Base::Union(members.iter().map(|ty| ty.resolve(program)).collect()),
            SignatureBase::Named(name) => match &**name {
                "any" => Base::Any,
                "null" => Base::Null,
                "list" => Base::AnyList,
                "dict" => Base::AnyDict,
                name => Primitive::of(name).map(Base::Primitive).or_else(|| named(program, name)).unwrap_or(Base::Any),
            },
        };
        Type { base, is_list: self.is_list, is_nullable: self.is_nullable }
    }
}

fn named(program: &Program, name: &str) -> Option<Base> {
    let (namespace, short) = name.rsplit_once("::")?;
    match program.namespaces[*program.by_name.get(namespace)?].types.get(short)? {
        Def::Entity(entity) => Some(Base::Entity(*entity)),
        Def::Typedef(typedef) => Some(Base::Typedef(*typedef)),
        Def::Implementation(_) | Def::Function(_) => None,
    }
}

impl Signature {
    /// Parses a signature; the name before it is ignored.
    pub(super) fn parse(text: &str) -> Signature {
        let (head, result) = text.rsplit_once("->").map_or((text, "any"), |(head, result)| (head, result));
        let inner = head.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')).map_or("", |(inner, _)| inner);
        let mut keyword_only = false;
        let mut params = Vec::new();
        for param in split(inner) {
            let param = param.trim();
            if param == "*" {
                keyword_only = true;
                continue;
            }
            let (param, default) = match param.split_once('=') {
                Some((param, default)) => (param.trim(), Some(constant(default.trim()))),
                None => (param, None),
            };
            let (name, ty) = param.split_once(':').unwrap_or((param, "any"));
            let (name, kind) = if let Some(name) = name.strip_prefix("**") {
                (name, ParamKind::Keywords)
            } else if let Some(name) = name.strip_prefix('*') {
                // What follows cannot be given by position.
                keyword_only = true;
                (name, ParamKind::Rest)
            } else if keyword_only {
                (name, ParamKind::KeywordOnly)
            } else {
                (name, ParamKind::Plain)
            };
            params.push(Param { name: name.trim().to_owned(), kind, default, ty: SignatureType::parse(ty) });
        }
        Signature { params, result: SignatureType::parse(result) }
    }
}

/// Splits at commas outside brackets and quotes.
pub(super) fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut depth, mut quoted) = (0, 0, false);
    for (at, char) in text.char_indices() {
        match char {
            '"' => quoted = !quoted,
            '[' | '{' | '(' if !quoted => depth += 1,
            ']' | '}' | ')' if !quoted => depth -= 1,
            ',' if depth == 0 && !quoted => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        parts.push(&text[start..]);
    }
    parts
}

fn constant(text: &str) -> Value {
    match text {
        "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "[]" => Value::raw_list(Vec::new()),
        "{}" => Value::dict(IndexMap::default()).unwrap_or(Value::Null),
        text => match (Int::parse(text), text.strip_prefix('"').and_then(|text| text.strip_suffix('"'))) {
            (Some(int), _) => Value::Int(int),
            (None, Some(text)) => Value::str(text),
            // Also of `...`, which stands for an expression in Python.
            (None, None) => text.parse().map_or(Value::Null, Value::Float),
        },
    }
}
