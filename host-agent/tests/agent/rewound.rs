//! What goes back: a store that is restored from an older backup, and the wall clock of a host.

use crate::case::{Agent, until};
use crate::faults::{set_clock, with_own_clock};
use crate::fleet::{Fleet, KEYS, TTL, exports, file, sees, stays, url};
use crate::stalls::WATCH;
use mclive_kit::etcd::Etcd;
use mclive_kit::link::Link;
use std::time::{Duration, Instant};

/// What a host says once.
const RESTORED: &str = "the shared store was restored from an earlier state";

#[test]
fn a_store_restored_from_an_older_backup_gets_all_that_belongs_to_the_hosts() {
    let Some(mut fleet) = Fleet::new("rewound-store") else { return };
    fleet.put("strings/k", "one");
    fleet.deploys(&file("own", "\"one\""));
    let mut one = fleet.start("h1", &format!("{}{}", sees("k", "k"), exports("shared", "from h1")));
    let mut two = fleet.take("h2", &fleet.etcd.url());
    fleet.holds("k", "one");
    fleet.holds("own", "one");
    until("it has exported", || fleet.keys("exported/").len() == 1);
    fleet.etcd.back_up();
    // The backup has none of these. There are more of them than hosts write while the restored store is read.
    let mut three = fleet.start("h3", &format!("kv \"own\" {{ value => \"h3\", }}\n{}", exports("more", "from h3")));
    until("the third one has exported", || fleet.keys("exported/*/h3/").len() == 1);
    until("it has set its value", || fleet.get("strings/own").is_some());
    (0..100).for_each(|n| fleet.put("strings/k", &n.to_string()));
    fleet.deploys(&file("own", "\"two\""));
    fleet.holds("k", "99");
    fleet.holds("own", "two");
    fleet.etcd.restore();
    fleet.holds("k", "one");
    one.says(RESTORED);
    until("each host is there", || {
        let keys = fleet.keys("agent/");
        let live = |host: &str| keys.iter().any(|key| key.ends_with(&format!("/{host}/live")));
        ["h1", "h2", "h3"].into_iter().all(live)
    });
    until("all exports are back", || fleet.keys("exported/").len() == 2);
    until("the value is back", || fleet.get("strings/own").as_deref() == Some("h3"));
    // A deploy is not taken back.
    two.says("but this host has already taken deploy 2");
    assert_eq!(fleet.read("own"), "two");
    // They still are under leases that their hosts renew.
    stays(Duration::from_secs(TTL + 3), || fleet.keys("exported/").len() == 2);
    fleet.put("strings/k", "afterwards");
    fleet.holds("k", "afterwards");
    assert_eq!(one.said().matches(RESTORED).count(), 1, "{}", one.said());
    assert!(one.runs() && two.runs() && three.runs());
}

/// The revision of the restored store says nothing: more has happened in it than before.
#[test]
fn a_restored_store_that_has_overtaken_a_host_is_recognised() {
    let Some(mut fleet) = Fleet::new("rewound-overtaken") else { return };
    let link = Link::to(&fleet.etcd.address());
    fleet.put("strings/k", "one");
    let mut one = fleet.start_at("h1", &url(&link), &format!("{}{}", sees("k", "k"), exports("shared", "from h1")));
    fleet.holds("k", "one");
    until("it has exported", || fleet.keys("exported/").len() == 1);
    fleet.etcd.back_up();
    fleet.put("strings/k", "two");
    fleet.holds("k", "two");
    link.cut();
    one.says("is unreachable");
    let before = fleet.etcd.revision();
    fleet.etcd.restore();
    while fleet.etcd.revision() <= before {
        fleet.put("strings/other", "x");
    }
    link.heal();
    fleet.holds("k", "one");
    one.says(RESTORED);
    until("its export is there", || fleet.keys("exported/*/h1/").len() == 1);
    stays(Duration::from_secs(TTL + 3), || fleet.keys("exported/*/h1/").len() == 1);
    fleet.put("strings/k", "afterwards");
    fleet.holds("k", "afterwards");
    assert!(one.runs());
}

/// Nothing that the host has seen is newer than the backup: only what it has written itself.
#[test]
fn a_restored_store_is_recognised_by_what_a_host_has_written_last() {
    let Some(mut fleet) = Fleet::new("rewound-quiet") else { return };
    let link = Link::to(&fleet.etcd.address());
    fleet.put("strings/k", "one");
    fleet.etcd.back_up();
    let program = format!("{}{}", sees("k", "k"), file("l", "world.getval(\"l\")->value"));
    let mut one = fleet.start_at("h1", &url(&link), &program);
    fleet.holds("k", "one");
    fleet.holds("l", "");
    until("it is there", || fleet.get("agent/h1/live").is_some());
    link.cut();
    one.says("is unreachable");
    let before = fleet.etcd.revision();
    fleet.etcd.restore();
    fleet.put("strings/l", "missed");
    while fleet.etcd.revision() <= before {
        fleet.put("strings/other", "x");
    }
    link.heal();
    fleet.holds("l", "missed");
    fleet.put("strings/k", "afterwards");
    fleet.holds("k", "afterwards");
    assert!(one.runs());
}

