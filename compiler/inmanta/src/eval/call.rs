//! Calls of functions. Spec, 12.

use super::rounds::MEMBER;
use super::unit::{Needs, Target, Work};
use super::{Done, Evaluator, FrameId, VarId};
use crate::ast::{Arg, ExprId, ExprKind};
use crate::fault::{Class, Failure, Fault, Warning};
use crate::library::foreign::ANSWERS;
use crate::library::{Function, Param, ParamKind};
use crate::program::{Callee, FunctionId, Meaning};
use crate::value::{Value, message, quoted, written};
use mclive_base::diag::suggest::closest;
use std::sync::Arc;

/// The computed arguments of a call.
#[derive(Default, Debug)]
pub(super) struct Arguments {
    pub(super) positional: Vec<Value>,
    pub(super) named: Vec<(Arc<str>, Value)>,
    pub(super) has_keywords: bool,
}

impl Arguments {
    fn name(&mut self, name: &Arc<str>, value: Value) -> Done {
        self.has_keywords = true;
        if self.named.iter().any(|(known, _)| known == name) {
            return Err(Fault::new(Class::Runtime, format!("Keyword argument {name} repeated in function call")));
        }
        self.named.push((name.clone(), value));
        Ok(())
    }
}

/// Why a function has no result.
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Stop {
    /// A variable is not ready: the call is repeated when it is.
    Wait(VarId),
    /// It used an unknown value.
    Unknown,
    /// It failed: `IndexError: list index out of range`.
    Failed(String),
    /// It failed; the original does not report where in its input.
    FailedIn { cause: String, place: String },
    /// A deliberate error.
    Explicit(String),
    /// The function is written in Python, and none of its declared results is for these arguments. The entry declares
    /// one; an instance has none.
    Foreign { entry: Option<String>, n_entries: usize },
    /// One of the language's own errors.
    Fault(Failure),
}

impl From<Failure> for Stop {
    fn from(fault: Failure) -> Stop {
        Stop::Fault(fault)
    }
}

/// The context of a function call.
pub struct Call<'c, 'a> {
    pub(super) evaluator: &'c mut Evaluator<'a>,
    pub(super) function: &'c Arc<Function>,
    /// The arguments in order of the parameters.
    pub args: Vec<Value>,
    /// The values of catch-all parameters.
    pub rest: Vec<Value>,
    /// Keyword arguments for a catch-all parameter.
    pub keywords: Vec<(Arc<str>, Value)>,
    /// The frame of the call, if there is one.
    pub frame: Option<FrameId>,
    /// The call.
    pub expr: ExprId,
}

