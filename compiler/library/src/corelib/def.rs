//! The definition of a core function: one static value used by inference, the engine, the docs, hover and completion.

use super::{CallState, Work};
use crate::types::{self, FuncType, Type};
use crate::value::Value;
use crate::vocab::{Datum, FactSpec, HostError};
use std::borrow::Cow;

/// A core function. To add one, write a file with a `DEF` like this, and add a line to the list.
pub struct FnDef {
    /// `strings.to_upper`, `golang/strings.to_upper`, `len`. A name that begins with `_` is only for desugaring and
    /// cannot be written.
    pub path: &'static str,
    /// Its signature.
    pub sig: Sig,
    /// The description, in Markdown; the first sentence is used alone in lists.
    pub doc: &'static str,
    /// Calls with their results; they run as tests.
    pub examples: &'static [Example],
    /// How its vertex is built and labelled.
    pub shape: Shape,
    /// The implementation.
    pub run: Run,
}

impl FnDef {
    /// The module to import, such as `golang/strings`; `None` for a name without a dot.
    pub fn module(&self) -> Option<&'static str> {
        self.path.rsplit_once('.').map(|(module, _)| module)
    }

    /// The last component of the path: `to_upper`.
    pub fn name(&self) -> &'static str {
        self.path.rsplit_once('.').map_or(self.path, |(_, name)| name)
    }

    /// Whether it returns a part of an argument. Such a call costs the same whatever the size of the whole.
    pub fn is_lookup(&self) -> bool {
        matches!(
            self.path,
            "_lookup"
                | "_struct_lookup"
                | "_struct_lookup_optional"
                | "list_lookup"
                | "list.lookup"
                | "map_lookup"
                | "map.lookup"
        )
    }

    /// The fixed signature, with type variables that are fresh for each call; `None` if it is computed per call.
    pub fn signature(&self) -> Option<Type> {
        match self.sig {
            Sig::Fixed(sig) | Sig::OneOf { sig, .. } => types::parse(sig),
            Sig::Inferred { .. } => None,
        }
    }

    /// Whether a vertex can be built with this solved type. Language spec, 9.8.
    ///
    /// Errors: the reason, such as `can't build len with func(0 int) int: did not match`.
    pub fn accepts(&self, site: &CallSite, solved: &FuncType) -> Result<(), String> {
        match self.sig {
            Sig::Fixed(_) => Ok(()),
            Sig::OneOf { accepts, .. } => {
                let solved = Type::Func(std::sync::Arc::new(solved.clone()));
                let fits = |form: &&str| types::parse(form).is_some_and(|form| matches(&form, &solved));
                if accepts.iter().any(fits) {
                    return Ok(());
                }
                Err(format!("can't build {} with {solved}: did not match", self.path))
            }
            Sig::Inferred { check, .. } => check(site, solved),
        }
    }
}

/// Whether the type matches a pattern, whose variables stand for any type.
fn matches(form: &Type, ty: &Type) -> bool {
    match (form, ty) {
        (Type::Var(_), _) => true,
        (Type::List(form), Type::List(ty)) => matches(form, ty),
        (Type::Map(form), Type::Map(ty)) => matches(&form.0, &ty.0) && matches(&form.1, &ty.1),
        (Type::Func(form), Type::Func(ty)) => {
            form.params.len() == ty.params.len()
                && form.params.iter().zip(&ty.params).all(|(form, ty)| matches(&form.1, &ty.1))
                && matches(&form.ret, &ty.ret)
        }
        (form, ty) => form == ty,
    }
}

impl std::fmt::Debug for FnDef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.path)
    }
}

/// How the type of a call is determined.
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Sig {
    /// A single signature, in the language's syntax: `func(a str, b str) str`. Its type variables are fresh for each
    /// call.
    Fixed(&'static str),
    /// A fixed signature whose solved form must match one of these patterns, otherwise
    /// `can't build NAME with TYPE: did not match`.
    OneOf { sig: &'static str, accepts: &'static [&'static str] },
    /// Computed per call from static information about the arguments. Type variables below [`OUTER_VARS`] are fresh,
    /// the others are the caller's.
    Inferred {
        /// Computes the signature; `Err` is the reason why there is none.
        infer: fn(&CallSite) -> Result<Type, String>,
        /// A final check of the solved type; `Err` is the reason for the message.
        check: fn(&CallSite, &FuncType) -> Result<(), String>,
        /// The accepted forms, as shown in the docs.
        shown: &'static [&'static str],
    },
}

/// Type variables of a [`KnownArg`] have numbers from here on: they belong to the program around the call. Lower
/// numbers in an inferred signature are fresh for the call.
pub const OUTER_VARS: u32 = 1 << 24;

/// The static information about a call. Language spec, 9.6 and 9.7.
pub struct CallSite<'a> {
    /// The function's name as written in the program.
    pub name: &'a str,
    /// The arguments in order.
    pub args: &'a [KnownArg],
}

impl CallSite<'_> {
    /// The statically known text of an argument.
    pub fn text(&self, index: usize) -> Option<std::borrow::Cow<'_, str>> {
        self.args.get(index)?.value.as_ref()?.as_text()
    }

    /// The static type of an argument; if only its value is known, the type of that.
    pub fn ty(&self, index: usize) -> Option<Type> {
        let arg = self.args.get(index)?;
        arg.ty.clone().or_else(|| arg.value.as_ref()?.type_of())
    }
}

