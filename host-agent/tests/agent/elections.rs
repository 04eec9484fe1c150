//! Elections among hosts that share a world in a real etcd.

use crate::case::{Agent, until};
use crate::fleet::{Fleet, KEYS, file, url};
use mclive_kit::link::Link;
use rustix::process::Signal;

/// A program that votes, and writes who is elected.
pub(crate) fn votes(host: &str, fields: &str) -> String {
    let elected = file(&format!("elected-{host}"), "fmt.printf(\"%v\", world.schedule(\"web\"))");
    format!("import \"world\"\nimport \"fmt\"\nschedule \"web\" {{\n\tmax => 1,\n{fields}}}\n{elected}")
}

/// Waits until both hosts follow one result, and returns the host that it names.
fn followed(fleet: &Fleet) -> &'static str {
    let mut elected = None;
    until("both hosts follow one result", || {
        let [one, two] = ["h1", "h2"].map(|host| fleet.read(&format!("elected-{host}")));
        elected = ["h1", "h2"].into_iter().find(|host| one == format!("[\"{host}\"]") && one == two);
        elected.is_some()
    });
    elected.expect("it was found")
}

/// Fails if both hosts act as if they were elected. A file tells what its host did last, which on a busy machine is long
/// ago: so they count while neither agent has anything to do.
#[track_caller]
pub(crate) fn never_both(agents: [&Agent; 2], elected: impl Fn(&str) -> String) {
    let both = || ["h1", "h2"].into_iter().all(|host| elected(host) == format!("[\"{host}\"]"));
    let are_both = both() && agents.into_iter().all(Agent::is_idle) && both();
    assert!(!are_both, "both are elected");
}

/// The elected host stays elected while its vote lives. On a busy machine it may lose its vote, and then it comes last.
#[test]
fn of_two_hosts_one_is_elected_and_the_other_follows() {
    let Some(fleet) = Fleet::new("fleet-schedule") else { return };
    let vote_of = |host: &str| fleet.etcd.created(&format!("{KEYS}pool/web/vote/{host}"));
    let mut one = fleet.start("h1", &votes("h1", "\tttl => 5,\n"));
    fleet.holds("elected-h1", r#"["h1"]"#);
    let vote = vote_of("h1");
    let mut two = fleet.start("h2", &votes("h2", "\tttl => 5,\n"));
    until("both vote", || fleet.keys("pool/web/vote/").len() == 2);
    assert!(followed(&fleet) == "h1" || vote_of("h1") != vote, "the first is displaced");
    // A result that someone spoils is corrected.
    fleet.put("pool/web/chosen", r#"{"list":["h9"],"v":1}"#);
    until("the result is corrected", || {
        fleet.get("pool/web/chosen").is_some_and(|chosen| chosen.contains("h1") || chosen.contains("h2"))
    });
    let first = followed(&fleet);
    let (dies, next) = if first == "h1" { (&mut one, "h2") } else { (&mut two, "h1") };
    dies.signal(Signal::KILL);
    dies.ends();
    fleet.holds(&format!("elected-{next}"), &format!("[\"{next}\"]"));
    // The one that is back comes last.
    let vote = vote_of(next);
    let mut back = fleet.start(first, &votes(first, "\tttl => 5,\n"));
    until("both vote again", || fleet.keys("pool/web/vote/").len() == 2);
    assert!(followed(&fleet) == next || vote_of(next) != vote, "the one that is back comes first");
    assert!(back.stop().success());
}

#[test]
fn the_first_vote_determines_how_a_pool_elects_and_other_options_are_reported() {
    let Some(fleet) = Fleet::new("fleet-overruled") else { return };
    // Its vote lives for as long as this test may take on a busy machine.
    let one = fleet.start("h1", &votes("h1", "\tttl => 300,\n"));
    fleet.holds("elected-h1", r#"["h1"]"#);
    let two = fleet.start("h2", &votes("h2", "").replace("max => 1", "max => 2"));
    two.says("the pool `web` uses the options of `h1`, which voted first (rr, max 1, ttl 300 s), not those of this host (rr, max 2)");
    fleet.holds("elected-h2", r#"["h1"]"#);
    let _three = fleet.start("h3", &votes("h3", "\tttl => 9,\n"));
    until("all vote", || fleet.keys("pool/web/vote/").len() == 3);
    assert!(!one.said().contains("uses the options of"), "{}", one.said());
}

#[test]
fn a_host_that_is_cut_off_stops_believing_that_it_is_elected() {
    let Some(fleet) = Fleet::new("fleet-belief") else { return };
    let links = [0; 2].map(|_| Link::to(&fleet.etcd.address()));
    let start = |nth: usize, host: &str| fleet.start_at(host, &url(&links[nth]), &votes(host, "\tttl => 5,\n"));
    let (one, two) = (start(0, "h1"), start(1, "h2"));
    let (link, next) = if followed(&fleet) == "h1" { (&links[0], "h2") } else { (&links[1], "h1") };
    link.cut();
    // Never both: the first gives up before the second is elected.
    let elected = |host: &str| fleet.read(&format!("elected-{host}"));
    until("the other one is elected", || {
        never_both([&one, &two], elected);
        elected(next) == format!("[\"{next}\"]")
    });
    until("the first has given up", || {
        never_both([&one, &two], elected);
        let first = if next == "h1" { "h2" } else { "h1" };
        !elected(first).contains(first)
    });
    link.heal();
    followed(&fleet);
    until("both vote", || fleet.keys("pool/web/vote/").len() == 2);
}

/// With `alpha`, a host may come first while the one that was elected votes, and cannot know.
#[test]
fn who_takes_the_place_of_a_host_that_is_cut_off_waits_until_it_has_given_up() {
    let Some(fleet) = Fleet::new("fleet-displaced") else { return };
    let link = Link::to(&fleet.etcd.address());
    let fields = "\tttl => 10,\n\tstrategy => \"alpha\",\n";
    let two = fleet.start_at("h2", &url(&link), &votes("h2", fields));
    fleet.holds("elected-h2", r#"["h2"]"#);
    link.cut();
    let one = fleet.start("h1", &votes("h1", fields));
    until("the store names the first by name", || {
        fleet.get("pool/web/chosen").is_some_and(|chosen| chosen.contains("h1"))
    });
    until("it is elected, once the other one has given up", || {
        never_both([&one, &two], |host| fleet.read(&format!("elected-{host}")));
        fleet.read("elected-h1") == r#"["h1"]"#
    });
    link.heal();
    fleet.holds("elected-h2", r#"["h1"]"#);
}
