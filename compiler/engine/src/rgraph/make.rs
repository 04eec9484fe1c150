//! One resource statement with its values: resources and the edges of its body (language spec,
//! 12.1 and 12.2); one edge statement: its edges (12.3).

use super::blame;
use super::errors::{MAX_EDGES, at, too_many_edges, within};
use super::exported::{Exported, LeftOut, check_collect, collected, left_out, read, secret_export, sets, unsealable};
use super::{Meta, Resource};
use crate::diag::{Diagnostic, codes, suggest};
use crate::fgraph::ir::{EdgeStmt, ItemOf, ResourceItem, ResourceStmt};
use crate::hir::EdgeProperty;
use crate::ident::Name;
use crate::kinds::{self, Kind, Params, store};
use crate::protocol::ResourceId;
use crate::span::Span;
use crate::unify::help_with_kind;
use crate::value::Value;
use rustc_hash::{FxBuildHasher, FxHashSet};
use smallvec::SmallVec;
use std::sync::{Arc, OnceLock};

/// The result of a statement.
#[derive(Clone, Default)]
pub(super) struct Made {
    /// Nearly always a single one.
    pub(super) resources: SmallVec<[Arc<Resource>; 1]>,
    /// The hosts that export the resources, if it collects them; otherwise none.
    pub(super) exporters: Vec<Arc<str>>,
    /// Exported resources that cannot be used.
    pub(super) left_out: Vec<LeftOut>,
    pub(super) edges: Vec<EdgeWish>,
    /// Its first error.
    pub(super) error: Option<Box<Diagnostic>>,
}

/// An edge whose resources may not exist.
#[derive(Clone, PartialEq)]
pub(super) struct EdgeWish {
    pub(super) from: ResourceId,
    pub(super) to: ResourceId,
    pub(super) notify: bool,
    /// The sender's key and the receiver's field.
    pub(super) send: Option<(Name, Name)>,
    /// The places of its two ends.
    pub(super) ends: [Span; 2],
    pub(super) span: Span,
}

/// The values of a resource statement's items: value and condition.
pub(super) type Items<'a> = [(&'a Value, Option<&'a Value>)];

pub(super) fn resource(stmt: &ResourceStmt, name: &Value, items: &Items<'_>, collect: Option<&Value>) -> Made {
    let mut made = Made::default();
    if let Err(error) = try_resource(stmt, name, items, collect, &mut made) {
        made.error = Some(Box::new(error));
    }
    made
}

fn try_resource(
    stmt: &ResourceStmt,
    name: &Value,
    items: &Items<'_>,
    collect: Option<&Value>,
    made: &mut Made,
) -> Result<(), Diagnostic> {
    let items = || {
        let on = |cond: &Option<&Value>| cond.is_none_or(|cond| cond.as_bool() == Some(true));
        stmt.items.iter().zip(items).filter(move |(_, (_, cond))| on(cond)).map(|(item, (value, _))| (item, *value))
    };
    let wanted: SmallVec<[(Arc<str>, Option<Exported>); 1]> = match collect {
        None => names(name).into_iter().map(|name| (name, None)).collect(),
        Some(found) => {
            check_collect(name).map_err(|reason| {
                at(codes::BAD_COLLECT, format!("cannot collect: {reason}"), stmt.name_span, "these names")
            })?;
            collected(found).into()
        }
    };
    let common = meta_of(items(), stmt.span)?;
    // Resources of one statement differ in their names only, unless they are collected.
    let mut fields: Option<Params> = None;
    for (name, exported) in wanted {
        let record = match &exported {
            None => None,
            Some(Exported { host, data }) => match read(stmt, &name, data) {
                Ok(record) => Some(record),
                Err(reason) => {
                    made.left_out.push(left_out(stmt, &name, host, &reason));
                    continue;
                }
            },
        };
        let kind = create(stmt, &name)?;
        let (params, meta_params, secret_fields) = match record {
            None => {
                let shared = match fields.take() {
                    Some(shared) => shared,
                    None => with_fields(kind, Params::with_room(stmt.items.len()), items(), stmt.span)?,
                };
                fields = Some(shared.clone());
                (shared, common.clone(), Vec::new())
            }
            Some(Resource { params, meta: of_record, mut secret_fields, .. }) => {
                let of_record = Meta::clone(&of_record);
                let mut meta_params = Meta { export: Vec::new(), hidden: false, purge: false, ..of_record };
                meta(&mut meta_params, items(), stmt.span)?;
                for (item, _) in items() {
                    if let ItemOf::Field(field) = &item.what {
                        secret_fields.retain(|index| kind.decl().index_of(field) != Some(*index));
                    }
                }
                (with_fields(kind, params, items(), stmt.span)?, Arc::new(meta_params), secret_fields)
            }
        };
        let resource = Resource {
            id: ResourceId { kind: stmt.kind.clone(), name },
            kind,
            params,
            meta: meta_params,
            receives: Vec::new(),
            secret_fields,
            children: Vec::new(),
            is_reversal: false,
            span: Some(stmt.span),
        };
        if let Err(reason) = kinds::validate(kind, &resource.want()) {
            let is_of_meta = resource.meta.validate().is_err() && common.validate().is_err();
            match &exported {
                Some(Exported { host, .. }) if !is_of_meta && !blame::is_of_statement(&resource, items()) => {
                    made.left_out.push(left_out(stmt, &resource.id.name, host, &reason));
                    continue;
                }
                Some(_) | None => return Err(blame::not_valid(&resource, &reason, stmt, items())),
            }
        }
        if let Some(unsealable) = unsealable(&resource) {
            match &exported {
                Some(Exported { host, .. }) if !items().any(|(item, _)| sets(item, unsealable.field)) => {
                    let reason = format!("it cannot be exported again: {unsealable}");
                    made.left_out.push(left_out(stmt, &resource.id.name, host, &reason));
                    continue;
                }
                Some(_) | None => return Err(secret_export(&resource.id, unsealable, stmt, items())),
            }
        }
        body_edges(&resource.id, items(), stmt.span, &mut made.edges);
        if made.edges.len() > MAX_EDGES {
            made.edges.clear();
            return Err(too_many_edges(stmt.span));
        }
        made.resources.push(Arc::new(resource));
        made.exporters.extend(exported.map(|exported| exported.host));
    }
    Ok(())
}

