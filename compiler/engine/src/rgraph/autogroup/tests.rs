//! Compares grouping with the literal rules of engine spec 12, which try every pair, and counts that the work is
//! proportional to the graph.

use super::grouping::{Grouping, family};
use super::{Edge, ResGraph, Resource, VertexId, in_order};
use crate::index::Id;
use crate::kinds::{self, Params};
use crate::protocol::ResourceId;
use crate::rgraph::Meta;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

fn resource(kind: &str, name: &str) -> Arc<Resource> {
    let kind = kinds::lookup(kind).expect("the kind is there");
    Arc::new(Resource {
        id: ResourceId::new(kind.decl().name, name),
        kind,
        params: Params::default(),
        meta: Meta::default().into(),
        receives: Vec::new(),
        secret_fields: Vec::new(),
        children: Vec::new(),
        is_reversal: false,
        span: None,
    })
}

/// A graph of resources and edges between their indices.
fn graph(resources: Vec<Arc<Resource>>, edges: impl IntoIterator<Item = (usize, usize)>) -> ResGraph {
    let edge = |(from, to): (usize, usize)| Edge {
        from: VertexId::from_index(from),
        to: VertexId::from_index(to),
        name: format!("{from} -> {to}").into(),
        notify: (from + to) % 3 == 0,
    };
    let (resources, edges) = (resources.into_iter().collect(), edges.into_iter().map(edge).collect());
    ResGraph { resources, edges, ..ResGraph::default() }
}

fn noops(n: usize) -> Vec<Arc<Resource>> {
    (0..n).map(|index| resource("noop", &format!("n{index:06}"))).collect()
}

/// Vertices with children, and edges with names and flags.
type Shown = (Vec<String>, Vec<(String, String, String, bool)>);

fn shown(graph: &ResGraph) -> Shown {
    let name = |id: VertexId| graph.resources[id].id.to_string();
    let vertices = graph.resources.values().map(|resource| format!("{} {:?}", resource.id, resource.children));
    let edges = graph.edges.iter().map(|edge| (name(edge.from), name(edge.to), edge.name.to_string(), edge.notify));
    let mut edges: Vec<_> = edges.collect();
    edges.sort();
    (vertices.collect(), edges)
}

/// The rules of the specification: every ordered pair, each with a separate search.
struct Literal {
    resources: Vec<Option<Arc<Resource>>>,
    edges: BTreeMap<(usize, usize), (String, bool)>,
}

impl Literal {
    fn group(graph: &ResGraph) -> Shown {
        let edges =
            graph.edges.iter().map(|edge| ((edge.from.index(), edge.to.index()), (edge.name.to_string(), edge.notify)));
        let mut literal =
            Literal { resources: graph.resources.values().cloned().map(Some).collect(), edges: edges.collect() };
        let order = in_order(graph);
        for leader in &order {
            for member in &order {
                literal.pair(leader.index(), member.index());
            }
        }
        literal.shown()
    }

    fn pair(&mut self, leader: usize, member: usize) {
        let (Some(one), Some(other)) = (&self.resources[leader], &self.resources[member]) else { return };
        let same_kind = one.id.kind == other.id.kind;
        let may = leader != member
            && family(one) == family(other)
            && (!same_kind || other.children.is_empty())
            && one.kind.leads(&one.want())
            && one.kind.groups(&one.want(), &other.want()).is_ok();
        if !may || self.path(leader, member).is_some() || self.path(member, leader).is_some() {
            return;
        }
        let ends: Vec<(usize, usize)> =
            self.edges.keys().copied().filter(|(from, to)| *from == member || *to == member).collect();
        let (ins, outs): (Vec<_>, Vec<_>) = ends.into_iter().partition(|(_, to)| *to == member);
        for (from, to) in ins.into_iter().chain(outs) {
            let Some(link) = self.edges.remove(&(from, to)) else { continue };
            let other = |end: usize| if end == member { leader } else { end };
            self.redirect(other(from), other(to), link);
        }
        let Some(child) = self.resources[member].take() else { return };
        if let Some(leader) = &mut self.resources[leader] {
            Arc::make_mut(leader).children.push(child);
        }
    }

    fn redirect(&mut self, from: usize, to: usize, link: (String, bool)) {
        let Some(path) = self.path(from, to) else {
            self.edges.insert((from, to), link);
            return;
        };
        for edge in path {
            if let Some(known) = self.edges.get_mut(&edge) {
                *known = (String::new(), known.1 | link.1);
            }
        }
    }

    fn path(&self, from: usize, to: usize) -> Option<Vec<(usize, usize)>> {
        let mut came = BTreeMap::new();
        let mut work = VecDeque::from([from]);
        while let Some(at) = work.pop_front() {
            for &(_, next) in self.edges.range((at, 0)..=(at, usize::MAX)).map(|(edge, _)| edge) {
                if next != from && !came.contains_key(&next) {
                    came.insert(next, at);
                    work.push_back(next);
                }
            }
        }
        let mut edges = Vec::new();
        let mut at = to;
        while at != from {
            let before = *came.get(&at)?;
            edges.push((before, at));
            at = before;
        }
        Some(edges)
    }

