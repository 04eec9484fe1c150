//! The scheduling step of engine spec 7 and 8, implemented literally without regard to cost: every success is passed on
//! to every successor. One check at a time, each finished immediately.

use std::collections::{BTreeMap, VecDeque};

/// A vertex as a program declares it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Declared {
    pub(super) name: &'static str,
    pub(super) refreshable: bool,
    pub(super) noop: bool,
    pub(super) hidden: bool,
    pub(super) retry: i16,
    pub(super) text: Option<String>,
    /// The sender of its text.
    pub(super) sender: Option<&'static str>,
}

/// Start, end, and whether it notifies.
pub(super) type Edge = (&'static str, &'static str, bool);

struct Vertex {
    declared: Declared,
    /// With received values.
    text: Option<String>,
    ts: u64,
    clean: bool,
    failed: bool,
    /// It failed, and something happened to it.
    looks_again: bool,
    has_event: bool,
}

/// The results of a vertex's checks: some first, then always the last.
#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) first: VecDeque<i32>,
    pub(super) then: i32,
    pub(super) says: String,
}

#[derive(Default)]
pub(super) struct Machine {
    vertices: BTreeMap<&'static str, Vertex>,
    /// With the refresh flag.
    edges: BTreeMap<Edge, bool>,
    sent: BTreeMap<&'static str, String>,
    budgets: BTreeMap<&'static str, i16>,
    seq: u64,
    queue: VecDeque<&'static str>,
    pub(super) scripts: BTreeMap<&'static str, Script>,
    /// The number of checks of each.
    pub(super) n_checks: BTreeMap<&'static str, usize>,
}

impl Machine {
    /// Engine spec, 6.
    pub(super) fn switch(&mut self, declared: &[Declared], edges: &[Edge]) {
        let mut old = std::mem::take(&mut self.vertices);
        let old_edges = std::mem::take(&mut self.edges);
        let sent = self.sent.clone();
        let mut is_new = BTreeMap::new();
        for declared in declared {
            let name = declared.name;
            let before = old.remove(name);
            // Values sent so far are received before the comparison.
            let same = |before: &Vertex| {
                let prefilled = declared.sender.and_then(|sender| sent.get(sender).cloned());
                let (a, b) = (&before.declared, declared);
                let meta = (a.refreshable, a.noop, a.hidden, a.retry) == (b.refreshable, b.noop, b.hidden, b.retry);
                let received = prefilled.or_else(|| declared.text.clone());
                meta && if a.sender == b.sender { a.text == b.text } else { before.text == received }
            };
            let kept = before.filter(same);
            is_new.insert(name, kept.is_none());
            let vertex = match kept {
                Some(before) => Vertex { declared: declared.clone(), ..before },
                None => {
                    let text = declared.text.clone();
                    let declared = declared.clone();
                    self.sent.remove(name);
                    Vertex { declared, text, ts: 0, clean: false, failed: false, looks_again: false, has_event: true }
                }
            };
            self.vertices.insert(name, vertex);
        }
        for name in old.keys() {
            self.sent.remove(name);
        }
        for &edge in edges {
            let stays = !is_new[edge.0] && !is_new[edge.1];
            self.edges.insert(edge, stays && old_edges.get(&edge).copied().unwrap_or(false));
        }
        let vertices = &self.vertices;
        self.budgets.retain(|name, _| vertices.contains_key(name));
        // A waiting vertex may have waited for one that is gone.
        let unsettled = |name: &&str| is_new[name] || !vertices[name].clean && !vertices[name].declared.noop;
        let unsettled: Vec<_> = declared.iter().map(|declared| declared.name).filter(unsettled).collect();
        unsettled.into_iter().for_each(|name| self.poke(name));
        self.run();
    }

    pub(super) fn event(&mut self, name: &'static str) {
        if let Some(vertex) = self.vertices.get_mut(name).filter(|vertex| !vertex.declared.hidden) {
            vertex.has_event = true;
            self.poke(name);
            self.run();
        }
    }

    /// Pokes of one vertex are merged.
    fn poke(&mut self, name: &'static str) {
        if !self.queue.contains(&name) {
            self.queue.push_back(name);
        }
    }

    pub(super) fn has_failed(&self, name: &str) -> bool {
        self.vertices.get(name).is_some_and(|vertex| vertex.failed)
    }