/// The static information about one argument.
#[derive(Clone, Debug, Default)]
pub struct KnownArg {
    /// Its static type; may contain type variables (from [`OUTER_VARS`] on).
    pub ty: Option<Type>,
    /// Its static value, if known.
    pub value: Option<Value>,
}

/// How a call becomes vertices. Language spec, 10.1, 10.5 and 10.6.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Whether a statically known call may be built in place.
    pub inline: bool,
    /// Whether the call's value is static if its arguments' values are.
    pub spec: bool,
    /// The label of the vertex.
    pub label: Label,
}

/// The label of a vertex in graphs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    /// By the full path.
    Path,
    /// This word.
    Short(&'static str),
    /// This word, a colon and the solved function type.
    WithType(&'static str),
}

impl Shape {
    /// Built in place, value not static: most functions.
    pub const PLAIN: Shape = Shape { inline: true, spec: false, label: Label::Path };
    /// Built in place, and evaluated statically where possible: operators, field lookups, printf.
    pub(crate) const STATIC: Shape = Shape { inline: true, spec: true, label: Label::Path };
    /// Always a dynamic call.
    pub(crate) const DYNAMIC: Shape = Shape { inline: false, spec: false, label: Label::Path };

    /// The same shape with another label.
    pub(crate) const fn labelled(self, label: Label) -> Shape {
        Shape { inline: self.inline, spec: self.spec, label }
    }
}

/// How a function is evaluated.
pub enum Run {
    /// A pure function of its arguments.
    Pure(fn(&Args) -> Result<Value, FnError>),
    /// Reads facts: evaluated again when an argument, a fact it used or its wake-up changes. `Ok(None)`: no value yet.
    World(fn(&mut dyn CallContext, &Args) -> Result<Option<Value>, FnError>),
    /// What may take long, and is therefore done in pieces.
    Long(Long),
    /// Calls a function value per element: the engine builds a subgraph. Functions spec, 7.8.
    Iter(IterShape),
}

/// A function whose calls can be interrupted and continued.
#[derive(Clone, Copy)]
pub struct Long {
    /// Starts a call.
    pub begin: fn(&Args) -> Result<Box<dyn Task>, FnError>,
    /// Whether its result depends on its arguments only, and never on the world.
    pub is_pure: bool,
}

/// A call that can be interrupted.
pub trait Task: Send {
    /// A copy of the call in its present state: both come to the same result.
    fn copy(&self) -> Box<dyn Task>;

    /// Continues until it is done, or until the work is due. Values that it requests from the world do not change until
    /// then.
    ///
    /// Errors: the function's own, or the work is exhausted. The task is then over.
    fn resume(&mut self, world: &mut dyn CallContext, work: &Work) -> Result<Progress, FnError>;
}

impl Clone for Box<dyn Task> {
    fn clone(&self) -> Box<dyn Task> {
        (**self).copy()
    }
}

/// The progress of a task.
#[derive(Debug)]
pub enum Progress {
    /// The result.
    Done(Value),
    /// The world has not answered yet: it begins again when it has.
    NotYet,
    /// The work is due, and there is more to do.
    Underway,
}

impl Long {
    /// Does all of it at once; `None`: the world has not answered yet.
    pub fn run(&self, world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
        args.work.uninterrupted(|| {
            let mut task = (self.begin)(args)?;
            loop {
                match task.resume(world, args.work)? {
                    Progress::Done(value) => return Ok(Some(value)),
                    Progress::NotYet => return Ok(None),
                    Progress::Underway => {}
                }
            }
        })
    }
}

/// The functions over lists that take a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IterShape {
    /// `iter.map`.
    Map,
    /// `iter.filter`.
    Filter,
    /// `iter.reduce`.
    Reduce,
    /// `iter.zip`.
    Zip,
}

