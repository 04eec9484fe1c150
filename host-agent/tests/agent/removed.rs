//! What someone removes from the store by hand, and leases that are revoked although they were renewed.

use crate::case::until;
use crate::elections::votes;
use crate::fleet::{Fleet, TTL, exports, stays};
use std::cell::RefCell;
use std::time::Duration;

#[test]
fn what_somebody_removes_from_the_store_is_put_again() {
    let Some(fleet) = Fleet::new("removed-keys") else { return };
    let program =
        |host: &str| format!("{}{}", votes(host, "\tttl => 5,\n"), exports(&format!("of-{host}"), "exported"));
    let mut one = fleet.start("h1", &program("h1"));
    fleet.holds("elected-h1", r#"["h1"]"#);
    let mut two = fleet.start("h2", &program("h2"));
    until("both have put all", || {
        let n_keys = |prefix: &str| fleet.keys(prefix).len();
        [n_keys("agent/"), n_keys("exported/"), n_keys("pool/web/vote/"), n_keys("pool/web/chosen")] == [2, 2, 2, 1]
    });
    let all = fleet.keys("");
    for key in &all {
        fleet.etcd.delete(key);
        until(&format!("{key} is back"), || fleet.keys("") == all);
    }
    fleet.etcd.revoke_all();
    until("all is back after the loss of the leases", || fleet.keys("") == all);
    let chosen = || fleet.get("pool/web/chosen").unwrap_or_default();
    until("both hosts follow the result", || {
        let (one, two) = (fleet.read("elected-h1"), fleet.read("elected-h2"));
        one == two && one.len() > 2 && chosen().contains(one.trim_matches(['[', ']']))
    });
    // It is under leases that are renewed, so the result does not change from one look to the next.
    let last = RefCell::new(chosen());
    stays(Duration::from_secs(TTL + 3), || {
        let now = chosen();
        fleet.keys("") == all && last.replace(now.clone()) == now
    });
    assert!(one.runs() && two.runs());
}
