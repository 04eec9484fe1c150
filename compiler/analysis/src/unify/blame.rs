//! Explains what is wrong with a call: which argument, its type, and the type that the function expects. Language spec,
//! 9.8; the language reports the call as a whole, so every place is inside it.

use super::collect::Collector;
use super::join::Mismatch;
use super::mismatch::{self, counted, error, shown};
use super::table::{Ty, TyId};
use crate::diag::{Diagnostic, codes};
use crate::scope::linked::{Call, Callee, NodeId, NodeKind};
use crate::span::Span;
use crate::types::{Type, TypeKind, compare};

/// The label of a function that is defined elsewhere: the language reports a wrong call there.
pub(super) const CALLED: &str = "this function is called";

/// Maximum depth to which parts of a literal are inspected.
const MAX_PARTS_DEPTH: usize = 100;

impl Collector<'_, '_> {
    /// The type of a call, `func(arguments) result`, does not match the called function.
    pub(super) fn wrong_call(
        &mut self,
        id: NodeId,
        (want, got): (TyId, TyId),
        why: &Mismatch,
        span: Span,
    ) -> Diagnostic {
        let linked = self.linked;
        let NodeKind::Call(call) = &linked.nodes[id].kind else {
            return mismatch::types_differ(&mut self.table, want, got, why, span);
        };
        let function = self.table.shallow(got);
        // If the number of arguments is right, it is a function inside them that has another number of parameters.
        let takes_as_many = match self.table.get(function) {
            Ty::Func(func) => func.params.len() == call.args.len(),
            _ => false,
        };
        match why {
            Mismatch::ArgCount { .. } if takes_as_many => match self.wrong_arg(call, want, got) {
                Some((at, is, _)) => self.wrong_function(call, (at, is), (want, got), why, span),
                None => self.wrong_result(want, got, why, span),
            },
            Mismatch::ArgCount { want: given, got: takes } => {
                let here = linked.nodes[id].span;
                let is_called_elsewhere = !matches!(call.callee, Callee::Builtin(_)) && is_apart(here, span);
                let said = match is_called_elsewhere {
                    true => arg_count(call, *takes, *given, here).also(span, CALLED).reported_at(span),
                    false => arg_count(call, *takes, *given, span),
                };
                match self.called_as(call) {
                    Some(shown) => said.help(format!("write a value for each parameter: `{shown}`")),
                    None => said,
                }
            }
            Mismatch::Kinds { .. } | Mismatch::FieldCount | Mismatch::FieldNames => {
                let wrong = self.wrong_arg(call, want, got);
                match wrong {
                    Some((at, is, wanted)) if linked.nodes[call.args[at]].span.file == span.file => {
                        let said = self.wrong_arg_said(call, at, is, wanted, span);
                        match self.reordered(call, (is, wanted), (want, got)) {
                            Some(order) => Diagnostic { help: vec![order], ..said },
                            None => said,
                        }
                    }
                    _ => self.wrong_result(want, got, why, span),
                }
            }
            Mismatch::Infinite => mismatch::types_differ(&mut self.table, want, got, why, span),
        }
    }

    /// The argument `at`, whose type is `is`, is or contains a function with another number of parameters than
    /// expected.
    fn wrong_function(
        &mut self,
        call: &Call,
        (at, is): (usize, TyId),
        (want, got): (TyId, TyId),
        why: &Mismatch,
        span: Span,
    ) -> Diagnostic {
        let arg = self.linked.nodes[call.args[at]].span;
        // In a call the argument is what is found, so both numbers are exchanged.
        let why = why.flipped();
        let Mismatch::ArgCount { want: takes, got: has } = why else {
            return mismatch::types_differ(&mut self.table, want, got, &why, span);
        };
        let differs = format!("expected a function with {}, found one with {has}", counted(takes, "parameter"));
        let is_function = self.table.kind(is) == Some(TypeKind::Func);
        let form = match takes {
            1 if is_function => Some("func($x) { … }"),
            2 if is_function => Some("func($a, $b) { … }"),
            _ => None,
        };
        let helped = |said: Diagnostic| match form {
            Some(form) => said.help(format!("write a function with {}: `{form}`", counted(takes, "parameter"))),
            None => said,
        };
        let has = counted(has, "parameter");
        let message = match call.callee {
            Callee::Builtin(def) if def.path == "_operator" => differs,
            _ => format!("argument {} of {}: {differs}", at + 1, callee_name(call)),
        };
        let here = match self.table.kind(is) {
            Some(TypeKind::Func) => format!("this function has {has}"),
            _ => format!("this contains a function with {has}"),
        };
        if arg.file != span.file {
            return error(codes::ARG_COUNT, message, span, "in this call");
        }
        if is_apart(arg, span) {
            return helped(error(codes::ARG_COUNT, message, arg, here).also(span, CALLED).reported_at(span));
        }
        if span.start <= arg.start && arg.end <= span.end {
            return helped(error(codes::ARG_COUNT, message, arg, here));
        }
        error(codes::ARG_COUNT, message, span, format!("a function with {takes} is expected")).also(arg, here)
    }

    /// The result type of a call is not the expected one.
    fn wrong_result(&mut self, want: TyId, got: TyId, why: &Mismatch, span: Span) -> Diagnostic {
        let mut said = mismatch::types_differ(&mut self.table, want, got, why, span);
        if let (Mismatch::Kinds { got, .. }, Some(label)) = (why, &mut said.primary) {
            label.text = format!("this is {}", shown(&mut self.table, *got));
        }
        said
    }

