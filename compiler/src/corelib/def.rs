//! What a core function is: one static definition that inference, the engine, the docs, hover and
//! completion all read.

use crate::types::{FuncType, Type};
use crate::value::Value;
use crate::vocab::{Datum, FactSpec, HostError};
use std::any::Any;

/// A core function. Adding one is a file with a `DEF` like this, and a line in the list.
pub struct FnDef {
    /// `strings.to_upper`, `golang/strings.to_upper`, `len`. A name that begins with `_` is the
    /// target of syntax and cannot be written.
    pub path: &'static str,
    pub sig: Sig,
    /// What it does, in Markdown; the first sentence stands alone in lists.
    pub doc: &'static str,
    /// Calls with their results; they run as tests.
    pub examples: &'static [Example],
    /// How its vertex is built and named.
    pub shape: Shape,
    pub run: Run,
}

impl std::fmt::Debug for FnDef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.path)
    }
}

/// How a call's type comes about.
pub enum Sig {
    /// The one signature, in the language's syntax: `func(a str, b str) str`. It may hold type
    /// variables, which are fresh for each call.
    Fixed(&'static str),
    /// A fixed signature whose solved form must be one of these shapes, else
    /// `can't build NAME with TYPE: did not match`.
    OneOf { sig: &'static str, accepts: &'static [&'static str] },
    /// Computed per call from what is statically known about the arguments.
    Inferred {
        infer: fn(&CallSite) -> Result<Type, String>,
        /// A last check of the solved type; `Err` is the reason that the message gives.
        check: fn(&CallSite, &FuncType) -> Result<(), String>,
        /// How the docs show it.
        shown: &'static str,
    },
}

/// Type variables of a [`KnownArg`] are numbered from here: they belong to the program around the
/// call. Lower numbers in an inferred signature are fresh for the call.
pub const OUTER_VARS: u32 = 1 << 24;

/// What inference knows of a call. Language spec, 9.6 and 9.7.
pub struct CallSite<'a> {
    /// The function's name as it is written in the program.
    pub name: &'a str,
    pub args: &'a [KnownArg],
}

/// What is statically known of one argument.
#[derive(Clone, Debug, Default)]
pub struct KnownArg {
    /// Its static type; may be, or hold, type variables (from [`OUTER_VARS`] on).
    pub ty: Option<Type>,
    pub value: Option<Value>,
}

/// How a call becomes vertices. Language spec, 10.1, 10.5 and 10.6.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// May a statically known call be built in place?
    pub inline: bool,
    /// Is the call's value known before running, when its arguments' are?
    pub spec: bool,
    /// The vertex's label where it is not the path.
    pub label: Option<&'static str>,
}

impl Shape {
    /// Built in place, value not known before running: most functions.
    pub const PLAIN: Shape = Shape { inline: true, spec: false, label: None };
    /// Built in place, and evaluated statically where that helps: operators, field lookups, printf.
    pub const STATIC: Shape = Shape { inline: true, spec: true, label: None };
    /// Always a dynamic call.
    pub const DYNAMIC: Shape = Shape { inline: false, spec: false, label: None };
}

/// How it is evaluated.
pub enum Run {
    /// A function of its arguments alone.
    Pure(fn(&Args) -> Result<Value, FnError>),
    /// Reads the world: evaluated again when an argument, a fact that it asked for or its wake-up
    /// changed. `Ok(None)`: no value yet.
    World(fn(&mut dyn World, &Args) -> Result<Option<Value>, FnError>),
    /// Calls a function value per element: the engine builds a subgraph. Functions spec, 7.8.
    Iter(IterShape),
}

/// The functions over lists that take a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IterShape {
    Map,
    Filter,
    Reduce,
    Zip,
}

/// The arguments of one evaluation.
pub struct Args<'a> {
    pub values: &'a [Value],
    /// The call's solved type.
    pub ty: &'a FuncType,
    /// The directory of the module in which the call is written, with a trailing slash: what
    /// `deploy.*` is relative to.
    pub module_dir: &'a str,
}

impl Args<'_> {
    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// A string argument's bytes. Inference guarantees the type; a violation is a fatal error.
    pub fn bytes(&self, index: usize) -> Result<&[u8], FnError> {
        self.values.get(index).and_then(|value| value.as_bytes()).map(|bytes| &**bytes).ok_or_else(|| confused(index))
    }

    /// A string argument as text; what is no UTF-8 becomes U+FFFD.
    pub fn text(&self, index: usize) -> Result<std::borrow::Cow<'_, str>, FnError> {
        self.bytes(index).map(String::from_utf8_lossy)
    }

    pub fn int(&self, index: usize) -> Result<i64, FnError> {
        self.values.get(index).and_then(Value::as_int).ok_or_else(|| confused(index))
    }

    pub fn float(&self, index: usize) -> Result<f64, FnError> {
        self.values.get(index).and_then(Value::as_float).ok_or_else(|| confused(index))
    }

    pub fn bool(&self, index: usize) -> Result<bool, FnError> {
        self.values.get(index).and_then(Value::as_bool).ok_or_else(|| confused(index))
    }

    pub fn list(&self, index: usize) -> Result<&[Value], FnError> {
        self.values.get(index).and_then(Value::as_list).map(|items| &**items).ok_or_else(|| confused(index))
    }
}

fn confused(index: usize) -> FnError {
    FnError::fatal(format!("unexpected type of argument #{index}"))
}

/// Why a function gave no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FnError {
    /// Can `<|>` catch it? A fatal one ends the program.
    pub catchable: bool,
    pub message: String,
}

impl FnError {
    pub fn catchable(message: impl Into<String>) -> FnError {
        FnError { catchable: true, message: message.into() }
    }

    pub fn fatal(message: impl Into<String>) -> FnError {
        FnError { catchable: false, message: message.into() }
    }
}

/// What a [`Run::World`] function may ask for. The engine implements it per vertex.
pub trait World {
    /// The fact as last told, or `None` while the host has not answered. Asking subscribes; what
    /// is no longer asked for in an evaluation is unsubscribed.
    fn fact(&mut self, spec: &FactSpec) -> Option<Result<Datum, HostError>>;
    /// The program's own files, by absolute path in its tree: `deploy.*`.
    fn file(&mut self, path: &str) -> Option<std::sync::Arc<[u8]>>;
    /// Nanoseconds since the engine started.
    fn now_ns(&self) -> u64;
    /// Asks to be evaluated again at this moment.
    fn wake_at_ns(&mut self, at: u64);
    /// What the vertex keeps from one evaluation to the next; `None` at first.
    fn state(&mut self) -> &mut Option<Box<dyn Any + Send>>;
}

/// A documented call, run as a test: the expression is put into a program that imports the
/// function's module.
pub struct Example {
    /// `strings.to_upper("aé1")`.
    pub call: &'static str,
    /// The result in value notation, or `error: MESSAGE`.
    pub gives: &'static str,
}
