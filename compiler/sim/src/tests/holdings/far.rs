//! Machines that are not on the host: those of clouds, those behind management controllers, and those reachable over SSH.

use super::{act, deploy, set, start};
use crate::brain::Brain;
use crate::vocab::cloud::{Found, Stand};
use crate::{Sim, SimHost};
use mclive_base::shapes::host::{ADD, Alteration};

/// The name, the first field and the verbs of each thing of a subject.
fn things(host: &SimHost, subject: &str) -> Vec<[String; 3]> {
    let own = host.world().holdings().into_iter().filter(|holding| holding.subject == subject);
    let things = own.flat_map(|holding| holding.things);
    things.map(|thing| [thing.fields[0].value.clone(), thing.verbs.join(", "), thing.name]).collect()
}

fn thing(name: &str, state: &str, verbs: &str) -> [String; 3] {
    [state.to_owned(), verbs.to_owned(), name.to_owned()]
}

fn alter(sim: &mut Sim<Brain>, subject: &str, thing: &str, how: &Alteration) {
    assert_eq!(sim.change(|world| world.alter(subject, thing, how)), Ok(()), "{thing} {how:?}");
}

fn wait(sim: &mut Sim<Brain>) {
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
}

#[test]
fn a_server_that_is_stopped_or_deleted_by_hand_is_back() {
    const WEB: &str = "web at https://api.hetzner.cloud/v1";
    let mut sim = start(
        r#"
hetzner:vm "web" {
	apitoken => "hush",
	state => "running",
	servertype => "cx22",
	image => "debian-12",
	userdata => "hush",
	Meta:poll => 1,
}
"#,
    );
    let reachable = thing("clouds", "reachable", "make unreachable");
    let running = thing(WEB, "running", "stop, delete");
    assert_eq!(things(&sim.host, "Cloud"), [reachable.clone(), running.clone()]);
    alter(&mut sim, "Cloud", WEB, &act("stop"));
    assert_eq!(things(&sim.host, "Cloud"), [reachable.clone(), thing(WEB, "off", "start, delete")]);
    wait(&mut sim);
    assert_eq!(things(&sim.host, "Cloud"), [reachable.clone(), running.clone()]);
    alter(&mut sim, "Cloud", WEB, &act("delete"));
    assert!(things(&sim.host, "Cloud").is_empty());
    wait(&mut sim);
    assert_eq!(things(&sim.host, "Cloud"), [reachable, running.clone()]);
    alter(&mut sim, "Cloud", "clouds", &act("make unreachable"));
    assert_eq!(things(&sim.host, "Cloud"), [thing("clouds", "unreachable", "make reachable"), running]);
    alter(&mut sim, "Cloud", "clouds", &act("make reachable"));
    for (name, how) in [(WEB, act("start")), (WEB, set("state", "off")), ("db", act("stop")), ("clouds", act("stop"))] {
        assert!(sim.change(|world| world.alter("Cloud", name, &how)).is_err(), "{name} {how:?}");
    }
}

#[test]
fn an_instance_is_stopped_and_started_in_the_words_of_its_cloud() {
    let mut host = SimHost::new("host1");
    let place = ("https://ec2.eu-west-1.amazonaws.com".to_owned(), "web".to_owned());
    let name = "web at https://ec2.eu-west-1.amazonaws.com";
    host.change(|world| {
        let found = Found { state: Stand::On, word: "running".to_owned(), ..Found::default() };
        world.subjects.cloud.machines.insert(place, Box::new(found));
    });
    for (verb, state, verbs) in [("stop", "stopped", "start, delete"), ("start", "running", "stop, delete")] {
        assert_eq!(host.change(|world| world.alter("Cloud", name, &act(verb))), Ok(()));
        assert_eq!(things(&host, "Cloud")[1], thing(name, state, verbs));
    }
}

#[test]
fn a_machine_that_is_turned_off_by_hand_is_turned_on_again() {
    const BMC: &str = "https://10.0.0.9:443";
    let mut sim = start(
        "bmc:power \"gofishs://root@10.0.0.9\" {\n\tpassword => \"hush\",\n\tstate => \"on\",\n\tMeta:poll => 1,\n}\n",
    );
    let reachable = thing("controllers", "reachable", "make unreachable");
    let on = thing(BMC, "on", "turn off");
    assert_eq!(things(&sim.host, "Controller"), [reachable.clone(), on.clone()]);
    alter(&mut sim, "Controller", BMC, &act("turn off"));
    assert_eq!(things(&sim.host, "Controller"), [reachable.clone(), thing(BMC, "off", "turn on")]);
    wait(&mut sim);
    assert_eq!(things(&sim.host, "Controller"), [reachable, on.clone()]);
    alter(&mut sim, "Controller", BMC, &set("firmware", "0.9"));
    assert_eq!(sim.host.world().subjects.controller.firmware[BMC], "0.9");
    alter(&mut sim, "Controller", "controllers", &act("make unreachable"));
    assert_eq!(things(&sim.host, "Controller"), [thing("controllers", "unreachable", "make reachable"), on]);
    for (name, how) in [(BMC, set("power", "on")), ("https://10.0.0.8:443", act("turn on")), (BMC, act("dance"))] {
        assert!(sim.change(|world| world.alter("Controller", name, &how)).is_err(), "{name} {how:?}");
    }
}

#[test]
fn an_agent_on_another_host_is_started_again_while_that_host_is_there() {
    const FAR: &str = "ssh://far:22";
    let mut sim = start("");
    alter(&mut sim, "Remote", FAR, &act(ADD));
    assert_eq!(things(&sim.host, "Remote"), [thing(FAR, "not installed", "delete")]);
    deploy(&mut sim, "remote \"bob@far\" {\n\ttransient => false,\n\ttunnelled => false,\n}\n");
    let running = [thing(FAR, "running", "stop the agent, delete")];
    assert_eq!(things(&sim.host, "Remote"), running);
    alter(&mut sim, "Remote", FAR, &act("stop the agent"));
    assert_eq!(things(&sim.host, "Remote"), [thing(FAR, "stopped", "delete")]);
    wait(&mut sim);
    assert_eq!(things(&sim.host, "Remote"), running);
    alter(&mut sim, "Remote", FAR, &set("exit status of its agent", "3"));
    assert_eq!(sim.host.world().subjects.remote[FAR].status, 3);
    for how in [set("exit status of its agent", "never"), set("agent", "running"), act("start the agent"), act(ADD)] {
        assert!(sim.change(|world| world.alter("Remote", FAR, &how)).is_err(), "{how:?}");
    }
    for wrong in ["far:22", "ssh://", "ssh://far", "ssh://:22", "ssh://far:0", "ssh://far:ssh", "ssh://bob@far:22"] {
        let error = sim.change(|world| world.alter("Remote", wrong, &act(ADD))).expect_err("it is no address");
        assert_eq!(error.to_string(), format!("`{wrong}` is not the address of a host, such as ssh://db:22"));
    }
    alter(&mut sim, "Remote", FAR, &act("delete"));
    wait(&mut sim);
    assert!(things(&sim.host, "Remote").is_empty());
}
