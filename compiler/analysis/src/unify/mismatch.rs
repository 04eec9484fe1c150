//! Messages of type errors. Each constructor has one code of the register; inference only says what it found.

use super::foreign;
use super::join::Mismatch;
use super::table::{Table, Ty, TyId};
use crate::diag::{Diagnostic, Stage, codes};
use crate::ident::capitalized;
use crate::kinds;
use crate::span::Span;
use crate::types::{Type, TypeKind};

pub(super) fn error(code: codes::Code, message: impl Into<String>, span: Span, here: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, Stage::Unify, message).at(span, here)
}

/// A type in words: its text, or its outermost form if it is unknown or too big.
pub(super) fn shown(table: &mut Table, ty: TyId) -> String {
    const MAX: usize = 120;
    let id = table.shallow(ty);
    let text = table.finish_open(id).map(|ty| ty.to_string()).filter(|text| text.len() <= MAX);
    match (table.kind(id), text) {
        (None | Some(TypeKind::Var), _) => "of an unknown type".into(),
        (Some(kind @ (TypeKind::List | TypeKind::Map)), _) if table.is_of_errors(id) => format!("a {kind}"),
        (Some(TypeKind::List), Some(text)) if text.starts_with("[][]?") => "a list of lists".into(),
        (Some(kind @ (TypeKind::List | TypeKind::Map)), Some(text)) if text.contains('?') => format!("a {kind}"),
        (Some(TypeKind::Func), Some(text)) if text.contains('?') => open_function(table, id),
        (Some(_), Some(text)) => format!("`{}`", without_numbers(&text)),
        (Some(kind), None) => format!("a large {kind}"),
    }
}

/// A function type with unknown parts: its parameters if they are known, else its result, else a list or map it takes.
fn open_function(table: &mut Table, id: TyId) -> String {
    let Ty::Func(func) = table.get(id).clone() else { return "a function".into() };
    let params: Vec<String> = func.params.iter().map(|(_, ty)| shown(table, *ty)).collect();
    let ret = shown(table, func.ret);
    let is_known = |text: &str| text.starts_with('`') && !text.contains('?');
    match &params[..] {
        [one] if is_known(one) => format!("a function that takes {one}"),
        [one, two] if is_known(one) && is_known(two) => format!("a function that takes {one} and {two}"),
        _ if is_known(&ret) => format!("a function that returns {ret}"),
        [one] if one.starts_with("a list") || one.starts_with("a map") => format!("a function that takes {one}"),
        _ => "a function".into(),
    }
}

/// The text of a type without the numbers of unnamed parameters, which cannot be written: `func(str) int` instead of
/// `func(0 str) int`.
pub(super) fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['(', ',']) {
        let begin = at + if rest[at..].starts_with(", ") { 2 } else { 1 };
        out.push_str(&rest[..begin]);
        rest = &rest[begin..];
        let name = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        if name.len() < rest.len() {
            rest = name.strip_prefix(' ').unwrap_or(rest);
        }
    }
    out + rest
}

