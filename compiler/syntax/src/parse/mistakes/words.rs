//! Messages for mistakes from other languages.

use crate::diag::{Code, Diagnostic, Stage, codes};
use crate::ident::capitalized;
use crate::parse::unforeseen::snake;
use crate::parse::written;
use crate::span::Span;

pub(super) fn error(code: Code, message: impl Into<String>, span: Span, here: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, Stage::Parse, message).at(span, here)
}

pub(super) fn comment(span: Span, is_block: bool, first_line: &[u8]) -> Diagnostic {
    let start = Span { end: span.start + 2, ..span };
    let (message, help) = match is_block {
        true => ("MCL has no block comments", "begin each line of the comment with `#`"),
        false => ("comments begin with `#`", "replace `//` with `#`"),
    };
    let label =
        if first_line.starts_with(b"//") { "`/` is the division operator" } else { "this does not start a comment" };
    let said = error(codes::FOREIGN_COMMENT, message, span, label).help(help);
    if is_block { said } else { said.edit(start, "#", help) }
}

/// A variable without its dollar, where its value or definition belongs.
pub(super) fn missing_dollar(name: &str, span: Span) -> Diagnostic {
    error(codes::MISSING_DOLLAR, format!("missing `$` before the variable `{name}`"), span, "variables begin with `$`")
        .help(format!("write `${name}`"))
        .edit(span.at_start(), "$", "add the `$`")
}

pub(super) fn unquoted(text: &str, span: Span) -> Diagnostic {
    unquoted_as(text, &format!("\"{text}\""), span)
}

/// A word without quotes; `ours` is the string of MCL for it, which is another word if it is of another tool.
pub(super) fn unquoted_as(text: &str, ours: &str, span: Span) -> Diagnostic {
    error(codes::UNQUOTED_TEXT, format!("missing quotes around `{text}`"), span, "strings are written in double quotes")
        .help(format!("write `{ours}`"))
        .edit(span, ours, "add quotes")
}

/// A word that may be anything.
pub(super) fn bare_word(name: &str, span: Span) -> Diagnostic {
    error(codes::UNQUOTED_TEXT, format!("unexpected bare word `{name}`"), span, "not a string, a variable or a call")
        .help(format!("write a string as `\"{name}\"`, a variable as `${name}`, and a function call as `{name}()`"))
}

/// `web` as a value, where `web` is a class.
pub(super) fn class_as_value(name: &str, span: Span) -> Diagnostic {
    error(codes::UNQUOTED_TEXT, format!("unexpected bare word `{name}`"), span, "a class is not a value")
        .help(format!("include a class with a statement: `include {name}`; write a string as `\"{name}\"`"))
}

/// `f` as a value, where `f` is a function of the file.
pub(super) fn func_as_value(name: &str, span: Span) -> Diagnostic {
    error(codes::UNQUOTED_TEXT, format!("unexpected bare word `{name}`"), span, "a call needs parentheses")
        .help(format!("write the arguments in parentheses: `{name}(…)`"))
        .help(format!("to pass the function itself, write `func($x) {{ {name}($x) }}`"))
}

/// `isUp`: a word with capital letters that may be anything.
pub(super) fn camel_word(name: &str, span: Span) -> Diagnostic {
    let ours = snake(name);
    error(codes::UNQUOTED_TEXT, format!("unexpected bare word `{name}`"), span, "not a string, a variable or a call")
        .help(format!("write a string as `\"{name}\"`, a variable as `${ours}`, and a function call as `{ours}()`"))
        .help("names cannot contain capital letters")
}

/// `let x = 1` in the body of a function.
pub(super) fn local_variable(name: &str, span: Span) -> Diagnostic {
    let help = "the body of a function is a single expression: write the value where it is used";
    let before = format!("if it does not depend on a parameter, define it before the function: `${} = …`", snake(name));
    foreign("a variable cannot be defined within an expression", span, "expected an expression", help).help(before)
}