/// The backup has it under a lease that the host still renews.
#[test]
fn an_export_withdrawn_since_the_backup_does_not_stay_in_the_restored_store() {
    let Some(mut fleet) = Fleet::new("rewound-withdrawn") else { return };
    let kept = format!("{}{}", sees("k", "k"), exports("kept", "kept"));
    let mut one = fleet.start("h1", &format!("{kept}{}", exports("withdrawn", "x")));
    until("both are exported", || fleet.keys("exported/").len() == 2);
    fleet.etcd.back_up();
    let shorter = kept.replace("@OUT@", fleet.case.path("out").to_str().unwrap());
    fleet.case.write("h1.mcl", &shorter);
    until("one is withdrawn", || fleet.keys("exported/").len() == 1);
    fleet.put("strings/k", "since then");
    fleet.holds("k", "since then");
    fleet.etcd.restore();
    one.says(RESTORED);
    let is_kept = || {
        let keys = fleet.keys("exported/");
        keys.len() == 1 && keys[0].ends_with("/kept")
    };
    until("the other one is kept, and this one ends", is_kept);
    stays(Duration::from_secs(TTL + 3), is_kept);
    assert!(one.runs());
}

/// Leases are measured by a clock that cannot be set.
#[test]
fn a_wall_clock_that_is_set_changes_nothing_in_the_store() {
    let Some(fleet) = Fleet::new("rewound-clock") else { return };
    let elected = file("elected", "fmt.printf(\"%v\", world.schedule(\"web\"))");
    let program = "import \"fmt\"\nimport \"world\"\nschedule \"web\" {\n\tttl => 5,\n}\n";
    let program = format!("{program}{elected}{}", exports("shared", "from h1"));
    fleet.case.program(&program);
    let world = ["--world", &fleet.etcd.url(), "--world-ttl", "5", "main.mcl"];
    let mut command = fleet.case.command(&[&["run", "--prefix", "state-h1", "--hostname", "h1"], &world[..]].concat());
    with_own_clock(&fleet.case, &mut command);
    let mut one = Agent::spawn(command);
    fleet.holds("elected", r#"["h1"]"#);
    until("it has exported", || fleet.keys("exported/").len() == 1);
    for seconds in [3600, -3600] {
        // A host that a busy machine kept from renewing its lease loses it once, whatever the clock says: then that is set again.
        let changes_nothing = |nth: u32| {
            if nth > 0 {
                set_clock(&fleet.case, 0);
            }
            fleet.holds("elected", r#"["h1"]"#);
            until("it exports", || fleet.keys("exported/").len() == 1);
            let revision = fleet.etcd.revision();
            set_clock(&fleet.case, seconds);
            let (began, mut is_unchanged) = (Instant::now(), true);
            // At each moment: what is lost and comes back would be a change as well.
            while is_unchanged && began.elapsed() < Duration::from_secs(TTL + 2) {
                is_unchanged = fleet.etcd.revision() == revision && fleet.read("elected") == r#"["h1"]"#;
                std::thread::sleep(Duration::from_millis(20));
            }
            is_unchanged
        };
        assert!((0..5).any(changes_nothing), "a clock that is set by {seconds} s changes something");
    }
    assert!(one.stop().success());
}

/// Behind one address, as with a load balancer: the watch stays where it is, and the next renewal, over a new connection,
/// meets another store.
#[test]
fn a_store_that_is_exchanged_while_its_watch_goes_on_is_noticed() {
    let Some(fleet) = Fleet::new("rewound-exchanged") else { return };
    let Some(other) = Etcd::start() else { return };
    let link = Link::to(&fleet.etcd.address());
    fleet.put("strings/k", "one");
    let mut one = fleet.start_at("h1", &url(&link), &format!("{}{}", sees("k", "k"), exports("shared", "from h1")));
    fleet.holds("k", "one");
    until("it has exported", || fleet.keys("exported/").len() == 1);
    other.put(&format!("{KEYS}strings/k"), "two");
    link.leads_to(&other.address());
    link.end_others(WATCH);
    fleet.holds("k", "two");
    one.says("the shared store was replaced by another one");
    until("its export is there", || other.keys(&format!("{KEYS}exported/")).len() == 1);
    assert!(one.runs());
}