/// Two types that should be equal differ.
pub(super) fn types_differ(table: &mut Table, want: TyId, got: TyId, why: &Mismatch, span: Span) -> Diagnostic {
    match why {
        Mismatch::Kinds { want: want_part, got: got_part, want_from, got_from } => {
            let (want_text, got_text) = (shown(table, *want_part), shown(table, *got_part));
            let here = if (*want_part, *got_part) == (table.shallow(want), table.shallow(got)) {
                format!("this is {got_text}")
            } else {
                let (want, got) = (shown(table, want), shown(table, got));
                if want == got { "in this value".to_owned() } else { format!("this is {got}, but {want} is expected") }
            };
            let message = format!("expected {want_text}, found {got_text}");
            let mut diagnostic = error(codes::TYPES_DIFFER, message, span, here);
            diagnostic = match (*want_from, *got_from) {
                (Some(from), _) if from != span => diagnostic.also(from, "expected because of this"),
                (None, Some(from)) if from != span => {
                    diagnostic.also(from, format!("it is {got_text} because of this"))
                }
                _ => diagnostic,
            };
            for help in hints(want_text.trim_matches('`'), got_text.trim_matches('`')) {
                diagnostic = diagnostic.help(help);
            }
            diagnostic
        }
        Mismatch::FieldCount => {
            let (want, got) = (shown(table, want), shown(table, got));
            error(
                codes::STRUCTS_DIFFER,
                "mismatched structs: the number of fields differs",
                span,
                format!("this is {got}"),
            )
            .help(format!("expected {want}, with the fields in this order"))
        }
        Mismatch::FieldNames => {
            let (want, got) = (shown(table, want), shown(table, got));
            error(codes::STRUCTS_DIFFER, "mismatched structs: the fields differ", span, format!("this is {got}"))
                .help(format!("expected {want}: the fields must have the same names in the same order"))
        }
        Mismatch::ArgCount { want, got } => {
            let message = format!("expected a function with {}, found one with {got}", counted(*want, "parameter"));
            error(codes::ARG_COUNT, message, span, format!("this function has {}", counted(*got, "parameter")))
        }
        Mismatch::Infinite => error(codes::INFINITE_TYPE, "infinite type", span, "its type would contain itself")
            .help("a function cannot be called with itself, and a list cannot contain itself"),
    }
}

/// Meta parameters as one value, which is not the struct of all of them.
pub(super) fn wrong_meta(table: &mut Table, (want, got): (TyId, TyId), why: &Mismatch, span: Span) -> Diagnostic {
    let mut said = types_differ(table, want, got, why, span);
    let whole = table.shallow(got);
    if matches!(why, Mismatch::Kinds { got: part, .. } if *part == whole) {
        said.message = format!("expected a struct of all meta parameters, found {}", shown(table, got));
    }
    Diagnostic { help: vec!["write each meta parameter as an item: `Meta:retry => 3,`".to_owned()], ..said }
}

/// The name of a resource is not a string, nor a list of them. `variable` is its text, if it is only a variable.
pub(super) fn wrong_name(
    table: &mut Table,
    variable: Option<String>,
    (want, got): (TyId, TyId),
    why: &Mismatch,
    span: Span,
) -> Diagnostic {
    let found = shown(table, got);
    let help = match found.trim_matches('`') {
        "str" => {
            let said = types_differ(table, want, got, why, span);
            let Some(name) = variable else {
                return said.help("define a variable, `$name = …`, and write `\"${name}\"`");
            };
            let text = format!("\"${{{name}}}\"");
            let help = vec![format!("write `{text}`: without quotes, a list of names is expected")];
            return Diagnostic { help, ..said }.edit(span, text.clone(), format!("write `{text}`"));
        }
        "int" => {
            "write it in quotes, or convert a number to text first: `$name = fmt.printf(\"%d\", $n)`, after `import \
            \"fmt\"`, and then `\"${name}\"`"
        }
        "float" | "bool" => {
            "write it in quotes, or convert a value to text first: `$name = fmt.printf(\"%v\", $x)`, after `import \
            \"fmt\"`, and then `\"${name}\"`"
        }
        ty if ty.starts_with("struct{") => {
            "define a variable for a field, `$name = $value->name`, and write `\"${name}\"`"
        }
        ty if ty.starts_with("map{") => {
            "to declare a resource for each key, write a loop: `forkv $key, $value in $map { … }`, and in it \
            `\"${key}\"`"
        }
        _ => return types_differ(table, want, got, why, span),
    };
    let here = "the name of a resource must be a string";
    error(codes::TYPES_DIFFER, format!("expected `str`, found {found}"), span, here).help(help)
}