/// The arguments of one evaluation.
pub struct Args<'a> {
    /// The values in order.
    pub values: &'a [Value],
    /// The call's solved type.
    pub ty: &'a FuncType,
    /// The directory of the module that contains the call, with a trailing slash: the base of `deploy.*`.
    pub module_dir: &'a str,
    /// The remaining work of the round. A function whose cost is not proportional to its arguments and its result draws
    /// from it.
    pub work: &'a Work,
}

impl Args<'_> {
    /// The number of arguments.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// A string argument's bytes. Inference guarantees the type; a violation is a fatal error.
    pub fn bytes(&self, index: usize) -> Result<&[u8], FnError> {
        self.values.get(index).and_then(|value| value.as_bytes()).map(|bytes| &**bytes).ok_or_else(|| confused(index))
    }

    /// The same, to keep beyond the call.
    pub(crate) fn shared_bytes(&self, index: usize) -> Result<std::sync::Arc<[u8]>, FnError> {
        self.values.get(index).and_then(Value::as_bytes).cloned().ok_or_else(|| confused(index))
    }

    /// A string argument as text; bytes that are not UTF-8 become U+FFFD.
    pub fn text(&self, index: usize) -> Result<std::borrow::Cow<'_, str>, FnError> {
        self.bytes(index).map(String::from_utf8_lossy)
    }

    /// An int argument.
    pub fn int(&self, index: usize) -> Result<i64, FnError> {
        self.values.get(index).and_then(Value::as_int).ok_or_else(|| confused(index))
    }

    /// A float argument.
    pub fn float(&self, index: usize) -> Result<f64, FnError> {
        self.values.get(index).and_then(Value::as_float).ok_or_else(|| confused(index))
    }

    /// A bool argument.
    pub fn bool(&self, index: usize) -> Result<bool, FnError> {
        self.values.get(index).and_then(Value::as_bool).ok_or_else(|| confused(index))
    }

    /// A list argument's items.
    pub fn list(&self, index: usize) -> Result<&[Value], FnError> {
        self.values.get(index).and_then(Value::as_list).map(|items| &**items).ok_or_else(|| confused(index))
    }
}

fn confused(index: usize) -> FnError {
    FnError::fatal(format!("unexpected type of argument #{index}"))
}

/// Why a function has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FnError {
    /// Whether `<|>` can catch it. A fatal error ends the program.
    pub catchable: bool,
    /// The message, as the reference implementation words it; templates and other functions repeat it.
    pub message: String,
    /// The same for readers of a program, where the message speaks of Go.
    pub said: Option<String>,
    /// What to write instead, where that depends on the call and not on the message alone.
    pub help: Option<Cow<'static, str>>,
}

impl FnError {
    /// An error that `<|>` can catch.
    pub fn catchable(message: impl Into<String>) -> FnError {
        FnError { catchable: true, message: message.into(), said: None, help: None }
    }

    /// An error that ends the program.
    pub fn fatal(message: impl Into<String>) -> FnError {
        FnError { catchable: false, message: message.into(), said: None, help: None }
    }

    /// The same error, in the words of the language.
    pub fn said(self, said: impl Into<String>) -> FnError {
        FnError { said: Some(said.into()), ..self }
    }

    /// The same error, with what to write instead.
    pub fn help(self, help: impl Into<Cow<'static, str>>) -> FnError {
        FnError { help: Some(help.into()), ..self }
    }
}

/// The services available to a [`Run::World`] function. The engine implements it per vertex.
pub trait CallContext {
    /// The last reported fact, or `None` until the host has answered. Using a fact subscribes to it; facts not used in
    /// an evaluation are unsubscribed.
    fn fact(&mut self, spec: &FactSpec) -> Option<Result<Datum, HostError>>;
    /// The program's own files, by absolute path in its tree: `deploy.*`.
    fn file(&mut self, path: &str) -> Option<std::sync::Arc<[u8]>>;
    /// The paths of all the program's own files below a directory (absolute, with a trailing slash), relative to it and
    /// sorted; `None` if there is no such directory.
    fn dir(&mut self, path: &str) -> Option<Vec<String>>;
    /// A number that is unique in this run, to distinguish facts of randomness.
    fn nonce(&mut self) -> u64;
    /// Nanoseconds since the engine started.
    fn now_ns(&self) -> u64;
    /// Asks to be evaluated again at this moment.
    fn wake_at_ns(&mut self, at: u64);
    /// State kept between evaluations of the vertex; `None` at first.
    fn state(&mut self) -> &mut Option<CallState>;
}

/// A documented call, run as a test in a program that imports the function's module.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// `strings.to_upper("aé1")`.
    pub call: &'static str,
    /// The result in value notation, or `error: MESSAGE`.
    pub gives: &'static str,
}
