//! What goes back: a store that is restored from an older backup, and the wall clock of a host.

use crate::case::{Agent, until};
use crate::faults::{set_clock, with_own_clock};
use crate::fleet::{Fleet, TTL, exports, file, sees, stays};
use std::time::{Duration, Instant};

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
    until("each host is there", || {
        let keys = fleet.keys("host/");
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
    assert!(one.runs() && two.runs() && three.runs());
}

/// Leases are measured by a clock that nobody sets.
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
    let revision = fleet.etcd.revision();
    for seconds in [3600, -3600] {
        set_clock(&fleet.case, seconds);
        let began = Instant::now();
        // At each moment: what is lost and comes back would be a change as well.
        while began.elapsed() < Duration::from_secs(TTL + 2) {
            assert_eq!((fleet.etcd.revision(), fleet.read("elected").as_str()), (revision, r#"["h1"]"#));
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    assert!(one.stop().success());
}
