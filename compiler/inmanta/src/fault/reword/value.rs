//! Values that do not fit, and operations on them.

/// The types of `std::validate_type` on which those of `std` are based.
const VALIDATED: &[(&str, &str)] = &[
    ("datetime.date", "a date such as `2024-12-31`"),
    ("datetime.datetime", "a date and time such as `2024-12-31T23:59:00`"),
    ("datetime.time", "a time such as `23:59:00`"),
    ("ipaddress.IPv4Address", "an IPv4 address"),
    ("ipaddress.IPv4Interface", "an IPv4 address, possibly with a prefix length"),
    ("ipaddress.IPv4Network", "an IPv4 network"),
    ("ipaddress.IPv6Address", "an IPv6 address"),
    ("ipaddress.IPv6Interface", "an IPv6 address, possibly with a prefix length"),
    ("ipaddress.IPv6Network", "an IPv6 network"),
    ("pydantic.AnyHttpUrl", "an HTTP URL"),
    ("pydantic.AnyUrl", "a URL"),
    ("pydantic.EmailStr", "an email address"),
    ("pydantic.HttpUrl", "an HTTP URL"),
    ("pydantic.IPvAnyAddress", "an IP address"),
    ("pydantic.IPvAnyInterface", "an IP address, possibly with a prefix length"),
    ("pydantic.IPvAnyNetwork", "an IP network"),
    ("pydantic.NameEmail", "an email address, possibly with a name"),
    ("pydantic.NegativeFloat", "a negative number"),
    ("pydantic.NegativeInt", "a negative number"),
    ("pydantic.PositiveFloat", "a positive number"),
    ("pydantic.PositiveInt", "a positive number"),
    ("uuid.UUID", "a UUID"),
];

/// What a condition expects that only checks a type: `std::validate_type('uuid.UUID',self)`.
fn validated(constraint: &str) -> Option<&'static str> {
    let name = constraint.strip_prefix("std::validate_type('")?.strip_suffix("',self)")?;
    VALIDATED.iter().find(|(known, _)| *known == name).map(|(_, wanted)| *wanted)
}

/// Values of another type. `values` are those that the message is about.
pub(super) fn mismatch(text: &str, values: &[String]) -> Option<String> {
    let expected = |wanted: &str| Some(format!("expected `{wanted}`, found `{}`", values.first()?));
    if let Some(rest) = text.strip_prefix("Invalid value ")
        && let Some((_, constraint)) = rest.rsplit_once(", does not match constraint ")
    {
        let constraint = constraint.trim_matches('`');
        if let Some(wanted) = validated(constraint) {
            return Some(format!("expected {wanted}, found `{}`", values.first()?));
        }
        return Some(format!("`{}` does not match the constraint `{}`", values.first()?, unwrapped(constraint)));
    }
    if let Some(rest) = text.strip_prefix("Invalid value '") {
        return match rest.rsplit_once("', expected ")?.1 {
            // What `list` and `dict` hold; it is not a type that a model can name.
            "Literal" => Some(format!("expected a plain value, found `{}`", values.first()?)),
            wanted => expected(wanted),
        };
    }
    if let Some(rest) = text.strip_prefix("Invalid class type for ") {
        return expected(rest.rsplit_once(", should be ")?.1);
    }
    if let Some(rest) = text.strip_prefix("Invalid type for value '") {
        return expected(rest.rsplit_once("', should be type ")?.1);
    }
    let sides = ["Invalid value `", "Invalid left hand value `", "Invalid right hand value `"];
    let rest = sides.iter().find_map(|side| text.strip_prefix(side))?;
    let (_, rule) = rest.rsplit_once("`: ")?;
    if rule.contains("boolean") { expected("bool") } else { None }
}

/// A condition without the brackets around all of it.
fn unwrapped(condition: &str) -> &str {
    let Some(inner) = condition.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return condition };
    let mut depth = 0i32;
    let is_whole = inner.chars().all(|char| {
        depth += match char {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth >= 0
    });
    if is_whole { inner } else { condition }
}

pub(super) fn key(text: &str) -> Option<String> {
    if let Some(key) = text.strip_prefix("duplicate key in dict ") {
        return Some(format!("duplicate key `{key}`"));
    }
    let (key, _) = text.strip_prefix("key ")?.split_once(" not found in dict")?;
    Some(format!("cannot find key `{key}` in the dict"))
}

