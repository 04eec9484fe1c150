//! `remote`.

use super::{NOTHING, Run};
use crate::{Reached, World};

const STAYS: &str = r#"
    remote "bob@far" {
        transient => false,
        tunnelled => false,
    }"#;
const FAR: &str = "ssh://far:22";

fn far(world: &mut World) {
    let mut host = Reached::default();
    host.there.program.machine = "x86_64".into();
    world.subjects.remote.insert(FAR.into(), host);
}

fn host(world: &mut World) -> &mut Reached {
    world.subjects.remote.get_mut(FAR).expect("there is one")
}

#[test]
fn the_agent_is_copied_started_and_kept() {
    let mut run = Run::after(far, STAYS);
    assert_eq!(run.steps(), ["copy the agent to bob@far", "start the agent on bob@far (is stopped)"]);
    assert_eq!(run.change(|world| host(world).there.pid = None), ["start the agent on bob@far (is stopped)"]);
    let other = run.change(|world| {
        host(world).there.program.binary = "older".into();
        host(world).there.pid = Some(5);
    });
    let again = ["stop the agent on bob@far (is running, pid 5)", "copy the agent to bob@far"];
    assert_eq!(other, [&again[..], &["start the agent on bob@far (is stopped)"]].concat());
    let (steps, run) = run.again();
    assert_eq!(steps, NOTHING);
    // Another program means another agent there.
    let mut run = run.becomes(&format!("{STAYS}\n noop \"x\" {{}}"));
    assert_eq!(run.steps().len(), 2);
    let mut run = run.becomes(r#"remote "bob@far" { state => "stopped", }"#);
    assert_eq!(run.steps(), ["stop the agent on bob@far (is running, pid 4711)"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn one_that_ends_is_waited_for() {
    let program = r#"remote "far" { tunnelled => false, converger_timeout => 5, caching => false, }"#;
    let mut run = Run::after(far, program);
    let steps = ["copy the agent to root@far", "start the agent on root@far (is stopped)"];
    assert_eq!(run.steps(), [&steps[..], &["wait for the exit of the agent on root@far"]].concat());
    assert_eq!(run.world().subjects.remote[FAR].there.program.binary, "");
    let fails = |world: &mut World| {
        far(world);
        host(world).status = 1;
    };
    let run = Run::after(fails, program);
    let why = "remote process exited with status 1: no space left on device";
    assert!(run.failures()[0].contains(why), "{:?}", run.failures());
}

/// By default, since hosts share a store here.
#[test]
fn an_agent_that_is_waited_for_reaches_the_store_through_a_tunnel() {
    let program = r#"remote "far" { hostname => "far", tunnel_addr => "localhost:4001", }"#;
    let way = "with a tunnel from localhost:4001 there to the shared store at 127.0.0.1:2379";
    let begins = format!("start the agent on root@far and wait for its exit, {way} (is stopped)");
    let mut run = Run::after(far, program);
    assert_eq!(run.steps(), ["copy the agent to root@far", &*begins]);
    let joined = run.world().subjects.remote[FAR].joined.clone().expect("it has joined");
    assert_eq!((joined.url().as_str(), joined.store.group.as_str()), ("http://localhost:4001", "main"));
    // It runs when this agent starts again.
    run.change(|world| host(world).there.pid = Some(4711));
    let (steps, _) = run.again();
    assert_eq!(steps, [format!("wait for the exit of the agent on root@far, {way}")]);
}

#[test]
fn no_agent_is_started_without_its_tunnel() {
    let in_use = |world: &mut World| {
        far(world);
        host(world).in_use.insert("127.0.0.1:2379".into());
    };
    let mut run = Run::after(in_use, r#"remote "far" { hostname => "far", }"#);
    let why = "far does not open the tunnel: 127.0.0.1:2379 is in use there";
    assert!(run.failures()[0].contains(why), "{:?}", run.failures());
    let there = &run.world().subjects.remote[FAR];
    assert_eq!((there.there.pid, there.joined.is_none()), (None, true));
    // No event tells that the address is free, and nothing was begun.
    run.change(|world| host(world).in_use.clear());
    run.advance(600_000);
    assert!(run.world().subjects.remote[FAR].joined.is_some(), "it is tried again");
}

#[test]
fn a_tunnel_that_others_could_use_is_refused() {
    let run = Run::after(far, r#"remote "far" { tunnel_addr => "0.0.0.0:2379", }"#);
    let why = "the host of `tunnel_addr` must be a loopback address, such as `127.0.0.1`, not `0.0.0.0`";
    assert!(run.failures()[0].contains(why), "{:?}", run.failures());
}

#[test]
fn a_host_that_cannot_be_reached_is_no_stopped_agent() {
    let mut run = Run::new(STAYS);
    assert!(run.failures()[0].contains("ssh to far: Connection refused"), "{:?}", run.failures());
    assert_eq!(run.change(far).len(), 2);
    let other = |world: &mut World| {
        far(world);
        host(world).there.program.machine = "aarch64".into();
    };
    let run = Run::after(other, STAYS);
    assert!(
        run.failures()[0].contains("far is a aarch64 machine, but this agent was built for x86_64"),
        "{:?}",
        run.failures()
    );
}
