//! [`Ordered`]: a model with an order between its resources and those of other hosts.
//!
//! On hosts that share a store, each publishes there what others require of it ([`Between`]), and leaves out resources
//! that wait until the other hosts have published it. Without a shared store nothing waits. Both are reported.

use crate::diag::{Diagnostic, Diags};
use crate::engine_language::{Fixed, Live};
use crate::protocol::Cause;
use crate::react::{FactId, FactRequest, Outcome, React};
use crate::rgraph::{NextGraph, ResGraph};
use crate::sched::News;
use crate::vocab::{Datum, FactSpec, HostError, store};
use mclive_inmanta::fault::{Warning, warning_diagnostic};
use mclive_inmanta::lower::{Awaited, Between};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of causes that are notified of a graph.
pub(super) const MAX_CAUSES: usize = 3;

/// The maximum number of requirements that a warning names: a model may have thousands.
const MAX_PAIRS: usize = 10;

/// The program of a host: with an order between hosts it subscribes to facts, with ids from `first` on.
pub(super) fn made(graph: ResGraph, between: Option<Between>, first: u64) -> Box<dyn Live> {
    match between {
        Some(between) => Box::new(Ordered::new(graph, between, first)),
        None => Box::new(Fixed::new(graph)),
    }
}

/// A model that is running. Without an order, it waits for nothing.
#[derive(Clone)]
pub(super) struct Ordered {
    whole: ResGraph,
    between: Between,
    facts: BTreeMap<FactId, Fact>,
    /// The id of the next subscription.
    next: u64,
    requests: Vec<FactRequest>,
    is_made: bool,
    /// The last warning.
    reported: String,
    /// The requirements that are not met yet, as indices into those of the model. One that was met stays so: other hosts
    /// may take up another model before this one does.
    waiting: BTreeSet<usize>,
    causes: Vec<Cause>,
    warnings: Vec<Diagnostic>,
}

/// A fact of the store.
#[derive(Clone)]
struct Fact {
    spec: store::Fact,
    /// What the host has told, if anything; `Some(None)`: it has no value.
    told: Option<Option<Datum>>,
}

impl Ordered {
    /// Its subscriptions have ids from `first` on.
    pub(super) fn new(whole: ResGraph, between: Between, first: u64) -> Ordered {
        let mut ordered = Ordered {
            waiting: (0..between.awaited.len()).collect(),
            whole,
            between,
            facts: BTreeMap::new(),
            next: first,
            requests: Vec::new(),
            is_made: false,
            reported: String::new(),
            causes: Vec::new(),
            warnings: Vec::new(),
        };
        ordered.follow();
        ordered
    }

    /// Continues with another graph of the same model. What was met before stays so.
    pub(super) fn replace(&mut self, whole: ResGraph, between: Between) {
        let awaited = self.between.awaited.iter().enumerate().filter(|(nr, _)| !self.waiting.contains(nr));
        let met: BTreeSet<(String, String)> =
            awaited.map(|(_, awaited)| (awaited.key(), awaited.state.clone())).collect();
        let awaited = between.awaited.iter().enumerate();
        let waiting = awaited.filter(|(_, awaited)| !met.contains(&(awaited.key(), awaited.state.clone())));
        self.waiting = waiting.map(|(nr, _)| nr).collect();
        (self.whole, self.between, self.is_made) = (whole, between, false);
        self.follow();
    }

    /// Follows the facts that the order depends on, and no others.
    fn follow(&mut self) {
        let keys: BTreeSet<String> = self.between.awaited.iter().map(Awaited::key).collect();
        let values = keys.into_iter().map(|key| store::Fact::Value { key });
        let shared = (!self.between.is_empty()).then_some(store::Fact::Shared);
        let specs: Vec<store::Fact> = shared.into_iter().chain(values).collect();
        let known: BTreeSet<&store::Fact> = self.facts.values().map(|fact| &fact.spec).collect();
        let new: Vec<store::Fact> = specs.iter().filter(|spec| !known.contains(spec)).cloned().collect();
        let needed: BTreeSet<&store::Fact> = specs.iter().collect();
        let requests = &mut self.requests;
        self.facts.retain(|id, fact| {
            let is_needed = needed.contains(&fact.spec);
            if !is_needed {
                requests.push(FactRequest::Unsubscribe(*id));
            }
            is_needed
        });
        for spec in new {
            let id = FactId(self.next);
            self.next += 1;
            self.requests.push(FactRequest::Subscribe(id, FactSpec::Store(spec.clone())));
            self.facts.insert(id, Fact { spec, told: None });
        }
    }

