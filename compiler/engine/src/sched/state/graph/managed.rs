//! [`Managed`]: the paths managed by the resources of a graph, and what resources of one kind keep on the host, for
//! kinds that must know what belongs to others.

use crate::kinds::Claim;
use crate::rgraph::Resource;
use crate::vocab::path::clean;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Sorted; computed on first use.
#[derive(Clone, Default)]
pub(super) struct Managed {
    paths: Option<Arc<[String]>>,
    /// By kind.
    kept: BTreeMap<Arc<str>, Arc<[String]>>,
}

impl Managed {
    /// The paths of all resources, or what all of its kind keep, if the kind of this resource asks about them.
    pub(super) fn asked<'r>(&mut self, resource: &Resource, all: impl Iterator<Item = &'r Resource>) -> Arc<[String]> {
        if resource.kind.spares() {
            let kind = &resource.id.kind;
            return self.kept.entry(kind.clone()).or_insert_with(|| kept(kind, all)).clone();
        }
        if !resource.kind.queries_paths(&resource.want()) {
            return Arc::default();
        }
        self.paths.get_or_insert_with(|| paths(all)).clone()
    }

    /// Another graph is in effect.
    pub(super) fn forget(&mut self) {
        self.paths = None;
        self.kept.clear();
    }

    /// Recomputes them if one changed.
    pub(super) fn exchanged(&mut self, before: &Resource, now: &Resource) {
        let traits = before.kind.decl().traits;
        let is_moved = traits.graph_queryable && before.kind.claims(&before.want()) != now.kind.claims(&now.want());
        if is_moved || before.kind.puts(&before.want()) != now.kind.puts(&now.want()) {
            self.paths = None;
        }
        if before.kind.keeps(&before.want()) != now.kind.keeps(&now.want()) {
            self.kept.clear();
        }
    }
}

fn kept<'r>(kind: &str, all: impl Iterator<Item = &'r Resource>) -> Arc<[String]> {
    let of_kind = all.filter(|resource| &*resource.id.kind == kind);
    let mut names: Vec<String> = of_kind.flat_map(|resource| resource.kind.keeps(&resource.want())).collect();
    names.sort();
    names.dedup();
    names.into()
}

/// However they are spelled: the location counts. Those that begin with a tilde are last, as a check will find them.
fn paths<'r>(all: impl Iterator<Item = &'r Resource>) -> Arc<[String]> {
    let mut paths: Vec<String> = all.flat_map(files).collect();
    paths.sort();
    paths.dedup();
    paths.into()
}

/// The path of a `file`, and the files of other kinds.
fn files(resource: &Resource) -> impl Iterator<Item = String> {
    let is_file = resource.kind.decl().traits.graph_queryable;
    let claims = if is_file { resource.kind.claims(&resource.want()) } else { Vec::new() };
    let claimed = claims.into_iter().filter_map(|claim| match claim {
        Claim::File(path) => Some(clean(&path)),
        _ => None,
    });
    let put = resource.kind.puts(&resource.want()).into_iter();
    let place = |path: String| if path.starts_with('~') { path } else { clean(&path) };
    claimed.chain(put.filter(|path| path.starts_with(['/', '~'])).map(place))
}
