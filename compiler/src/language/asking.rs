//! [`Asking`]: a model that reads environment variables or facts about resources, compiled with what the host answers,
//! and again whenever an answer changes.

use super::ordered::{MAX_CAUSES, Ordered};
use crate::diag::{Diagnostic, Diags, Severity};
use crate::engine_language::Live;
use crate::protocol::Cause;
use crate::react::{FactId, FactRequest, Outcome, React};
use crate::rgraph::{NextGraph, ResGraph};
use crate::sched::News;
use crate::source::MemoryWorld;
use crate::vocab::{Datum, FactSpec, HostError};
use mclive_inmanta::{Environment, Hosts, Understood, understand_in};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The first subscription of the compiled model; those of its questions come before.
const FIRST_OF_MODEL: u64 = 1 << 32;

/// A running model whose graph depends on what the host answers.
///
/// Its questions may depend on other answers, so it is compiled until there are no new ones. Each fact is requested once,
/// so this ends. If an answer makes the model invalid, the last graph is kept until another answer makes it valid.
#[derive(Clone)]
pub(super) struct Asking {
    world: Arc<MemoryWorld>,
    entry: String,
    host: String,
    environment: Environment,
    /// The subscriptions, ascending, each with what it asks and whether it was answered.
    asked: BTreeMap<FactId, (FactSpec, bool)>,
    requests: Vec<FactRequest>,
    /// Some answers arrived after the last compilation.
    is_stale: bool,
    /// The model with the last answers that made it valid.
    model: Option<Ordered>,
    /// Why the current answers make it invalid.
    refused: Option<Diags>,
    /// The answers that have changed.
    causes: Vec<Cause>,
    /// The last lines that it printed.
    lines: Vec<String>,
    printed: Vec<String>,
    /// The warnings of the last compilation; `check` reports those of the first one.
    known: Option<BTreeSet<String>>,
    warnings: Vec<Diagnostic>,
}

impl Asking {
    /// A model with these questions.
    pub(super) fn new(world: Arc<MemoryWorld>, entry: &str, host: &str, wanted: BTreeSet<FactSpec>) -> Asking {
        let mut asking = Asking {
            world,
            entry: entry.to_owned(),
            host: host.to_owned(),
            environment: Environment::asked().on(host),
            asked: BTreeMap::new(),
            requests: Vec::new(),
            is_stale: false,
            model: None,
            refused: None,
            causes: Vec::new(),
            lines: Vec::new(),
            printed: Vec::new(),
            known: None,
            warnings: Vec::new(),
        };
        asking.ask(wanted);
        asking
    }

    fn ask(&mut self, wanted: BTreeSet<FactSpec>) {
        for spec in wanted {
            let id = FactId(self.asked.len() as u64);
            self.requests.push(FactRequest::Subscribe(id, spec.clone()));
            self.asked.insert(id, (spec, false));
        }
    }

    fn has_all_answers(&self) -> bool {
        self.asked.values().all(|(_, is_told)| *is_told)
    }

    fn compile(&mut self) {
        let hosts = Hosts::One(&self.host);
        let Understood { compilation, diags, graphs, mut between, .. } =
            understand_in(&*self.world, &self.entry, hosts, self.environment.clone());
        if !compilation.wanted.is_empty() {
            return self.ask(compilation.wanted);
        }
        if self.lines != compilation.printed {
            self.printed.extend_from_slice(&compilation.printed);
            self.lines = compilation.printed;
        }
        match graphs.into_iter().next() {
            Some((host, graph)) if !diags.has_errors() => {
                let between = between.remove(&host).unwrap_or_default();
                match &mut self.model {
                    Some(model) => model.replace(graph, between),
                    None => self.model = Some(Ordered::new(graph, between, FIRST_OF_MODEL)),
                }
                self.refused = None;
                self.warn(&diags);
            }
            Some(_) | None => self.refused = Some(diags),
        }
    }

    /// Reports the warnings that the last compilation did not have.
    fn warn(&mut self, diags: &Diags) {
        let known = self.known.replace(diags.iter().map(|diag| diag.message.clone()).collect());
        let Some(known) = known else { return };
        self.warnings.extend(diags.iter().filter(|diag| !known.contains(&diag.message)).cloned());
    }
}

impl Live for Asking {
    fn copy(&self) -> Box<dyn Live> {
        Box::new(self.clone())
    }

    fn fact(&mut self, id: FactId, told: Result<Datum, HostError>) {
        let Some((spec, is_told)) = self.asked.get_mut(&id) else {
            if let Some(model) = &mut self.model {
                model.fact(id, told);
            }
            return;
        };
        // What cannot be reported has no value.
        let value = told.ok();
        if std::mem::replace(is_told, true) {
            if self.environment.get(spec) == Some(value.as_ref()) {
                return;
            }
            if self.causes.len() < MAX_CAUSES {
                self.causes.push(Cause::Fact { name: spec.to_string() });
            }
        }
        self.environment.tell(spec.clone(), value);
        self.is_stale = true;
    }