impl Evaluator<'_> {
    pub(super) fn add_argument(&self, arguments: &mut Arguments, arg: &Arg, value: Value) -> Done {
        match arg {
            Arg::Positional(_) => arguments.positional.push(value),
            Arg::Named { name, .. } => arguments.name(name, value)?,
            Arg::Unpacked { .. } => {
                arguments.has_keywords = true;
                let Value::Dict(dict) = value else {
                    return Err(Fault::new(Class::Typing, "The ** operator can only be applied to dictionaries"));
                };
                for (name, value) in &dict.entries {
                    arguments.name(name, value.clone())?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn call(
        &mut self,
        expr: ExprId,
        frame: FrameId,
        needs: Needs,
        target: Target,
        known: Option<Box<Arguments>>,
    ) -> Done {
        let program = self.program;
        let ExprKind::Call { args, .. } = &program.tree.exprs[expr].kind else { return Ok(()) };
        let Meaning::Callee(callee) = &program.names.exprs[expr] else { return Ok(()) };
        let arguments = match known {
            Some(arguments) => arguments,
            None => {
                let mut cursor = super::compute::Cursor::new(&needs);
                let mut arguments = Arguments::default();
                for arg in args {
                    let value = self.compute(arg.value(), frame, &mut cursor)?;
                    self.add_argument(&mut arguments, arg, value)?;
                }
                Box::new(arguments)
            }
        };
        let function = match callee {
            Callee::Cast(primitive) => {
                let value = self.cast(*primitive, &arguments)?;
                return self.assign(&target, value);
            }
            Callee::Function(function) => program.functions[*function].clone(),
        };
        match self.run_function(&function, expr, Some(frame), &arguments) {
            Ok(value) => self.assign(&target, value),
            Err(Stop::Wait(var)) => {
                let work = Work::Call { expr, target, args: Some(arguments) };
                self.unit(work, frame, smallvec::smallvec![var]);
                Ok(())
            }
            Err(Stop::Unknown) => {
                let unknown = self.unknown();
                self.assign(&target, unknown)
            }
            Err(stop) => Err(self.failed(&function, expr, stop, "plugin")),
        }
    }

    /// A call in the condition of a typedef.
    pub(super) fn direct_function(&mut self, id: FunctionId, expr: ExprId, arguments: &Arguments) -> Done<Value> {
        let function = self.program.functions[id].clone();
        match self.run_function(&function, expr, None, arguments) {
            Ok(value) => Ok(value),
            Err(Stop::Unknown) => Ok(self.unknown()),
            Err(stop) => Err(self.failed(&function, expr, stop, "direct execution for plugin")),
        }
    }

    fn failed(&self, function: &Function, expr: ExprId, stop: Stop, what: &str) -> Failure {
        let name = &function.name;
        let mut outer = Fault::new(Class::External, format!("Exception in {what} {name}"));
        match stop {
            Stop::Failed(cause) => {
                let help = [
                    ("FileNotFoundError: ", "`shop/motd` is the file `libs/shop/files/motd`"),
                    (
                        "jinja2.exceptions.TemplateNotFound: ",
                        "`shop/site.tmpl` is the file `libs/shop/templates/site.tmpl`",
                    ),
                ];
                if let Some((_, help)) = help.iter().find(|(start, _)| cause.starts_with(start)) {
                    outer = outer.help(format!("a path begins with the name of a module: {help}"));
                }
                outer.foreign_cause = Some(cause);
            }
            Stop::FailedIn { cause, place } => {
                outer.foreign_cause = Some(cause);
                outer = outer.note(place);
            }
            Stop::Explicit(text) => {
                outer = Fault::new(Class::ExplicitPlugin, format!("PluginException in {what} {name}\n{text}"));
                outer.foreign_cause = Some(format!("inmanta.ast.PluginException: {text}\n"));
            }
            Stop::Fault(fault) if fault.class == Class::PluginType || fault.place.is_some() => return fault,
            Stop::Fault(fault) if function.is_argument_fault(&fault) => return fault,
            Stop::Fault(fault) => {
                let cause = self.in_expr(fault, expr);
                outer = Fault::new(Class::Wrapping, format!("Exception in {what} {name}")).cause(cause);
            }
            Stop::Foreign { entry, n_entries } => {
                let message = format!("`{name}` is implemented in Python, which mclive does not run");
                outer = Fault::new(Class::Foreign, message)
                    .note(format!("its signature is `{}`", function.signature))
                    .help(match (entry, n_entries) {
                        (None, _) => format!(
                            "a result in `{ANSWERS}` cannot be an instance: construct it in the model instead of calling `{name}`"
                        ),
                        (Some(entry), 0) => format!(
                            "declare its results in `{ANSWERS}` next to the main file: {{\"{name}\": [{entry}]}}"
                        ),
                        (Some(entry), _) => format!("add an entry to `{ANSWERS}`: {entry}"),
                    });
                outer.undeclared = Some((&**name).into());
                outer = match n_entries {
                    0 => outer,
                    1 => outer.note(format!("its entry in `{ANSWERS}` has different arguments")),
                    n => outer.note(format!("none of the {n} entries in `{ANSWERS}` matches these arguments")),
                };
            }
            Stop::Wait(_) | Stop::Unknown => {}
        }
        self.in_expr(outer, expr)
    }

    pub(super) fn run_function(
        &mut self,
        function: &Arc<Function>,
        expr: ExprId,
        frame: Option<FrameId>,
        arguments: &Arguments,
    ) -> Result<Value, Stop> {
        if let Some(replacement) = &function.deprecated {
            let text = format!("Plugin '{}' is deprecated.", function.name);
            let message =
                if replacement.is_empty() { text } else { format!("{text} It should be replaced by '{replacement}'.") };
            if !self.warnings.iter().any(|warning| warning.message == message) {
                let span = Some(self.program.tree.exprs[expr].span);
                self.warnings.push(Warning { class: "PluginDeprecationWarning", message, span });
            }
        }
        let bound = self.bind(function, expr, arguments)?;
        let has_unknown = bound.values.iter().chain(&bound.rest).any(Value::is_unknown)
            || bound.keywords.iter().any(|(_, value)| value.is_unknown());
        if has_unknown && !function.accepts_unknown {
            return Err(Stop::Unknown);
        }
        let Bound { values, rest, keywords } = bound;
        for value in values.iter().chain(&rest).chain(keywords.iter().map(|(_, value)| value)) {
            self.look_at(value)?;
        }
        // A function at most copies its input, with escapes; one that makes more asks for room itself.
        let given = values.iter().chain(&rest).chain(keywords.iter().map(|(_, value)| value));
        self.room(given.map(Value::size).fold(0, u64::saturating_add).saturating_mul(6))?;
        let mut call = Call { evaluator: self, function, args: values, rest, keywords, frame, expr };
        let value = (function.run)(&mut call)?;
        let bytes = match &value {
            Value::Str(text) => text.len() as u64,
            Value::List(list) => list.items.len() as u64 * MEMBER,
            _ => 0,
        };
        self.spend(bytes)?;
        let ty = function.result_type(self.program);
        if let Err(cause) = self.check(&value, &ty) {
            let message = format!(
                "Return value {} of plugin {} has incompatible type. Expected type: {}",
                message(&value, self),
                function.name,
                self.program.type_name(&ty)
            );
            let cause = self.in_expr(relocated(cause), expr);
            let mut fault = Fault::new(Class::PluginType, message).about(written(&value, self)).cause(cause);
            if function.is_foreign || function.asks_a_server {
                fault = fault.help(format!("the result is declared in `{ANSWERS}`: change it there"));
            }
            return Err(Stop::Fault(self.in_expr(fault, expr)));
        }
        Ok(value)
    }

    fn bind(&mut self, function: &Function, expr: ExprId, arguments: &Arguments) -> Result<Bound, Stop> {
        let name = &function.name;
        let fault = |message: String| {
            let fault = Fault::new(Class::Runtime, message);
            Stop::Fault(fault.help(format!("usage: `{}`", function.signature)))
        };
        let params = function.params();
        let positional: Vec<&Param> = params.iter().filter(|param| param.kind == ParamKind::Plain).collect();
        let rest_param = params.iter().find(|param| param.kind == ParamKind::Rest);
        let keyword_param = params.iter().find(|param| param.kind == ParamKind::Keywords);
        let given = arguments.positional.len();
        if given > positional.len() && rest_param.is_none() {
            let message = format!("{name}() takes {} positional arguments but {given} were given", positional.len());
            return Err(fault(message));
        }
        let named = |param: &Param| arguments.named.iter().find(|(known, _)| **known == *param.name);
        for (what, kind) in [("positional", ParamKind::Plain), ("keyword-only", ParamKind::KeywordOnly)] {
            let missing: Vec<String> = params
                .iter()
                .filter(|param| param.kind == kind)
                .enumerate()
                .filter(|(nr, param)| {
                    let has_positional = kind == ParamKind::Plain && *nr < given;
                    !has_positional && param.default.is_none() && named(param).is_none()
                })
                .map(|(_, param)| format!("'{}'", param.name))
                .collect();
            if let Some((last, first)) = missing.split_last() {
                let list = if first.is_empty() { last.clone() } else { format!("{} and {last}", first.join(", ")) };
                let plural = if first.is_empty() { "argument" } else { "arguments" };
                return Err(fault(format!("{name}() missing {} required {what} {plural}: {list}", missing.len())));
            }
        }
        let mut bound = Bound::default();
        for (nr, param) in positional.iter().enumerate() {
            let value = match (arguments.positional.get(nr), named(param)) {
                (Some(_), Some(_)) => {
                    return Err(fault(format!("{name}() got multiple values for argument '{}'", param.name)));
                }
                (Some(value), None) | (None, Some((_, value))) => value.clone(),
                (None, None) => {
                    bound.values.push(param.default.clone().unwrap_or(Value::Null));
                    continue;
                }
            };
            self.check_argument(function, expr, param, &value)?;
            bound.values.push(value);
        }
        for param in params.iter().filter(|param| param.kind == ParamKind::KeywordOnly) {
            match named(param) {
                Some((_, value)) => {
                    self.check_argument(function, expr, param, value)?;
                    bound.values.push(value.clone());
                }
                None => bound.values.push(param.default.clone().unwrap_or(Value::Null)),
            }
        }
        if let Some(param) = rest_param {
            for value in arguments.positional.iter().skip(positional.len()) {
                self.check_argument(function, expr, param, value)?;
                bound.rest.push(value.clone());
            }
        }
        for (known, value) in &arguments.named {
            let is_param = params
                .iter()
                .any(|param| matches!(param.kind, ParamKind::Plain | ParamKind::KeywordOnly) && param.name == **known);
            if is_param {
                continue;
            }
            let Some(param) = keyword_param else {
                let names = params.iter().map(|param| &*param.name);
                let meant = closest(known, names).map(|meant| format!("did you mean `{meant}`?"));
                let unexpected = fault(format!("{name}() got an unexpected keyword argument: '{known}'"));
                return Err(match (unexpected, meant) {
                    (Stop::Fault(fault), Some(meant)) => Stop::Fault(fault.help(meant)),
                    (unexpected, _) => unexpected,
                });
            };
            self.check_argument(function, expr, param, value)?;
            bound.keywords.push((known.clone(), value.clone()));
        }
        Ok(bound)
    }

    fn check_argument(&mut self, function: &Function, expr: ExprId, param: &Param, value: &Value) -> Result<(), Stop> {
        let ty = param.ty(self.program);
        self.check(value, &ty).map_err(|cause| {
            let message = format!(
                "Value {} for argument {} of plugin {} has incompatible type. Expected type: {}",
                quoted(value, self),
                param.name,
                function.name,
                self.program.type_name(&ty)
            );
            let cause = self.in_expr(relocated(cause), expr);
            let fault = Fault::new(Class::PluginType, message).about(written(value, self)).cause(cause);
            Stop::Fault(self.in_expr(fault, expr))
        })
    }
}

/// An error placed at the call.
fn relocated(mut fault: Failure) -> Failure {
    if fault.message.starts_with("Invalid ") {
        (fault.within, fault.place) = (None, None);
    }
    fault
}

#[derive(Default)]
struct Bound {
    values: Vec<Value>,
    rest: Vec<Value>,
    keywords: Vec<(Arc<str>, Value)>,
}
