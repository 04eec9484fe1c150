//! Finds the field that makes a resource invalid, for every kind alike: the field without which it would be valid, or
//! wrong for another reason. A better value is suggested only after it has been tried.

use super::errors::{at, within};
use super::respell::{addressed, completed, placed, renamed, respelled, timed};
use super::{Meta, Resource};
use crate::diag::{Diagnostic, codes, suggest};
use crate::fgraph::ir::{ItemOf, ResourceItem, ResourceStmt};
use crate::kinds::{self, Params, crontab, store};
use crate::protocol::ResourceId;
use crate::value::Value;
use std::sync::Arc;

/// Values of other tools, and candidates for the MCL value.
const FOREIGN: [(&str, &[&str]); 29] = [
    ("present", &["exists", "installed", "running"]),
    ("created", &["exists", "installed"]),
    ("directory", &["exists"]),
    ("touch", &["exists"]),
    ("file", &["exists"]),
    ("link", &["exists"]),
    ("symlink", &["exists"]),
    ("installed", &["exists"]),
    ("latest", &["newest"]),
    ("upgraded", &["newest"]),
    ("started", &["running", "up"]),
    ("start", &["running", "up"]),
    ("active", &["running", "up"]),
    ("up", &["running"]),
    ("on", &["running", "up", "enabled"]),
    ("true", &["running", "enabled", "exists"]),
    ("yes", &["running", "enabled", "exists"]),
    ("auto", &["enabled"]),
    ("enable", &["enabled", "running"]),
    ("enabled", &["running", "exists"]),
    ("mounted", &["exists"]),
    ("unmounted", &["absent"]),
    ("removed", &["absent", "uninstalled"]),
    ("purged", &["absent", "uninstalled"]),
    ("missing", &["absent", "uninstalled"]),
    ("deleted", &["absent", "uninstalled"]),
    ("dead", &["stopped", "shutoff", "down"]),
    ("off", &["stopped", "shutoff", "down", "disabled"]),
    ("inactive", &["stopped", "shutoff", "down"]),
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
    let names: Vec<&str> = fields.iter().map(|(_, name, _)| *name).collect();
    let Some((item, name, value)) = culprit(resource, reason, &names).map(|at| fields[at]) else {
        return unblamed(resource, message, reason, stmt, &fields);
    };
    let said = at(codes::NOT_VALID, message, within(item.span, stmt.span), "this field").reported_at(stmt.span);
    if let Some(missing) = missing(resource, reason, &fields) {
        return said.help(missing);
    }
    let is_time = calendar(resource, name, value).is_some();
    if let Some(help) = elsewhere(resource, name, value, &fields).filter(|_| !is_time) {
        return said.help(help);
    }
    match better(resource, name, value, reason) {
        Some(better) => {
            let said = said.help(format!("write `{name} => \"{better}\",`"));
            let said = with_path(said, &resource.id.name, reason);
            let place = within(item.value_span, item.span);
            // A value defined elsewhere may be used elsewhere too.
            if place == item.value_span && place != item.span {
                return said.edit(place, format!("\"{better}\""), format!("write `\"{better}\"`"));
            }
            said
        }
        None => {
            let help = choice(resource, name, value, reason).or_else(|| element(resource, name, value, reason));
            match help.or_else(|| calendar(resource, name, value)) {
                Some(help) => said.help(help),
                None => with_path(said, &resource.id.name, reason),
            }
        }
    }
}

/// The field to blame for an invalid resource, as an index into those that are set: without it, the resource would be
/// valid, or wrong for another reason, or it is empty and the reason names it. Fields that the reason names come first;
/// of several, the last one is blamed.
/// `None`: a field is missing, or the name is wrong ([`is_name_wrong`]).
pub fn culprit(resource: &Resource, reason: &str, fields: &[&str]) -> Option<usize> {
    let decl = resource.kind.decl();
    let after = |name: &str| decl.index_of(name).map(|index| verdict(resource, without(resource, index)));
    let is_cure = |name: &str| after(name).is_some_and(|after| after.is_ok());
    let is_cause = |name: &str| after(name).is_some_and(|after| after.is_err_and(|other| other != reason));
    let names_it = |name: &str| reason.contains(&format!("`{name}`"));
    let last = |is: &dyn Fn(&str) -> bool| fields.iter().rposition(|name| is(name));
    let has_value = |name: &str| decl.index_of(name).is_some_and(|index| names_value(resource, index, reason));
    // Without it the resource is as invalid: it has no value either.
    let is_empty = |name: &str| {
        let value = decl.index_of(name).and_then(|index| resource.params.get(index));
        value.and_then(Value::as_text).is_some_and(|text| text.is_empty())
    };
    last(&|name| is_cure(name) && names_it(name))
        .or_else(|| last(&|name| is_cause(name) && names_it(name)))
        .or_else(|| last(&is_cure))
        .or_else(|| last(&|name| is_cause(name) && has_value(name)))
        .or_else(|| last(&|name| is_empty(name) && names_it(name)))
}

