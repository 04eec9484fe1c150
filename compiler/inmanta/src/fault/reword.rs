//! The original's messages in the words of this project. A message without an entry keeps its own words.

/// The message in our words; `text` is on one line.
pub(super) fn reworded(text: &str) -> Option<String> {
    mismatch(text)
        .or_else(|| incomplete(text))
        .or_else(|| function(text))
        .or_else(|| argument(text))
        .or_else(|| key(text))
        .or_else(|| plain(text).map(str::to_owned))
        .or_else(|| syntax(text))
}

/// Values of another type.
fn mismatch(text: &str) -> Option<String> {
    let expected = |wanted: &str, found: &str| Some(format!("expected `{wanted}`, found `{found}`"));
    if let Some(rest) = text.strip_prefix("Invalid value '") {
        let (found, wanted) = rest.rsplit_once("', expected ")?;
        return expected(wanted, found);
    }
    if let Some(rest) = text.strip_prefix("Invalid type for value '") {
        let (found, wanted) = rest.rsplit_once("', should be type ")?;
        return expected(wanted, found);
    }
    if let Some(rest) = text.strip_prefix("Invalid value ")
        && let Some((found, constraint)) = rest.split_once(", does not match constraint ")
    {
        return Some(format!("`{found}` does not match the constraint {constraint}"));
    }
    let sides = ["Invalid value `", "Invalid left hand value `", "Invalid right hand value `"];
    let rest = sides.iter().find_map(|side| text.strip_prefix(side))?;
    let (found, rule) = rest.rsplit_once("`: ")?;
    if rule.contains("boolean") { expected("bool", found) } else { None }
}

/// ``The object m::E (instantiated at ...) is not complete: attribute a (...) is not set``.
fn incomplete(text: &str) -> Option<String> {
    let rest = text.strip_prefix("The object ")?;
    let (object, rest) = rest.split_once(" is not complete: attribute ")?;
    let entity = object.split_once(" (instantiated").map_or(object, |(entity, _)| entity);
    let (name, rest) = rest.split_once(' ')?;
    if rest.ends_with("is not set") {
        return Some(format!("attribute `{name}` of `{entity}` is not set"));
    }
    let (_, counts) = rest.split_once("requires ")?;
    let (wanted, found) = counts.split_once(" values but only ")?;
    let found = found.strip_suffix(" are set")?;
    Some(format!("relation `{name}` of `{entity}` requires {wanted} values, but only {found} are set"))
}

fn function(text: &str) -> Option<String> {
    if let Some(name) = text.strip_prefix("Exception in plugin ") {
        return Some(format!("function `{name}` failed"));
    }
    let (name, reason) = text.strip_prefix("PluginException in plugin ")?.split_once(' ')?;
    Some(format!("function `{name}` failed: {reason}"))
}

/// ``Value 1 for argument a of plugin m::f has incompatible type. Expected type: string``.
fn argument(text: &str) -> Option<String> {
    let (rest, wanted) = text.split_once(" has incompatible type. Expected type: ")?;
    if let Some(rest) = rest.strip_prefix("Return value ") {
        let (found, name) = rest.rsplit_once(" of plugin ")?;
        return Some(format!("expected `{wanted}` as the result of `{name}`, found `{found}`"));
    }
    let (rest, name) = rest.strip_prefix("Value ")?.rsplit_once(" of plugin ")?;
    let (found, argument) = rest.rsplit_once(" for argument ")?;
    Some(format!("expected `{wanted}` for argument `{argument}` of `{name}`, found `{found}`"))
}

fn key(text: &str) -> Option<String> {
    if let Some(key) = text.strip_prefix("duplicate key in dict ") {
        return Some(format!("duplicate key `{key}`"));
    }
    let (key, _) = text.strip_prefix("key ")?.split_once(" not found in dict")?;
    Some(format!("cannot find key `{key}` in the dict"))
}

fn plain(text: &str) -> Option<&'static str> {
    Some(match text {
        "ZeroDivisionError: division by zero" => "division by zero",
        "TypeError: unhashable type: 'list'" => "a list cannot be a key of a dict",
        "TypeError: unhashable type: 'dict'" => "a dict cannot be a key of a dict",
        "AssertionError: a regular expression matches strings only" => "only strings can match a regular expression",
        "List modified after freeze" => "value assigned after the relation was complete",
        "Can only compare numbers." => "only numbers can be compared",
        "Unexpected end of file" => "unexpected end of file",
        _ => return None,
    })
}

fn syntax(text: &str) -> Option<String> {
    let token = text.strip_prefix("Syntax error at token ")?;
    Some(format!("unexpected token `{token}`"))
}

#[cfg(test)]
mod tests {
    use super::reworded;

    #[test]
    fn messages_have_our_words() {
        for (text, words) in [
            ("Invalid value 'x', expected int", "expected `int`, found `x`"),
            ("Invalid type for value '1', should be type m::T", "expected `m::T`, found `1`"),
            ("Invalid value 3, does not match constraint `self < 2`", "`3` does not match the constraint `self < 2`"),
            ("Invalid right hand value `1`: `and` expects a boolean", "expected `bool`, found `1`"),
            (
                "Invalid value `1`: the condition for an if statement can only be a boolean expression",
                "expected `bool`, found `1`",
            ),
            (
                "The object m::A (instantiated at main.cf:3) is not complete: attribute n (main.cf:1) is not set",
                "attribute `n` of `m::A` is not set",
            ),
            (
                "The object A (instantiated at main.cf:3) is not complete: attribute b (main.cf:1) requires 2 values but only 1 are set",
                "relation `b` of `A` requires 2 values, but only 1 are set",
            ),
            ("Exception in plugin std::at", "function `std::at` failed"),
            ("PluginException in plugin m::f it is too late", "function `m::f` failed: it is too late"),
            (
                "Value 1 for argument s of plugin std::upper has incompatible type. Expected type: string",
                "expected `string` for argument `s` of `std::upper`, found `1`",
            ),
            ("key a not found in dict, options are [b]", "cannot find key `a` in the dict"),
            ("Syntax error at token =", "unexpected token `=`"),
        ] {
            assert_eq!(reworded(text).as_deref(), Some(words), "{text}");
        }
        assert_eq!(reworded("variable x not found"), None);
    }
}