    fn is_shared(&self) -> bool {
        let is_yes = |fact: &Fact| fact.told == Some(Some(Datum::Bool(true)));
        self.facts.values().any(|fact| fact.spec == store::Fact::Shared && is_yes(fact))
    }

    /// The requirements that are not met yet.
    fn still_waiting(&self) -> BTreeSet<usize> {
        if !self.is_shared() {
            return BTreeSet::new();
        }
        let told = self.facts.values().filter_map(|fact| {
            let store::Fact::Value { key } = &fact.spec else { return None };
            let Some(Some(Datum::Bytes(state))) = &fact.told else { return None };
            Some((key.as_str(), &state[..]))
        });
        let told: BTreeMap<&str, &[u8]> = told.collect();
        let is_met =
            |awaited: &Awaited| told.get(awaited.key().as_str()).is_some_and(|told| *told == awaited.state.as_bytes());
        self.waiting.iter().copied().filter(|nr| !is_met(&self.between.awaited[*nr])).collect()
    }

    /// Reports what waits, or that nothing does.
    fn report(&mut self, waiting: &BTreeSet<usize>) {
        let (text, which): (&str, Vec<&Awaited>) = match self.is_shared() {
            true => (
                "left out until other hosts have deployed the required resources",
                waiting.iter().map(|nr| &self.between.awaited[*nr]).collect(),
            ),
            false => (
                "the order between hosts is not kept without a shared store (`--world`)",
                self.between.awaited.iter().collect(),
            ),
        };
        let Some(first) = which.first() else { return };
        let pairs = which.iter().map(|awaited| format!("{} requires {}", awaited.waiting, awaited.required));
        let rest = match which.len().saturating_sub(MAX_PAIRS) {
            0 => String::new(),
            n_others => format!("; and {n_others} more"),
        };
        let message = format!("{text}: {}{rest}", pairs.take(MAX_PAIRS).collect::<Vec<_>>().join("; "));
        if self.reported != message {
            self.reported.clone_from(&message);
            let warning = Warning { class: "LoweringWarning", message, span: Some(first.span) };
            self.warnings.push(warning_diagnostic(&warning));
        }
    }

    fn graph(&self) -> ResGraph {
        match self.is_shared() {
            true => self.between.graph(&self.whole, self.waiting.iter().map(|nr| &self.between.awaited[*nr])),
            false => self.whole.clone(),
        }
    }
}

impl Live for Ordered {
    fn copy(&self) -> Box<dyn Live> {
        Box::new(self.clone())
    }

    fn fact(&mut self, id: FactId, told: Result<Datum, HostError>) {
        let Some(fact) = self.facts.get_mut(&id) else { return };
        if fact.told.is_some() {
            self.causes.push(Cause::Fact { name: FactSpec::Store(fact.spec.clone()).to_string() });
        }
        fact.told = Some(told.ok());
    }

    fn take_requests(&mut self) -> Vec<FactRequest> {
        std::mem::take(&mut self.requests)
    }

    fn wake(&self) -> Option<u64> {
        None
    }

    fn run(&mut self, _: u64) -> Outcome {
        if self.facts.values().any(|fact| fact.told.is_none()) {
            return Outcome::Waiting;
        }
        let waiting = self.still_waiting();
        let is_first = !std::mem::replace(&mut self.is_made, true);
        let changed = is_first || waiting != self.waiting;
        if is_first {
            self.report(&waiting);
        }
        if !changed {
            self.causes.clear();
        }
        self.waiting = waiting;
        Outcome::Complete { changed }
    }

    fn update(&mut self) -> Result<NextGraph, Diags> {
        Ok(NextGraph::Whole(self.graph()))
    }

    fn whole(&mut self) -> Result<ResGraph, Diags> {
        Ok(self.graph())
    }

    fn news(&mut self, is_first: bool) -> News {
        let causes = std::mem::take(&mut self.causes);
        let all = if is_first { vec![Cause::Deployed] } else { causes.into_iter().take(MAX_CAUSES).collect() };
        News { all, ..News::default() }
    }

    fn is_another_table(&self) -> bool {
        false
    }

    fn react(&self) -> Option<&React> {
        None
    }

