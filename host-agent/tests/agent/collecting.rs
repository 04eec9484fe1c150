//! A policy limits what an agent collects from the others in a shared store, also while it runs.

use crate::fleet::{COLLECTS, Fleet, exports};

#[test]
fn a_host_that_the_policy_does_not_list_adds_nothing() {
    let Some(fleet) = Fleet::new("fleet-collect-from") else { return };
    fleet.case.write("policy.toml", "collect_from = ['web*']\ncollect_kinds = ['file']\n");
    let one = fleet.start_with("h1", &fleet.etcd.url(), &["--policy", "policy.toml"], COLLECTS);
    fleet.holds("count", "0");
    let _db = fleet.start("db1", &exports("from-db", "db"));
    one.says("the policy does not allow collecting from the host `db1`: no pattern of `collect_from` matches it");
    let _web = fleet.start("web1", &exports("from-web", "web"));
    fleet.holds("from-web", "web");
    fleet.holds("count", "1");
    assert_eq!(fleet.case.read("out/from-db"), None);
    assert_eq!(one.said().matches("collecting from the host `db1`").count(), 1, "{}", one.said());
}