/// Operators, casts and lists.
pub(super) fn operation(text: &str, values: &[String]) -> Option<String> {
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
    let found = values.first()?;
    if let Some(rest) = text.strip_prefix("Failed to cast '") {
        let (_, wanted) = rest.rsplit_once("' to ")?;
        return Some(format!("cannot convert `{found}` to `{wanted}`"));
    }
    let is_list = ["A for loop can only be applied to", "A list comprehension can only be applied to"];
    if is_list.iter().any(|start| text.starts_with(start)) {
        return Some(format!("expected a list or relation, found `{found}`"));
    }
    text.strip_prefix("Operand two of 'in' can only be a list or dict")?;
    Some(format!("the right side of `in` must be a list or dict, found `{found}`"))
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
pub(super) fn access(text: &str, values: &[String]) -> Option<String> {
    if let Some(rest) = text.strip_prefix("can not get attribute ") {
        let (name, rest) = rest.split_once(", ")?;
        let (owner, found) = rest.split_once(" is not an entity but a ")?;
        let found = found.split_once(" with value ").map_or(found, |(found, _)| found);
        return Some(format!("cannot find attribute `{name}`: `{owner}` is {}, not an instance", kind(found)));
    }
    if let Some(rest) = text.strip_prefix("The object at ") {
        let (owner, rest) = rest.split_once(" is not an Entity but a <class '")?;
        let (class, _) = rest.split_once('\'')?;
        let class = class.rsplit('.').next().unwrap_or(class);
        return Some(format!("cannot set an attribute: `{owner}` is {}, not an instance", kind(class)));
    }
    if let Some(rest) = text.strip_prefix("Optional variable accessed that has no value (attribute `") {
        let (attribute, _) = rest.split_once("` of ")?;
        let (owner, name) = attribute.rsplit_once('.')?;
        return Some(format!("the optional relation `{name}` of `{owner}` has no value"));
    }
    if text.starts_with("dict keys must be string, ") {
        return Some(format!("the key of a dict must be a string, found `{}`", values.first()?));
    }
    if text.starts_with("dict lookup is only possible on dicts, ") {
        return Some(format!("only a dict has keys, found `{}`", values.first()?));
    }
    if let Some(rest) = text.strip_prefix("Trying to set relation attribute `") {
        let (name, _) = rest.split_once('`')?;
        return Some(format!("relation `{name}` already has values, so it cannot be null"));
    }
    if let Some(rest) = text.strip_prefix("Exceeded relation arity on attribute '") {
        let (name, _) = rest.split_once('\'')?;
        return Some(format!("relation `{name}` has too many values"));
    }
    let rest = text.strip_prefix("Can not call '")?;
    let (name, _) = rest.split_once('\'')?;
    Some(format!("`{name}` is not a function"))
}

/// Lookups of the form `object.relation[key=value]`. `values` is the object.
pub(super) fn short_lookup(text: &str, values: &[String]) -> Option<String> {
    let rest = text.strip_prefix("short index lookup is only possible on")?;
    if rest.starts_with("e objects, ") {
        return Some(format!("a lookup requires a relation of an instance, found `{}`", values.first()?));
    }
    if let Some(rest) = rest.strip_prefix(" relations, ") {
        let name = rest.strip_suffix(" is an attribute")?;
        return Some(format!("a lookup requires a relation, but `{name}` is an attribute"));
    }
    let name = rest.strip_prefix(" bi-drectional relations, ")?.strip_suffix(" is unidirectional")?;
    Some(format!("a lookup requires a relation with two ends, but `{name}` has one"))
}

/// Conditions of types, and casts and variables that never get a value.
pub(super) fn direct(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix("Unable to resolve `") {
        let (name, _) = rest.split_once("`: a type constraint can not reference variables.")?;
        return Some(format!("the condition of a type cannot use `{name}`"));
    }
    if let Some(rest) = text.strip_prefix("The statement ") {
        let found = rest.strip_suffix(" can not be executed in this context")?;
        return Some(format!("the condition of a type cannot contain {}", expression(found)));
    }
    if let Some(names) = text.strip_prefix("not all statements executed: [") {
        return Some(format!("these wait for one another: `{}`", names.strip_suffix(']')?.replace(", ", "`, `")));
    }
    let rest = text.strip_prefix("Illegal arguments ")?;
    rest.strip_suffix(": type cast expects exactly 1 argument")?;
    Some("a conversion takes exactly one argument".to_owned())
}

/// Fields of f-strings.
pub(super) fn format(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix("Invalid key in f-string: ''") {
        let name = rest.strip_suffix("''")?;
        return Some(format!("a field after `{{{{` or `}}}}` must occur before it as well: `{name}`"));
    }
    let found = text.strip_prefix("TypeError: unsupported format string passed to ")?.strip_suffix(".__format__")?;
    Some(format!("{} cannot be formatted with a specification", kind(found)))
}

/// An expression as the original's messages write it.
pub(super) fn expression(text: &str) -> String {
    match text {
        text if text.starts_with("Format(") => "an interpolated string".to_owned(),
        "List()" => "a list with variables".to_owned(),
        "Dict()" => "a dict with variables".to_owned(),
        text => match text.strip_prefix("Construct(").and_then(|text| text.strip_suffix(')')) {
            Some(class) => format!("an instance of `{class}`"),
            None => format!("`{text}`"),
        },
    }
}