/// The resources of a partially unknown statement, with the known fields. Their errors are certain; validation waits
/// for all fields.
pub(super) fn partly(
    stmt: &ResourceStmt,
    name: &Value,
    items: &[Option<(&Value, Option<&Value>)>],
) -> Result<Vec<Arc<Resource>>, Diagnostic> {
    let known = || {
        let known = stmt.items.iter().zip(items).filter_map(|(item, known)| Some((item, (*known)?)));
        known
            .filter(|(_, (_, cond))| cond.is_none_or(|cond| cond.as_bool() == Some(true)))
            .map(|(item, (value, _))| (item, value))
    };
    let common = meta_of(known(), stmt.span)?;
    let mut fields: Option<Params> = None;
    let resource = |name: Arc<str>| -> Result<Arc<Resource>, Diagnostic> {
        let kind = create(stmt, &name)?;
        let params = match fields.take() {
            Some(shared) => shared,
            None => with_fields(kind, Params::with_room(stmt.items.len()), known(), stmt.span)?,
        };
        fields = Some(params.clone());
        Ok(Arc::new(Resource {
            id: ResourceId { kind: stmt.kind.clone(), name },
            kind,
            params,
            meta: common.clone(),
            receives: Vec::new(),
            secret_fields: Vec::new(),
            children: Vec::new(),
            is_reversal: false,
            span: Some(stmt.span),
        }))
    };
    names(name).into_iter().map(resource).collect()
}

/// The distinct names, in the order of the list.
pub(super) fn names(value: &Value) -> SmallVec<[Arc<str>; 1]> {
    let text = |value: &Value| value.as_text().map(|text| Arc::<str>::from(&*text));
    match value {
        Value::List(list) => {
            let mut seen = FxHashSet::with_capacity_and_hasher(list.len(), FxBuildHasher);
            list.iter().filter_map(text).filter(|name| seen.insert(name.clone())).collect()
        }
        value => text(value).into_iter().collect(),
    }
}

/// The meta parameters of the active items; resources without any share the usual ones.
fn meta_of<'a>(
    items: impl Iterator<Item = (&'a ResourceItem, &'a Value)> + Clone,
    span: Span,
) -> Result<Arc<Meta>, Diagnostic> {
    static USUAL: OnceLock<Arc<Meta>> = OnceLock::new();
    let is_meta = |item: &ResourceItem| matches!(item.what, ItemOf::Meta(_) | ItemOf::MetaStruct);
    if !items.clone().any(|(item, _)| is_meta(item)) {
        return Ok(USUAL.get_or_init(Arc::default).clone());
    }
    let mut common = Meta::default();
    meta(&mut common, items, span)?;
    Ok(Arc::new(common))
}