/// Common intentions.
pub(super) fn hints(want: &str, got: &str) -> Vec<&'static str> {
    match (want, got) {
        ("str", "int") => {
            vec![
                "write a number in quotes, as in `\"80\"`; convert a variable with `fmt.printf(\"%d\", $n)`, after `import \"fmt\"`",
            ]
        }
        ("str", "float") => {
            vec![
                "write a number in quotes, as in `\"1.5\"`; convert a variable with `fmt.printf(\"%v\", $n)`, after `import \"fmt\"`",
            ]
        }
        ("str", "bool") => {
            vec!["write a string in quotes, or convert it with `convert.format_bool(…)`, after `import \"convert\"`"]
        }
        ("str", "[]str") => {
            vec![
                "write a single string, or join the elements: `strings.join($list, \", \")`, after `import \"golang/strings\"`",
            ]
        }
        ("str", got) if got.starts_with("struct{") => {
            vec![
                "to access a field of a struct, write `$value->name`; to show all of it, write `fmt.printf(\"%v\", …)`, after `import \"fmt\"`",
            ]
        }
        ("bool" | "int" | "float", got) if got.starts_with("struct{") => {
            vec!["to access a field of a struct, write `$value->name`"]
        }
        ("str", got) if ["[]", "map{"].iter().any(|begin| got.starts_with(begin)) => {
            vec!["show the value as text: `fmt.printf(\"%v\", …)`, after `import \"fmt\"`"]
        }
        ("int", "str") => {
            vec![
                "write a number without quotes and without a unit, or convert it with `convert.str_to_int(…)`, after `import \"convert\"`",
            ]
        }
        ("float", "int") => {
            vec!["write `2.0` for a float, or convert it with `convert.to_float(…)`, after `import \"convert\"`"]
        }
        ("int", "float") => {
            vec!["write a whole number, or drop the fraction with `convert.to_int(…)`, after `import \"convert\"`"]
        }
        ("float", "str") => {
            vec![
                "write a number without quotes, as in `2.0`, or convert it with `convert.str_to_float(…)`, after `import \"convert\"`",
            ]
        }
        (want, "str") if want.starts_with("a function") => {
            vec!["write a function: `func($x) { … }`, such as `func($x) { strings.to_upper($x) }`"]
        }
        (want, got) if want.starts_with("func(") && want.ends_with(") bool") && got.starts_with("func(") => {
            vec![match want {
                "func(str) bool" => "write a condition as the body of this function, as in `func($x) { $x != \"\" }`",
                "func(int) bool" => "write a condition as the body of this function, as in `func($x) { $x > 0 }`",
                _ => "write a condition as the body of this function, as in `func($x) { $x == $y }`",
            }]
        }
        ("bool", "[]bool" | "[][]bool") => vec!["write the condition without brackets: `if $a == $b { … }`"],
        ("bool", "int") => vec!["compare it, as in `$n != 0`"],
        ("bool", "str") => vec!["write `true` or `false` without quotes, or compare it, as in `$text != \"\"`"],
        ("a list", "int") => vec!["for a list of numbers, write `iter.range(3)`, after `import \"iter\"`"],
        ("a list", "str") => vec![
            "write a list, `[\"a\"]`, or split the text: `strings.split($text, \",\")`, after `import \"strings\"`",
        ],
        ("a map", got) if got.starts_with("struct{") => vec!["to access a field of a struct, write `$value->name`"],
        ("bool", got) if got.starts_with("[]") => vec!["check its length: `len($list) > 0`"],
        ("bool", got) if got.starts_with("map{") => vec!["check its length: `len($map) > 0`"],
        ("a list", want) if want.starts_with("map{") => vec!["iterate over a map with `forkv $key, $value in …`"],
        ("a map", want) if want.starts_with("[]") => vec!["iterate over a list with `for $index, $value in …`"],
        (want, got) if want.starts_with("map{") && got.starts_with("[]") => {
            vec!["a map has keys: write `{\"name\" => \"value\"}`"]
        }
        (want, got) if want.starts_with("[]") && got.starts_with("map{") => vec!["a list has no keys: write `[…]`"],
        ("[]str", "str") => vec!["put it in a list: `[…]`"],
        _ => Vec::new(),
    }
}

