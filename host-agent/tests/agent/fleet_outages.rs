//! Agents whose shared store is away, silent, restarted, replaced or without its majority.

use crate::case::{Agent, Case, until};
use crate::elections::{never_both, votes};
use crate::fleet::{COLLECTS, Fleet, KEYS, exports, file, sees, url};
use mclive_kit::etcd::Etcd;
use mclive_kit::link::Link;

#[test]
fn a_host_without_its_store_keeps_its_last_values_and_misses_nothing() {
    let Some(fleet) = Fleet::new("fleet-cut") else { return };
    let link = Link::to(&fleet.etcd.address());
    fleet.put("strings/k", "one");
    let program = format!("{}{COLLECTS}{}", sees("k", "k"), exports("own", "own"));
    let mut one = fleet.start_at("h1", &url(&link), &program);
    let _two = fleet.start_lasting("h2", &exports("shared", "from h2"));
    fleet.holds("k", "one");
    fleet.holds("shared", "from h2");
    fleet.holds("count", "2");
    link.cut();
    one.says("the shared store is unreachable; this host keeps its last values");
    // Its own files are still kept up to date.
    std::fs::remove_file(fleet.case.path("out/k")).unwrap();
    fleet.holds("k", "one");
    fleet.put("strings/k", "two");
    fleet.put("strings/k", "three");
    // Longer than its lease: its export ends, and nothing here is withdrawn.
    until("its export ends", || fleet.keys("exported/*/h1/").is_empty());
    assert_eq!((fleet.read("k"), fleet.read("count")), ("one".to_owned(), "2".to_owned()));
    link.heal();
    fleet.holds("k", "three");
    until("its export is back", || fleet.keys("exported/*/h1/").len() == 1);
    one.says("the shared store is reachable again after ");
    // Each outage is told of once. On a busy machine there may be more of them.
    let n_said = |words: &str| one.said().matches(words).count();
    until("each end of an outage is told", || n_said("is unreachable") == n_said("is reachable again"));
    assert!(one.runs());
}

#[test]
fn a_connection_that_falls_silent_is_noticed() {
    let Some(fleet) = Fleet::new("fleet-silent") else { return };
    let link = Link::to(&fleet.etcd.address());
    fleet.put("strings/k", "one");
    let one = fleet.start_at("h1", &url(&link), &sees("k", "k"));
    fleet.holds("k", "one");
    link.fall_silent();
    fleet.put("strings/k", "two");
    one.says("the shared store is unreachable");
    assert_eq!(fleet.read("k"), "one");
    link.heal();
    fleet.holds("k", "two");
}

#[test]
fn history_that_was_compacted_meanwhile_is_made_up_for() {
    let Some(fleet) = Fleet::new("fleet-compacted") else { return };
    let link = Link::to(&fleet.etcd.address());
    for key in ["a", "b", "c"] {
        fleet.put(&format!("strings/{key}"), "one");
    }
    let exists = file("c", "fmt.printf(\"%t\", world.getval(\"c\")->exists)");
    let program = format!("import \"fmt\"\n{}{}{exists}", sees("a", "a"), file("b", "world.getval(\"b\")->value"));
    let mut one = fleet.start_at("h1", &url(&link), &program);
    ["a", "b"].iter().for_each(|name| fleet.holds(name, "one"));
    fleet.holds("c", "true");
    link.cut();
    one.says("is unreachable");
    fleet.put("strings/a", "two");
    fleet.etcd.delete(&format!("{KEYS}strings/c"));
    fleet.etcd.compact();
    link.heal();
    fleet.holds("a", "two");
    fleet.holds("c", "false");
    assert_eq!(fleet.read("b"), "one");
    // The watch continues.
    fleet.put("strings/b", "three");
    fleet.holds("b", "three");
    assert!(one.runs());
}

#[test]
fn a_store_that_was_restarted_or_replaced_is_used_again() {
    let Some(mut fleet) = Fleet::new("fleet-restarted") else { return };
    let program = format!("{}kv \"own\" {{ value => \"h1\", }}\n{}", sees("k", "k"), exports("shared", "x"));
    let mut one = fleet.start("h1", &program);
    until("it has exported", || fleet.keys("exported/").len() == 1);
    fleet.put("strings/k", "one");
    fleet.holds("k", "one");
    fleet.etcd.start_again();
    fleet.put("strings/k", "two");
    fleet.holds("k", "two");
    // An empty one gets all that belongs to this host.
    fleet.etcd.start_empty();
    until("the export is back", || fleet.keys("exported/").len() == 1);
    until("the value is back", || fleet.get("strings/own").as_deref() == Some("h1"));
    fleet.holds("k", "");
    assert!(one.runs());
}

#[test]
fn a_member_of_the_store_that_dies_is_replaced_and_a_lost_majority_is_survived() {
    let Some(mut members) = Etcd::cluster(3) else { return };
    let case = Case::new("fleet-members", "");
    let urls = members.iter().map(Etcd::url).collect::<Vec<_>>().join(",");
    let start = |host: &str| {
        let text = format!("{}{}", votes(host, "\tttl => 5,\n"), file(host, "world.getval(\"k\")->value"));
        case.write(&format!("{host}.mcl"), &text.replace("@OUT@", case.path("out").to_str().unwrap()));
        let (prefix, file) = (format!("state-{host}"), format!("{host}.mcl"));
        let args = ["run", "--prefix", &prefix, "--hostname", host, "--world", &urls, "--world-ttl", "5", &file];
        Agent::spawn(case.command(&args))
    };
    let (one, elected) = (start("h1"), |host: &str| case.read(&format!("out/elected-{host}")).unwrap_or_default());
    until("it is elected", || elected("h1") == r#"["h1"]"#);
    let two = start("h2");
    until("it has voted", || members[2].keys(&format!("{KEYS}pool/web/vote/")).len() == 2);
    let never_both = || never_both([&one, &two], elected);
    members[0].kill();
    members[2].put(&format!("{KEYS}strings/k"), "one");
    for host in ["h1", "h2"] {
        case.holds(&format!("out/{host}"), "one");
    }
    // One of three: nothing is certain, and both hosts keep what they have.
    members[1].freeze(true);
    for agent in [&one, &two] {
        until("the loss is noticed", || {
            never_both();
            agent.said().contains("the shared store is unreachable")
        });
    }
    until("nobody is elected", || {
        never_both();
        !elected("h1").contains("h1") && !elected("h2").contains("h2")
    });
    assert_eq!(case.read("out/h1").as_deref(), Some("one"));
    members[1].freeze(false);
    until("the majority is back", || {
        never_both();
        let chosen = members[2].get(&format!("{KEYS}pool/web/chosen")).unwrap_or_default();
        elected("h1") == elected("h2") && elected("h1").len() == 6 && chosen.contains("h")
    });
    members[2].put(&format!("{KEYS}strings/k"), "two");
    for host in ["h1", "h2"] {
        case.holds(&format!("out/{host}"), "two");
    }
}
