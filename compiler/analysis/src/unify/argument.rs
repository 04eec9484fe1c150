//! Explains what is wrong with an argument of a call, or with an operand: its type, the expected one, and what is
//! usually meant.

use super::blame::{CALLED, callee_name, is_apart};
use super::collect::Collector;
use super::join::Mismatch;
use super::mismatch::{error, hints, shown, types_differ};
use super::table::{Table, Ty, TyId};
use crate::diag::{Diagnostic, codes};
use crate::hir::LoopOver;
use crate::scope::linked::{Call, Callee, DefId, NodeId, NodeKind, ParamRole};
use crate::span::Span;
use crate::types::{TypeKind, compare};

impl Collector<'_, '_> {
    /// The first argument whose type is not the parameter's, with both types.
    pub(super) fn wrong_arg(&mut self, call: &Call, want: TyId, got: TyId) -> Option<(usize, TyId, TyId)> {
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
    pub(super) fn reordered(
        &mut self,
        call: &Call,
        (is, wanted): (TyId, TyId),
        (want, got): (TyId, TyId),
    ) -> Option<String> {
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
            let is_list = |table: &mut Table, at: usize| table.kind(given.params[at].1) == Some(TypeKind::List);
            let begins_with_list = def.path == "iter.reduce"
                && given.params.len() == 3
                && is_list(&mut self.table, 0)
                && !is_list(&mut self.table, 1);
            return (has_func && (is_func[0] != is_func[1] || begins_with_list)).then_some(order);
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

    pub(super) fn wrong_arg_said(&mut self, call: &Call, at: usize, is: TyId, wanted: TyId, span: Span) -> Diagnostic {
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
            return self.with_element(wrong_hole(&wanted, &is, place), call.args[at]);
        }
        if is_concat && is.starts_with("`[]") {
            let message = format!("argument {} of {}: expected {wanted}, found {is}", at + 1, callee_name(call));
            let help = "join lists with `list.concat($a, $b)`, after `import \"list\"`";
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
                // `$a in $b` is a call whose name is between its arguments.
                let is_infix = at == 1 && is_contains(call) && call.callee_span.start > span.start;
                let message = match is_infix {
                    true => format!("expected {wanted} after `in`, found {is}"),
                    false => format!("argument {} of {name}: expected {wanted}, found {is}", at + 1),
                };
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
            // A number is right here, and the string before it is not.
            if let Some(label) = diagnostic.primary.as_mut().filter(|_| is != "`str`") {
                label.text = format!("this is {is}");
            }
            if op == "*" && [&is, &wanted].iter().any(|ty| ty.as_str() == "`int`") {
                return diagnostic.help(
                    "`*` takes numbers; to repeat a string, write `strings.repeat(\"-\", 3)`, after `import \"golang/strings\"`",
                );
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
        let is_list_of =
            |list: &str, of: &str| list.strip_prefix("`[]").is_some_and(|part| of.strip_prefix('`') == Some(part));
        let is_equality = is_operator && matches!(op.as_str(), "==" | "!=");
        if is_equality && (is_list_of(&is, &wanted) || is_list_of(&wanted, &is)) {
            return diagnostic.help("to check whether a list contains an element, write `$value in $list`");
        }
        if is_equality && matches!((is.as_str(), wanted.as_str()), ("`bool`", "`str`") | ("`str`", "`bool`")) {
            return diagnostic.help(format!(
                "`{op}` compares values of one type: write `true` for a bool, and `\"true\"` for a string"
            ));
        }
        if is_operator && op == "+" && is == "`str`" && matches!(wanted.as_str(), "`int`" | "`float`") {
            return diagnostic.help(
                "`+` adds numbers or joins strings: write a number in quotes, as in `\"80\"`, or convert a variable with \
                 `fmt.printf(\"%v\", $n)`, after `import \"fmt\"`",
            );
        }
        if is_operator && op == "or" {
            return diagnostic.help("for a fallback if a value fails, write `$value <|> $fallback`");
        }
        if is_operator && op == "not" {
            return diagnostic
                .help("`not` binds more tightly than `==` and `in`: write `$a != $b` or `not ($a in $list)`");
        }
        if is_operator && matches!((is.as_str(), wanted.as_str()), ("`int`", "`float`") | ("`float`", "`int`")) {
            return diagnostic.help(format!(
                "`{op}` takes two numbers of one type: write `2.0` for `2`, or convert it with `convert.to_float(…)`, after \
                 `import \"convert\"`"
            ));
        }
        let is_struct = |ty: &str| ty.starts_with("`struct{");
        if is_equality && is_struct(&is) && is_struct(&wanted) {
            return diagnostic.help(format!(
                "`{op}` compares structs of one type: write the same fields in the same order, or compare a field, as in `$a->name {op} \
                 $b->name`"
            ));
        }
        if is_operator && at >= 1 && is_struct(&is) != is_struct(&wanted) {
            let other = if at == 1 { call.args.len() - 1 } else { 1 };
            let (node, ty) = if is_struct(&is) { (call.args[at], &is) } else { (call.args[other], &wanted) };
            let name = self.variable(node).unwrap_or_else(|| "value".to_owned());
            let field = ty.trim_start_matches("`struct{").split(' ').next().filter(|field| !field.contains('}'));
            return diagnostic
                .help(format!("to access a field of a struct, write `${name}->{}`", field.unwrap_or("name")));
        }
        let is_lookup =
            matches!(call.callee, Callee::Builtin(def) if matches!(def.path, "_lookup" | "_lookup_default"));
        if is_lookup && at == 0 && matches!(is.as_str(), "`int`" | "`float`" | "`bool`") {
            return diagnostic.help("only a list or a map has elements: remove the `[…]`");
        }
        let is_in = is_contains(call);
        if is_in && at == 1 && is == "`str`" {
            return diagnostic.help(
                "`in` checks for an element of a list; for a string, use `strings.contains(…)`, after `import \"strings\"`",
            );
        }
        if is_in && at == 1 && is.starts_with("`map{") {
            return diagnostic.help(
                "`in` checks for an element of a list: for the keys of a map, write `map.keys(…)`, after `import \"map\"`",
            );
        }
        if let Callee::Builtin(def) = call.callee
            && let Some(help) = of_conversion(def.path, is.trim_matches('`'))
        {
            return diagnostic.help(help);
        }
        if !is_operator
            && !is_lookup
            && let Some(help) = of_elements(&wanted, &is)
        {
            return diagnostic.help(help);
        }
        for hint in hints(wanted.trim_matches('`'), is.trim_matches('`')) {
            diagnostic = diagnostic.help(hint);
        }
        if is_lookup { self.with_own_names(diagnostic, call) } else { diagnostic }
    }

    /// The argument of an include does not have the declared type of the class's parameter.
    pub(super) fn wrong_class_arg(
        &mut self,
        arg: DefId,
        (want, got): (TyId, TyId),
        why: &Mismatch,
        place: Span,
    ) -> Diagnostic {
        let param = &self.linked.defs[arg];
        let said = types_differ(&mut self.table, want, got, why, place);
        if !matches!(why, Mismatch::Kinds { .. }) {
            return said;
        }
        let (wanted, is) = (shown(&mut self.table, want), shown(&mut self.table, got));
        let message = format!("parameter `${}` of the class: expected {wanted}, found {is}", param.name);
        let help = said.help;
        let said = error(codes::TYPES_DIFFER, message, place, format!("this is {is}, but {wanted} is expected"));
        Diagnostic { help, ..said }
    }

    /// Adds which variable is the element, where the index of a loop has the wrong type.
    pub(super) fn with_element(&self, said: Diagnostic, node: NodeId) -> Diagnostic {
        let NodeKind::Param(param) = &self.linked.nodes[node].kind else { return said };
        let index = &self.linked.params[*param];
        let ParamRole::LoopFirst(id) = index.role else { return said };
        let element = &self.linked.params[self.linked.loops[id].second].name;
        if self.linked.loops[id].over != LoopOver::List || element.is_empty() {
            return said;
        }
        said.help(format!("`${}` is the index of the loop: the element is `${element}`", index.name))
    }

    /// Shows the variable and the key of a lookup or of a field access in its help.
    pub(super) fn with_own_names(&self, said: Diagnostic, call: &Call) -> Diagnostic {
        let [value, key, ..] = call.args[..] else { return said };
        let (Some(name), NodeKind::Const(key)) = (self.variable(value), &self.linked.nodes[key].kind) else {
            return said;
        };
        let key = key.as_text().unwrap_or_default();
        let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if !key.starts_with(|first: char| first.is_ascii_lowercase()) || !key.bytes().all(is_part) {
            return said;
        }
        let shown = |help: &String| {
            let help = help.replace("$map[\"key\"]", &format!("${name}[\"{key}\"]"));
            help.replace("$value->name", &format!("${name}->{key}"))
        };
        Diagnostic { help: said.help.iter().map(shown).collect(), ..said }
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

    /// Whether a variable is inserted into a string: in `"${name}"` its place is without the dollar.
    pub(super) fn is_hole(&self, node: NodeId) -> bool {
        let span = self.linked.nodes[node].span;
        self.name_of(node).is_some_and(|name| name.len() as u32 == span.end - span.start)
    }

    /// The name of a variable that is written with its dollar, and without a module.
    pub(super) fn variable(&self, node: NodeId) -> Option<String> {
        let span = self.linked.nodes[node].span;
        self.name_of(node).filter(|name| name.len() as u32 + 1 == span.end - span.start).map(str::to_owned)
    }

    fn name_of(&self, node: NodeId) -> Option<&str> {
        match &self.linked.nodes[node].kind {
            NodeKind::Def(def) => Some(&self.linked.defs[*def].name),
            NodeKind::Param(param) => Some(&self.linked.params[*param].name),
            _ => None,
        }
    }
}

/// What to write instead of a conversion that takes no value of this type.
fn of_conversion(path: &str, is: &str) -> Option<&'static str> {
    Some(match (path, is) {
        ("convert.to_int", "str") => "parse a string with `convert.str_to_int(…)`; `convert.to_int` converts a float",
        ("convert.to_float", "str") => {
            "parse a string with `convert.str_to_float(…)`; `convert.to_float` converts an int"
        }
        ("convert.to_int" | "convert.str_to_int", "int") => "this is already an int: remove the conversion",
        ("convert.to_float" | "convert.str_to_float", "float") => "this is already a float: remove the conversion",
        ("convert.int_to_str" | "convert.format_bool", "str") => "this is already a string: remove the conversion",
        ("convert.parse_bool", "bool") => "this is already a bool: remove the conversion",
        _ => return None,
    })
}

/// What to write instead of a list or a map, where a function takes the other one.
fn of_elements(wanted: &str, is: &str) -> Option<&'static str> {
    match wanted {
        "a map" if is.starts_with("`[]") => Some("a list has no keys: pass a map, such as `{\"a\" => 1}`"),
        "a list" if is.starts_with("`map{") => {
            Some("pass its keys or its values, `map.keys(…)` or `map.values(…)`, after `import \"map\"`")
        }
        _ => None,
    }
}

/// Whether this calls `contains`, as `in` does.
fn is_contains(call: &Call) -> bool {
    matches!(call.callee, Callee::Builtin(def) if def.path == "contains")
}

/// A variable in a string that is not one itself.
pub(super) fn wrong_hole(wanted: &str, is: &str, place: Span) -> Diagnostic {
    let (text, module) = match is {
        "`int`" => ("fmt.printf(\"%d\", $n)", "fmt"),
        "`[]str`" => ("strings.join($list, \", \")", "golang/strings"),
        _ => ("fmt.printf(\"%v\", $value)", "fmt"),
    };
    let message = format!("expected {wanted}, found {is}");
    error(codes::TYPES_DIFFER, message, place, "only a string can be inserted into a string").help(format!(
        "define a variable for its text, `$text = {text}`, after `import \"{module}\"`, and insert it as `${{text}}`"
    ))
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