/// Whether the reason names the value of a field, or an element of it.
fn names_value(resource: &Resource, index: usize, reason: &str) -> bool {
    let is_named = |value: &Value| value.as_text().is_some_and(|text| named(reason).any(|word| word == text));
    let value = resource.params.get(index);
    value.is_some_and(|value| is_named(value) || value.as_list().is_some_and(|list| list.iter().any(is_named)))
}

/// Whether an invalid resource would be valid with another name, or wrong for another reason.
pub fn is_name_wrong(resource: &Resource, reason: &str) -> bool {
    ["/a", "/a/", "a", ":80"].iter().any(|name| is_better_as(resource, name, reason))
}

fn is_better_as(resource: &Resource, name: &str, reason: &str) -> bool {
    is_better(verdict_as(resource, name), reason)
}

/// The kind's verdict on the resource with another name.
fn verdict_as(resource: &Resource, name: &str) -> Result<(), String> {
    let id = ResourceId { name: name.into(), ..resource.id.clone() };
    let other = Resource { id, ..resource.clone() };
    kinds::validate(resource.kind, &other.want())
}

/// Whether an invalid resource that is watched would be valid, or wrong for another reason, if it were polled.
fn is_better_polled(resource: &Resource, reason: &str) -> bool {
    const SECONDS: i32 = 60;
    let verdict_with = |poll: i32| {
        let meta = Arc::new(Meta { poll, ..Meta::clone(&resource.meta) });
        let other = Resource { meta, ..resource.clone() };
        kinds::validate(resource.kind, &other.want())
    };
    resource.meta.poll == 0
        && verdict_with(0).is_err_and(|now| now == reason)
        && is_better(verdict_with(SECONDS), reason)
}

/// Whether an invalid resource would be valid without a field that its statement sets.
pub(super) fn is_of_statement<'a>(
    resource: &Resource,
    mut items: impl Iterator<Item = (&'a ResourceItem, &'a Value)>,
) -> bool {
    let decl = resource.kind.decl();
    items.any(|(item, _)| match &item.what {
        ItemOf::Field(name) => {
            decl.index_of(name).is_some_and(|index| verdict(resource, without(resource, index)).is_ok())
        }
        ItemOf::Edge { .. } | ItemOf::Meta(_) | ItemOf::MetaStruct => false,
    })
}

/// A message with the right name of a file or a directory, if the reason says that its path ends wrong.
fn with_path(said: Diagnostic, path: &str, reason: &str) -> Diagnostic {
    match path.strip_suffix('/') {
        None if reason.contains("end the path with a slash") => {
            said.help(format!("the name of a directory is `\"{path}/\"`"))
        }
        Some(file) if reason.contains("remove the slash at the end of its path") => {
            said.help(format!("the name of a file is `\"{file}\"`"))
        }
        _ => said,
    }
}

/// No field is wrong: one is missing, or it is the name.
fn unblamed(
    resource: &Resource,
    message: String,
    reason: &str,
    stmt: &ResourceStmt,
    fields: &[(&ResourceItem, &str, &Value)],
) -> Diagnostic {
    if let Some(missing) = missing(resource, reason, fields).or_else(|| required(resource, reason, fields)) {
        return at(codes::NOT_VALID, message, stmt.span, "this resource").help(missing);
    }
    let kind = &resource.id.kind;
    let name = &resource.id.name;
    let is_cure = |name: &str| is_better_as(resource, name, reason);
    if !is_name_wrong(resource, reason) {
        let said = at(codes::NOT_VALID, message, stmt.span, "this resource");
        return if is_better_polled(resource, reason) { said.help("add `Meta:poll => 60,`") } else { said };
    }
    let said = at(codes::NOT_VALID, message, within(stmt.name_span, stmt.span), "this name").reported_at(stmt.span);
    if let Some(variable) = template_variable(name) {
        return said.help(format!("`{{{{ … }}}}` is not replaced: write `\"${{{variable}}}\"` to insert the variable"));
    }
    match respelled(name).chain(addressed(name, reason)).chain(renamed(name)).find(|name| is_cure(name)) {
        Some(name) => said.help(format!("write `{kind} \"{name}\" {{ … }}`")),
        None if name.starts_with('~') => {
            said.help("`~` is not expanded: write the absolute path, as in `/root/.bashrc`")
        }
        // It says itself what to write.
        None if name.starts_with('$') && !name.contains('/') => said,
        None => {
            // With any other name it may be wrong for another reason.
            let is_path = ["/a", "/a/"].iter().any(|path| verdict_as(resource, path).is_ok());
            let is_told = reason.contains("absolute");
            if is_path || is_told { said.help("write an absolute path, which begins with `/`") } else { said }
        }
    }
}

