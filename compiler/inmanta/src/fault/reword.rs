//! The original's messages in the words of this project. A message without an entry keeps its own words.

/// The message in our words; `text` is on one line.
pub(super) fn reworded(text: &str) -> Option<String> {
    mismatch(text)
        .or_else(|| incomplete(text))
        .or_else(|| function(text))
        .or_else(|| argument(text))
        .or_else(|| key(text))
        .or_else(|| operation(text))
        .or_else(|| access(text))
        .or_else(|| definition(text))
        .or_else(|| index(text))
        .or_else(|| plain(text).map(str::to_owned))
        .or_else(|| syntax(text))
}

/// Values of another type.
fn mismatch(text: &str) -> Option<String> {
    let expected = |wanted: &str, found: &str| {
        let quote = if is_string(wanted, found) { "\"" } else { "" };
        Some(format!("expected `{wanted}`, found `{quote}{found}{quote}`"))
    };
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

/// Whether a value that does not fit a plain type, written without quotes, is a string.
fn is_string(wanted: &str, found: &str) -> bool {
    let wanted = wanted.trim_end_matches(['?', '[', ']']);
    let is_number = found.parse::<f64>().is_ok() && !found.ends_with(char::is_alphabetic);
    let is_bool = matches!(found, "true" | "false" | "True" | "False");
    let is_other = found == "null" || found.starts_with(['[', '{', '<']) || found.contains(" (instantiated at ");
    match wanted {
        "int" => !is_other && !is_bool && (!is_number || found.bytes().skip(1).all(|byte| byte.is_ascii_digit())),
        "float" | "number" => !is_other && !is_bool && !is_number,
        "bool" => !is_other && !is_number,
        _ => false,
    }
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

/// Operators, casts and lists.
fn operation(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix("Unsupported operand type(s) for ") {
        let (operator, rest) = rest.split_once(": ")?;
        let sign = match operator {
            "plus" => "+",
            "minus" => "-",
            "multiplication" => "*",
            "division" => "/",
            "modulo" => "%",
            "exponentiation" => "**",
            _ => return None,
        };
        // A value may hold words of the message itself.
        let (left, _) = rest.strip_prefix('\'')?.split_once('\'')?;
        let (_, right) = rest.rsplit_once(") and '")?;
        let (right, _) = right.split_once('\'')?;
        return Some(format!("cannot apply `{sign}` to {} and {}", kind(left), kind(right)));
    }
    if let Some(rest) = text.strip_prefix("Can only concatenate str (not '") {
        let (found, _) = rest.split_once('\'')?;
        return Some(format!("only a string can be added to a string, found {}", kind(found)));
    }
    if let Some(rest) = text.strip_prefix("Failed to cast '") {
        let (found, wanted) = rest.rsplit_once("' to ")?;
        return Some(format!("cannot convert `{found}` to `{wanted}`"));
    }
    if let Some(rest) = text.strip_prefix("A for loop can only be applied to lists and relations. Hint: '") {
        let found = rest.strip_suffix("' is not a list.");
        let found = found.or_else(|| rest.split_once("' resolves to '")?.1.strip_suffix("'."))?;
        return Some(format!("expected a list or relation, found `{found}`"));
    }
    if let Some(rest) = text.strip_prefix("Operand two of 'in' can only be a list or dict (") {
        return Some(format!("the right side of `in` must be a list or dict, found `{}`", rest.strip_suffix(')')?));
    }
    let found = text.strip_prefix("A list comprehension can only be applied to lists and relations, got ")?;
    Some(format!("expected a list or relation, found {}", kind(found)))
}

/// A kind of values as it is called in models.
fn kind(python: &str) -> &str {
    match python {
        "int" => "an integer",
        "float" => "a float",
        "str" => "a string",
        "bool" => "a boolean",
        "list" => "a list",
        "dict" => "a dict",
        "NoneValue" => "null",
        "Instance" => "an instance",
        other => other,
    }
}

/// Attributes and keys of values that have none.
fn access(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix("can not get attribute ") {
        let (name, rest) = rest.split_once(", ")?;
        let (owner, found) = rest.split_once(" is not an entity but a ")?;
        let found = found.split_once(" with value ").map_or(found, |(found, _)| found);
        return Some(format!("cannot find attribute `{name}`: `{owner}` is {}, not an instance", kind(found)));
    }
    if let Some(rest) = text.strip_prefix("Optional variable accessed that has no value (attribute `") {
        let (attribute, _) = rest.split_once("` of ")?;
        let (owner, name) = attribute.rsplit_once('.')?;
        return Some(format!("the optional relation `{name}` of `{owner}` has no value"));
    }
    if let Some(rest) = text.strip_prefix("dict keys must be string, ") {
        return Some(format!("the key of a dict must be a string, found `{}`", rest.strip_suffix(" is not a string")?));
    }
    if let Some(rest) = text.strip_prefix("dict lookup is only possible on dicts, ") {
        return Some(format!("only a dict has keys, found `{}`", rest.strip_suffix(" is not an object")?));
    }
    if let Some(rest) = text.strip_prefix("Exceeded relation arity on attribute '") {
        let (name, _) = rest.split_once('\'')?;
        return Some(format!("relation `{name}` has too many values"));
    }
    let rest = text.strip_prefix("Can not call '")?;
    let (name, _) = rest.split_once('\'')?;
    Some(format!("`{name}` is not a function"))
}

/// Definitions that do not fit to others.
fn definition(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix("attribute '") {
        let (name, rest) = rest.split_once("' already exists on entity '")?;
        return Some(format!("duplicate attribute `{name}` of `{}`", rest.strip_suffix('\'')?));
    }
    if let Some(rest) = text.strip_suffix(" is already defined") {
        let (what, rest) = rest.split_once(' ')?;
        let what = match what {
            "Entity" => "entity",
            "TypeConstraint" => "type",
            "Implementation" => "implementation",
            _ => return None,
        };
        let name = rest.split_once(" for type ").map_or(rest, |(name, _)| name);
        return Some(format!("duplicate {what} `{name}`"));
    }
    if let Some(names) = text.strip_prefix("Entity can not be its own parent ") {
        return Some(format!("circular inheritance: {}", names.replace(',', ", ")));
    }
    if let Some(rest) = text.strip_prefix("Type mismatch: cannot use ") {
        let (name, rest) = rest.split_once(" as implementation for ")?;
        let (entity, own) = rest.split_once(" because its implementing type is ")?;
        return Some(format!("implementation `{name}` is for `{own}`, not for `{}`", entity.trim()));
    }
    if let Some(rest) = text.strip_prefix("Can not assign a value of type ") {
        let (found, wanted) = rest.split_once(" to a variable of type ")?;
        return Some(format!("expected `{wanted}`, found `{found}`"));
    }
    let entity = text.strip_prefix("Unable to select implementation for entity ")?;
    Some(format!("no implementation is selected for this `{entity}`"))
}

/// Indexes and lookups.
fn index(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix("Invalid Constructor call: ") {
        let parts = rest.split("* Missing ").filter_map(|part| {
            let (_, rest) = part.split_once('\'')?;
            let (name, rest) = rest.split_once('\'')?;
            let (owner, _) = rest.trim().strip_suffix(" is part of an index.")?.rsplit_once('.')?;
            Some((name, owner.rsplit_once(' ')?.1))
        });
        let parts: Vec<(&str, &str)> = parts.collect();
        let (_, owner) = *parts.first()?;
        let names: Vec<String> = parts.iter().map(|(name, _)| format!("`{name}`")).collect();
        let are = if names.len() == 1 { "it is" } else { "they are" };
        return Some(format!("missing {} of `{owner}`: {are} part of an index", names.join(" and ")));
    }
    if let Some(rest) = text.strip_prefix("No match in index on type ") {
        let (entity, key) = rest.split_once(" with key ")?;
        return Some(format!("cannot find an instance of `{entity}` with {key}"));
    }
    if let Some(rest) = text.strip_prefix("No index defined on ") {
        let (entity, _) = rest.split_once(" for this lookup: ")?;
        return Some(format!("`{entity}` has no index of exactly these attributes"));
    }
    if let Some(rest) = text.strip_prefix("Index can not contain optional relations, Relation ' ") {
        let (name, _) = rest.split_once('.')?;
        return Some(format!("an index cannot contain the optional relation `{name}`"));
    }
    let rest = text.strip_prefix("Index can not contain list attributes, Attribute ' ")?;
    let (name, _) = rest.split_once('.')?;
    Some(format!("an index cannot contain the list `{name}`"))
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
            ("Invalid value 'x', expected int", "expected `int`, found `\"x\"`"),
            ("Invalid value '80', expected int?", "expected `int?`, found `\"80\"`"),
            ("Invalid value '8.5', expected int", "expected `int`, found `8.5`"),
            ("Invalid value '5', expected string", "expected `string`, found `5`"),
            ("Invalid value 'true', expected bool", "expected `bool`, found `\"true\"`"),
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
            (
                "Unsupported operand type(s) for plus: 'list' ([1, 2]) and 'NoneValue' (null)",
                "cannot apply `+` to a list and null",
            ),
            (
                "Can only concatenate str (not 'int' (1)) to str",
                "only a string can be added to a string, found an integer",
            ),
            ("Failed to cast 'x' to int", "cannot convert `x` to `int`"),
            (
                "A for loop can only be applied to lists and relations. Hint: '5' is not a list.",
                "expected a list or relation, found `5`",
            ),
            (
                "A for loop can only be applied to lists and relations. Hint: 'x' resolves to '5'.",
                "expected a list or relation, found `5`",
            ),
            (
                "Operand two of 'in' can only be a list or dict (6)",
                "the right side of `in` must be a list or dict, found `6`",
            ),
            (
                "A list comprehension can only be applied to lists and relations, got str",
                "expected a list or relation, found a string",
            ),
            (
                "can not get attribute x, a.n is not an entity but a int with value '1'",
                "cannot find attribute `x`: `a.n` is an integer, not an instance",
            ),
            (
                "can not get attribute x, [1, 2] is not an entity but a list",
                "cannot find attribute `x`: `[1, 2]` is a list, not an instance",
            ),
            (
                "Optional variable accessed that has no value (attribute `A.o` of `A (instantiated at main.cf:5)`)",
                "the optional relation `o` of `A` has no value",
            ),
            ("dict keys must be string, 4 is not a string", "the key of a dict must be a string, found `4`"),
            ("dict lookup is only possible on dicts, 4 is not an object", "only a dict has keys, found `4`"),
            (
                "Exceeded relation arity on attribute 'l' of instance 'A (instantiated at main.cf:5)'",
                "relation `l` has too many values",
            ),
            ("Can not call 'A', can only call plugin or primitive type cast", "`A` is not a function"),
            ("attribute 'n' already exists on entity 'A'", "duplicate attribute `n` of `A`"),
            ("Entity A is already defined", "duplicate entity `A`"),
            ("Implementation i for type A is already defined", "duplicate implementation `i`"),
            ("Entity can not be its own parent A,B", "circular inheritance: A, B"),
            (
                "Type mismatch: cannot use i as implementation for A because its implementing type is B",
                "implementation `i` is for `B`, not for `A`",
            ),
            ("Can not assign a value of type A to a variable of type B", "expected `B`, found `A`"),
            ("Unable to select implementation for entity A", "no implementation is selected for this `A`"),
            (
                "Invalid Constructor call: * Missing attribute 'name'. The attribute A.name is part of an index.",
                "missing `name` of `A`: it is part of an index",
            ),
            (
                "Invalid Constructor call: * Missing attribute 'n'. The attribute m::A.n is part of an index. * Missing relation 'h'. The relation m::A.h is part of an index.",
                "missing `n` and `h` of `m::A`: they are part of an index",
            ),
            ("No match in index on type A with key k='b'", "cannot find an instance of `A` with k='b'"),
            ("No index defined on A for this lookup: [('n', 3)]", "`A` has no index of exactly these attributes"),
            (
                "Index can not contain optional relations, Relation ' x.m::A' is optional",
                "an index cannot contain the optional relation `x`",
            ),
            (
                "Index can not contain list attributes, Attribute ' x.A' is a list",
                "an index cannot contain the list `x`",
            ),
        ] {
            assert_eq!(reworded(text).as_deref(), Some(words), "{text}");
        }
        assert_eq!(reworded("variable x not found"), None);
    }
}
