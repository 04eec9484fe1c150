//! Calls of functions.

pub(super) fn function(text: &str) -> Option<String> {
    let starts = ["Exception in plugin ", "Exception in direct execution for plugin "];
    if let Some(name) = starts.iter().find_map(|start| text.strip_prefix(start)) {
        return Some(format!("function `{name}` failed"));
    }
    let (name, reason) = text.strip_prefix("PluginException in plugin ")?.split_once(' ')?;
    Some(format!("function `{name}` failed: {reason}"))
}

/// ``Value 1 for argument a of plugin m::f has incompatible type. Expected type: string``.
pub(super) fn argument(text: &str, values: &[String]) -> Option<String> {
    let (rest, wanted) = text.rsplit_once(" has incompatible type. Expected type: ")?;
    let found = values.first()?;
    let (rest, name) = rest.rsplit_once(" of plugin ")?;
    if rest.starts_with("Return value ") {
        return Some(format!("expected `{wanted}` as the result of `{name}`, found `{found}`"));
    }
    let (_, argument) = rest.strip_prefix("Value ")?.rsplit_once(" for argument ")?;
    Some(format!("expected `{wanted}` for argument `{argument}` of `{name}`, found `{found}`"))
}

/// The Python error that ended a function, without its class if the message is clear on its own.
pub(in crate::fault) fn python_cause(text: &str) -> String {
    const PLAIN: &[&str] =
        &["IndexError", "ValueError", "TypeError", "AssertionError", "MemoryError", "OverflowError", "TimeoutError"];
    let Some((class, rest)) = text.split_once(": ") else { return text.to_owned() };
    match class {
        "FileNotFoundError" => format!("cannot find file `{rest}`"),
        "jinja2.exceptions.TemplateNotFound" => format!("cannot find template `{rest}`"),
        "KeyError" => format!("cannot find key {}", rest.replace('\'', "`")),
        "re.error" => format!("invalid regular expression: {rest}"),
        class if PLAIN.contains(&class) || class.starts_with("jinja2.exceptions.") => rest.to_owned(),
        _ => text.to_owned(),
    }
}

/// ``m::f() missing 1 required positional argument: 'a'``: the arguments do not fit the parameters.
pub(super) fn arguments(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix("Keyword argument ") {
        let (name, function) = rest.split_once(" repeated in function call")?;
        return Some(match function.trim().strip_suffix("()") {
            Some(function) => format!("duplicate argument `{name}` of `{function}`"),
            None => format!("duplicate argument `{name}`"),
        });
    }
    let (name, rest) = text.split_once("() ")?;
    if let Some(rest) = rest.strip_prefix("missing ") {
        let (_, names) = rest.split_once(": ")?;
        let plural = if names.contains("' and '") { "s" } else { "" };
        return Some(format!("missing argument{plural} {} of `{name}`", names.replace('\'', "`")));
    }
    if let Some(rest) = rest.strip_prefix("takes ") {
        let (wanted, given) = rest.split_once(" positional arguments but ")?;
        let given = given.strip_suffix(" were given")?;
        let plural = if wanted == "1" { "" } else { "s" };
        let were = if given == "1" { "was" } else { "were" };
        return Some(format!("`{name}` takes {wanted} positional argument{plural}, but {given} {were} given"));
    }
    if let Some(argument) = rest.strip_prefix("got multiple values for argument ") {
        return Some(format!("argument {} of `{name}` is given twice", argument.replace('\'', "`")));
    }
    let argument = rest.strip_prefix("got an unexpected keyword argument: ")?;
    Some(format!("unknown argument {} of `{name}`", argument.replace('\'', "`")))
}

#[cfg(test)]
mod tests {
    use super::python_cause;

    #[test]
    fn a_cause_has_no_class_where_the_rest_says_all() {
        for (text, words) in [
            ("IndexError: list index out of range", "list index out of range"),
            ("jinja2.exceptions.TemplateNotFound: m/t", "cannot find template `m/t`"),
            ("jinja2.exceptions.TemplateAssertionError: No filter named 'x'.", "No filter named 'x'."),
            ("jinja2.exceptions.TemplateSyntaxError: unexpected '}'", "unexpected '}'"),
            ("KeyError: 'k'", "cannot find key `k`"),
            ("SomeError: it is late", "SomeError: it is late"),
        ] {
            assert_eq!(python_cause(text), words);
        }
    }
}
