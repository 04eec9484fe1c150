//! Automatic edges: a resource wants something that others claim (engine spec, 11).
//!
//! [`AutoEdges`] follows a changing graph: only new resources are asked for their claims and wants, and only resources
//! that want an added or removed claim are searched again. Information that only the host has, such as the files of a
//! package, is requested as facts first ([`asked`]); when one of them changes, all edges are recomputed.

mod search;

use super::autocycle::yield_to_cycles;
use super::claims::{Claims, class};
use super::{Changed, Edge, ResGraph, Resource, VertexId};
use crate::define_id;
use crate::gather;
use crate::index::IndexVec;
use crate::kinds::{Claim, Direction, Owned, Read, WantBatch};
use crate::vocab::{Datum, FactSpec};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

define_id!(
    /// Id of a resource that takes part.
    MemberId,
    "m"
);

/// The order of priority: the byte order of `kind[name]`; of twins, the first one.
pub(super) type Key = (Arc<str>, u32);

/// A host's answer to [`asked`]; `None`: it could not answer, or there is no host.
pub type FactLookup<'a> = dyn Fn(&FactSpec) -> Option<&'a Datum> + 'a;

/// Adds the automatic edges. Explicit edges are not changed.
pub fn autoedge(graph: &mut ResGraph, lookup: &FactLookup) {
    AutoEdges::default().update(graph, lookup);
}

/// The facts that the automatic edges of a graph need.
pub fn asked(graph: &ResGraph) -> BTreeSet<FactSpec> {
    let resources = graph.resources.values().filter(|resource| takes_part(resource));
    gather::set(resources.flat_map(|resource| resource.kind.asks_for_edges(&resource.want())))
}

/// The automatic edges of one running program.
#[derive(Clone, Default)]
pub struct AutoEdges {
    /// Reading comes after what is read was put there, and granting something to an account after the account. The
    /// reference has no such edges, so graphs that are only drawn have none either.
    is_running: bool,
    members: IndexVec<MemberId, Option<Member>>,
    free: Vec<MemberId>,
    /// By the address of the resource, which its member keeps alive.
    by_address: FxHashMap<usize, MemberId>,
    order: BTreeMap<Key, MemberId>,
    claims: Claims,
    /// The next four are filled when a graph first changes: batches are processed at once.
    is_indexed: bool,
    /// The members that want claims of a class.
    wanted: BTreeMap<Claim, BTreeSet<MemberId>>,
    /// The members that want the nearest directory above a path, or read what may come with it.
    below: BTreeMap<String, BTreeSet<MemberId>>,
    /// The members that read a file or directory, by its path.
    readers: BTreeMap<String, BTreeSet<MemberId>>,
    /// The members that bring paths to the host.
    owners: BTreeSet<MemberId>,
    round: u64,
    n_asked: u64,
    n_searched: u64,
    n_above: u64,
}

#[derive(Clone)]
struct Member {
    resource: Arc<Resource>,
    key: Key,
    vertex: VertexId,
    /// The last graph that contained it.
    round: u64,
    owned: Owned,
    edges: Vec<(MemberId, Direction)>,
    /// Those that come before it on a host, unless that closes a cycle.
    on_hosts: Vec<MemberId>,
}

pub(super) fn takes_part(resource: &Resource) -> bool {
    resource.meta.autoedge && resource.kind.decl().traits.edgeable
}

fn owned(resource: &Resource, lookup: &FactLookup) -> Owned {
    let asked = resource.kind.asks_for_edges(&resource.want());
    if asked.is_empty() {
        return Owned::default();
    }
    let facts: Vec<Option<&Datum>> = asked.iter().map(lookup).collect();
    resource.kind.owns(&resource.want(), &facts)
}

// Claims and wants are not cached: asking again costs less than the memory.
fn claims(resource: &Resource) -> Vec<Claim> {
    resource.kind.claims(&resource.want())
}

fn wants(resource: &Resource) -> Vec<WantBatch> {
    resource.kind.wants(&resource.want())
}

fn wants_on_hosts(resource: &Resource) -> Vec<Claim> {
    resource.kind.wants_on_hosts(&resource.want())
}

fn reads(resource: &Resource) -> Vec<Read> {
    resource.kind.reads(&resource.want())
}

fn wants_above(resource: &Resource) -> Option<String> {
    resource.kind.wants_above(&resource.want())
}

impl AutoEdges {
    /// For a running program.
    pub fn running() -> AutoEdges {
        AutoEdges { is_running: true, ..AutoEdges::default() }
    }

