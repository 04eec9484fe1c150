//! A watch that stalls: its connection stays open and nothing arrives, while renewals of leases, over another connection,
//! are answered. World spec, 14.

use crate::case::{Case, until};
use crate::fleet::{Fleet, exports, sees, url};
use mclive_kit::etcd::Etcd;
use mclive_kit::link::Link;

/// What the connection of a watch begins with.
pub(crate) const WATCH: &str = "POST /v3/watch ";

#[test]
fn a_watch_that_stalls_while_renewals_pass_is_opened_again() {
    let Some(fleet) = Fleet::new("stalls-watch") else { return };
    let link = Link::to(&fleet.etcd.address());
    fleet.put("strings/k", "0");
    let mut one = fleet.start_at("h1", &url(&link), &sees("k", "k"));
    fleet.holds("k", "0");
    until("it is there", || fleet.get("agent/h1/live").is_some());
    let mut n: usize = 0;
    until("a stall is told", || {
        n += 1;
        // A renewal that comes late makes the host connect again, without this sentence.
        link.stall(WATCH);
        fleet.put("strings/k", &n.to_string());
        fleet.holds("k", &n.to_string());
        one.said().contains("has stalled; resuming from revision ")
    });
    // Each is told at most once. On a busy machine, the next one may begin before the first is read here.
    assert!(one.said().matches("has stalled").count() <= n, "{}", one.said());
    // The other watch continues.
    fleet.put("strings/k", "afterwards");
    fleet.holds("k", "afterwards");
    assert!(one.runs());
}

/// Requests go on over the connection that they have: one that is not answered ends it.
#[test]
fn a_host_whose_requests_stall_connects_again() {
    let Some(fleet) = Fleet::new("stalls-requests") else { return };
    let link = Link::to(&fleet.etcd.address());
    fleet.put("strings/k", "0");
    let mut one = fleet.start_at("h1", &url(&link), &format!("{}{}", sees("k", "k"), exports("shared", "from h1")));
    fleet.holds("k", "0");
    until("it has exported", || fleet.keys("exported/").len() == 1);
    for n in 1..4 {
        // All of them, the watch as well.
        link.stall("");
        fleet.put("strings/k", &n.to_string());
        fleet.holds("k", &n.to_string());
    }
    until("its export is there", || fleet.keys("exported/").len() == 1);
    assert!(one.runs());
}

/// Behind one address, as with a load balancer: new connections lead to a member that answers.
#[test]
fn a_member_that_hangs_with_the_watch_of_a_host_is_left_and_used_again() {
    let Some(mut members) = Etcd::cluster(3) else { return };
    // Without a leader, nothing could be renewed.
    until("the members have a leader", || members.iter().any(Etcd::leads));
    let at = members.iter().position(|member| !member.leads()).expect("only one leads");
    let hangs = members.remove(at);
    let fleet = Fleet { etcd: members.remove(0), case: Case::new("stalls-member", "") };
    let link = Link::to(&hangs.address());
    fleet.put("strings/k", "one");
    let mut one = fleet.start_at("h1", &url(&link), &sees("k", "k"));
    fleet.holds("k", "one");
    until("it is there", || fleet.get("agent/h1/live").is_some());
    link.leads_to(&fleet.etcd.address());
    hangs.freeze(true);
    fleet.put("strings/k", "two");
    fleet.holds("k", "two");
    hangs.freeze(false);
    link.leads_to(&hangs.address());
    fleet.put("strings/k", "three");
    fleet.holds("k", "three");
    assert!(one.runs());
}
