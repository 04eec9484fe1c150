//! What the resources of a kind ask of a policy is what its declaration says: the docs are made of it.

use super::{around, cases, family};
use crate::brain::Brain;
use crate::protocol::{Deploy, Input, Machine, Moment, Options, Output};
use crate::vocab::{PolicyList, Power};
use crate::{Sim, SimHost};
use mclive_library::kinds;
use std::collections::{BTreeMap, BTreeSet};

/// Lists of a policy by kind.
type Lists = BTreeMap<String, BTreeSet<PolicyList>>;

/// A brain, and the lists that must grant what its resources ask for.
#[derive(Clone)]
struct Noted {
    brain: Brain,
    asked: Lists,
}

impl Noted {
    fn note<'a>(&mut self, kind: &str, powers: impl Iterator<Item = Power<'a>>) {
        self.asked.entry(kind.to_owned()).or_default().extend(powers.map(|power| power.list()));
    }
}

impl Machine for Noted {
    fn handle(&mut self, now: Moment, input: Input) {
        self.brain.handle(now, input);
    }

    fn poll(&mut self) -> Output {
        let output = self.brain.poll();
        match &output {
            Output::Probe(_, id, probes) => self.note(&id.kind, probes.iter().flat_map(|probe| probe.powers())),
            Output::Apply(_, id, steps) => self.note(&id.kind, steps.iter().flat_map(|step| step.powers())),
            _ => {}
        }
        output
    }
}

/// What the resources of all kinds ask for.
fn asked() -> Lists {
    let mut host = SimHost::new("host1");
    host.change(around);
    let mut asked = Lists::new();
    for case in cases() {
        let mut sim = Sim::new(Noted { brain: Brain::new(), asked: Lists::new() }, host.clone());
        let files = vec![("/main.mcl".to_owned(), case.program.as_bytes().to_vec())];
        sim.tell(Input::Deploy(Deploy { files, entry: "/main.mcl".into(), options: Options::default() }));
        let until = sim.now().plus_ms(5_000);
        assert!(sim.advance(until, 20_000), "{} comes to rest", case.variant);
        for (kind, lists) in sim.machine.asked {
            asked.entry(kind).or_default().extend(lists);
        }
    }
    asked
}

/// What a kind declares. One that leads a group asks for its members.
fn declared(kind: &str) -> BTreeSet<PolicyList> {
    let leads = kinds::lookup(kind).is_some_and(|it| it.decl().traits.groups_others);
    let counts = |name: &str| name == kind || leads && family(name) == family(kind);
    let decls = kinds::all().map(|it| it.decl()).filter(|decl| counts(decl.name));
    decls.flat_map(|decl| decl.policy).map(|it| it.list).collect()
}

#[test]
fn what_resources_ask_of_a_policy_is_declared() {
    let asked = asked();
    for (kind, lists) in &asked {
        let declared = declared(kind);
        // What may be changed may be read.
        let is_declared = |list: &PolicyList| {
            declared.contains(list) || *list == PolicyList::Reads && declared.contains(&PolicyList::Paths)
        };
        let missing: Vec<&str> = lists.iter().filter(|list| !is_declared(list)).map(|list| list.name()).collect();
        assert!(missing.is_empty(), "`{kind}` asks for what its declaration lacks: {missing:?}");
    }
    let asks = |kind: &str, list: PolicyList| asked.get(kind).is_some_and(|lists| lists.contains(&list));
    assert!(asks("file", PolicyList::Paths) && asks("docker:container", PolicyList::Containers));
}