    /// Adds the automatic edges to the next graph of the program. Explicit edges are not changed.
    ///
    /// Cost: nearly linear in the claims and wants that changed, plus one cheap pass over the graph.
    pub fn update(&mut self, graph: &mut ResGraph, lookup: &FactLookup) {
        self.round += 1;
        let round = self.round;
        let mut fresh = Vec::new();
        for (vertex, resource) in graph.resources.iter() {
            // Edges that only hosts have need no trait of the kind, at either end.
            let is_ordered =
                || !(wants_on_hosts(resource).is_empty() && reads(resource).is_empty() && claims(resource).is_empty());
            if !(takes_part(resource) || self.is_running && resource.meta.autoedge && is_ordered()) {
                continue;
            }
            match self.by_address.get(&address(resource)) {
                Some(&id) if self.member(id).round != round => {
                    let member = self.member_mut(id);
                    (member.round, member.vertex) = (round, vertex);
                }
                // A resource can be in a graph twice only through a bug elsewhere.
                Some(_) | None => fresh.push((vertex, resource.clone())),
            }
        }
        let is_gone = |member: &Option<Member>| member.as_ref().is_some_and(|member| member.round != round);
        let gone: Vec<MemberId> = self.members.iter().filter(|(_, member)| is_gone(member)).map(|(id, _)| id).collect();
        let mut affected = BTreeSet::new();
        let stays = !self.order.is_empty();
        if stays && !self.is_indexed && !(gone.is_empty() && fresh.is_empty()) {
            self.is_indexed = true;
            let members: Vec<MemberId> = self.order.values().copied().collect();
            members.into_iter().for_each(|id| self.index(id));
        }
        for id in gone {
            self.remove(id, &mut affected);
        }
        for (vertex, resource) in fresh {
            if self.is_indexed {
                claims(&resource).iter().for_each(|claim| self.affects(claim, &mut affected));
            }
            let owned = owned(&resource, lookup);
            self.add(vertex, resource, owned, &mut affected);
        }
        for id in affected {
            if self.members[id].is_some() {
                self.search(id);
            }
        }
        self.write(graph);
    }

    /// Handles the exchange of a few resources in an otherwise unchanged graph. `false`: their claims or wants differ,
    /// so [`AutoEdges::update`] is needed.
    pub fn keeps(&mut self, changes: &[Changed]) -> bool {
        let mut exchanged = Vec::new();
        for Changed { before, now, .. } in changes {
            let Some(&id) = self.by_address.get(&address(before)) else { continue };
            self.n_asked += 1;
            let same = claims(now) == claims(before) && wants(now) == wants(before);
            let asks = |resource: &Resource| resource.kind.asks_for_edges(&resource.want());
            let same = same && reads(now) == reads(before) && wants_on_hosts(now) == wants_on_hosts(before);
            if !same || wants_above(now) != wants_above(before) || asks(now) != asks(before) {
                return false;
            }
            exchanged.push((id, before, now));
        }
        for (id, before, now) in exchanged {
            self.by_address.remove(&address(before));
            self.by_address.insert(address(now), id);
            self.member_mut(id).resource = now.clone();
        }
        true
    }

    /// Whether both make the same edges.
    pub fn are_those_of(&self, other: &AutoEdges) -> bool {
        let edges = |all: &AutoEdges| -> Vec<(Key, Vec<(Key, Direction)>)> {
            let ends = |member: &Member| {
                member.edges.iter().map(|(end, direction)| (all.member(*end).key.clone(), *direction)).collect()
            };
            all.order.iter().map(|(key, id)| (key.clone(), ends(all.member(*id)))).collect()
        };
        edges(self) == edges(other)
    }

    /// The number of searches for directories above paths.
    pub fn n_above(&self) -> u64 {
        self.n_above
    }

    /// The members that want this claim, which was added or removed.
    fn affects(&self, claim: &Claim, affected: &mut BTreeSet<MemberId>) {
        affected.extend(self.wanted.get(&class(claim)).into_iter().flatten());
        if let Claim::File(path) | Claim::Mount(path) = claim
            && path.ends_with('/')
        {
            let from = (Bound::Excluded(path.as_str()), Bound::Unbounded);
            let below = self.below.range::<str, _>(from).take_while(|(below, _)| below.starts_with(path.as_str()));
            affected.extend(below.flat_map(|(_, members)| members));
        }
        if let Claim::File(path) | Claim::Mount(path) = claim {
            let above = path.match_indices('/').map(|(slash, _)| &path[..=slash]);
            let read = above.chain([path.as_str()]).filter_map(|path| self.readers.get(path));
            affected.extend(read.flatten());
        }
        if let Claim::File(path) = claim {
            affected.extend(self.owners.iter().filter(|id| brings(&self.member(**id).owned.paths, path)));
        }
    }

    fn member(&self, id: MemberId) -> &Member {
        self.members[id].as_ref().expect("members that are handed around are there")
    }

    fn member_mut(&mut self, id: MemberId) -> &mut Member {
        self.members[id].as_mut().expect("members that are handed around are there")
    }

