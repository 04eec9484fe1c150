//! Elections among hosts that share a world in a real etcd.

use crate::case::until;
use crate::fleet::{Fleet, file, url};
use mclive_kit::link::Link;
use rustix::process::Signal;

/// A program that votes, and writes who is elected.
pub(crate) fn votes(host: &str, fields: &str) -> String {
    let elected = file(&format!("elected-{host}"), "fmt.printf(\"%v\", world.schedule(\"web\"))");
    format!("import \"world\"\nimport \"fmt\"\nschedule \"web\" {{\n\tmax => 1,\n{fields}}}\n{elected}")
}

#[test]
fn of_two_hosts_one_is_elected_and_the_other_follows() {
    let Some(fleet) = Fleet::new("fleet-schedule") else { return };
    let mut one = fleet.start("h1", &votes("h1", "\tttl => 5,\n"));
    fleet.holds("elected-h1", r#"["h1"]"#);
    let mut two = fleet.start("h2", &votes("h2", "\tttl => 5,\n"));
    fleet.holds("elected-h2", r#"["h1"]"#);
    until("both vote", || fleet.keys("pool/web/vote/").len() == 2);
    // A result that someone spoils is corrected.
    fleet.put("pool/web/chosen", r#"{"list":["h9"],"v":1}"#);
    until("the result is corrected", || {
        fleet.get("pool/web/chosen").is_some_and(|chosen| chosen.contains("h1") || chosen.contains("h2"))
    });
    until("both hosts follow the corrected result", || {
        let (one, two) = (fleet.read("elected-h1"), fleet.read("elected-h2"));
        one == two && [r#"["h1"]"#, r#"["h2"]"#].contains(&one.as_str())
    });
    let first = if fleet.read("elected-h1").contains("h1") { &mut one } else { &mut two };
    let (first_name, next) = if fleet.read("elected-h1").contains("h1") { ("h1", "h2") } else { ("h2", "h1") };
    first.signal(Signal::KILL);
    first.ends();
    fleet.holds(&format!("elected-{next}"), &format!("[\"{next}\"]"));
    // The one that is back comes last.
    let mut back = fleet.start(first_name, &votes(first_name, "\tttl => 5,\n"));
    until("both vote again", || fleet.keys("pool/web/vote/").len() == 2);
    fleet.holds(&format!("elected-{first_name}"), &format!("[\"{next}\"]"));
    assert!(back.stop().success());
}

#[test]
fn the_vote_that_came_first_says_how_a_pool_elects_and_the_others_are_told() {
    let Some(fleet) = Fleet::new("fleet-overruled") else { return };
    let one = fleet.start("h1", &votes("h1", "\tttl => 5,\n"));
    fleet.holds("elected-h1", r#"["h1"]"#);
    let two = fleet.start("h2", &votes("h2", "").replace("max => 1", "max => 2"));
    two.says("the pool `web` uses the options of `h1`, which voted first (rr, max 1, ttl 5 s), not those of this host (rr, max 2)");
    fleet.holds("elected-h2", r#"["h1"]"#);
    let _three = fleet.start("h3", &votes("h3", "\tttl => 9,\n"));
    until("all vote", || fleet.keys("pool/web/vote/").len() == 3);
    assert!(!one.said().contains("uses the options of"), "{}", one.said());
}

#[test]
fn a_host_that_is_cut_off_stops_believing_that_it_is_elected() {
    let Some(fleet) = Fleet::new("fleet-belief") else { return };
    let link = Link::to(&fleet.etcd.address());
    let _one = fleet.start_at("h1", &url(&link), &votes("h1", "\tttl => 5,\n"));
    fleet.holds("elected-h1", r#"["h1"]"#);
    let _two = fleet.start("h2", &votes("h2", "\tttl => 5,\n"));
    fleet.holds("elected-h2", r#"["h1"]"#);
    link.cut();
    // Never both: the first gives up before the second is elected. It is read later, since it may do so in between.
    until("the other one is elected", || {
        let two = fleet.read("elected-h2");
        let one = fleet.read("elected-h1");
        assert!(!(one == r#"["h1"]"# && two == r#"["h2"]"#), "both are elected");
        two == r#"["h2"]"#
    });
    link.heal();
    fleet.holds("elected-h1", r#"["h2"]"#);
    until("both vote", || fleet.keys("pool/web/vote/").len() == 2);
}

/// With `alpha`, a host may come first while the one that was elected votes, and cannot know.
#[test]
fn who_takes_the_place_of_a_host_that_is_cut_off_waits_until_it_has_given_up() {
    let Some(fleet) = Fleet::new("fleet-displaced") else { return };
    let link = Link::to(&fleet.etcd.address());
    let fields = "\tttl => 10,\n\tstrategy => \"alpha\",\n";
    let _two = fleet.start_at("h2", &url(&link), &votes("h2", fields));
    fleet.holds("elected-h2", r#"["h2"]"#);
    link.cut();
    let _one = fleet.start("h1", &votes("h1", fields));
    until("the store names the first by name", || {
        fleet.get("pool/web/chosen").is_some_and(|chosen| chosen.contains("h1"))
    });
    until("it is elected, once the other one has given up", || {
        let (one, two) = (fleet.read("elected-h1"), fleet.read("elected-h2"));
        assert!(!(one == r#"["h1"]"# && two == r#"["h2"]"#), "both are elected");
        one == r#"["h1"]"#
    });
    link.heal();
    fleet.holds("elected-h2", r#"["h1"]"#);
}