/// A type that nothing determines.
pub(super) fn ambiguous(table: &mut Table, ty: TyId, span: Span, what: &str) -> Diagnostic {
    let ty = match shown(table, ty).as_str() {
        "of an unknown type" => String::new(),
        ty if ty.starts_with("a function") => ": it is a function, of an unknown type".to_owned(),
        ty => format!(": it is {ty}, of an unknown type"),
    };
    // The type that a call returns may depend on the variable.
    let help = match what {
        "the empty map" => "declare the type, as in `$x map{str: int} = {}`",
        _ if what.starts_with("the call") => {
            "declare the type of the variable, as in `$x struct{name str; port int} = …`"
        }
        _ => "declare the type, as in `$x []int = []`",
    };
    error(codes::AMBIGUOUS, format!("cannot infer the type of {what}{ty}"), span, "the type of this is not known")
        .help(help)
}

pub(super) fn unhashable(key: &str, span: Span) -> Diagnostic {
    error(codes::UNHASHABLE_KEY, format!("map key type `{key}` is not hashable"), span, "this map's keys")
        .help("keys can be bool, str, int, float, or structs of these")
}

pub(super) fn known_type_differs(known: &Type, ty: &Type, span: Span) -> Diagnostic {
    let message = format!("expected `{known}`, found `{ty}`");
    error(codes::TYPES_DIFFER, message, span, format!("this is `{ty}`"))
        .help("the declared type and the value's type must be the same")
}

pub(super) fn used_with_two_types(first: &Type, ty: &Type, span: Span) -> Diagnostic {
    let message = format!("expected `{first}`, found `{ty}`");
    error(codes::TYPES_DIFFER, message, span, "used with two types in the loop")
        .help("a definition inside a loop has a single type: define one for each type")
}

pub(super) fn too_deep(span: Span) -> Diagnostic {
    error(codes::TYPE_TOO_DEEP, "this type is too big", span, "more than 300 levels or 10,000 parts")
        .help("flatten the data: a list or map of small structs instead of structs in structs")
}

pub(super) fn variant_param(name: &str, span: Span) -> Diagnostic {
    error(
        codes::VARIANT,
        format!("parameter `${name}` is declared as `variant`"),
        span,
        "a value always has a more specific type",
    )
    .help("remove the type: it is inferred from the argument")
}

pub(super) fn too_many_args(name: &str, takes: usize, given: usize, shown: Option<String>, span: Span) -> Diagnostic {
    let message = format!(
        "function `{name}` takes {}, but {given} {} given",
        counted(takes, "argument"),
        if given == 1 { "was" } else { "were" }
    );
    let said = error(codes::ARG_COUNT, message, span, "too many arguments");
    match shown {
        _ if name == "sys.getenv" => said.help("write a fallback as `sys.getenv(\"NAME\") <|> \"…\"`"),
        Some(_) if name == "sys.env" => said.help("read a single variable with `sys.getenv(\"NAME\")`"),
        Some(shown) if takes == 0 => said.help(format!("write it without arguments: `{shown}`")),
        Some(shown) => said.help(format!("write a value for each parameter: `{shown}`")),
        None => said,
    }
}

pub(super) fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

pub(super) fn value_inconsistent(what: &str, says: &str, is: &str, span: Span) -> Diagnostic {
    let message = format!("{what}: expected `{says}`, found {is}");
    error(codes::VALUE_INCONSISTENT, message, span, "the value does not have the declared type")
}

pub(super) fn unknown_kind(kind: &str, near: Option<&str>, span: Span) -> Diagnostic {
    let message = format!("cannot find resource kind `{kind}`");
    help_with_kind(error(codes::UNKNOWN_KIND, message, span, "unknown kind"), kind, near, Some(span))
}