    /// A value does not have its declared type. For a composite literal the wrong part is reported: the language blames
    /// the whole literal, or, under `variant`, the part.
    pub(super) fn wrong_declaration(
        &mut self,
        node: NodeId,
        (is, declared): (TyId, TyId),
        why: &Mismatch,
        span: Span,
    ) -> Diagnostic {
        let part = match why {
            Mismatch::Kinds { .. } => self.wrong_part(node, is, declared, MAX_PARTS_DEPTH),
            Mismatch::FieldCount | Mismatch::FieldNames | Mismatch::ArgCount { .. } | Mismatch::Infinite => None,
        };
        let (place, is, declared) = match part {
            Some((part, is, declared)) if part != node => (self.linked.nodes[part].span, is, declared),
            Some(_) | None => (span, is, declared),
        };
        let inside = place.file == span.file && span.start <= place.start && place.end <= span.end;
        let place = if inside { place } else { span };
        if self.table.kind(declared) == Some(TypeKind::Variant) {
            let is = shown(&mut self.table, is);
            return error(codes::VARIANT, "no value has the type `variant`", place, format!("this is {is}"))
                .help("remove the type, or write the type of the value");
        }
        mismatch::types_differ(&mut self.table, declared, is, why, place)
    }

    /// The first part of a literal that does not have its declared type, with both types.
    fn wrong_part(&mut self, node: NodeId, is: TyId, declared: TyId, depth: usize) -> Option<(NodeId, TyId, TyId)> {
        let linked = self.linked;
        let (is, declared) = (self.table.shallow(is), self.table.shallow(declared));
        let here = (node, is, declared);
        let parts: Vec<(NodeId, TyId, TyId)> =
            match (&linked.nodes[node].kind, self.table.get(is).clone(), self.table.get(declared).clone()) {
                (_, Ty::Var(_) | Ty::Error, _) | (_, _, Ty::Var(_) | Ty::Error) => return None,
                (NodeKind::List(items), Ty::List(is), Ty::List(declared)) => {
                    items.iter().map(|item| (*item, is, declared)).collect()
                }
                (NodeKind::Map(pairs), Ty::Map(key, value), Ty::Map(declared_key, declared_value)) => {
                    let pairs = pairs.iter();
                    pairs.flat_map(|pair| [(pair.0, key, declared_key), (pair.1, value, declared_value)]).collect()
                }
                (NodeKind::Struct(fields), Ty::Struct(is), Ty::Struct(declared)) => {
                    let types = is.iter().zip(declared.iter()).map(|(is, declared)| (is.1, declared.1));
                    fields.iter().zip(types).map(|((_, field), (is, declared))| (*field, is, declared)).collect()
                }
                _ => {
                    let (one, other) = (self.table.finish_open(is)?, self.table.finish_open(declared)?);
                    return compare(&one, &other).is_err().then_some(here);
                }
            };
        let depth = depth.checked_sub(1)?;
        parts.into_iter().find_map(|(part, is, declared)| self.wrong_part(part, is, declared, depth))
    }

    /// The call of a function with the names of its parameters.
    pub(super) fn called_as(&self, call: &Call) -> Option<String> {
        let names: Vec<String> = match call.callee {
            Callee::Builtin(def) => match def.signature()? {
                Type::Func(func) => func.params.iter().map(|(name, _)| format!("${name}")).collect(),
                _ => return None,
            },
            Callee::Statement(node) => match &self.linked.nodes[node].kind {
                NodeKind::Func(func) => {
                    func.params.iter().map(|id| format!("${}", self.linked.params[*id].name)).collect()
                }
                _ => return None,
            },
            Callee::Value(_) | Callee::Literal(_) => return None,
        };
        let has_names = names.iter().all(|name| name[1..].starts_with(|first: char| first.is_ascii_alphabetic()));
        (has_names && !call.name.is_empty()).then(|| format!("{}({})", call.name, names.join(", ")))
    }
}

/// Whether two places of a file have nothing in common.
pub(super) fn is_apart(one: Span, other: Span) -> bool {
    one.file == other.file && (one.end <= other.start || other.end <= one.start)
}

/// The called function, in words.
pub(super) fn callee_name(call: &Call) -> String {
    match call.callee {
        Callee::Builtin(def) => match def.path {
            "_lookup" | "_lookup_default" => "the lookup `[…]`".to_owned(),
            "_struct_lookup" | "_struct_lookup_optional" => "the field access `->`".to_owned(),
            "_collect" => "`collect`".to_owned(),
            _ if call.name.is_empty() => format!("`{}`", def.path),
            _ => format!("`{}`", call.name),
        },
        Callee::Value(_) => format!("`${}`", call.name),
        Callee::Statement(_) => format!("`{}`", call.name),
        Callee::Literal(_) => "this function".to_owned(),
    }
}

fn arg_count(call: &Call, takes: usize, given: usize, span: Span) -> Diagnostic {
    let name = callee_name(call);
    let takes = match takes {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        n => format!("{n} arguments"),
    };
    let (few, verb) = if given == 1 { ("1", "was") } else { (&*given.to_string(), "were") };
    error(codes::ARG_COUNT, format!("{name} takes {takes}, but {few} {verb} given"), span, "in this call")
}
