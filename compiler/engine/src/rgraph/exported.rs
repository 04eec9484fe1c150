//! Resources that hosts export to the shared store: how a statement collects them, and which must not be exported.
//!
//! An exported resource that cannot be used is left out with a warning: as an error, each host that can write to the
//! store could stop the programs of the others. World spec, 15.

use super::errors::{at, within};
use super::record::{NotSealed, Unsealable};
use super::{Record, ResGraph, Resource};
use crate::diag::{Diagnostic, Stage, codes};
use crate::fgraph::ir::{ItemOf, ResourceItem, ResourceStmt};
use crate::kinds::store;
use crate::protocol::ResourceId;
use crate::value::Value;
use std::sync::Arc;

/// What helps if a secret is exported to all hosts.
const NAME_HOSTS: &str = "name the hosts that may read it: `Meta:export => [\"HOST\", …]`";

/// A resource in the store that hosts share.
pub(super) struct Exported {
    pub(super) host: Arc<str>,
    pub(super) data: String,
}

/// An exported resource that cannot be used, and the warning that says why.
#[derive(Clone)]
pub(super) struct LeftOut {
    pub(super) id: ResourceId,
    pub(super) warning: Diagnostic,
}

/// The exported resources by name.
pub(super) fn collected(found: &Value) -> Vec<(Arc<str>, Option<Exported>)> {
    let entries = found.as_list().map(|list| &list[..]).unwrap_or_default();
    let entry = |entry: &Value| {
        let entry = entry.as_struct()?;
        let text = |field: &str| entry.get(field).and_then(Value::as_text).map(|text| text.into_owned());
        Some((text("name")?.into(), Some(Exported { host: text("host")?.into(), data: text("data")? })))
    };
    entries.iter().filter_map(entry).collect()
}

/// A struct of names to collect must have both a resource and a host.
pub(super) fn check_collect(value: &Value) -> Result<(), String> {
    let Value::List(list) = value else { return Ok(()) };
    for wanted in list.iter().filter_map(Value::as_struct) {
        let text = |field: &str| wanted.get(field).and_then(Value::as_text);
        if text("name").is_some_and(|name| name.is_empty()) {
            return Err("empty name".into());
        }
        match text("host").as_deref() {
            Some("") => return Err("empty host".into()),
            Some("*") => return Err("invalid star host".into()),
            Some(_) | None => {}
        }
    }
    Ok(())
}

/// The exported resource. Errors: why it cannot be used.
pub(super) fn read(stmt: &ResourceStmt, name: &str, data: &str) -> Result<Resource, String> {
    if name.is_empty() {
        return Err("its name is empty".into());
    }
    let resource = Record::read(data.as_bytes())?.resource()?;
    if resource.id.kind != stmt.kind {
        return Err(format!("its kind is `{}`", resource.id.kind));
    }
    for (index, value) in resource.params.iter() {
        let field = &resource.kind.decl().fields[index];
        store::fit(field, value).map_err(|reason| format!("invalid value for field `{}`: {reason}", field.name))?;
    }
    Ok(resource)
}

/// The record that an exported resource cannot be used.
pub(super) fn left_out(stmt: &ResourceStmt, name: &str, host: &str, reason: &str) -> LeftOut {
    let id = ResourceId { kind: stmt.kind.clone(), name: name.into() };
    let message = format!("exported resource `{}[{name}]` of host `{host}` is left out: {reason}", stmt.kind);
    let warning = Diagnostic::warning(codes::BAD_COLLECT, Stage::Interpret, message).at(stmt.span, "this statement");
    LeftOut { id, warning }
}

/// Why the resource cannot be exported, if it is: everyone who can read the store could read its secrets.
pub(super) fn unsealable(resource: &Resource) -> Option<Unsealable> {
    if resource.meta.export.is_empty() {
        return None;
    }
    Record::exported(resource).err()
}

/// Whether an item sets a field.
pub(super) fn sets(item: &ResourceItem, field: &str) -> bool {
    matches!(&item.what, ItemOf::Field(name) if **name == *field)
}

/// The error for a resource with a secret in a field that is exported.
pub(super) fn secret_export<'a>(
    id: &ResourceId,
    unsealable: Unsealable,
    stmt: &ResourceStmt,
    mut items: impl Iterator<Item = (&'a ResourceItem, &'a Value)>,
) -> Diagnostic {
    let message = format!("cannot export `{id}`: {unsealable}");
    let said = match items.find(|(item, _)| sets(item, unsealable.field)) {
        Some((item, _)) => at(codes::SECRET_EXPORT, message, within(item.span, stmt.span), "this field"),
        None => at(codes::SECRET_EXPORT, message, stmt.span, "this resource"),
    };
    said.help(match unsealable.why {
        NotSealed::ToAll => NAME_HOSTS.to_owned(),
        NotSealed::Form => format!(
            "remove it here, and set it where the resource is collected: `collect {} … {{ {} => …, }}`",
            id.kind, unsealable.field
        ),
    })
}

/// Warns of resources that are exported to all hosts although a secret is sent to them: only this host will have them.
pub(super) fn sent_to_all(graph: &ResGraph) -> Vec<Diagnostic> {
    let warning = |resource: &Arc<Resource>| {
        let is_for_all = resource.meta.export.iter().any(|target| target.as_str() == "*");
        let mut receives = resource.receives.iter().filter(|_| is_for_all).map(|wire| wire.field);
        let index = receives.find(|field| resource.receives_secret(*field))?;
        let unsealable = Unsealable { field: resource.kind.decl().fields[index].name, why: NotSealed::ToAll };
        let message = format!("cannot export `{}`: {unsealable}", resource.id);
        let warning = Diagnostic::warning(codes::SECRET_EXPORT, Stage::Interpret, message).help(NAME_HOSTS);
        Some(match resource.span {
            Some(span) => warning.at(span, "this resource"),
            None => warning,
        })
    };
    graph.resources.values().filter_map(warning).collect()
}