    fn take_requests(&mut self) -> Vec<FactRequest> {
        let mut requests = std::mem::take(&mut self.requests);
        if let Some(model) = &mut self.model {
            requests.extend(model.take_requests());
        }
        requests
    }

    fn wake(&self) -> Option<u64> {
        None
    }

    fn run(&mut self, now: u64) -> Outcome {
        if self.is_stale && self.has_all_answers() {
            self.is_stale = false;
            self.compile();
        }
        if !self.has_all_answers() {
            return Outcome::Waiting;
        }
        if let Some(diags) = &self.refused {
            let errors = diags.iter().filter(|diag| diag.severity == Severity::Error);
            return Outcome::Failed(errors.cloned().collect());
        }
        self.model.as_mut().map_or(Outcome::Waiting, |model| model.run(now))
    }

    fn update(&mut self) -> Result<NextGraph, Diags> {
        self.whole().map(NextGraph::Whole)
    }

    fn whole(&mut self) -> Result<ResGraph, Diags> {
        match (&self.refused, &mut self.model) {
            (Some(diags), _) => Err(diags.clone()),
            (None, Some(model)) => model.whole(),
            (None, None) => Ok(ResGraph::default()),
        }
    }

    fn news(&mut self, is_first: bool) -> News {
        let mut news = self.model.as_mut().map(|model| model.news(is_first)).unwrap_or_default();
        let causes = std::mem::take(&mut self.causes);
        if !is_first {
            news.all = causes.into_iter().chain(news.all).take(MAX_CAUSES).collect();
        }
        news
    }

    fn is_another_table(&self) -> bool {
        false
    }

    fn react(&self) -> Option<&React> {
        None
    }

    fn take_printed(&mut self) -> Vec<String> {
        std::mem::take(&mut self.printed)
    }

    fn take_warnings(&mut self) -> Vec<Diagnostic> {
        let mut warnings = std::mem::take(&mut self.warnings);
        if let Some(model) = &mut self.model {
            warnings.extend(model.take_warnings());
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::super::Inmanta;
    use super::*;
    use crate::engine_language::Language;
    use crate::vocab::{HostErrorKind, store};

    fn deployed(content: &str) -> Box<dyn Live> {
        let model = format!(
            "import fs\nh = std::Host(name=\"h\", os=std::linux)\na = fs::File(host=h, path=\"/a\", content=\"\")\n\
             fs::File(host=h, path=\"/b\", content={content})\n"
        );
        let world = Arc::new(MemoryWorld::of([("/main.cf", model.as_bytes())]));
        let mut live = Inmanta.deploy(&world, "/main.cf", "h").live.expect("it is valid");
        let key = "facts/size/fs::File[h,path=/a]".to_owned();
        let wanted = FactRequest::Subscribe(FactId(0), FactSpec::Store(store::Fact::Value { key }));
        assert_eq!((live.take_requests(), live.run(0)), (vec![wanted], Outcome::Waiting));
        live
    }

    /// The result of the run after the host has answered, and whether the file is in the graph.
    fn told(live: &mut Box<dyn Live>, value: Option<&str>) -> (Outcome, bool) {
        let missing = || HostError::new(HostErrorKind::NotFound, "no such key");
        live.fact(FactId(0), value.map(Datum::text).ok_or_else(missing));
        let outcome = live.run(0);
        let graph = live.whole().unwrap_or_default();
        (outcome, graph.resources.values().any(|resource| resource.id.to_string() == "file[/b]"))
    }

    const NEW: Outcome = Outcome::Complete { changed: true };
    const SAME: Outcome = Outcome::Complete { changed: false };

    #[test]
    fn a_fact_that_becomes_known_changes_the_graph() {
        let mut live = deployed("std::getfact(a, \"size\")");
        assert_eq!(told(&mut live, None), (NEW, false));
        assert!(live.take_warnings().is_empty(), "`check` has reported them");
        assert_eq!(live.news(true).all, [Cause::Deployed]);
        assert_eq!(told(&mut live, None), (SAME, false));
        assert_eq!(told(&mut live, Some("5")), (NEW, true));
        let name = "the shared value facts/size/fs::File[h,path=/a]".to_owned();
        assert_eq!(live.news(false).all, [Cause::Fact { name }]);
        assert_eq!(told(&mut live, None), (NEW, false));
        let warnings: Vec<String> = live.take_warnings().into_iter().map(|warning| warning.message).collect();
        let [left_out, fact] = &warnings[..] else { panic!("two warnings: {warnings:?}") };
        assert!(left_out.ends_with("fs::File[h,path=/b]") && fact.starts_with("the fact `size`"), "{warnings:?}");
    }

    #[test]
    fn a_value_that_makes_the_model_wrong_is_an_error_until_the_next_one() {
        let mut live = deployed("string(int(std::getfact(a, \"size\", \"0\")))");
        assert_eq!(told(&mut live, None), (NEW, true));
        let (outcome, _) = told(&mut live, Some("many"));
        assert!(matches!(&outcome, Outcome::Failed(errors) if !errors.is_empty()), "{outcome:?}");
        assert_eq!(told(&mut live, Some("1")), (NEW, true));
    }
}
