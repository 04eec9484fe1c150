//! Resources that contradict one another.

/// `values` are those that the message is about.
pub(super) fn resources(text: &str, values: &[String]) -> Option<String> {
    if let Some(id) = text
        .strip_prefix("Resource ")
        .and_then(|rest| rest.strip_suffix(" exists more than once in the configuration model"))
    {
        return Some(format!("duplicate resource `{id}`"));
    }
    if let Some(ids) = text.strip_prefix("Cycle in dependencies: [") {
        return Some(format!("circular requirements: {}", ids.strip_suffix(']')?));
    }
    if let Some(rest) = text.strip_prefix("resource '") {
        let (id, sets) = rest.rsplit_once("' can not be part of multiple ResourceSets: ")?;
        return Some(format!("`{id}` cannot be in several resource sets: {sets}"));
    }
    if let Some(rest) = text.strip_prefix("RuntimeError: Directory ") {
        let (outer, inner) = rest.split_once(" is purged but a resource is trying to deploy something in it: ")?;
        return Some(format!("`{outer}` is purged, but `{inner}` is in it"));
    }
    text.strip_prefix("ResourceException: The agent attribute should lead to a string, got ")?;
    Some(format!("the name of a host must be a string, found `{}`", values.first()?))
}