    /// Whether something it waits for has failed.
    pub(super) fn is_behind_failure(&self, name: &str) -> bool {
        self.before(name).into_iter().any(|before| self.has_failed(before) || self.is_behind_failure(before))
    }

    fn run(&mut self) {
        let mut n_steps = 0;
        while let Some(name) = self.queue.pop_front() {
            n_steps += 1;
            assert!(n_steps < 10_000, "it comes to rest");
            let vertex = self.vertices.get_mut(name).unwrap();
            let has_event = std::mem::take(&mut vertex.has_event);
            vertex.clean &= !has_event;
            // Beyond the letter of the spec, in which a failed vertex has ended.
            vertex.looks_again |= vertex.failed && has_event;
            if !vertex.failed || vertex.looks_again {
                self.process(name);
            }
        }
    }

    fn before(&self, name: &str) -> Vec<&'static str> {
        self.edges.keys().filter(|edge| edge.1 == name).map(|edge| edge.0).collect()
    }

    fn process(&mut self, name: &'static str) {
        let ts = self.vertices[name].ts;
        let bad: Vec<_> = self.before(name).into_iter().filter(|before| ts >= self.vertices[before].ts).collect();
        if !bad.is_empty() {
            bad.into_iter().for_each(|before| self.poke(before));
            return;
        }
        if let Some(sender) = self.vertices[name].declared.sender {
            let Some(sent) = self.sent.get(sender).cloned() else { return self.failed(name) };
            let vertex = self.vertices.get_mut(name).unwrap();
            if vertex.text.as_ref() != Some(&sent) {
                (vertex.text, vertex.clean) = (Some(sent), false);
            }
        }
        let refresh = self.edges.iter().any(|(edge, refresh)| edge.1 == name && *refresh);
        let vertex = &self.vertices[name];
        let Declared { refreshable, noop, hidden, .. } = vertex.declared;
        let changed = if hidden || vertex.clean && !(refresh && refreshable) {
            false
        } else if noop && refresh && refreshable {
            true
        } else {
            *self.n_checks.entry(name).or_default() += 1;
            let script = self.scripts.get_mut(name).unwrap();
            match script.first.pop_front().unwrap_or(script.then) {
                2 => return self.failed(name),
                status => {
                    self.sent.insert(name, script.says.clone());
                    status == 1
                }
            }
        };
        let vertex = self.vertices.get_mut(name).unwrap();
        (vertex.failed, vertex.looks_again) = (false, false);
        if !noop {
            self.vertices.get_mut(name).unwrap().clean = true;
            self.edges.iter_mut().filter(|(edge, _)| edge.1 == name).for_each(|(_, refresh)| *refresh = false);
            if changed {
                let told = |edge: &Edge| edge.0 == name && edge.2;
                self.edges.iter_mut().filter(|(edge, _)| told(edge)).for_each(|(_, refresh)| *refresh = true);
            }
        }
        self.seq += 1;
        self.vertices.get_mut(name).unwrap().ts = self.seq;
        let after: Vec<_> = self.edges.keys().filter(|edge| edge.0 == name).map(|edge| edge.1).collect();
        for after in after {
            let ts = self.vertices[after].ts;
            let all_newer = self.before(after).iter().all(|before| self.vertices[before].ts > ts);
            if all_newer || ts > 0 && self.has_news(name, after) {
                self.poke(after);
            }
        }
    }

    /// Beyond the letter of the spec, in which one of several predecessors that stays older blocks news forever.
    fn has_news(&self, from: &str, to: &str) -> bool {
        let vertex = &self.vertices[to];
        let notified = || self.edges.iter().any(|(edge, refresh)| *refresh && (edge.0, edge.1) == (from, to));
        let is_sender = || vertex.declared.sender == Some(from) && vertex.text.as_ref() != self.sent.get(from);
        !vertex.declared.noop && (!vertex.clean || notified()) || is_sender()
    }

    fn failed(&mut self, name: &'static str) {
        let vertex = self.vertices.get_mut(name).unwrap();
        let left = self.budgets.entry(name).or_insert(vertex.declared.retry);
        if *left == 0 {
            (vertex.failed, vertex.looks_again) = (true, false);
        } else {
            *left -= 1;
            self.poke(name);
        }
    }
}