/// Sets the meta parameters from the active items, in source order.
fn meta<'a>(
    meta: &mut Meta,
    items: impl Iterator<Item = (&'a ResourceItem, &'a Value)>,
    span: Span,
) -> Result<(), Diagnostic> {
    for (item, value) in items {
        let set = match &item.what {
            ItemOf::Meta(property) => meta.set(*property, value),
            ItemOf::MetaStruct => meta.set_all(value),
            ItemOf::Field(_) | ItemOf::Edge { .. } => Ok(()),
        };
        set.map_err(|reason| {
            let help = match &reason {
                reason if reason.ends_with("int16") => "write a number from -1 to 32767",
                reason if reason.ends_with("int32") => "write a number from -1 to 2147483647",
                _ => "write a number of at least 0",
            };
            at(codes::META_RANGE, reason, within(item.span, span), "this meta parameter").help(help)
        })?;
    }
    Ok(())
}

fn create(stmt: &ResourceStmt, name: &str) -> Result<&'static dyn Kind, Diagnostic> {
    if name.is_empty() {
        let message = format!("empty name for a resource of kind `{}`", stmt.kind);
        return Err(at(codes::EMPTY_NAME, message, stmt.span, "this resource"));
    }
    kinds::lookup(&stmt.kind).ok_or_else(|| {
        let message = format!("cannot find resource kind `{}`", stmt.kind);
        let near = suggest::closest(&stmt.kind, kinds::all().map(|kind| kind.decl().name));
        help_with_kind(at(codes::NO_SUCH_KIND, message, stmt.span, "this resource"), &stmt.kind, near, None)
    })
}

/// These fields, with those of the active items set.
fn with_fields<'a>(
    kind: &dyn Kind,
    mut params: Params,
    items: impl Iterator<Item = (&'a ResourceItem, &'a Value)>,
    span: Span,
) -> Result<Params, Diagnostic> {
    for (item, value) in items {
        if let ItemOf::Field(field) = &item.what {
            set(kind, &mut params, field, value, item, span)?;
        }
    }
    Ok(params)
}

fn set(
    kind: &dyn Kind,
    params: &mut Params,
    field: &str,
    value: &Value,
    item: &ResourceItem,
    span: Span,
) -> Result<(), Diagnostic> {
    let decl = kind.decl();
    let stored = match decl.index_of(field) {
        Some(index) => store::store(decl, params, index, value),
        None => Err(format!("unknown field `{field}` of `{}`", decl.name)),
    };
    stored.map_err(|reason| {
        at(
            codes::FIELD_VALUE,
            format!("invalid value for field `{field}`: {reason}"),
            within(item.span, span),
            "this field",
        )
    })
}

/// The edges in a resource's body: outgoing ones first (12.4).
fn body_edges<'a>(
    id: &ResourceId,
    items: impl Iterator<Item = (&'a ResourceItem, &'a Value)>,
    span: Span,
    out: &mut Vec<EdgeWish>,
) {
    let mut incoming = Vec::new();
    for (item, value) in items {
        let ItemOf::Edge { property, kind, target: place } = &item.what else { continue };
        let span = within(item.span, span);
        let place = within(*place, span);
        for name in names(value) {
            let target = ResourceId { kind: kind.clone(), name };
            // One end is the resource itself.
            let to = |target: ResourceId, notify| EdgeWish {
                from: id.clone(),
                to: target,
                notify,
                send: None,
                ends: [span, place],
                span,
            };
            let from = |target: ResourceId, notify| EdgeWish {
                from: target,
                to: id.clone(),
                notify,
                send: None,
                ends: [place, span],
                span,
            };
            match property {
                EdgeProperty::Before => out.push(to(target, false)),
                EdgeProperty::Notify => out.push(to(target, true)),
                EdgeProperty::Depend => incoming.push(from(target, false)),
                EdgeProperty::Listen => incoming.push(from(target, true)),
            }
        }
    }
    out.extend(incoming);
}

/// Consecutive pairs of halves; of several names all pairs. An empty list breaks the chain.
pub(super) fn edge(stmt: &EdgeStmt, values: &[&Value]) -> Made {
    let mut made = Made::default();
    let halves: Vec<SmallVec<[Arc<str>; 1]>> = values.iter().map(|value| names(value)).collect();
    let n_edges = halves.windows(2).map(|halves| halves[0].len().saturating_mul(halves[1].len()));
    if n_edges.fold(0, usize::saturating_add) > MAX_EDGES {
        made.error = Some(Box::new(too_many_edges(stmt.span)));
        return made;
    }
    for (pair, halves) in stmt.halves.windows(2).zip(halves.windows(2)) {
        for from in &halves[0] {
            for to in &halves[1] {
                made.edges.push(EdgeWish {
                    from: ResourceId { kind: pair[0].kind.clone(), name: from.clone() },
                    to: ResourceId { kind: pair[1].kind.clone(), name: to.clone() },
                    notify: false,
                    send: pair[0].field.clone().zip(pair[1].field.clone()),
                    ends: [pair[0].span, pair[1].span],
                    span: stmt.span,
                });
            }
        }
    }
    made
}