/// The same at the end of an edge, where a kind is capitalized.
pub(super) fn unknown_kind_of_half(kind: &str, near: Option<&str>, span: Span) -> Diagnostic {
    let shown = capitalized(kind);
    let said = error(codes::UNKNOWN_KIND, format!("cannot find resource kind `{shown}`"), span, "unknown kind");
    match foreign::kind(kind).map(|(ours, _)| ours).or(shortened(kind)).or(near).map(capitalized) {
        Some(ours) => said.help(format!("did you mean `{ours}`?")).edit(span, ours.clone(), format!("use `{ours}`")),
        None => {
            said.help(family(kind, capitalized).unwrap_or_else(|| "`mclive docs resources` lists the kinds".into()))
        }
    }
}

/// Adds a suggestion for an unknown kind at the end of an edge.
pub fn help_with_half(diagnostic: Diagnostic, kind: &str) -> Diagnostic {
    if kind == "class" {
        return diagnostic.help("an edge joins resources, not classes: name a resource of the class, `Kind[\"name\"]`");
    }
    let near = crate::diag::suggest::near(kind, kinds::all().map(|kind| kind.decl().name));
    match foreign::kind(kind).map(|(ours, _)| ours).or(near) {
        Some(ours) => diagnostic.help(format!("did you mean `{}`?", capitalized(ours))),
        None => diagnostic
            .help(family(kind, capitalized).unwrap_or_else(|| "`mclive docs resources` lists the kinds".into())),
    }
}

/// The kinds whose first part is this word: `docker:container` for `docker`.
fn family(kind: &str, shown: fn(&str) -> String) -> Option<String> {
    const MOST: usize = 6;
    let names = kinds::all().map(|kind| kind.decl().name);
    let members = names.filter(|name| name.strip_prefix(kind).is_some_and(|rest| rest.starts_with(':')));
    let members: Vec<String> = members.take(MOST).map(|name| format!("`{}`", shown(name))).collect();
    let (last, others) = members.split_last()?;
    Some(if others.is_empty() {
        format!("did you mean {last}?")
    } else {
        format!("did you mean {} or {last}?", others.join(", "))
    })
}

/// The kind of which only the first and the last part are written: `http:file` for `http:server:file`.
fn shortened(kind: &str) -> Option<&'static str> {
    let (first, last) = kind.split_once(':')?;
    let is_meant = |name: &str| {
        let between = name.strip_prefix(first).and_then(|rest| rest.strip_suffix(last));
        between.is_some_and(|between| between.len() > 2 && between.starts_with(':') && between.ends_with(':'))
    };
    kinds::all().map(|kind| kind.decl().name).find(|name| is_meant(name))
}

/// What to write for a kind such as `git:clone` or `docker:network`, of which the first part is known.
fn of_first_part(kind: &str) -> Option<String> {
    let (first, _) = kind.split_once(':')?;
    foreign::construct(first).map(str::to_owned).or_else(|| family(first, str::to_owned))
}

/// Adds a suggestion for an unknown kind.
pub fn help_with_kind(diagnostic: Diagnostic, kind: &str, near: Option<&str>, name: Option<Span>) -> Diagnostic {
    let rename = |diagnostic: Diagnostic, ours: &str| match name {
        Some(name) => diagnostic.edit(name, ours, format!("use `{ours}`")),
        None => diagnostic,
    };
    match (foreign::construct(kind), foreign::kind(kind), shortened(kind).or(near)) {
        (Some(help), _, _) => diagnostic.help(help),
        (None, Some((ours, more)), _) => rename(diagnostic.help(format!("the kind is named `{ours}`{more}")), ours),
        (None, None, Some(near)) => rename(diagnostic.help(format!("did you mean `{near}`?")), near),
        (None, None, None) => match family(kind, str::to_owned).or_else(|| of_first_part(kind)) {
            Some(help) => diagnostic.help(help),
            None => diagnostic.help("`mclive docs resources` lists the kinds"),
        },
    }
}

pub(super) fn lone_half(span: Span) -> Diagnostic {
    error(codes::LONE_HALF, "an edge needs two ends", span, "this is one end")
        .help("write `Kind[\"a\"] -> Kind[\"b\"]`")
}
