//! Evaluates pipelines: commands, fields, variables and calls. Functions spec, 9.1 to 9.3.
//!
//! Recursion follows the tree, whose depth the parser limits.

use super::MAX_OUTPUT;
use super::builtins::Builtin;
use super::data::{Data, GoMap, GoType, title};
use super::eval::{Eval, Evaluated, Stop, Var};
use super::library::{self, Callable};
use super::node::{Command, Expr, ExprKind, Pipe};
use crate::diag::suggest;
use std::ops::Range;

/// The wanted type of a value; `None`: any.
type Wanted = Option<GoType>;

impl Eval<'_> {
    /// Evaluates a pipeline, and declares or assigns its variables.
    pub(super) fn pipe(&mut self, pipe: &Pipe, dot: &Data) -> Evaluated<Data> {
        let mut value = None;
        for command in &pipe.commands {
            value = Some(self.command(command, dot, value)?);
        }
        let value = value.unwrap_or(Data::Nil);
        for name in &pipe.vars {
            if pipe.assigns {
                self.assign(name, value.clone(), false, pipe.commands[0].span.clone())?;
            } else {
                self.state.vars.push(Var::new(name, value.clone()));
            }
        }
        Ok(value)
    }

    fn command(&mut self, command: &Command, dot: &Data, last: Option<Data>) -> Evaluated<Data> {
        self.step(&command.span)?;
        let first = &command.args[0];
        if let ExprKind::Function(name) = &first.what {
            return self.function(name, command, &command.args[1..], dot, last);
        }
        let has_args = command.args.len() > 1 || last.is_some();
        let takes = match &first.what {
            ExprKind::Field(_) => true,
            ExprKind::Variable(_, fields) | ExprKind::Chain(_, fields) => !fields.is_empty(),
            ExprKind::Nil => return self.fail(&first.span, "nil is not a command"),
            ExprKind::Dot | ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Str(_) | ExprKind::Function(_) => false,
        };
        if has_args && !takes {
            let shown = self.shown(&first.span);
            return self.fail(&first.span, format!("can't give argument to non-function {shown}"));
        }
        let value = self.expr(first, dot)?;
        match &first.what {
            ExprKind::Field(fields) | ExprKind::Variable(_, fields) | ExprKind::Chain(_, fields) if has_args => {
                let name = fields.last().map_or("", |name| name);
                self.fail(&first.span, format!("{name} is not a method but has arguments"))
            }
            _ => Ok(value),
        }
    }

    fn expr(&mut self, expr: &Expr, dot: &Data) -> Evaluated<Data> {
        match &expr.what {
            ExprKind::Dot => Ok(dot.clone()),
            ExprKind::Nil => Ok(Data::Nil),
            ExprKind::Bool(value) => Ok(Data::Bool(*value)),
            ExprKind::Number(number) => match number.data() {
                Some(data) => Ok(data),
                None => self.fail(&expr.span, format!("{} overflows int", self.shown(&expr.span))),
            },
            ExprKind::Str(text) => Ok(Data::text(text)),
            ExprKind::Field(fields) => Ok(self.fields(dot.clone(), fields, &expr.span)?.0),
            ExprKind::Variable(name, fields) => {
                let Some(value) = self.variable(name)?.map(|var| var.value.clone()) else {
                    return self.fail(&expr.span, format!("undefined variable: {name}"));
                };
                Ok(self.fields(value, fields, &expr.span)?.0)
            }
            ExprKind::Function(name) => {
                let command = Command { span: expr.span.clone(), args: Vec::new() };
                self.function(name, &command, &[], dot, None)
            }
            ExprKind::Chain(pipe, fields) => {
                let value = self.pipe(pipe, dot)?;
                Ok(self.fields(value, fields, &expr.span)?.0)
            }
        }
    }

    /// The value, and whether it was an element of any type; see [`Var::is_boxed`].
    fn fields(&mut self, mut value: Data, fields: &[String], span: &Range<usize>) -> Evaluated<(Data, bool)> {
        let mut is_boxed = false;
        for name in fields {
            is_boxed = matches!(&value, Data::Map(map) if map.value == GoType::Any);
            value = match &value {
                Data::Map(map) if map.key == GoType::Str => match map.get(&Data::text(name)) {
                    Some(found) => found.clone(),
                    None => return self.no_entry(span, name, for_missing(map, name)),
                },
                Data::Struct(own) => match own.iter().find(|(field, _)| field == name) {
                    Some((_, found)) => found.clone(),
                    None => return self.no_field(span, name, &value),
                },
                Data::Nil => return self.fail(span, format!("nil data; no entry for key {name:?}")),
                Data::Bool(_)
                | Data::Str(_)
                | Data::Int(_)
                | Data::Int64(_)
                | Data::Byte(_)
                | Data::Float(_)
                | Data::Complex(..) => {
                    return self.no_field(span, name, &value);
                }
                Data::List(..) | Data::Map(_) => return self.no_field(span, name, &value),
            };
        }
        Ok((value, is_boxed))
    }

    /// An index for `slice`, which accepts no element of a list or map of any type, even if it is an int.
    fn place(&mut self, arg: &Expr, dot: &Data, call: &Range<usize>) -> Evaluated<Data> {
        let (value, is_boxed) = match &arg.what {
            ExprKind::Dot => (dot.clone(), self.state.is_dot_boxed),
            ExprKind::Field(fields) => self.fields(dot.clone(), fields, &arg.span)?,
            ExprKind::Variable(name, fields) => {
                match self.variable(name)?.map(|var| (var.value.clone(), var.is_boxed)) {
                    Some(found) if fields.is_empty() => found,
                    Some((value, _)) => self.fields(value, fields, &arg.span)?,
                    None => (self.expr(arg, dot)?, false),
                }
            }
            ExprKind::Chain(pipe, fields) => {
                let value = self.pipe(pipe, dot)?;
                self.fields(value, fields, &arg.span)?
            }
            ExprKind::Nil | ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Str(_) | ExprKind::Function(_) => {
                (self.expr(arg, dot)?, false)
            }
        };
        if is_boxed {
            return self.fail(call, "error calling slice: cannot index slice/array with type interface {}");
        }
        Ok(value)
    }

    fn no_field<T>(&self, span: &Range<usize>, name: &str, value: &Data) -> Evaluated<T> {
        self.fail(span, format!("can't evaluate field {name} in type {}", value.type_name()))
    }

    /// Calls a function with its written arguments, and the value of the previous stage.
    fn function(
        &mut self,
        name: &str,
        command: &Command,
        args: &[Expr],
        dot: &Data,
        last: Option<Data>,
    ) -> Evaluated<Data> {
        let n_args = args.len() + usize::from(last.is_some());
        let builtin = Builtin::named(name);
        let callable = if builtin.is_none() { library::lookup(name) } else { None };
        let (least, takes_more) = match (builtin, callable) {
            (Some(builtin), _) => builtin.arity(),
            (None, Some(callable)) => (callable.ty.params.len(), false),
            (None, None) => return self.fail(&command.span, format!("{name:?} is not a defined function")),
        };
        if n_args < least || n_args > least && !takes_more {
            let at_least = if takes_more { "at least " } else { "" };
            let message = format!("wrong number of args for {name}: want {at_least}{least} got {n_args}");
            return self.fail(&command.span, message);
        }
        if let Some(builtin @ (Builtin::And | Builtin::Or)) = builtin {
            let mut value = Data::Nil;
            for arg in args {
                value = self.argument(arg, dot, None)?;
                if value.truth() == (builtin == Builtin::Or) {
                    return Ok(value);
                }
            }
            return Ok(last.unwrap_or(value));
        }
        let wanted = |index: usize| match callable {
            Some(callable) => Some(callable.param(index)),
            None => (builtin == Some(Builtin::Printf) && index == 0).then_some(GoType::Str),
        };
        let mut values = Vec::with_capacity(n_args);
        for (index, arg) in args.iter().enumerate() {
            values.push(match builtin {
                Some(Builtin::Slice) if index > 0 => self.place(arg, dot, &command.span)?,
                _ => self.argument(arg, dot, wanted(index))?,
            });
        }
        if let Some(last) = last {
            let wanted = wanted(values.len());
            values.push(self.fitting(last, wanted, &command.span)?);
        }
        match (builtin, callable) {
            (Some(builtin), _) => match builtin.call(&values, MAX_OUTPUT) {
                Ok(data) => {
                    self.work.spend_on_text(builtin.n_bytes(&values, &data)).map_err(Stop::Error)?;
                    Ok(data)
                }
                Err(message) => self.fail(&command.span, format!("error calling {name}: {message}")),
            },
            (None, Some(callable)) => self.library(name, callable, &values, &command.span),
            (None, None) => Ok(Data::Nil),
        }
    }

    fn library(&mut self, name: &str, callable: &Callable, args: &[Data], span: &Range<usize>) -> Evaluated<Data> {
        match callable.call(args, &mut self.world, &self.state.module_dir, self.work) {
            Ok(Some(data)) => Ok(data),
            Ok(None) => Err(Stop::NotYet),
            Err(error) => {
                let message = if callable.def.path.starts_with("golang/") {
                    let message = error.message.strip_prefix("panic in process: ").unwrap_or(&error.message);
                    format!("error calling {name}: {message}")
                } else {
                    format!("error calling {name}: function `{name}` errored: {}", error.message)
                };
                self.fail_as(span, message, error.catchable)
            }
        }
    }

    /// An argument; a literal constant is converted to the wanted type.
    fn argument(&mut self, arg: &Expr, dot: &Data, wanted: Wanted) -> Evaluated<Data> {
        let Some(wanted) = wanted else { return self.expr(arg, dot) };
        let what = match (&arg.what, &wanted) {
            (ExprKind::Nil, GoType::List(_) | GoType::Map(_) | GoType::Any) => return Ok(wanted.zero()),
            (ExprKind::Nil, _) => return self.fail(&arg.span, format!("cannot assign nil to {wanted}")),
            (ExprKind::Dot | ExprKind::Field(_) | ExprKind::Variable(..), _)
            | (ExprKind::Function(_) | ExprKind::Chain(..), _) => {
                let value = self.expr(arg, dot)?;
                return self.fitting(value, Some(wanted), &arg.span);
            }
            (_, GoType::Any) => return self.expr(arg, dot),
            (ExprKind::Bool(value), GoType::Bool) => return Ok(Data::Bool(*value)),
            (ExprKind::Str(text), GoType::Str) => return Ok(Data::text(text)),
            (ExprKind::Number(number), GoType::Float) if number.float.is_some() => {
                return Ok(number.float.map_or(Data::Nil, Data::Float));
            }
            (ExprKind::Number(number), GoType::Int64) if number.int.is_some() => {
                return Ok(number.int.map_or(Data::Nil, Data::Int64));
            }
            (_, GoType::Int64 | GoType::Int | GoType::Byte) => "integer".to_string(),
            (_, GoType::Float) => "float".to_string(),
            (_, other) => other.to_string(),
        };
        self.fail(&arg.span, format!("expected {what}; found {}", self.shown(&arg.span)))
    }

    /// A value that must already have the type.
    fn fitting(&mut self, value: Data, wanted: Wanted, span: &Range<usize>) -> Evaluated<Data> {
        let Some(wanted) = wanted.filter(|wanted| *wanted != GoType::Any) else { return Ok(value) };
        match value.ty() {
            Some(found) if found == wanted => Ok(value),
            Some(found) => self.fail(span, format!("wrong type for value; expected {wanted}; got {found}")),
            None if matches!(wanted, GoType::List(_) | GoType::Map(_)) => Ok(wanted.zero()),
            None => self.fail(span, format!("invalid value; expected {wanted}")),
        }
    }
}

/// The help for a name that a map lacks: the field of a struct, which is capitalized, or a similar name. A large map is
/// not searched, since this is not charged.
fn for_missing(map: &GoMap, name: &str) -> Option<String> {
    const MOST: usize = 20;
    let capital = title(name);
    if map.get(&Data::text(&capital)).is_some() {
        return Some(format!("in a template, the fields of a struct are capitalized: write `.{capital}`"));
    }
    let keys = || {
        map.entries.iter().filter(|_| map.entries.len() <= MOST).filter_map(|(key, _)| match key {
            Data::Str(key) => std::str::from_utf8(key).ok(),
            _ => None,
        })
    };
    let near = suggest::closest(&capital, keys()).or_else(|| suggest::closest(name, keys()))?;
    Some(format!("did you mean `.{near}`?"))
}
