//! What a core function is: one static definition that inference, the engine, the docs, hover and
//! completion all read.

use super::Work;
use crate::types::{self, FuncType, Type};
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

impl FnDef {
    /// The module to import, such as `golang/strings`; `None` for a name without a dot.
    pub fn module(&self) -> Option<&'static str> {
        self.path.rsplit_once('.').map(|(module, _)| module)
    }

    /// The last component of the path: `to_upper`.
    pub fn name(&self) -> &'static str {
        self.path.rsplit_once('.').map_or(self.path, |(_, name)| name)
    }

    /// Does it give a part of an argument? Such a call costs the same whatever the size of the whole.
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

    /// The fixed signature, with type variables that are fresh for each call; `None` when it is
    /// computed per call.
    pub fn signature(&self) -> Option<Type> {
        match self.sig {
            Sig::Fixed(sig) | Sig::OneOf { sig, .. } => types::parse(sig),
            Sig::Inferred { .. } => None,
        }
    }

    /// Can a vertex be built with this solved type? Language spec, 9.8.
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

/// The type has the form of a pattern, whose variables stand for any type.
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

/// How a call's type comes about.
pub enum Sig {
    /// The one signature, in the language's syntax: `func(a str, b str) str`. It may hold type
    /// variables, which are fresh for each call.
    Fixed(&'static str),
    /// A fixed signature whose solved form must be one of these shapes, else
    /// `can't build NAME with TYPE: did not match`.
    OneOf { sig: &'static str, accepts: &'static [&'static str] },
    /// Computed per call from what is statically known about the arguments. Type variables below
    /// [`OUTER_VARS`] are fresh ones, the others are the caller's.
    Inferred {
        infer: fn(&CallSite) -> Result<Type, String>,
        /// A last check of the solved type; `Err` is the reason that the message gives.
        check: fn(&CallSite, &FuncType) -> Result<(), String>,
        /// How the docs show it: the accepted forms.
        shown: &'static [&'static str],
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

impl CallSite<'_> {
    /// The statically known text of an argument.
    pub fn text(&self, index: usize) -> Option<std::borrow::Cow<'_, str>> {
        self.args.get(index)?.value.as_ref()?.as_text()
    }

    /// The static type of an argument: that of its value, where only the value is known.
    pub fn ty(&self, index: usize) -> Option<Type> {
        let arg = self.args.get(index)?;
        arg.ty.clone().or_else(|| arg.value.as_ref()?.type_of())
    }
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
    /// A statically known call may be built in place.
    pub inline: bool,
    /// The call's value is known before running, when its arguments' are.
    pub spec: bool,
    pub label: Label,
}

/// How the vertex is labelled in graphs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    /// By the full path.
    Path,
    Short(&'static str),
    /// This word, a colon and the solved function type.
    WithType(&'static str),
}

impl Shape {
    /// Built in place, value not known before running: most functions.
    pub const PLAIN: Shape = Shape { inline: true, spec: false, label: Label::Path };
    /// Built in place, and evaluated statically where that helps: operators, field lookups, printf.
    pub(crate) const STATIC: Shape = Shape { inline: true, spec: true, label: Label::Path };
    /// Always a dynamic call.
    pub(crate) const DYNAMIC: Shape = Shape { inline: false, spec: false, label: Label::Path };

    /// The same shape with a label of its own.
    pub(crate) const fn labelled(self, label: Label) -> Shape {
        Shape { inline: self.inline, spec: self.spec, label }
    }
}

/// How it is evaluated.
pub enum Run {
    /// A function of its arguments alone.
    Pure(fn(&Args) -> Result<Value, FnError>),
    /// Reads the world: evaluated again when an argument, a fact that it asked for or its wake-up
    /// changed. `Ok(None)`: no value yet.
    World(fn(&mut dyn CallContext, &Args) -> Result<Option<Value>, FnError>),
    /// What may take long, and is therefore done in pieces.
    Long(Long),
    /// Calls a function value per element: the engine builds a subgraph. Functions spec, 7.8.
    Iter(IterShape),
}

/// A function whose work is begun, and then gone on with until it is done.
#[derive(Clone, Copy)]
pub struct Long {
    pub begin: fn(&Args) -> Result<Box<dyn Task>, FnError>,
    /// It is a function of its arguments alone, and never looks at the world.
    pub is_pure: bool,
}

/// A call under way.
pub trait Task: Send {
    /// Goes on until it is done, or until the work is due. What is asked of the world stays as it is until then.
    ///
    /// Errors: the function's own, or the work is exhausted. The task is then over.
    fn go_on(&mut self, world: &mut dyn CallContext, work: &Work) -> Result<Progress, FnError>;
}

/// How far a task came.
#[derive(Debug)]
pub enum Progress {
    Done(Value),
    /// The world has not answered yet: it begins anew when it has.
    NotYet,
    /// The work is due, and there is more to do.
    Underway,
}

impl Long {
    /// Does all of it at once; `None`: the world has not answered yet.
    pub fn run(&self, world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
        args.work.in_one_go(|| {
            let mut task = (self.begin)(args)?;
            loop {
                match task.go_on(world, args.work)? {
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
    /// What the round may still compute. A function whose cost is not in proportion to its arguments
    /// and its result draws from it.
    pub work: &'a Work,
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

    /// The same, to keep beyond the call.
    pub(crate) fn shared_bytes(&self, index: usize) -> Result<std::sync::Arc<[u8]>, FnError> {
        self.values.get(index).and_then(Value::as_bytes).cloned().ok_or_else(|| confused(index))
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
pub trait CallContext {
    /// The fact as last told, or `None` while the host has not answered. Asking subscribes; what
    /// is no longer asked for in an evaluation is unsubscribed.
    fn fact(&mut self, spec: &FactSpec) -> Option<Result<Datum, HostError>>;
    /// The program's own files, by absolute path in its tree: `deploy.*`.
    fn file(&mut self, path: &str) -> Option<std::sync::Arc<[u8]>>;
    /// The paths of all the program's own files below a directory (absolute, with a trailing
    /// slash), relative to it and sorted; `None` when there is no such directory.
    fn dir(&mut self, path: &str) -> Option<Vec<String>>;
    /// A number that nothing else in this run gets: tells facts of randomness apart.
    fn nonce(&mut self) -> u64;
    /// Nanoseconds since the engine started.
    fn now_ns(&self) -> u64;
    /// Asks to be evaluated again at this moment.
    fn wake_at_ns(&mut self, at: u64);
    /// What the vertex keeps from one evaluation to the next; `None` at first.
    fn state(&mut self) -> &mut Option<Box<dyn Any + Send>>;
}

/// A documented call, run as a test: the expression is put into a program that imports the
/// function's module.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// `strings.to_upper("aé1")`.
    pub call: &'static str,
    /// The result in value notation, or `error: MESSAGE`.
    pub gives: &'static str,
}
