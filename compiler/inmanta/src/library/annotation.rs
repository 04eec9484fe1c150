//! Annotations of Python functions as types of the language. Those without a counterpart are `any`, which is not
//! checked. Spec, 12.3.

/// What names mean in a file.
pub(super) struct Names<'n> {
    /// Names of the type of the hidden parameter.
    pub(super) context: &'n [String],
}

/// The deepest nesting of an annotation; a deeper one is `any`.
const MAX_DEPTH: usize = 16;

/// The characters outside strings, with their places.
pub(super) fn outside_strings(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let mut quote: Option<char> = None;
    let mut is_escaped = false;
    text.char_indices().filter(move |(_, char)| match quote {
        Some(_) if is_escaped => {
            is_escaped = false;
            false
        }
        Some(end) => {
            is_escaped = *char == '\\';
            if *char == end {
                quote = None;
            }
            false
        }
        None if matches!(char, '"' | '\'') => {
            quote = Some(*char);
            false
        }
        None => true,
    })
}

/// The parts between separators outside brackets and strings; an empty last part is none.
pub(super) fn split(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0i32);
    for (at, char) in outside_strings(text) {
        match char {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            char if char == separator && depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + char.len_utf8();
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        parts.push(text[start..].trim());
    }
    parts
}

/// The text of a plain string, without escapes in it.
pub(super) fn text(literal: &str) -> Option<String> {
    let inside = |quote: &str| literal.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    let text = ["\"\"\"", "'''", "\"", "'"].into_iter().find_map(inside)?;
    (!text.contains(['\\', '"', '\'', '\n'])).then(|| text.to_owned())
}

/// A parameter in the language's syntax: `a: int = 1`. `None` for the hidden one and for `/`.
pub(super) fn parameter(param: &str, names: &Names<'_>) -> Option<String> {
    if matches!(param, "*" | "/") {
        return (param == "*").then(|| "*".to_owned());
    }
    let parts = split(param, '=');
    let (head, default) = (parts.first().copied()?, parts.get(1).copied());
    let (name, ty) = head.split_once(':').map_or((head, ""), |(name, ty)| (name.trim(), ty.trim()));
    let plain = ty.trim_matches(['"', '\'']);
    let last = plain.rsplit('.').next().unwrap_or_default();
    if names.context.iter().any(|context| context == plain) || last == "Context" {
        return None;
    }
    let default = default.map(|default| format!(" = {}", constant(default))).unwrap_or_default();
    Some(format!("{name}: {}{default}", shown(ty, 0)))
}

/// A result type in the language's syntax.
pub(super) fn result(annotation: &str, _names: &Names<'_>) -> String {
    shown(annotation, 0)
}

/// A default in the language's syntax; `...` for an expression.
fn constant(python: &str) -> String {
    match python {
        "None" => "null".into(),
        "True" => "true".into(),
        "False" => "false".into(),
        "[]" | "()" | "list()" => "[]".into(),
        "{}" | "dict()" => "{}".into(),
        number if number.parse::<f64>().is_ok_and(f64::is_finite) => number.into(),
        other => text(other).map_or_else(|| "...".into(), |text| format!("\"{text}\"")),
    }
}

fn shown(annotation: &str, depth: usize) -> String {
    let annotation = annotation.trim();
    if depth > MAX_DEPTH || annotation.is_empty() {
        return "any".into();
    }
    if let Some(text) = text(annotation) {
        // A type of the language, or a quoted annotation of Python.
        return if text.contains(" | ") || text.ends_with(']') && !text.ends_with("[]") {
            shown(&text, depth + 1)
        } else {
            named(&text).map_or(text, str::to_owned)
        };
    }
    let members = split(annotation, '|');
    if members.len() > 1 {
        return union(&members, depth);
    }
    let Some((head, args)) = annotation.split_once('[') else {
        return named(annotation).unwrap_or("any").to_owned();
    };
    let args = split(args.trim_end().strip_suffix(']').unwrap_or(args), ',');
    let first = args.first().copied().unwrap_or_default();
    match last(head) {
        "list" | "List" | "Sequence" | "Collection" | "Iterable" => match shown(first, depth + 1) {
            // Lists are flat.
            inner if inner == "list" || inner.ends_with([']', '?']) => "list".into(),
            inner => format!("{inner}[]"),
        },
        "dict" | "Dict" | "Mapping" if args.len() == 2 => match shown(args[1], depth + 1) {
            inner if inner == "any" => "dict".into(),
            inner => format!("dict[string, {inner}]"),
        },
        "dict" | "Dict" | "Mapping" => "dict".into(),
        "Optional" => union(&[first, "None"], depth),
        "Union" => union(&args, depth),
        "Annotated" => {
            let model = args.iter().find(|arg| last(arg.split('[').next().unwrap_or_default()) == "ModelType");
            shown(model.copied().unwrap_or(first), depth + 1)
        }
        // The argument is the name of a type.
        "ModelType" => shown(first, depth + 1),
        "Literal" if args.iter().all(|arg| text(arg).is_some()) => "string".into(),
        _ => "any".into(),
    }
}

