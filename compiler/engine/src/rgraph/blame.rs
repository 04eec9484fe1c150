//! Finds the field that makes a resource invalid, for every kind alike: the field without which it would be valid, or
//! wrong for another reason. A better value is suggested only after it has been tried.

use super::Resource;
use super::errors::{at, within};
use crate::diag::{Diagnostic, codes, suggest};
use crate::fgraph::plan::{ItemOf, ResourceItem, ResourceStmt};
use crate::kinds::{self, Params, store};
use crate::value::Value;

/// Values of other tools, and candidates for the MCL value.
const FOREIGN: [(&str, &[&str]); 9] = [
    ("present", &["exists", "installed"]),
    ("directory", &["exists"]),
    ("latest", &["newest"]),
    ("started", &["running", "up"]),
    ("enabled", &["running", "exists"]),
    ("removed", &["absent", "uninstalled"]),
    ("purged", &["absent", "uninstalled"]),
    ("missing", &["absent", "uninstalled"]),
    ("off", &["stopped", "shutoff", "down", "disabled"]),
];

/// The error of a resource refused by its kind. `items` are the active ones, in source order.
pub(super) fn not_valid<'a>(
    resource: &Resource,
    reason: &str,
    stmt: &ResourceStmt,
    items: impl Iterator<Item = (&'a ResourceItem, &'a Value)>,
) -> Diagnostic {
    let message = format!("`{}` is not valid: {reason}", resource.id);
    let fields: Vec<(&ResourceItem, &str, &Value)> = items
        .filter_map(|(item, value)| match &item.what {
            ItemOf::Field(name) => Some((item, &**name, value)),
            ItemOf::Edge { .. } | ItemOf::Meta(_) | ItemOf::MetaStruct => None,
        })
        .collect();
    let wrong = |name: &str| resource.kind.decl().index_of(name).map(|index| (index, without(resource, index)));
    // An unset field is never blamed.
    let outcome = |name: &str| wrong(name).map(|(_, params)| verdict(resource, params));
    let is_cure = |name: &str| outcome(name).is_some_and(|after| after.is_ok());
    let is_cause = |name: &str| outcome(name).is_some_and(|after| after.is_err_and(|other| other != reason));
    let last = |is: &dyn Fn(&str) -> bool| fields.iter().rev().find(|(_, name, _)| is(name));
    let names_it = |name: &str| reason.contains(&format!("`{name}`"));
    let blamed = last(&|name| is_cure(name) && names_it(name))
        .or_else(|| last(&|name| is_cause(name) && names_it(name)))
        .or_else(|| last(&is_cure));
    let Some((item, name, value)) = blamed else {
        return at(codes::NOT_VALID, message, stmt.span, "this resource");
    };
    let said = at(codes::NOT_VALID, message, within(item.span, stmt.span), "this field").reported_at(stmt.span);
    match better(resource, name, value, reason) {
        Some(better) => {
            let said = said.help(format!("write `{name} => \"{better}\",`"));
            let place = within(item.value_span, item.span);
            // A value defined elsewhere may be used elsewhere too.
            if place == item.value_span && place != item.span {
                return said.edit(place, format!("\"{better}\""), format!("write `\"{better}\"`"));
            }
            said
        }
        None => said,
    }
}

/// The fields without one.
fn without(resource: &Resource, index: usize) -> Params {
    let mut params = resource.params.clone();
    params.values[index] = None;
    params
}

/// The kind's verdict on the resource with other fields.
fn verdict(resource: &Resource, params: Params) -> Result<(), String> {
    let other = Resource { params, ..resource.clone() };
    kinds::validate(resource.kind, &other.want())
}

/// The text nearest to a field's value, among those named in the reason, that makes the resource valid.
fn better(resource: &Resource, name: &str, value: &Value, reason: &str) -> Option<String> {
    let Value::Str(_) = value else { return None };
    let value = value.as_text()?;
    let is_valid = |text: &str| {
        let decl = resource.kind.decl();
        let mut params = resource.params.clone();
        let index = decl.index_of(name);
        let stored = index.map(|index| store::store(decl, &mut params, index, &Value::str(text)));
        stored == Some(Ok(())) && verdict(resource, params).is_ok()
    };
    let lower = value.to_lowercase();
    let named: Vec<&str> =
        reason.split('`').skip(1).step_by(2).filter(|word| *word != name && *word != value).collect();
    let foreign = FOREIGN.iter().find(|(word, _)| *word == lower).map_or(&[][..], |(_, ours)| *ours);
    let same = named.iter().copied().find(|word| *word == lower);
    let found = same.or_else(|| suggest::closest(&value, named.iter().copied()));
    found.into_iter().chain(foreign.iter().copied()).find(|word| is_valid(word)).map(str::to_owned)
}