/// `pkg["a"]` as a value, where `pkg` is a kind. `edge` is the one that is meant.
pub(super) fn lowercase_reference(edge: &str, kind: &str, name: &str, span: Span) -> Diagnostic {
    let help = format!("an edge to a resource is a separate item: `{edge} => {kind}[{name}],`");
    foreign("a resource is not a value", span, "this refers to a resource", help)
}

/// `ports["a"]` as a value.
pub(super) fn bare_reference(name: &str, capital: &str, text: &str, span: Span) -> Diagnostic {
    error(codes::UNQUOTED_TEXT, format!("unexpected bare word `{name}`"), span, "not a variable")
        .help(format!("to look up a value in a map, write `${name}[{text}]`"))
        .help(format!("an edge to a resource is a separate item: `Depend => {capital}[{text}],`"))
}

/// `result.stdout` as a value.
pub(super) fn bare_path(name: &str, span: Span) -> Diagnostic {
    let (first, rest) = name.split_once('.').unwrap_or((name, ""));
    let fields = rest.replace('.', "->");
    let of = rest.split('.').next().unwrap_or(rest);
    error(codes::UNQUOTED_TEXT, format!("unexpected bare word `{name}`"), span, "not a variable or a call")
        .help(format!("write a field of a struct as `${first}->{fields}`, and a function call as `{name}()`"))
        .help(format!("refer to a resource as `{}[\"{of}\"]`", capitalized(first)))
        .help("to use a value of another resource, send it with an edge: `Exec[\"a\"].output -> File[\"/b\"].content`")
}

/// `sys.argv` as a value, where `sys` is a module that is imported.
pub(super) fn module_path(name: &str, span: Span) -> Diagnostic {
    let module = name.split('.').next().unwrap_or(name);
    error(codes::UNQUOTED_TEXT, format!("unexpected bare word `{name}`"), span, "not a variable or a call")
        .help(format!("call a function of `{module}` with `()` after its name, and write its variables as `${name}`"))
}

/// `len $list` as a value.
pub(super) fn call_without_parentheses(name: &str, span: Span) -> Diagnostic {
    error(codes::UNQUOTED_TEXT, format!("unexpected bare word `{name}`"), span, "a call needs parentheses")
        .help(format!("write the arguments in parentheses: `{name}(…)`"))
}

/// `str($x)`: a type where a value is expected.
pub(super) fn type_called(ty: &str, span: Span) -> Diagnostic {
    let help = match ty {
        "int" => "convert a value with `convert.str_to_int(…)` or `convert.to_int(…)`, after `import \"convert\"`",
        "float" => {
            "convert a value with `convert.str_to_float(…)` or `convert.to_float(…)`, after `import \"convert\"`"
        }
        "bool" => "convert a value with `convert.parse_bool(…)`, after `import \"convert\"`",
        _ => "format a value as text with `fmt.printf(\"%v\", …)`, after `import \"fmt\"`",
    };
    foreign(format!("`{ty}` is a type, not a function"), span, "expected a value", help)
}

/// `x => 1` in a call; `value` is the span of the value.
pub(super) fn named_argument(name: &str, span: Span, value: Span) -> Diagnostic {
    foreign("arguments have no names", span, "write only the value", "write the values in the order of the parameters")
        .edit(Span { end: value.start, ..span }, "", format!("remove `{name}`"))
}

pub(super) fn bare_key(name: &str, span: Span) -> Diagnostic {
    error(codes::UNQUOTED_TEXT, format!("missing quotes around the key `{name}`"), span, "a key is an expression")
        .help(format!("write `\"{name}\"`, or `${name}` for a variable as the key"))
        .help(format!("for fixed names, use a struct: `struct{{{name} => …}}`"))
        .edit(span, format!("\"{name}\""), "add quotes")
}