/// A union without members that models cannot pass; `null` makes it nullable.
fn union(members: &[&str], depth: usize) -> String {
    let is_reference = |member: &&str| last(member.split('[').next().unwrap_or_default()) == "Reference";
    let mut types: Vec<String> =
        members.iter().filter(|member| !is_reference(member)).map(|member| shown(member, depth + 1)).collect();
    types.dedup();
    let n_types = types.len();
    types.retain(|ty| ty != "null");
    let nullable = if types.len() < n_types { "?" } else { "" };
    match &types[..] {
        _ if types.iter().any(|ty| ty == "any") => "any".into(),
        [] => "null".into(),
        [one] if one.ends_with('?') => one.clone(),
        [one] => format!("{one}{nullable}"),
        _ => format!("Union[{}]{nullable}", types.join(",")),
    }
}

fn last(path: &str) -> &str {
    path.trim().rsplit('.').next().unwrap_or_default()
}

/// Python's own types.
fn named(name: &str) -> Option<&'static str> {
    Some(match last(name) {
        "str" => "string",
        "int" => "int",
        "float" => "float",
        "bool" => "bool",
        "None" => "null",
        "list" | "List" | "Sequence" => "list",
        "dict" | "Dict" | "Mapping" => "dict",
        "Any" | "object" | "expression" => "any",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_become_types() {
        for (python, ours) in [
            ("", "any"),
            ("\"std::Entity\"", "std::Entity"),
            ("'string[]?'", "string[]?"),
            ("\"str\"", "string"),
            ("str", "string"),
            ("typing.Any", "any"),
            ("None", "null"),
            ("str | None", "string?"),
            ("\"int | str\"", "Union[int,string]"),
            ("Optional[Sequence[str]]", "string[]?"),
            ("collections.abc.Sequence[\"m::A\"]", "m::A[]"),
            ("list[list[int]]", "list"),
            ("Mapping[str, int | None]", "dict[string, int?]"),
            ("dict[str, object]", "dict"),
            ("Union[int, str, None]", "Union[int,string]?"),
            ("str | Reference[str]", "string"),
            ("Annotated[object, ModelType[\"std::uuid\"]]", "std::uuid"),
            ("Annotated[str, \"x\"]", "string"),
            ("Literal[\"a\", 'b']", "string"),
            ("DynamicProxy", "any"),
            ("Callable[[int], str]", "any"),
        ] {
            assert_eq!(shown(python, 0), ours, "{python}");
        }
        assert_eq!(shown(&"list[".repeat(100), 0), "list");
    }

    #[test]
    fn parameters_keep_their_kind_and_default() {
        let names = Names { context: &["C".to_owned()] };
        let shown = |param: &str| parameter(param, &names);
        assert_eq!(shown("a"), Some("a: any".to_owned()));
        assert_eq!(shown("*args: \"int\""), Some("*args: int".to_owned()));
        assert_eq!(shown("**kw: object"), Some("**kw: any".to_owned()));
        assert_eq!(shown("a: str = 'x=y'"), Some("a: string = \"x=y\"".to_owned()));
        assert_eq!(shown("a: float=-1.5"), Some("a: float = -1.5".to_owned()));
        assert_eq!(shown("a = compute(1)"), Some("a: any = ...".to_owned()));
        assert_eq!(shown("*"), Some("*".to_owned()));
        for hidden in ["/", "c: C", "c: plugins.Context", "c: \"Context\""] {
            assert_eq!(shown(hidden), None, "{hidden}");
        }
    }
}