    fn take_warnings(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.warnings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rgraph::LeftOut;
    use crate::source::MemoryWorld;
    use crate::vocab::HostErrorKind;
    use mclive_inmanta::{Hosts, understand};

    /// `/y` of the host b waits for `/x` of a, and `/z` for `/y`.
    const MODEL: &str = "import fs\na = std::Host(name=\"a\", os=std::linux)\nb = std::Host(name=\"b\", os=std::linux)\n\
        x = fs::File(host=a, path=\"/x\", content=\"x\")\n\
        y = fs::File(host=b, path=\"/y\", content=\"y\", requires=x, purge_on_delete=true)\n\
        fs::File(host=b, path=\"/z\", content=\"z\", requires=y)\nfs::File(host=b, path=\"/free\", content=\"\")\n";

    fn of(host: &str) -> (ResGraph, Between) {
        of_model(MODEL, host)
    }

    fn of_model(model: &str, host: &str) -> (ResGraph, Between) {
        let world = MemoryWorld::of([("/main.cf", model.as_bytes())]);
        let mut understood = understand(&world, "/main.cf", Hosts::One(host));
        assert!(understood.diags.iter().next().is_none(), "the model is fine");
        let (host, graph) = understood.graphs.remove(0);
        (graph, understood.between.remove(&host).expect("it has an order with the other host"))
    }

    /// What the host reports, by subscription.
    fn told(live: &mut Box<dyn Live>, facts: &[(u64, Option<Datum>)]) -> bool {
        for (id, told) in facts {
            let missing = || HostError::new(HostErrorKind::NotFound, "no such key");
            live.fact(FactId(*id), told.clone().ok_or_else(missing));
        }
        live.run(0) == Outcome::Complete { changed: true }
    }

    /// The resources, and what is left out for now.
    fn shown(live: &mut Box<dyn Live>) -> (Vec<String>, Vec<String>) {
        let graph = live.whole().unwrap_or_default();
        let mut resources: Vec<String> = graph.resources.values().map(|resource| resource.id.to_string()).collect();
        resources.sort();
        let left_out = graph.left_out.iter().map(|one| match one {
            LeftOut::Named { id, is_spared } => format!("{id}{}", if *is_spared { " spared" } else { "" }),
            LeftOut::Unnamed { kind } => (*kind).to_owned(),
        });
        (resources, left_out.collect())
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn what_waits_comes_once_the_other_host_has_told() {
        let (_, on_a) = of("a");
        let (graph, between) = of("b");
        let mut live = made(graph, Some(between), 5);
        assert_eq!(live.run(0), Outcome::Waiting);
        let key = "deployed/fs::File[a,path=/x]/a".to_owned();
        let asked = [store::Fact::Shared, store::Fact::Value { key }];
        let asked = [5, 6].map(FactId).into_iter().zip(asked.map(FactSpec::Store));
        let asked: Vec<FactRequest> = asked.map(|(id, spec)| FactRequest::Subscribe(id, spec)).collect();
        assert_eq!(live.take_requests(), asked);
        assert!(told(&mut live, &[(5, Some(Datum::Bool(true))), (6, None)]));
        assert_eq!(shown(&mut live), (names(&["file[/free]"]), names(&["file[/y]", "file[/z] spared"])));
        let warnings = live.take_warnings();
        let [warning] = &warnings[..] else { panic!("{} warnings", warnings.len()) };
        assert!(warning.message.ends_with("fs::File[b,path=/y] requires fs::File[a,path=/x]"), "{}", warning.message);
        // Another state than that of this model is one of an earlier model.
        assert!(!told(&mut live, &[(6, Some(Datum::text("earlier")))]));
        assert!(told(&mut live, &[(6, Some(Datum::text(on_a.told[0].value.as_str())))]));
        assert_eq!(shown(&mut live), (names(&["file[/free]", "file[/y]", "file[/z]"]), names(&[])));
        assert!(live.take_warnings().is_empty());
        // What was deployed once stays so.
        assert!(!told(&mut live, &[(6, Some(Datum::text("later")))]));
    }

    #[test]
    fn a_requirement_once_met_stays_met_with_another_graph() {
        let (graph, between) = of("b");
        let mut ordered = Ordered::new(graph, between, 0);
        assert_eq!(ordered.take_requests().len(), 2);
        ordered.fact(FactId(0), Ok(Datum::Bool(true)));
        ordered.fact(FactId(1), Ok(Datum::text(of("a").1.told[0].value.as_str())));
        assert_eq!(ordered.run(0), Outcome::Complete { changed: true });
        ordered.fact(FactId(1), Ok(Datum::text("later")));
        let (graph, between) = of_model(&MODEL.replace("content=\"z\"", "content=\"other\""), "b");
        ordered.replace(graph, between);
        assert_eq!((ordered.take_requests(), ordered.run(0)), (Vec::new(), Outcome::Complete { changed: true }));
        assert_eq!(shown(&mut ordered.copy()).0, names(&["file[/free]", "file[/y]", "file[/z]"]));
        ordered.replace(ResGraph::default(), Between::default());
        assert_eq!(ordered.take_requests(), [0, 1].map(|id| FactRequest::Unsubscribe(FactId(id))));
    }

    #[test]
    fn a_warning_names_only_some_of_many_requirements() {
        let (graph, mut between) = of("b");
        between.awaited = vec![between.awaited[0].clone(); MAX_PAIRS + 2];
        let mut live = made(graph, Some(between), 0);
        assert!(told(&mut live, &[(0, Some(Datum::Bool(true))), (1, None)]));
        let warnings = live.take_warnings();
        let message = &warnings[0].message;
        assert_eq!(message.matches(" requires ").count(), MAX_PAIRS);
        assert!(message.ends_with("; and 2 more"), "{message}");
    }

    #[test]
    fn what_others_require_is_told_after_it() {
        let (graph, between) = of("a");
        let mut live = made(graph, Some(between), 0);
        assert!(told(&mut live, &[(0, Some(Datum::Bool(true)))]));
        let graph = live.whole().unwrap_or_default();
        let edges: Vec<&str> = graph.edges.iter().map(|edge| &*edge.name).collect();
        assert_eq!(edges, ["file[/x] -> kv[deployed/fs::File[a,path=/x]]"]);
        assert!(live.take_warnings().is_empty());
    }

    #[test]
    fn what_the_host_puts_after_a_waiting_resource_waits_too() {
        let model = "import fs\na = std::Host(name=\"a\", os=std::linux)\nb = std::Host(name=\"b\", os=std::linux)\n\
            x = fs::File(host=a, path=\"/x\", content=\"x\")\nfs::Directory(host=b, path=\"/d\", requires=x)\n\
            fs::File(host=b, path=\"/d/f\", content=\"f\")\nfs::File(host=b, path=\"/free\", content=\"\")\n";
        let (graph, between) = of_model(model, "b");
        let mut live = made(graph, Some(between), 0);
        assert!(told(&mut live, &[(0, Some(Datum::Bool(true))), (1, None)]));
        let (resources, mut left_out) = shown(&mut live);
        left_out.sort();
        assert_eq!((resources, left_out), (names(&["file[/free]"]), names(&["file[/d/] spared", "file[/d/f] spared"])));
    }

    /// All hosts can read the name.
    #[test]
    fn a_long_name_and_a_command_are_told_by_their_sums() {
        let long = format!("fs::File(host=a, path=\"{}\", content=\"x\")", "/a".repeat(600));
        for first in [long.as_str(), "exec::Run(host=a, command=\"/bin/tool --password hush\")"] {
            let model = format!(
                "import fs\nimport exec\na = std::Host(name=\"a\", os=std::linux)\nb = std::Host(name=\"b\", os=std::linux)\n\
                x = {first}\nfs::File(host=b, path=\"/y\", content=\"\", requires=x)\n"
            );
            let (graph, between) = of_model(&model, "a");
            let mut live = made(graph, Some(between), 0);
            assert!(told(&mut live, &[(0, Some(Datum::Bool(true)))]));
            let (resources, _) = shown(&mut live);
            let key = of_model(&model, "b").1.awaited[0].key();
            assert!(key.len() < 100 && !key.contains("hush"), "{key}");
            assert!(resources.contains(&format!("kv[{}]", key.trim_end_matches("/a"))), "{key}: {resources:?}");
        }
    }

    #[test]
    fn without_a_shared_store_nothing_waits() {
        let (graph, between) = of("b");
        let mut live = made(graph, Some(between), 0);
        assert!(told(&mut live, &[(0, Some(Datum::Bool(false))), (1, None)]));
        assert_eq!(shown(&mut live), (names(&["file[/free]", "file[/y]", "file[/z]"]), names(&[])));
        let warnings = live.take_warnings();
        assert!(warnings.len() == 1 && warnings[0].message.contains("is not kept without a shared store"));
        let (graph, between) = of("a");
        let mut live = made(graph, Some(between), 0);
        assert!(told(&mut live, &[(0, Some(Datum::Bool(false)))]));
        assert_eq!(shown(&mut live), (names(&["file[/x]"]), names(&[])));
        assert!(live.take_warnings().is_empty());
    }
}