/// `Meta => { retry => 3 }`.
pub(super) fn meta_key(name: &str, span: Span) -> Diagnostic {
    let help = format!("write `Meta:{name} => …,` as an item of the resource");
    foreign("meta parameters are separate items", span, "a meta parameter", help)
}

/// Any other word or sign of another language; `help` says what MCL has.
pub(super) fn foreign(message: impl Into<String>, span: Span, here: &str, help: impl Into<String>) -> Diagnostic {
    error(codes::FOREIGN_SYNTAX, message, span, here).help(help)
}

pub(super) fn sign(found: &str, wanted: &str, span: Span, here: impl Into<String>) -> Diagnostic {
    error(codes::FOREIGN_SIGN, format!("expected `{wanted}`, found `{found}`"), span, here)
        .help(format!("replace `{found}` with `{wanted}`"))
        .edit(span, wanted, format!("write `{wanted}`"))
}

pub(super) fn semicolon(span: Span) -> Diagnostic {
    error(codes::FOREIGN_SIGN, "unexpected `;`", span, "statements end at the end of the line, without `;`")
        .help("remove the `;`")
        .edit(span, "", "remove the `;`")
}

/// A `;` that another statement follows.
pub(super) fn semicolon_between(span: Span) -> Diagnostic {
    error(codes::FOREIGN_SIGN, "unexpected `;`", span, "statements end at the end of the line, without `;`")
        .help("remove the `;`, and start each statement on a new line")
        .edit(span, "\n", "start a new line")
}

pub(super) fn else_if(word: &str, span: Span) -> Diagnostic {
    error(codes::ELSE_IF, format!("MCL has no `{word}`"), span, "expected `else {`")
        .help("nest the second `if` in the `else`: `else { if … { … } else { … } }`")
}

/// The end of an edge in lower case, such as `file`.
pub(super) fn lowercase_edge(kind: &str, span: Span) -> Diagnostic {
    // It may be the kind of another tool, such as `package`.
    let ours = written::kind(kind);
    let capital = capitalized(ours);
    error(codes::LOWERCASE_EDGE, format!("`{kind}` must be capitalized here"), span, "a reference to a resource")
        .help(format!("write `{capital}[…]`: a resource is declared with `{ours}` and referred to with `{capital}`"))
        .edit(span, capital.clone(), format!("write `{capital}`"))
}

/// The second part of a kind in an edge, such as `container` in `Docker:container`.
pub(super) fn lowercase_part(part: &str, kind: &str, span: Span) -> Diagnostic {
    let (capital, kind) = (capitalized(part), capitalized(kind));
    error(codes::LOWERCASE_EDGE, format!("`{part}` must be capitalized here"), span, "part of the resource kind")
        .help(format!("write `{kind}[…]`: each part of the kind is capitalized where a resource is referred to"))
        .edit(span, capital.clone(), format!("write `{capital}`"))
}

pub(super) fn dangling_dot(name: &str, dot: Span) -> Diagnostic {
    error(codes::DANGLING_DOT, "a name cannot end with a dot", dot, format!("expected a name after `{name}.`"))
        .help(format!("remove the dot, or complete the name, as in `{name}.name`"))
}

/// What a value with a unit is written as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Seconds,
    Milliseconds,
    /// A string, with its unit.
    Text,
}

impl Measure {
    /// That of a field. Fields of these names are strings in every kind that has them.
    pub(super) fn of_field(name: &str) -> Measure {
        match name {
            "value" | "content" | "body" | "msg" | "state" | "comment" | "description" | "time" | "leasetime"
            | "refresh_age" => Measure::Text,
            _ => Measure::Seconds,
        }
    }
}