/// The variable in a name in the notation of a template: `{{ item }}`.
fn template_variable(name: &str) -> Option<&str> {
    let (_, rest) = name.split_once("{{")?;
    let variable = rest.split_once("}}")?.0.trim();
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let is_name = variable.starts_with(|first: char| first.is_ascii_lowercase()) && variable.bytes().all(is_part);
    is_name.then_some(variable)
}

/// Whether a resource is valid, or wrong for a reason that has nothing to do with this one.
fn is_better(verdict: Result<(), String>, reason: &str) -> bool {
    let first = |text: &str| text.split('`').nth(1).map(str::to_owned);
    match verdict {
        Ok(()) => true,
        Err(other) => other != reason && first(&other) != first(reason),
    }
}

/// The words of a reason in backticks: fields and values.
fn named(reason: &str) -> impl Iterator<Item = &str> {
    reason.split('`').skip(1).step_by(2)
}

/// The field to add: one that the reason gives with its value, or one that it names and that is not set.
fn missing(resource: &Resource, reason: &str, fields: &[(&ResourceItem, &str, &Value)]) -> Option<String> {
    let is_set = |name: &str| fields.iter().any(|(_, set, _)| *set == name);
    let decl = resource.kind.decl();
    let given = named(reason)
        .find(|word| word.split_once(" => ").is_some_and(|(name, _)| decl.index_of(name).is_some() && !is_set(name)));
    if let Some(item) = given {
        return Some(format!("add `{item},`"));
    }
    let is_missing = reason.contains(" is missing");
    let name = named(reason).next().filter(|name| is_missing && !is_set(name) && decl.index_of(name).is_some())?;
    let value = named(reason).skip(1).find(|value| tried(resource, name, Value::str(*value), reason));
    Some(match value {
        Some(value) => format!("add `{name} => \"{value}\",`"),
        None => format!("add the field `{name}`"),
    })
}

/// The required fields to add, if the reason names one of them, or no field at all.
fn required(resource: &Resource, reason: &str, fields: &[(&ResourceItem, &str, &Value)]) -> Option<String> {
    let is_set = |name: &str| fields.iter().any(|(_, set, _)| *set == name);
    let decl = resource.kind.decl();
    let unset: Vec<&str> =
        decl.fields.iter().filter(|field| field.required && !is_set(field.name)).map(|field| field.name).collect();
    let mut known = named(reason).filter(|name| decl.index_of(name).is_some()).peekable();
    let is_reason = known.peek().is_none() || known.any(|name| unset.contains(&name));
    let shown: Vec<String> = unset.iter().filter(|_| is_reason).map(|name| format!("`{name}`")).collect();
    match &shown[..] {
        [] => None,
        [field] => Some(format!("add the required field {field}")),
        [fields @ .., last] => Some(format!("add the required fields {} and {last}", fields.join(", "))),
    }
}

/// Whether a resource is better with another value of a field.
fn tried(resource: &Resource, name: &str, value: Value, reason: &str) -> bool {
    let decl = resource.kind.decl();
    let mut params = resource.params.clone();
    let Some(index) = decl.index_of(name) else { return false };
    store::store(decl, &mut params, index, &value).is_ok() && is_better(verdict(resource, params), reason)
}

/// The fields without one.
fn without(resource: &Resource, index: usize) -> Params {
    let mut params = resource.params.clone();
    params.clear(index);
    params
}

/// The kind's verdict on the resource with other fields.
fn verdict(resource: &Resource, params: Params) -> Result<(), String> {
    let other = Resource { params, ..resource.clone() };
    kinds::validate(resource.kind, &other.want())
}