    fn remove(&mut self, id: MemberId, affected: &mut BTreeSet<MemberId>) {
        let Some(member) = self.members[id].take() else { return };
        self.free.push(id);
        self.owners.remove(&id);
        self.by_address.remove(&address(&member.resource));
        self.order.remove(&member.key);
        for claim in claims(&member.resource) {
            self.claims.remove(&claim, &member.key);
            self.affects(&claim, affected);
        }
        for read in reads(&member.resource) {
            forget(&mut self.readers, read.path(), id);
            forget(&mut self.below, read.path(), id);
        }
        if let Some(path) = wants_above(&member.resource) {
            forget(&mut self.below, path.as_str(), id);
        }
        let on_hosts = wants_on_hosts(&member.resource);
        for claim in wanted(&wants(&member.resource)).chain(&member.owned.claims).chain(&on_hosts) {
            forget(&mut self.wanted, &class(claim), id);
        }
    }

    fn add(&mut self, vertex: VertexId, resource: Arc<Resource>, owned: Owned, affected: &mut BTreeSet<MemberId>) {
        self.n_asked += 1;
        // As `ResourceId` is displayed, but there is one per resource.
        let text: Arc<str> = [&*resource.id.kind, "[", &resource.id.name, "]"].concat().into();
        let mut key: Key = (text, 0);
        while self.order.contains_key(&key) {
            key.1 += 1;
        }
        let id = match self.free.pop() {
            Some(id) => id,
            None => self.members.push(None),
        };
        for claim in claims(&resource) {
            self.claims.add(&claim, &key, id);
        }
        affected.insert(id);
        self.by_address.insert(address(&resource), id);
        self.order.insert(key.clone(), id);
        let (edges, on_hosts) = (Vec::new(), Vec::new());
        self.members[id] = Some(Member { resource, key, vertex, round: self.round, owned, edges, on_hosts });
        if self.is_indexed {
            self.index(id);
        }
    }

    /// Records the wants of a member.
    fn index(&mut self, id: MemberId) {
        let member = self.members[id].as_ref().expect("members that are handed around are there");
        for read in reads(&member.resource) {
            self.below.entry(read.path().to_owned()).or_default().insert(id);
            self.readers.entry(read.path().to_owned()).or_default().insert(id);
        }
        if let Some(path) = wants_above(&member.resource) {
            self.below.entry(path).or_default().insert(id);
        }
        let on_hosts = wants_on_hosts(&member.resource);
        for claim in wanted(&wants(&member.resource)).chain(&member.owned.claims).chain(&on_hosts) {
            self.wanted.entry(class(claim)).or_default().insert(id);
        }
        if !member.owned.paths.is_empty() {
            self.owners.insert(id);
        }
    }

    fn write(&self, graph: &mut ResGraph) {
        let mut known: FxHashSet<(VertexId, VertexId)> = graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        for id in self.order.values() {
            let me = self.member(*id);
            for (other, direction) in &me.edges {
                let other = self.member(*other);
                let (from, to) = match direction {
                    Direction::Before => (other, me),
                    Direction::After => (me, other),
                };
                if known.insert((from.vertex, to.vertex)) {
                    graph.edges.push(edge(from, to));
                }
            }
        }
        let n_firm = graph.edges.len();
        for id in self.order.values() {
            let to = self.member(*id);
            for from in to.on_hosts.iter().map(|from| self.member(*from)) {
                if known.insert((from.vertex, to.vertex)) {
                    graph.edges.push(edge(from, to));
                }
            }
        }
        yield_to_cycles(graph, n_firm);
    }
}

fn edge(from: &Member, to: &Member) -> Edge {
    let name = [&*from.key.0, " -> ", &to.key.0].concat().into();
    Edge { from: from.vertex, to: to.vertex, name, notify: false }
}

/// Whether a path is among these, which are sorted, or is a directory that contains one of them.
fn brings(paths: &[String], path: &str) -> bool {
    let at = paths.partition_point(|known| known.as_str() < path);
    paths.get(at).is_some_and(|known| known == path || path.ends_with('/') && known.starts_with(path))
}

fn forget<K: Ord + Borrow<Q>, Q: Ord + ?Sized>(members: &mut BTreeMap<K, BTreeSet<MemberId>>, at: &Q, id: MemberId) {
    if let Some(known) = members.get_mut(at) {
        known.remove(&id);
        if known.is_empty() {
            members.remove(at);
        }
    }
}

fn address(resource: &Arc<Resource>) -> usize {
    Arc::as_ptr(resource) as usize
}

fn wanted(wants: &[WantBatch]) -> impl Iterator<Item = &Claim> {
    wants.iter().flat_map(|batch| &batch.claims).map(|(claim, _)| claim)
}
