//! Definitions, indexes, and instances that are not complete.

/// ``The object m::E (instantiated at ...) is not complete: attribute a (...) is not set``.
pub(super) fn incomplete(text: &str) -> Option<String> {
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
    let values = if wanted == "1" { "value" } else { "values" };
    let found = match found {
        "0" => "none is".to_owned(),
        "1" => "only 1 is".to_owned(),
        found => format!("only {found} are"),
    };
    Some(format!("relation `{name}` of `{entity}` requires {wanted} {values}, but {found} set"))
}

/// An attribute with two types. `values` are its name and the types.
pub(super) fn incompatible(text: &str, values: &[String]) -> Option<String> {
    let [name, later, earlier] = values else { return None };
    (text == "Incompatible attributes").then(|| format!("attribute `{name}` is both `{earlier}` and `{later}`"))
}

/// Definitions that do not fit to others.
pub(super) fn definition(text: &str) -> Option<String> {
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
    if let Some(rest) = text.strip_prefix("Attribute name ") {
        let (name, rest) = rest.split_once(" is already defined in ")?;
        let owner = rest.strip_suffix(", unable to define relationship")?;
        return Some(format!("duplicate attribute `{name}`: `{owner}` already has one"));
    }
    if let Some(found) = text.strip_suffix(" is not a constant") {
        return Some(format!("a default must be a constant, found {}", super::value::expression(found)));
    }
    if let Some(names) = text.strip_prefix("Entity can not be its own parent ") {
        return Some(format!("circular inheritance: {}", names.replace(',', ", ")));
    }
    if let Some(rest) = text.strip_prefix("Type mismatch: cannot use ") {
        let (name, rest) = rest.split_once(" as implementation for ")?;
        let (entity, own) = rest.split_once(" because its implementing type is ")?;
        return Some(format!("implementation `{name}` is for `{own}`, not for `{}`", entity.trim()));
    }
    if let Some(rest) = text.strip_prefix("Could not determine namespace for type ") {
        let (name, rest) = rest.split_once(". ")?;
        let (_, names) = rest.split_once(" possible candidates exists: [")?;
        let (names, _) = names.split_once(']')?;
        return Some(format!("several entities are named `{name}`: `{}`", names.replace(", ", "`, `")));
    }
    if let Some(rest) = text.strip_prefix("AssertionError: ") {
        return Some(format!("`{}` is not an implementation", rest.strip_suffix(" is not an implementation")?));
    }
    if let Some(rest) = text.strip_prefix("Can not assign a value of type ") {
        let (found, wanted) = rest.split_once(" to a variable of type ")?;
        return Some(format!("expected `{wanted}`, found `{found}`"));
    }
    let entity = text.strip_prefix("Unable to select implementation for entity ")?;
    Some(format!("no implementation is selected for this `{entity}`"))
}

/// Indexes and lookups. `values` is the key, as models write it.
pub(super) fn index(text: &str, values: &[String]) -> Option<String> {
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
        let key = values.first().map_or(key, String::as_str);
        return Some(format!("cannot find an instance of `{entity}` with {key}"));
    }
    if let Some(key) = text.strip_prefix("Duplicate key in index. ") {
        let key = values.first().map_or(key, String::as_str);
        return Some(format!("the index already contains an instance with {key}"));
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

/// Arguments that are given twice.
pub(super) fn constructor(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix("The attribute ") {
        let joints = [" is set twice in the constructor call of ", " in the constructor call of "];
        let (name, rest) = joints.iter().find_map(|joint| rest.split_once(*joint))?;
        let owner = rest.strip_suffix(" is already set.").or_else(|| rest.strip_suffix('.'))?;
        return Some(format!("duplicate argument `{name}` of `{owner}`"));
    }
    let name = text.strip_prefix("Attribute ")?.strip_suffix(" provided twice in index lookup")?;
    Some(format!("duplicate argument `{name}` of a lookup"))
}
