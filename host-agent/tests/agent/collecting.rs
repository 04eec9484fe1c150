//! What an agent leaves out of what is in a shared store, also while it runs: what its policy does not allow, and what
//! cannot be used. The rest of its program continues.

use crate::fleet::{COLLECTS, Fleet, exports, file};

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

#[test]
fn what_two_hosts_export_differently_stays_as_it_was_and_the_rest_goes_on() {
    let Some(fleet) = Fleet::new("fleet-collect-both") else { return };
    let one = fleet.start("h1", COLLECTS);
    let mut two = fleet.start_lasting("h2", &exports("shared", "from h2"));
    fleet.holds("shared", "from h2");
    let _three = fleet.start_lasting("h3", &format!("{}{}", exports("shared", "from h3"), exports("other", "other")));
    one.says("is not updated: the hosts `h2` and `h3` export it with a different `content`");
    fleet.holds("other", "other");
    fleet.holds("count", "3");
    assert_eq!(fleet.case.read("out/shared").as_deref(), Some("from h2"));
    assert!(two.stop().success());
    // As if the time of its lease were over; the others ask for new ones.
    fleet.etcd.revoke_all();
    fleet.holds("shared", "from h3");
}

#[test]
fn why_names_the_host_that_exports_a_resource() {
    let Some(fleet) = Fleet::new("fleet-why") else { return };
    let _two = fleet.start("h2", &exports("shared", "from h2"));
    let _one = fleet.start("h1", COLLECTS);
    fleet.holds("shared", "from h2");
    let resource = format!("file[{}]", fleet.case.path("out/shared").display());
    let why = fleet.case.run(&["why", "--prefix", "state-h1", &resource]);
    assert!(String::from_utf8_lossy(&why.stdout).contains("  exported by h2 (revision "), "{why:?}");
}

#[test]
fn what_cannot_be_read_in_the_store_does_not_stop_a_program() {
    let Some(fleet) = Fleet::new("fleet-garbage") else { return };
    fleet.put("exported/*/h9/file//nowhere", "nonsense");
    fleet.put("strings/address/h2", "10.0.0.2");
    fleet.put("strings/address/h2/lan", "10.0.0.3");
    let map = file("map", "fmt.printf(\"%v\", world.kvlookup(\"address\"))");
    let one = fleet.start("h1", &format!("import \"world\"\n{COLLECTS}{map}"));
    fleet.holds("map", r#"{"h2": "10.0.0.2"}"#);
    fleet.holds("count", "1");
    one.says("exported resource `file[/nowhere]` of host `h9` is left out");
    one.says("the value `address/h2/lan` does not belong to a host");
    fleet.put("strings/address/h3", "10.0.0.4");
    fleet.holds("map", r#"{"h2": "10.0.0.2", "h3": "10.0.0.4"}"#);
}
