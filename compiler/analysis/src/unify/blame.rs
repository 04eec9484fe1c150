//! Explains what is wrong with a call: which argument, its type, and the type that the function expects. Language spec,
//! 9.8; the language reports the call as a whole, so every place is inside it.

use super::collect::Collector;
use super::join::Mismatch;
use super::mismatch::{self, counted, error, hints, shown};
use super::table::{Ty, TyId};
use crate::diag::{Diagnostic, codes};
use crate::scope::linked::{Call, Callee, NodeId, NodeKind};
use crate::span::Span;
use crate::types::{Type, TypeKind, compare};

/// The label of a function that is defined elsewhere: the language reports a wrong call there.
const CALLED: &str = "this function is called";

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
            return error(codes::ARG_COUNT, message, arg, here).also(span, CALLED).reported_at(span);
        }
        if span.start <= arg.start && arg.end <= span.end {
            return error(codes::ARG_COUNT, message, arg, here);
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

    /// The first argument whose type is not the parameter's, with both types.
    fn wrong_arg(&mut self, call: &Call, want: TyId, got: TyId) -> Option<(usize, TyId, TyId)> {
        let (want, got) = (self.table.shallow(want), self.table.shallow(got));
        let (Ty::Func(given), Ty::Func(takes)) = (self.table.get(want).clone(), self.table.get(got).clone()) else {
            return None;
        };
        let pairs = given.params.iter().zip(&takes.params).map(|(given, takes)| (given.1, takes.1));
        pairs.enumerate().take(call.args.len()).find_map(|(at, (is, wanted))| {
            // What is not known, because it could not be read, is not what is wrong.
            if matches!(self.table.kind(is), None | Some(TypeKind::Var)) {
                return None;
            }
            let (one, other) = (self.table.finish_open(is)?, self.table.finish_open(wanted)?);
            compare(&one, &other).is_err().then_some((at, is, wanted))
        })
    }

    /// What to write if the arguments are those of the function in another order. `is` and `wanted` are the types of the
    /// wrong argument, `want` and `got` those of the call and of the function.
    fn reordered(&mut self, call: &Call, (is, wanted): (TyId, TyId), (want, got): (TyId, TyId)) -> Option<String> {
        let Callee::Builtin(def) = call.callee else { return None };
        let form = match def.path {
            "iter.map" => Some("iter.map($list, func($x) { … })"),
            "iter.filter" => Some("iter.filter($list, func($x) { … })"),
            "iter.reduce" => Some("iter.reduce($start, $list, func($acc, $x) { … })"),
            _ => None,
        };
        let (want, got) = (self.table.shallow(want), self.table.shallow(got));
        let (Ty::Func(given), Ty::Func(takes)) = (self.table.get(want).clone(), self.table.get(got).clone()) else {
            return None;
        };
        if let Some(form) = form {
            let is_func = [is, wanted].map(|ty| self.table.kind(ty) == Some(TypeKind::Func));
            // Without a function among the arguments, their order is not what is wrong.
            let has_func = given.params.iter().any(|param| self.table.kind(param.1) == Some(TypeKind::Func));
            let order = format!("write the arguments in this order: `{form}`");
            return (has_func && is_func[0] != is_func[1]).then_some(order);
        }
        def.module()?;
        let ([first, second], [one, other]) = (&given.params[..], &takes.params[..]) else { return None };
        let is_swapped = self.fits(first.1, other.1) && self.fits(second.1, one.1);
        let (one, other) = (shown(&mut self.table, one.1), shown(&mut self.table, other.1));
        is_swapped.then(|| format!("swap the arguments: the first is {one}, the second {other}"))
    }

    /// Whether two known types are equal.
    fn fits(&mut self, given: TyId, takes: TyId) -> bool {
        let (given, takes) = (self.table.finish_open(given), self.table.finish_open(takes));
        given.zip(takes).is_some_and(|(given, takes)| compare(&given, &takes).is_ok())
    }

    fn wrong_arg_said(&mut self, call: &Call, at: usize, is: TyId, wanted: TyId, span: Span) -> Diagnostic {
        let linked = self.linked;
        let arg = linked.nodes[call.args[at]].span;
        let inside = span.start <= arg.start && arg.end <= span.end && !is_behind_paren(call, at, arg, span);
        let is_called_elsewhere = !matches!(call.callee, Callee::Builtin(_)) && is_apart(arg, span);
        let (is, wanted) = (shown(&mut self.table, is), shown(&mut self.table, wanted));
        let place = if inside || is_called_elsewhere { arg } else { span };
        let here = format!("this is {is}, but {wanted} is expected");
        let is_operator = matches!(call.callee, Callee::Builtin(def) if def.path == "_operator");
        let is_concat = matches!(call.callee, Callee::Builtin(def) if def.path == "concat");
        // The parts of a string with `${…}` lie within the callee, the arguments of a call behind it.
        if is_concat && call.callee_span.start <= arg.start && arg.end <= call.callee_span.end {
            return wrong_part(&wanted, &is, place);
        }
        if is_concat && is.starts_with("`[]") {
            let message = format!("argument {} of {}: expected {wanted}, found {is}", at + 1, callee_name(call));
            let help = "lists are joined with `list.concat($a, $b)`, after `import \"list\"`";
            return error(codes::TYPES_DIFFER, message, place, here).help(help);
        }
        let mut diagnostic = match (is_operator, at) {
            (true, 1..) => {
                let op = self.operator_text(call);
                let message = format!("cannot apply `{op}` to {wanted} and {is}");
                let message = if call.args.len() == 3 { message } else { format!("cannot apply `{op}` to {is}") };
                let said = error(codes::TYPES_DIFFER, message, place, here);
                let other = linked.nodes[call.args[if at == 1 { call.args.len() - 1 } else { 1 }]].span;
                if at == 2 && other.file == place.file { said.also(other, format!("this is {wanted}")) } else { said }
            }
            _ => {
                let name = callee_name(call);
                let message = format!("argument {} of {name}: expected {wanted}, found {is}", at + 1);
                let said = error(codes::TYPES_DIFFER, message, place, here);
                match (inside, is_called_elsewhere) {
                    (true, _) => said,
                    (false, true) => said.also(span, CALLED).reported_at(span),
                    (false, false) => said.also(arg, "this argument"),
                }
            }
        };
        let op = self.operator_text(call);
        let is_numeric = is_operator && matches!(op.as_str(), "-" | "*" | "/" | "<" | ">" | "<=" | ">=");
        if is_numeric && [&is, &wanted].iter().any(|ty| ty.as_str() == "`str`") {
            if matches!(op.as_str(), "<" | ">" | "<=" | ">=") {
                return diagnostic.help(format!(
                    "`{op}` compares numbers: write a number without quotes, or convert a string with \
                     `convert.str_to_int(…)`, after `import \"convert\"`"
                ));
            }
            // With a text on both sides it would be no better.
            return diagnostic.help(format!("`{op}` takes numbers; strings are joined with `+`"));
        }
        if is_operator
            && matches!(op.as_str(), "or" | "and")
            && at == 2
            && is == "`str`"
            && self.is_comparison(call.args[1])
        {
            return diagnostic.help(format!("repeat the comparison: `$a == \"x\" {op} $a == \"y\"`"));
        }
        if is_operator && op == "or" {
            return diagnostic.help("a fallback for a value that fails is written `$value <|> $fallback`");
        }
        if is_operator && op == "not" {
            return diagnostic.help("`not` binds more tightly than `==`: write `not ($a == $b)`, or `$a != $b`");
        }
        if is_operator && matches!((is.as_str(), wanted.as_str()), ("`int`", "`float`") | ("`float`", "`int`")) {
            return diagnostic.help(format!(
                "`{op}` takes two numbers of one type: write `2.0` for `2`, or convert it with `convert.to_float(…)`, after \
                 `import \"convert\"`"
            ));
        }
        let is_in = matches!(call.callee, Callee::Builtin(def) if def.path == "contains");
        if is_in && at == 1 && is == "`str`" {
            return diagnostic.help(
                "`in` checks for an element of a list; for a string, use `strings.contains(…)`, after `import \"strings\"`",
            );
        }
        if is_in && at == 1 && is.starts_with("`map{") {
            return diagnostic.help(
                "`in` checks for an element of a list: the keys of a map are `map.keys(…)`, after `import \"map\"`",
            );
        }
        for hint in hints(wanted.trim_matches('`'), is.trim_matches('`')) {
            diagnostic = diagnostic.help(hint);
        }
        diagnostic
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

    /// Whether a value is a comparison by `==` or `!=`.
    fn is_comparison(&self, node: NodeId) -> bool {
        match &self.linked.nodes[node].kind {
            NodeKind::Call(call) if matches!(call.callee, Callee::Builtin(def) if def.path == "_operator") => {
                matches!(self.operator_text(call).as_str(), "==" | "!=")
            }
            _ => false,
        }
    }

    fn operator_text(&self, call: &Call) -> String {
        match &self.linked.nodes[call.args[0]].kind {
            NodeKind::Const(op) => op.as_text().unwrap_or_default().into_owned(),
            _ => "operator".to_owned(),
        }
    }
}

/// A variable in a string that is not one itself.
fn wrong_part(wanted: &str, is: &str, place: Span) -> Diagnostic {
    let said = error(
        codes::TYPES_DIFFER,
        format!("expected {wanted}, found {is}"),
        place,
        "only a string can be inserted into a string",
    );
    if is == "`int`" {
        return said.help(
            "define its text before, `$text = fmt.printf(\"%d\", $n)`, after `import \"fmt\"`, and insert that: `${text}`",
        );
    }
    hints(wanted.trim_matches('`'), is.trim_matches('`')).into_iter().fold(said, |said, hint| said.help(hint))
}

/// Whether two places of a file have nothing in common.
fn is_apart(one: Span, other: Span) -> bool {
    one.file == other.file && (one.end <= other.start || other.end <= one.start)
}

/// Whether this is the last operand of an operator, in parentheses. The span that the language reports for an operator
/// ends with the first word of that operand (language spec, 3.1): here with the parenthesis.
fn is_behind_paren(call: &Call, at: usize, arg: Span, span: Span) -> bool {
    let ends_with_operand = match call.callee {
        Callee::Builtin(def) if def.path == "_operator" || def.path == "_struct_lookup_optional" => true,
        // As for `in`, whose name is after its first operand.
        _ => call.callee_span.start > span.start && call.callee_span.end < arg.start,
    };
    ends_with_operand && at + 1 == call.args.len() && arg.end != span.end
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
