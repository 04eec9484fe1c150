//! Edges to a list of resources, as in `require => [Package["a"], File["/b"]]`, and between two strings.

use super::super::shape::Match;
use crate::parse::written;

/// The maximum number of items that are written.
const MOST: usize = 4;

/// A match that captures the name of the edge, a sign, and the list after its `[`.
pub(in super::super) fn edges(_text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let [field, _, list] = found.captures[..] else { return None };
    let property = match field {
        "Before" | "Notify" | "Depend" | "Listen" => field,
        _ => written::edge(field)?,
    };
    let (inside, after) = list.rsplit_once(']')?;
    if !matches!(after.trim(), "" | "," | ";") {
        return None;
    }
    // A comma may follow the last item.
    let inside = inside.trim_end().trim_end_matches(',');
    let items: Option<Vec<String>> = inside.split("],").map(|item| written_item(property, item)).collect();
    let items = items.filter(|items| items.len() <= MOST)?;
    let (last, others) = items.split_last()?;
    if others.is_empty() {
        return Some(vec![format!("write {last}")]);
    }
    Some(vec![format!("write an item for each resource: {} and {last}", others.join(", "))])
}

/// `Depend => Pkg["a"],` for `Package["a"]`.
fn written_item(property: &str, item: &str) -> Option<String> {
    let (kind, name) = item.trim().split_once('[')?;
    let name = name.trim_end_matches(']').trim();
    let is_kind = kind.starts_with(|first: char| first.is_ascii_uppercase())
        && kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_name = !name.is_empty() && !name.contains(['[', ']', ',', '`']);
    (is_kind && is_name)
        .then(|| format!("`{property} => {}[{}],`", written::referred_kind(kind), written::as_value(name)))
}

/// A match that captures a string, a sign and a string, as in `"pkg[nginx]" -> "svc[nginx]"`.
pub(in super::super) fn quoted_edge(_text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let [first, sign, second] = found.captures[..] else { return None };
    let (first, second) = (written::quoted_reference(first)?, written::quoted_reference(second)?);
    Some(vec![match sign {
        "~>" => format!("write `Notify => {second},` in the resource `{first}`"),
        _ => format!("write `{first} -> {second}`"),
    }])
}

/// A match that captures the name of the edge, an action and a string: `notifies => [:restart, "service[nginx]"]`.
pub(in super::super) fn chef_edge(_text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let [field, _, resource, ..] = found.captures[..] else { return None };
    let property = if field == "notifies" { "Notify" } else { "Listen" };
    let resource = written::quoted_reference(resource)?;
    Some(vec![format!("write `{property} => {resource},`")])
}
