//! Resources of one kind and name: compares duplicates. Language spec, 12.5.

use super::errors::at;
use super::{Meta, Resource};
use crate::diag::{Diagnostic, codes};
use crate::protocol::ResourceId;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::Arc;

/// Collects resources in source order and drops duplicates.
#[derive(Default)]
pub(super) struct Gathering {
    pub(super) resources: Vec<Arc<Resource>>,
    normal: FxHashMap<ResourceId, usize>,
    /// The last hidden one added.
    hidden: FxHashMap<ResourceId, usize>,
    /// By id and host.
    exports: FxHashMap<(ResourceId, String), Arc<Resource>>,
}

impl Gathering {
    /// With room for this many resources: growing would hash all names again.
    pub(super) fn with_room(n_resources: usize) -> Gathering {
        Gathering {
            resources: Vec::with_capacity(n_resources),
            normal: FxHashMap::with_capacity_and_hasher(n_resources, FxBuildHasher),
            ..Gathering::default()
        }
    }

    /// Errors: it contradicts an earlier one of the same name.
    pub(super) fn add(&mut self, resource: &Arc<Resource>) -> Result<(), Diagnostic> {
        for host in &resource.meta.export {
            let key = (resource.id.clone(), host.clone());
            let Some(first) = self.exports.get(&key) else {
                self.exports.insert(key, resource.clone());
                continue;
            };
            compare(first, resource).map_err(|reason| {
                let message =
                    format!("duplicate export of `{}` to `{host}` {}", resource.id, different(first, &reason));
                differ(codes::DUPLICATE_EXPORT, message, first, resource)
            })?;
        }
        if resource.meta.hidden {
            let last = self.hidden.get(&resource.id).map(|at| &self.resources[*at]);
            if last.is_none_or(|last| compare(last, resource).is_err()) {
                self.hidden.insert(resource.id.clone(), self.resources.len());
                self.resources.push(resource.clone());
            }
            return Ok(());
        }
        let Some(first) = self.normal.get(&resource.id).copied() else {
            self.normal.insert(resource.id.clone(), self.resources.len());
            self.resources.push(resource.clone());
            return Ok(());
        };
        let known = &self.resources[first];
        match together(known, resource) {
            Ok(None) => Ok(()),
            Ok(Some(merged)) => {
                self.resources[first] = merged;
                Ok(())
            }
            Err(reason) => {
                let message = match known.kind.decl().traits.compatible {
                    true => format!("conflicting definitions of `{}`: {reason}", resource.id),
                    false => format!("duplicate resource `{}` {}", resource.id, different(known, &reason)),
                };
                Err(differ(codes::DUPLICATE, message, known, resource))
            }
        }
    }
}

/// What a visible resource and a later one of its name are as one; `None`: the first one.
///
/// Errors: in what they contradict each other.
pub(super) fn together(known: &Arc<Resource>, later: &Arc<Resource>) -> Result<Option<Arc<Resource>>, String> {
    if Arc::ptr_eq(known, later) {
        return Ok(None);
    }
    if !known.kind.decl().traits.compatible {
        return compare(known, later).map(|()| None);
    }
    if known.kind.compare(&known.want(), &later.want()).is_ok() {
        return Ok(None);
    }
    let params = known.kind.merge(&known.want(), &later.want())?;
    Ok(Some(Arc::new(Resource { params, ..(**known).clone() })))
}

fn differ(code: crate::diag::Code, message: String, first: &Resource, later: &Resource) -> Diagnostic {
    match (later.span, first.span) {
        (Some(span), Some(earlier)) if span != earlier => {
            at(code, message, span, "defined again here")
                .also(earlier, "first defined here")
                .help("remove one of the two, or write the same fields in both")
        }
        (Some(span), _) => at(code, message, span, "this statement defines both").help(
            "give each its own name: put a parameter or the variable of the loop into it, as in `\"/etc/${name}.conf\"`",
        ),
        (None, _) => Diagnostic::error(code, crate::diag::Stage::Interpret, message),
    }
}

/// `with a different `content``, if the reason of a comparison names a field as printed.
pub(super) fn different(resource: &Resource, reason: &str) -> String {
    let printed = reason.strip_prefix("the ").and_then(|rest| rest.strip_suffix(" differs"));
    let field = printed.and_then(|printed| resource.kind.decl().fields.iter().find(|one| one.printed_name == printed));
    match (field, printed.filter(|printed| printed.starts_with("meta parameter "))) {
        (Some(field), _) => format!("with a different `{}`", field.name),
        (None, Some(meta)) => format!("with a different {meta}"),
        (None, None) => format!("with a difference: {reason}"),
    }
}

/// Compares two resources of one name. `Err` is the first difference.
fn compare(one: &Resource, other: &Resource) -> Result<(), String> {
    one.kind.compare(&one.want(), &other.want())?;
    let (a, b) = (effective(one), effective(other));
    if a != b {
        return Err(format!("the meta parameter `{}` differs", difference(&a, &b)));
    }
    Ok(())
}

/// The meta parameters that count for the comparison: parameters of a trait that the kind lacks are ignored, and so is
/// `retryreset`.
fn effective(resource: &Resource) -> Meta {
    let traits = resource.kind.decl().traits;
    let mut meta = Meta::clone(&resource.meta);
    meta.retryreset = false;
    meta.autoedge |= !(traits.edgeable || traits.edgeable_inert);
    meta.autogroup |= !(traits.groupable || traits.groups_others);
    meta.reverse &= traits.reversible;
    meta
}

/// The name of the first meta parameter that differs.
fn difference(a: &Meta, b: &Meta) -> &'static str {
    let steps: [(&'static str, fn(&mut Meta, &Meta)); 18] = [
        ("noop", |to, from| to.noop = from.noop),
        ("retry", |to, from| to.retry = from.retry),
        ("delay", |to, from| to.delay = from.delay),
        ("timeout", |to, from| to.timeout = from.timeout),
        ("poll", |to, from| to.poll = from.poll),
        ("limit", |to, from| to.limit = from.limit),
        ("burst", |to, from| to.burst = from.burst),
        ("reset", |to, from| to.reset = from.reset),
        ("sema", |to, from| to.sema.clone_from(&from.sema)),
        ("rewatch", |to, from| to.rewatch = from.rewatch),
        ("realize", |to, from| to.realize = from.realize),
        ("dollar", |to, from| to.dollar = from.dollar),
        ("hidden", |to, from| to.hidden = from.hidden),
        ("export", |to, from| to.export.clone_from(&from.export)),
        ("autoedge", |to, from| to.autoedge = from.autoedge),
        ("autogroup", |to, from| to.autogroup = from.autogroup),
        ("reverse", |to, from| to.reverse = from.reverse),
        ("purge", |to, from| to.purge = from.purge),
    ];
    for (name, copy) in steps {
        let mut alike = a.clone();
        copy(&mut alike, b);
        if alike != *a {
            return name;
        }
    }
    "meta"
}