/// The text nearest to a field's value, among those named in the reason and those that are written a little
/// differently, that makes the resource valid.
fn better(resource: &Resource, name: &str, value: &Value, reason: &str) -> Option<String> {
    let Value::Str(_) = value else { return None };
    let value = value.as_text()?;
    let is_valid = |text: &str| tried(resource, name, Value::str(text), reason);
    let lower = value.to_lowercase();
    let named: Vec<&str> = named(reason).filter(|word| *word != name && *word != value).collect();
    let foreign = FOREIGN.iter().find(|(word, _)| *word == lower).map_or(&[][..], |(_, ours)| *ours);
    let same = named.iter().copied().find(|word| *word == lower);
    let longer = || named.iter().copied().find(|word| lower.len() > 1 && word.to_lowercase().contains(&lower));
    let found = same.or_else(|| suggest::closest(&value, named.iter().copied())).or_else(longer);
    // `boolean` for `bool`
    let shorter = named.iter().copied().filter(|word| word.len() > 2 && lower.starts_with(&word.to_lowercase()));
    let mut words = found.into_iter().chain(foreign.iter().copied()).chain(shorter);
    let known = words.find(|word| is_valid(word)).map(str::to_owned);
    let written = || {
        let changed = [addressed(&value, reason), timed(&value, reason), placed(&value, reason)];
        respelled(&value).chain(changed.into_iter().flatten()).find(|text| is_valid(text))
    };
    known.or_else(written)
}

/// The field that takes this value: one that is not set, and takes some words only.
fn elsewhere(
    resource: &Resource,
    name: &str,
    value: &Value,
    fields: &[(&ResourceItem, &str, &Value)],
) -> Option<String> {
    const SHORTEST: usize = 3;
    let Value::Str(_) = value else { return None };
    let text = value.as_text()?;
    let word = &*text;
    let is_word = word.len() >= SHORTEST && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let decl = resource.kind.decl();
    let index = decl.index_of(name).filter(|_| is_word)?;
    let takes = |at: usize, text: &str| {
        let mut params = without(resource, index);
        store::store(decl, &mut params, at, &Value::str(text)).is_ok() && verdict(resource, params).is_ok()
    };
    let is_set = |other: &str| other == name || fields.iter().any(|(_, set, _)| *set == other);
    let unset = decl.fields.iter().enumerate().filter(|(_, field)| !is_set(field.name));
    let mut fitting = unset.filter(|(at, _)| takes(*at, word) && !takes(*at, "nosuchword"));
    let (_, field) = fitting.next()?;
    Some(format!("write `{} => \"{word}\",`", field.name))
}

/// The values that a field may have, if they are few.
fn choice(resource: &Resource, name: &str, value: &Value, reason: &str) -> Option<String> {
    const MOST: usize = 3;
    let value = value.as_text().filter(|_| matches!(value, Value::Str(_)))?;
    // A single sign is not a value to propose, nor is the name of another field.
    let is_field = |word: &str| resource.kind.decl().index_of(word).is_some();
    let words = named(reason).filter(|word| *word != name && *word != value && word.len() > 1 && !is_field(word));
    let written = |word: &str| match () {
        () if reason.contains("must begin with") => format!("{word}{value}"),
        () if reason.contains("must end with") => format!("{value}{word}"),
        () => word.to_owned(),
    };
    let items: Vec<String> = words
        .map(written)
        .filter(|text| tried(resource, name, Value::str(text), reason))
        .map(|text| format!("`{name} => \"{text}\",`"))
        .collect();
    let (last, others) = items.split_last()?;
    match others {
        // What the reason has as an example is hardly what is meant.
        [] if reason.contains("such as") => Some(format!("write, for example, {last}")),
        [] => Some(format!("write {last}")),
        others if others.len() < MOST => Some(format!("write {} or {last}", others.join(", "))),
        _ => None,
    }
}

/// The fields for a time that is written as the trigger of a timer.
fn calendar(resource: &Resource, name: &str, value: &Value) -> Option<String> {
    let text = value.as_text().filter(|_| &*resource.id.kind == "cron" && name == "trigger")?;
    let time = crontab::calendar(&text)?;
    Some(format!("write `trigger => \"OnCalendar\",` and `time => \"{time}\",`"))
}

/// The element of a list that the reason names, written so that it is valid.
fn element(resource: &Resource, name: &str, value: &Value, reason: &str) -> Option<String> {
    let list = value.as_list()?;
    let at = list.iter().position(|item| item.as_text().is_some_and(|text| named(reason).any(|word| word == text)))?;
    let text = list.get(at)?.as_text()?;
    let fits = |other: &String| {
        let items = list.iter().enumerate().map(|(n, item)| if n == at { Value::str(other) } else { item.clone() });
        tried(resource, name, Value::list(items.collect::<Vec<_>>()), reason)
    };
    let better = respelled(&text).chain(completed(&text, reason)).find(fits)?;
    let quoted = |text: &str| format!("`\"{}\"`", text.replace('\\', "\\\\").replace('"', "\\\""));
    Some(format!("write {} instead of {}", quoted(&better), quoted(&text)))
}