    fn shown(&self) -> Shown {
        let name = |id: usize| self.resources[id].as_ref().map(|resource| resource.id.to_string()).unwrap_or_default();
        let vertices = self.resources.iter().flatten();
        let vertices = vertices.map(|resource| format!("{} {:?}", resource.id, resource.children));
        let edges =
            self.edges.iter().map(|((from, to), (text, notify))| (name(*from), name(*to), text.clone(), *notify));
        let mut edges: Vec<_> = edges.collect();
        edges.sort();
        (vertices.collect(), edges)
    }
}

/// A small portable random number generator (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

fn random(chance: &mut Chance) -> ResGraph {
    let n = 2 + chance.below(14);
    // Several families, kinds of one family that lead each other, and one that is never grouped.
    let kinds = ["noop", "noop", "noop", "print", "test", "http:server", "http:server:flag", "pkg"];
    let n_kinds = 1 + chance.below(kinds.len());
    let resources = (0..n).map(|_| {
        let kind = kinds[chance.below(n_kinds)];
        // Names in another order than numbers.
        resource(kind, &format!("{:02}", chance.below(100)))
    });
    let mut seen = BTreeSet::new();
    let resources: Vec<_> = resources.collect::<Vec<_>>().into_iter().filter(|it| seen.insert(it.id.clone())).collect();
    let n = resources.len();
    let density = 1 + chance.below(2 * n);
    let mut edges = BTreeSet::new();
    for _ in 0..density {
        let (a, b) = (chance.below(n), chance.below(n));
        if a != b {
            edges.insert((a.min(b), a.max(b)));
        }
    }
    graph(resources, edges)
}

#[test]
fn groups_are_those_of_the_specification() {
    let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
    let mut n_grouped = 0;
    for round in 0..3000 {
        let before = random(&mut chance);
        let mut after = before.clone();
        super::autogroup(&mut after).expect("there is no cycle");
        assert_eq!(shown(&after), Literal::group(&before), "round {round}: {:?}", shown(&before));
        n_grouped += before.resources.len() - after.resources.len();
    }
    assert!(n_grouped > 3000, "{n_grouped}");
}

/// Remaining vertices, and visits per original one.
fn cost(graph: ResGraph) -> (usize, u64) {
    let n = graph.resources.len();
    let mut grouping = Grouping::new(&graph);
    grouping.merge_all(&in_order(&graph));
    let n_left = grouping.gone.iter().filter(|gone| !**gone).count();
    (n_left, grouping.n_visited / n as u64)
}

const MANY: usize = 20_000;

#[test]
fn a_chain_costs_its_length() {
    let (n_left, visits) = cost(graph(noops(MANY), (1..MANY).map(|at| (at - 1, at))));
    assert_eq!(n_left, MANY);
    assert!(visits <= 8, "{visits}");
}

#[test]
fn a_chain_with_one_beside_it_costs_its_length() {
    let (n_left, visits) = cost(graph(noops(MANY), (2..MANY).map(|at| (at - 1, at))));
    assert_eq!(n_left, MANY - 1);
    assert!(visits <= 16, "{visits}");
}

#[test]
fn a_chain_of_diamonds_costs_its_length() {
    let n = MANY / 3;
    let diamond = |at: usize| {
        let at = at * 3;
        [(at, at + 1), (at, at + 2), (at + 1, at + 3), (at + 2, at + 3)]
    };
    let (n_left, visits) = cost(graph(noops(3 * n + 1), (0..n).flat_map(diamond)));
    assert_eq!(n_left, 2 * n + 1);
    assert!(visits <= 24, "{visits}");
}

#[test]
fn a_fan_costs_its_width() {
    let fan = (1..MANY - 1).flat_map(|at| [(0, at), (at, MANY - 1)]);
    let (n_left, visits) = cost(graph(noops(MANY), fan));
    assert_eq!(n_left, 3);
    assert!(visits <= 24, "{visits}");
}

#[test]
fn those_that_are_not_ordered_cost_their_number() {
    let (n_left, visits) = cost(graph(noops(MANY), []));
    assert_eq!(n_left, 1);
    assert!(visits <= 8, "{visits}");
}

#[test]
fn many_short_chains_cost_less_than_pairs() {
    // A hundred chains of a hundred: each of a hundred groups takes one of each chain.
    let edges = (0..10_000).filter(|at| at % 100 > 0).map(|at| (at - 1, at));
    let (n_left, visits) = cost(graph(noops(10_000), edges));
    assert_eq!(n_left, 100);
    assert!(visits <= 1000, "{visits}");
}