pub(super) fn unit(number: &str, unit: &str, measure: Measure, span: Span) -> Diagnostic {
    let whole = format!("{number}{unit}");
    let said =
        error(codes::NUMBER_WITH_UNIT, format!("invalid number `{whole}`"), span, "a number consists of digits only");
    let seconds = seconds(number, unit);
    match (unit.as_bytes(), seconds) {
        ([b'x' | b'X' | b'o' | b'O' | b'b' | b'B', ..], _) if number == "0" => {
            let base = match unit.as_bytes()[0] {
                b'x' | b'X' => 16,
                b'o' | b'O' => 8,
                _ => 2,
            };
            match i64::from_str_radix(&unit[1..], base) {
                Ok(value) if base == 8 => said
                    .help(format!("write the number in decimal: `{value}`"))
                    .help(format!("write the mode of a file as a string, as in `\"{value:04o}\"`")),
                Ok(value) => said.help(format!("write the number in decimal: `{value}`")),
                Err(_) => said.help("write the number in decimal"),
            }
        }
        ([b'e', ..], _) => said.help("MCL has no exponents: write the number in full, as in `1500.0`"),
        (_, Some(seconds)) => said.help(match measure {
            Measure::Seconds => format!("intervals are in seconds: write `{seconds}`"),
            Measure::Milliseconds => format!("this is in milliseconds: write `{}`", seconds.saturating_mul(1000)),
            Measure::Text => format!("the value of this field must be a string: write `\"{whole}\"`"),
        }),
        (_, None) => said.help(format!("remove `{unit}`, or write `\"{whole}\"` if you mean a string")),
    }
}

/// The seconds of `5m` and `1h30m`: a number with its unit, and others after it.
fn seconds(number: &str, unit: &str) -> Option<i64> {
    let (mut number, mut rest, mut sum) = (number, unit, 0i64);
    loop {
        let (unit, more) = rest.split_at(rest.find(|char: char| char.is_ascii_digit()).unwrap_or(rest.len()));
        let factor = match unit {
            "s" | "sec" | "secs" | "seconds" => 1,
            "m" | "min" | "mins" | "minutes" => 60,
            "h" | "hour" | "hours" => 3600,
            "d" | "day" | "days" => 86_400,
            _ => return None,
        };
        sum = sum.checked_add(number.parse::<i64>().ok()?.checked_mul(factor)?)?;
        if more.is_empty() {
            return Some(sum);
        }
        (number, rest) = more.split_at(more.find(|char: char| !char.is_ascii_digit())?);
    }
}

pub(super) fn dotted_number(text: &str, span: Span) -> Diagnostic {
    let what = if text.split('.').count() == 4 { "an IP address" } else { "a version" };
    error(codes::UNQUOTED_TEXT, format!("missing quotes around `{text}`"), span, format!("{what} is a string"))
        .help(format!("write `\"{text}\"`"))
        .edit(span, format!("\"{text}\""), "add quotes")
}

pub(super) fn missing_value(operator: &str, span: Span) -> Diagnostic {
    error(codes::UNEXPECTED_TOKEN, format!("missing value after `{operator}`"), span, "expected a value after this")
        .help(format!("write the value to the right of `{operator}`"))
}

/// `if {`
pub(super) fn missing_condition(span: Span) -> Diagnostic {
    error(codes::UNEXPECTED_TOKEN, "missing condition after `if`", span, "expected a condition after this")
        .help("write `if $condition { … }`")
}

/// A `{` that is not on the line of what it belongs to. `moved` is the text from the end of that line to it.
pub(super) fn lower_brace(line_end: Span, moved: Option<Span>) -> Diagnostic {
    let said = error(codes::UNEXPECTED_TOKEN, "unexpected end of the line", line_end, "expected `{`")
        .help("write the `{` on this line, not on the next one");
    match moved {
        Some(moved) => said.edit(moved, " {", "move the `{` to this line"),
        None => said,
    }
}

pub(super) fn unclosed(sign: &str, open: Span, next: Span) -> Diagnostic {
    let close = crate::parse::refuse::closing(sign);
    error(codes::UNCLOSED_BRACKET, format!("unclosed `{sign}`"), open, format!("this `{sign}` is never closed"))
        .also(next, format!("expected `{close}` before this statement"))
        .help(format!("add the missing `{close}`"))
}
