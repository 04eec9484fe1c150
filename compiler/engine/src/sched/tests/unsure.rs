//! A host that fails to look or to act: nothing counts as empty, and nothing as done.

use super::{Draft, Engine};
use crate::kinds::Meta;
use crate::protocol::{Input, Machine, Moment, Options, Output, Phase, ResourceId, StopMode, What};
use crate::rgraph::{LeftOut, ResGraph, Resource};
use crate::sched::{Record, Scheduler};
use crate::vocab::{
    CommandOutcome, Datum, Finding, HostError, HostErrorKind, KeyStore, Outcome, Probe, Step, state, store,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A host with state files and keys, some of which may be inaccessible. Everything else is up to date.
#[derive(Default)]
struct Host {
    now: Moment,
    undo: BTreeMap<ResourceId, Vec<u8>>,
    keys: BTreeSet<String>,
    is_blind: bool,
    is_stuck: bool,
    /// A host for which nothing can be sealed.
    keyless: Option<&'static str>,
    /// What it writes once it can be sealed.
    waiting: BTreeSet<String>,
    /// The maximum number of looks and steps that are answered at once: the rest is left out, as by a host that is to
    /// stop.
    most: Option<(usize, usize)>,
    checked: Vec<String>,
    exit: Option<i32>,
}

impl Host {
    fn settle(&mut self, engine: &mut Engine) {
        let (n_looks, n_steps) = self.most.unwrap_or((usize::MAX, usize::MAX));
        loop {
            let input = match engine.poll() {
                Output::Idle { .. } => return,
                Output::Probe(ticket, id, probes) => {
                    Input::Probed(ticket, probes.iter().take(n_looks).map(|probe| self.look(&id, probe)).collect())
                }
                Output::Apply(ticket, id, steps) => {
                    let mut outcomes = Vec::new();
                    for step in steps.iter().take(n_steps) {
                        outcomes.push(self.change(&id, step));
                        if matches!(outcomes.last(), Some(Outcome::Failed(_))) {
                            break;
                        }
                    }
                    Input::Applied(ticket, outcomes)
                }
                Output::Watch(ticket, _) => Input::Fired(ticket, None),
                Output::Exit { status } => {
                    self.exit = Some(status);
                    return;
                }
                Output::Report(event) => {
                    if let What::Resource { id, phase: Phase::Checking, .. } = event.what {
                        self.checked.push(id.name.to_string());
                    }
                    continue;
                }
                _ => continue,
            };
            engine.handle(self.now, input);
        }
    }

    fn look(&self, _id: &ResourceId, probe: &Probe) -> Finding {
        let cannot = || Finding::Failed(HostError::new(HostErrorKind::Other, "readdir state: input/output error"));
        match probe {
            Probe::State(state::Probe::List { .. }) if self.is_blind => cannot(),
            Probe::State(state::Probe::List { .. }) => {
                Finding::State(state::Finding::All(self.undo.values().cloned().collect()))
            }
            Probe::Store(store::Probe { key, .. }) => {
                Finding::Store(store::Finding::Held(self.keys.contains(key).then_some(Datum::Bool(true))))
            }
            Probe::State(state::Probe::Read { .. }) => cannot(),
            _ => Finding::Command(CommandOutcome {
                status: Some(0),
                signal: None,
                output: None,
                stdout: None,
                stderr: None,
            }),
        }
    }

    fn change(&mut self, id: &ResourceId, step: &Step) -> Outcome {
        match step {
            Step::State(state::Step::Write { content, .. }) => drop(self.undo.insert(id.clone(), content.clone())),
            Step::State(state::Step::Remove { .. }) => drop(self.undo.remove(id)),
            Step::Store(store::Step { key, value: Some(_), .. })
                if self.keyless.is_some_and(|host| key.split('/').nth(1) == Some(host)) =>
            {
                self.waiting.insert(key.clone());
                return Outcome::Failed(HostError::new(HostErrorKind::Refused, "there is no key of it"));
            }
            Step::Store(store::Step { store: KeyStore::World, key, value: Some(_) }) => {
                self.keys.insert(key.clone());
            }
            Step::Store(store::Step { value: None, .. }) if self.is_stuck => {
                return Outcome::Failed(HostError::new(HostErrorKind::Other, "write: no space left on device"));
            }
            Step::Store(store::Step { key, .. }) => {
                self.waiting.remove(key);
                self.keys.remove(key);
            }
            _ => {}
        }
        Outcome::Done
    }

    fn pass(&mut self, engine: &mut Engine, ms: u64) {
        self.now = self.now.plus_ms(ms);
        engine.handle(self.now, Input::Tick);
        self.settle(engine);
    }
}

fn engine(options: Options) -> Engine {
    Engine::over(Scheduler::new(options, Moment::default()))
}

fn failure(engine: &Engine, name: &str) -> Option<String> {
    let slot = engine.0.graph.order().iter().find(|&&slot| *engine.0.graph.resource(slot).id.name == *name)?;
    engine.0.conditions.failure(*slot).map(str::to_string)
}

/// An undo record of `U` from an earlier run, with a kind that every host knows.
fn left(host: &mut Host) {
    left_by(host, false);
}

/// The same; it may be one that purges.
fn left_by(host: &mut Host, purge: bool) {
    let mut draft = Draft::default();
    draft.add(crate::kinds::lookup("noop").expect("it is a kind"), "U");
    Arc::make_mut(&mut draft.get("U").meta).purge = purge;
    let graph = draft.graph();
    let resource: &Resource = graph.resources.values().next().expect("there is one");
    host.undo.insert(resource.id.clone(), Record::of(resource).to_bytes());
}

fn stands(engine: &Engine, name: &str) -> bool {
    engine.0.graph.order().iter().any(|&slot| *engine.0.graph.resource(slot).id.name == *name)
}

#[test]
fn records_that_cannot_be_read_are_neither_taken_for_none_nor_written_over() {
    let mut host = Host { is_blind: true, ..Host::default() };
    left(&mut host);
    let before = host.undo.clone();
    let mut engine = engine(Options::default());
    let draft = Draft::new("A B").meta("B", |meta| meta.reverse = true);
    engine.0.switch(Moment::default(), draft.graph(), Default::default());
    host.settle(&mut engine);
    assert!(!stands(&engine, "U"));
    // Resources that need no record continue.
    assert_eq!(host.checked, ["A"]);
    let why = failure(&engine, "B").expect("it must be recorded and cannot be");
    assert!(why.contains("cannot read") && why.contains("input/output error"), "{why}");
    assert_eq!(host.undo, before);
    host.pass(&mut engine, 9_000);
    host.pass(&mut engine, 2_000);
    assert_eq!((host.checked.len(), failure(&engine, "B").is_some()), (1, true), "it is asked again, in vain");

    host.is_blind = false;
    host.pass(&mut engine, 10_000);
    assert_eq!(failure(&engine, "B"), None);
    assert_eq!(host.checked[1..], ["U", "B"], "what was failed has another go");
    assert!(stands(&engine, "U"), "what was left is undone");
    assert_eq!(host.undo.len(), 2);
}

#[test]
fn a_single_run_that_cannot_read_what_to_undo_does_not_end_well() {
    let mut host = Host { is_blind: true, ..Host::default() };
    let mut engine = engine(Options { once: true, ..Options::default() });
    engine.0.switch(Moment::default(), Draft::new("A").graph(), Default::default());
    host.settle(&mut engine);
    engine.0.end_once(host.now);
    host.settle(&mut engine);
    assert_eq!((host.checked.len(), host.exit), (1, Some(crate::protocol::status::FAILED)));
}

#[test]
fn a_record_without_a_meaning_is_not_taken_for_none() {
    let mut host = Host::default();
    host.undo.insert(ResourceId::new("scripted", "U"), b"of a later version".to_vec());
    let mut engine = engine(Options::default());
    let draft = Draft::new("B").meta("B", |meta| meta.reverse = true);
    engine.0.switch(Moment::default(), draft.graph(), Default::default());
    host.settle(&mut engine);
    assert!(failure(&engine, "B").is_some_and(|why| why.contains("cannot read a reversal record")));
    assert_eq!(host.undo.len(), 1);
}

#[test]
fn what_is_exported_in_part_is_not_published_and_tried_again() {
    for most in [(1, usize::MAX), (usize::MAX, 1)] {
        let mut host = Host { most: Some(most), ..Host::default() };
        let mut engine = engine(Options { hostname: "host1".into(), ..Options::default() });
        let draft = Draft::new("A").meta("A", |meta| meta.export = vec!["*".into(), "host2".into()]);
        engine.0.switch(Moment::default(), draft.graph(), Default::default());
        host.settle(&mut engine);
        (0..10).for_each(|_| host.pass(&mut engine, 1_000));
        assert_eq!(failure(&engine, "A").as_deref(), Some("could not export: no answer from the host"), "{most:?}");
        assert!(host.checked.is_empty() && host.keys.len() < 2);
        host.most = None;
        (0..100).for_each(|_| host.pass(&mut engine, 10_000));
        assert_eq!((failure(&engine, "A"), host.keys.len()), (None, 2), "{most:?}");
    }
}

#[test]
fn what_cannot_be_sealed_for_a_host_is_exported_to_others_and_applied_here() {
    let mut host = Host { keyless: Some("host2"), ..Host::default() };
    let mut engine = engine(Options { hostname: "host1".into(), ..Options::default() });
    let exports = |meta: &mut Meta| meta.export = vec!["host2".into(), "host3".into()];
    let draft = Draft::new("A B").meta("A", exports).meta("B", |meta| {
        exports(meta);
        meta.hidden = true;
    });
    engine.0.switch(Moment::default(), draft.graph(), Default::default());
    host.settle(&mut engine);
    (0..10).for_each(|_| host.pass(&mut engine, 100));
    assert_eq!((&host.checked[..], failure(&engine, "A")), (&["A".to_owned()][..], None));
    assert_eq!(failure(&engine, "B").as_deref(), Some("could not export: there is no key of it"));
    let both = ["A", "B"].map(|name| format!("exported/host3/host1/scripted/{name}"));
    assert!(host.keys.iter().eq(&both), "{:?}", host.keys);
    // One that is not hidden is left to the host, which writes it once it has the key.
    host.keyless = None;
    (0..100).for_each(|_| host.pass(&mut engine, 10_000));
    assert_eq!((failure(&engine, "B"), host.keys.len()), (None, 3), "{:?}", host.keys);
    engine.0.switch(host.now, Draft::default().graph(), Default::default());
    host.settle(&mut engine);
    assert!(host.keys.is_empty(), "{:?}", host.keys);
}

/// It may be that of an earlier run, or from before the key of its receiver was removed.
#[test]
fn earlier_content_of_what_cannot_be_sealed_is_withdrawn() {
    let [withdrawn, other] = ["host2", "host3"].map(|to| format!("exported/{to}/host1/scripted/A"));
    let keys = BTreeSet::from([withdrawn.clone(), other.clone()]);
    let mut host = Host { keyless: Some("host2"), keys, ..Host::default() };
    let mut engine = engine(Options { hostname: "host1".into(), ..Options::default() });
    let draft = Draft::new("A").meta("A", |meta| meta.export = vec!["host2".into(), "host3".into()]);
    engine.0.switch(Moment::default(), draft.graph(), Default::default());
    host.settle(&mut engine);
    assert_eq!((&host.checked[..], failure(&engine, "A")), (&["A".to_owned()][..], None));
    assert!(host.keys.iter().eq([&other]), "{:?}", host.keys);
    // The host still writes it once it has the key.
    assert!(host.waiting.iter().eq([&withdrawn]), "{:?}", host.waiting);
}

/// A secret is sealed for hosts that are named.
#[test]
fn earlier_content_of_what_cannot_be_sealed_for_anybody_is_withdrawn() {
    let keys = BTreeSet::from(["exported/*/host1/scripted/A".to_owned()]);
    let mut host = Host { keys, ..Host::default() };
    let mut engine = engine(Options { hostname: "host1".into(), ..Options::default() });
    let mut draft = Draft::new("A").text("A", "hush-hush").meta("A", |meta| meta.export = vec!["*".into()]);
    draft.get("A").secret_fields = vec![0];
    engine.0.switch(Moment::default(), draft.graph(), Default::default());
    host.settle(&mut engine);
    assert_eq!((&host.checked[..], failure(&engine, "A")), (&["A".to_owned()][..], None));
    assert!(host.keys.is_empty(), "{:?}", host.keys);
}

/// Its answer may have been lost.
#[test]
fn what_was_perhaps_exported_is_taken_back_with_its_resource() {
    let mut host = Host { most: Some((usize::MAX, 1)), ..Host::default() };
    let mut engine = engine(Options { hostname: "host1".into(), ..Options::default() });
    let draft = Draft::new("A").meta("A", |meta| meta.export = vec!["*".into(), "host2".into()]);
    engine.0.switch(Moment::default(), draft.graph(), Default::default());
    host.settle(&mut engine);
    assert_eq!(host.keys.len(), 1);
    host.most = None;
    engine.0.switch(host.now, Draft::default().graph(), Default::default());
    host.settle(&mut engine);
    assert!(host.keys.is_empty(), "{:?}", host.keys);
}

#[test]
fn what_cannot_be_taken_back_is_tried_again() {
    let mut host = Host::default();
    let mut engine = engine(Options { hostname: "host1".into(), ..Options::default() });
    let draft = Draft::new("A").meta("A", |meta| meta.export = vec!["*".into()]);
    engine.0.switch(Moment::default(), draft.graph(), Default::default());
    host.settle(&mut engine);
    assert_eq!(host.keys.len(), 1);
    host.is_stuck = true;
    engine.0.switch(Moment::default(), Draft::default().graph(), Default::default());
    host.settle(&mut engine);
    host.pass(&mut engine, 11_000);
    assert_eq!(host.keys.len(), 1);
    host.is_stuck = false;
    host.pass(&mut engine, 11_000);
    assert_eq!(host.keys.len(), 0);
}

#[test]
fn an_end_with_something_still_published_is_not_a_good_one() {
    let mut host = Host::default();
    let mut engine = engine(Options { hostname: "host1".into(), once: true, ..Options::default() });
    let draft = Draft::new("A").meta("A", |meta| meta.export = vec!["*".into()]);
    engine.0.switch(Moment::default(), draft.graph(), Default::default());
    host.settle(&mut engine);
    host.is_stuck = true;
    engine.0.switch(Moment::default(), Arc::new(Default::default()), Default::default());
    host.settle(&mut engine);
    engine.0.end_once(host.now);
    host.settle(&mut engine);
    assert_eq!(host.exit, Some(crate::protocol::status::FAILED));
}

#[test]
fn notifications_that_cannot_be_read_are_delivered() {
    let mut host = Host::default();
    let mut engine = engine(Options::default());
    engine.0.switch(Moment::default(), Draft::new("A B").edges("A!B").graph(), Default::default());
    let mut refreshed = Vec::new();
    loop {
        match engine.poll() {
            Output::Idle { .. } => break,
            Output::Probe(ticket, id, probes) => {
                // The check of B is answered later.
                if *id.name == *"B" && matches!(probes[..], [Probe::Command(_)]) {
                    refreshed.extend(engine.0.edges.all().map(|(_, _, _, is_pending)| is_pending));
                }
                let findings = probes.iter().map(|probe| host.look(&id, probe)).collect();
                engine.handle(Moment::default(), Input::Probed(ticket, findings));
            }
            Output::Watch(ticket, _) => engine.handle(Moment::default(), Input::Fired(ticket, None)),
            Output::Apply(ticket, id, steps) => {
                let outcomes = steps.iter().map(|step| host.change(&id, step)).collect();
                engine.handle(Moment::default(), Input::Applied(ticket, outcomes));
            }
            _ => {}
        }
    }
    assert_eq!(refreshed, [true]);
    engine.0.stop(Moment::default(), StopMode::Graceful);
}

/// What the program has, but cannot describe for now, is still a part of it.
#[test]
fn what_is_left_out_for_now_is_not_undone() {
    let mut host = Host::default();
    left_by(&mut host, true);
    let mut engine = engine(Options::default());
    let without =
        |left_out: LeftOut| Arc::new(ResGraph { left_out: vec![left_out], ..(*Draft::new("A").graph()).clone() });
    let left_out = |is_spared: bool| without(LeftOut::Named { id: ResourceId::new("noop", "U"), is_spared });
    engine.0.switch(Moment::default(), left_out(false), Default::default());
    host.settle(&mut engine);
    assert!(!stands(&engine, "U"));
    assert_eq!(host.undo.len(), 1, "it may still be purged later");
    // A graph that the engine puts in effect again by itself leaves out the same.
    engine.0.replace_by_itself();
    host.pass(&mut engine, 1_000);
    assert!(!stands(&engine, "U"));
    // It may be any of this kind.
    engine.0.switch(host.now, without(LeftOut::Unnamed { kind: "noop" }), Default::default());
    host.settle(&mut engine);
    assert!(!stands(&engine, "U"));
    assert_eq!(host.undo.len(), 1);
    engine.0.switch(host.now, left_out(true), Default::default());
    host.settle(&mut engine);
    assert!(host.undo.is_empty(), "it is certain that it stays");
    engine.0.switch(host.now, Draft::new("A").graph(), Default::default());
    host.settle(&mut engine);
    assert!(!stands(&engine, "U"));
}
