//! Changes of the shared store that take time to reach other hosts.

use super::Fleet;
use super::tests::{MANY, fleet, text};
use mclive_base::shapes::host::{Alteration, FleetAction, HostAction};

const PROGRAM: &str = r#"
import "world"
file "/srv/motto" { state => "exists", content => world.getval("motto")->value, }
"#;
const CONNECTION: &str = "connection to the shared store";
const HOSTS: [&str; 3] = ["web1", "web2", "web3"];

/// Three hosts; changes by others take three seconds to reach `web2`.
fn start() -> Fleet {
    let mut fleet = fleet(PROGRAM, &HOSTS);
    fleet.advance(2_000, MANY);
    let how = Alteration::Set { field: "latency (ms)".to_owned(), value: "3000".to_owned() };
    alter(&mut fleet, "web2", CONNECTION, how);
    fleet
}

fn alter(fleet: &mut Fleet, host: &str, thing: &str, how: Alteration) {
    let action = HostAction::Alter { subject: "Store".to_owned(), thing: thing.to_owned(), how };
    fleet.act_on(host, &action).expect("it can be changed");
}

fn write(fleet: &mut Fleet, host: &str, motto: &str) {
    let how = Alteration::Set { field: "value".to_owned(), value: motto.to_owned() };
    alter(fleet, host, "strings/motto", how);
}

/// What the program has read on each host.
fn mottos(fleet: &mut Fleet) -> [String; 3] {
    HOSTS.map(|host| text(fleet, host, "/srv/motto").unwrap_or_default())
}

#[track_caller]
fn after(fleet: &mut Fleet, ms: u64, expect: [&str; 3]) {
    fleet.advance(ms, MANY);
    assert_eq!(mottos(fleet), expect);
}

#[test]
fn changes_arrive_one_after_another_and_in_the_same_way_after_going_back() {
    let mut fleet = start();
    write(&mut fleet, "web1", "one");
    after(&mut fleet, 1_000, ["one", "", "one"]);
    let mut seen = vec![(fleet.step(), ["one", "", "one"])];
    write(&mut fleet, "web1", "two");
    after(&mut fleet, 2_500, ["two", "one", "two"]);
    seen.push((fleet.step(), ["two", "one", "two"]));
    after(&mut fleet, 1_000, ["two", "two", "two"]);
    seen.push((fleet.step(), ["two", "two", "two"]));
    for at in [0, 2, 1, 0, 2] {
        let (step, expect) = seen[at];
        assert!(fleet.seek(step, MANY), "it is reached");
        assert_eq!(mottos(&mut fleet), expect, "at step {step}");
    }
    let saved = fleet.scenario().expect("it can be saved");
    let (_, steps) = saved.files.last().expect("it has steps");
    let steps = String::from_utf8_lossy(steps);
    assert!(
        steps.contains("on web2 set Store \"connection to the shared store\" \"latency (ms)\" \"3000\"\n"),
        "{steps}"
    );
}

#[test]
fn of_what_is_compacted_only_the_last_value_is_seen() {
    let mut fleet = start();
    write(&mut fleet, "web1", "one");
    after(&mut fleet, 1_000, ["one", "", "one"]);
    write(&mut fleet, "web3", "two");
    alter(&mut fleet, "web2", CONNECTION, Alteration::Do { verb: "compact".to_owned() });
    after(&mut fleet, 2_500, ["two", "", "two"]);
    after(&mut fleet, 1_000, ["two", "two", "two"]);
}

#[test]
fn the_last_writer_wins_on_all_hosts() {
    let mut fleet = start();
    write(&mut fleet, "web1", "one");
    fleet.advance(1_000, MANY);
    write(&mut fleet, "web2", "two");
    after(&mut fleet, 10_000, ["two", "two", "two"]);
    // Also with the value that is still seen there.
    write(&mut fleet, "web1", "three");
    fleet.advance(1_000, MANY);
    write(&mut fleet, "web2", "two");
    after(&mut fleet, 10_000, ["two", "two", "two"]);
}

#[test]
fn what_is_on_the_way_to_a_lost_host_is_read_when_it_is_back() {
    let host = || "web2".to_owned();
    let ways = [
        (FleetAction::Disconnect { host: host() }, FleetAction::Reconnect { host: host() }),
        (FleetAction::Pause { host: host() }, FleetAction::Resume { host: host() }),
    ];
    for (leaves, returns) in ways {
        let mut fleet = start();
        write(&mut fleet, "web1", "one");
        fleet.advance(1_000, MANY);
        fleet.arrange(&leaves).expect("it can leave");
        after(&mut fleet, 10_000, ["one", "", "one"]);
        write(&mut fleet, "web3", "two");
        fleet.arrange(&returns).expect("it can return");
        after(&mut fleet, 1_000, ["two", "two", "two"]);
    }
}
