//! `mclive world leave`: what a host has left in the store goes when an operator says so.

use crate::case::{stderr, until};
use crate::fleet::{Fleet, file};
use rustix::process::Signal;

/// A program that votes permanently, publishes a value of this host, and writes who is elected.
fn votes(host: &str) -> String {
    let elected = file(&format!("elected-{host}"), "fmt.printf(\"%v\", world.schedule(\"web\"))");
    format!(
        "import \"world\"\nimport \"fmt\"\nschedule \"web\" {{\n\tmax => 1,\n\tpersist => true,\n}}\n\
         kv \"place\" {{\n\tvalue => \"rack\",\n\tmapped => true,\n}}\n{elected}"
    )
}

#[test]
fn a_host_that_is_gone_for_good_leaves_nothing() {
    let Some(fleet) = Fleet::new("fleet-leave") else { return };
    let mut one = fleet.start_lasting("h1", &votes("h1"));
    fleet.holds("elected-h1", r#"["h1"]"#);
    let mut two = fleet.start_lasting("h2", &votes("h2"));
    fleet.holds("elected-h2", r#"["h1"]"#);
    until("both tell their place", || fleet.keys("strings/place/").len() == 2);
    let running = fleet.world(&["leave", "h1"]);
    assert_eq!(running.status.code(), Some(1));
    assert!(stderr(&running).contains("the agent of h1 is running; stop it first"), "{}", stderr(&running));
    one.signal(Signal::KILL);
    one.ends();
    // As if the time of their leases were over; the other host asks for another one.
    fleet.etcd.revoke_all();
    until("its lease has ended", || fleet.get("agent/h1/live").is_none());
    // Its vote is without a lease: it stays elected.
    assert!(fleet.get("pool/web/chosen").unwrap().contains("h1"));
    let own = r#"["pool/web/vote/h1","strings/place/h1"]"#;
    let said = |args: &[&str]| String::from_utf8(fleet.world(args).stdout).unwrap();
    assert_eq!(said(&["leave", "--dry-run", "h1"]), format!("{{\"host\":\"h1\",\"keys\":{own},\"removed\":false}}\n"));
    assert!(fleet.get("strings/place/h1").is_some());
    assert_eq!(said(&["leave", "h1"]), format!("{{\"host\":\"h1\",\"keys\":{own},\"removed\":true}}\n"));
    fleet.holds("elected-h2", r#"["h2"]"#);
    let again = fleet.world(&["leave", "h1"]);
    assert_eq!((again.status.code(), fleet.get("strings/place/h1")), (Some(1), None));
    assert!(stderr(&again).contains("the store has no data of the host h1"), "{}", stderr(&again));
    // Without a voter, no host is elected.
    two.signal(Signal::KILL);
    two.ends();
    fleet.etcd.revoke_all();
    until("its lease has ended", || fleet.get("agent/h2/live").is_none());
    assert!(fleet.world(&["leave", "h2"]).status.success());
    let left = fleet.keys("");
    assert!(left.iter().all(|key| key.ends_with("/layout")), "{left:?}");
}
