//! The things a host has, and manual changes to them, for every subject.

use crate::brain::Brain;
use crate::protocol::{Deploy, Input, Options};
use crate::{Sim, SimHost};
use mclive_base::shapes::host::Alteration;

/// A host on which a program has come to rest.
fn start(program: &str) -> Sim<Brain> {
    let mut sim = Sim::new(Brain::new(), SimHost::new("host1"));
    let files = vec![("/main.mcl".to_owned(), program.as_bytes().to_vec())];
    sim.tell(Input::Deploy(Deploy { files, entry: "/main.mcl".into(), options: Options::default() }));
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
    sim
}

fn act(verb: &str) -> Alteration {
    Alteration::Do { verb: verb.to_owned() }
}

fn set(field: &str, value: &str) -> Alteration {
    Alteration::Set { field: field.to_owned(), value: value.to_owned() }
}

#[test]
fn every_field_and_verb_that_is_shown_can_be_used() {
    let mut host = SimHost::new("host1");
    let all = host.world().holdings();
    assert!(all.len() >= 9, "{all:?}");
    for holding in all {
        assert!(!holding.title.is_empty(), "{}", holding.subject);
        for thing in holding.things {
            for field in thing.fields.iter().filter(|field| !field.is_fixed) {
                let how = set(&field.name, &field.value);
                let done = host.change(|world| world.alter(&holding.subject, &thing.name, &how));
                assert_eq!(done, Ok(()), "{} {} {how:?}", holding.subject, thing.name);
            }
            for verb in &thing.verbs {
                let mut host = SimHost::new("host1");
                let before = host.world().holdings();
                let done = host.change(|world| world.alter(&holding.subject, &thing.name, &act(verb)));
                assert_eq!(done, Ok(()), "{} {} {verb}", holding.subject, thing.name);
                let is_same = host.world().holdings() == before;
                assert!(!is_same || verb == "reload", "{} {} {verb} changes nothing", holding.subject, thing.name);
            }
            let never = host.change(|world| world.alter(&holding.subject, &thing.name, &act("dance")));
            assert!(never.is_err(), "{}", holding.subject);
        }
    }
    assert!(host.change(|world| world.alter("Nothing", "x", &act("delete"))).is_err());
}

#[test]
fn what_is_broken_by_hand_is_repaired() {
    let mut sim = start("user \"bob\" {\n\tstate => \"exists\",\n\tshell => \"/bin/zsh\",\n}\n");
    sim.change(|world| world.alter("Account", "bob", &set("shell", "/bin/false"))).expect("bob is there");
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
    assert_eq!(sim.host.world().users["bob"].shell, "/bin/zsh");
}

#[test]
fn a_full_disk_takes_nothing_until_it_is_freed() {
    let mut sim = start(
        "file \"/srv/kept\" {\n\tstate => \"exists\",\n\tcontent => \"as it was\\n\",\n\tMeta:retry => -1,\n\tMeta:delay => 500,\n}\n",
    );
    sim.change(|world| world.alter("File", "/", &act("fill up"))).expect("it can be filled");
    sim.change(|world| world.remove("/srv/kept")).expect("it is there");
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
    assert!(sim.host.world().read("/srv/kept").is_err());
    sim.change(|world| world.alter("File", "/", &act("free space"))).expect("it can be freed");
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
    assert_eq!(sim.host.world().read("/srv/kept").expect("it is back"), b"as it was\n");
    let done = sim.change(|world| world.alter("File", "/srv/kept", &set("owner", "alice:root")));
    assert_eq!(done, Ok(()));
    assert!(sim.change(|world| world.alter("File", "/srv/kept", &set("mode", "9"))).is_err());
}
