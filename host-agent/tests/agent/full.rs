//! A store that runs out of space, and one that is defragmented while it is used.

use crate::case::{Case, until};
use crate::fleet::{Fleet, exports, sees};
use mclive_kit::etcd::Etcd;

/// Keys of other users of the store.
const OTHERS: &str = "/others/";

#[test]
fn a_host_goes_on_while_the_store_is_full_and_then_writes_what_is_missing() {
    let Some(etcd) = Etcd::small(8 << 20) else { return };
    let fleet = Fleet { etcd, case: Case::new("full-quota", "") };
    fleet.put("strings/k", "one");
    let mut one = fleet.start("h1", &format!("{}{}", sees("k", "k"), exports("shared", "from h1")));
    fleet.holds("k", "one");
    until("it has exported", || fleet.keys("exported/").len() == 1);
    fleet.etcd.fill(OTHERS);
    // A full store still allows removals.
    fleet.keys("exported/").iter().for_each(|key| fleet.etcd.delete(key));
    one.says("the shared store refuses a write of this host: ");
    one.says("the store is full: compact its history");
    // One that starts now cannot say that it is there, and follows the store.
    let mut two = fleet.start("h2", &sees("of-h2", "k"));
    fleet.holds("of-h2", "one");
    std::fs::remove_file(fleet.case.path("out/k")).unwrap();
    fleet.holds("k", "one");
    fleet.etcd.delete("/mclive/main/strings/k");
    fleet.holds("k", "");
    fleet.holds("of-h2", "");
    assert!(fleet.keys("exported/").is_empty());
    fleet.etcd.make_room(OTHERS);
    until("it exports again", || fleet.keys("exported/").len() == 1);
    until("the other one is there", || fleet.get("agent/h2/live").is_some());
    fleet.put("strings/k", "two");
    fleet.holds("k", "two");
    fleet.holds("of-h2", "two");
    assert!(one.runs() && two.runs());
}

#[test]
fn a_store_that_is_defragmented_while_values_change_loses_nothing() {
    let Some(fleet) = Fleet::new("full-defragmented") else { return };
    fleet.put("strings/k", "0");
    let mut one = fleet.start("h1", &format!("{}{}", sees("k", "k"), exports("shared", "from h1")));
    fleet.holds("k", "0");
    until("it has exported", || fleet.keys("exported/").len() == 1);
    for round in 1..=5 {
        let last = format!("{round}");
        std::thread::scope(|scope| {
            scope.spawn(|| fleet.etcd.defragment());
            (0..50).for_each(|nth| fleet.put("strings/k", &format!("{round}.{nth}")));
            fleet.put("strings/k", &last);
        });
        fleet.holds("k", &last);
        fleet.etcd.compact();
    }
    until("its export is there", || fleet.keys("exported/").len() == 1);
    assert!(one.runs());
}
