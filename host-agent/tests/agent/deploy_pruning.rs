//! `mclive world prune` in a real etcd: what it removes, what hosts still find, and how it races with deploys.

use crate::case::{stderr, until};
use crate::deploy_locks::meanwhile_at;
use crate::deploy_states::lines;
use crate::deploys::said;
use crate::fleet::{Fleet, file};
use rustix::process::Signal;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::process::Output;
use std::sync::Once;

/// Deploys: the hosts that each is for, and its content.
const HISTORY: [(&str, &str); 6] =
    [("", "one"), ("db1", "for db1"), ("", "three"), ("web*", "for web"), ("db*", "for db"), ("db*", "again")];

impl Fleet {
    fn program(&self, content: &str) -> String {
        let program = file("${hostname}", &format!("\"{content}\""));
        program.replace("@OUT@", self.case.path("out").to_str().unwrap())
    }

    fn deploys_for(&self, to: &str, content: &str) {
        self.case.program(&self.program(content));
        let to: &[&str] = if to.is_empty() { &[] } else { &["--to", to] };
        let output = self.deploy(&[to, &["main.mcl"]].concat());
        assert!(said(&output)["created"] == true, "{output:?}");
    }

    /// What remains, and how many pieces were removed.
    fn prunes(&self, keep: &str, flags: &[&str]) -> (Value, Value) {
        let output = self.world(&[&["prune", "--keep", keep], flags].concat());
        assert!(output.status.success(), "{output:?}");
        (said(&output)["kept"].clone(), said(&output)["pieces"].clone())
    }

    fn ids(&self) -> Vec<u64> {
        self.keys("deploy/0").iter().map(|key| key.rsplit('/').next().unwrap().parse().unwrap()).collect()
    }

    fn has_piece(&self, content: &str) -> bool {
        self.get(&piece(&self.program(content))).is_some()
    }
}

fn piece(text: &str) -> String {
    let sum: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("blob/{sum}/0")
}

#[test]
fn old_deploys_are_removed_with_contents_that_no_other_one_needs() {
    let Some(fleet) = Fleet::new("prune-old") else { return };
    assert_eq!(fleet.world(&["prune"]).status.code(), Some(1));
    for content in ["one", "two", "one", "four"] {
        fleet.deploys_for("", content);
    }
    fleet.put("blob/nobody/0", "x");
    let revision = fleet.etcd.revision();
    assert_eq!(fleet.prunes("2", &["--dry-run"]), (json!([3, 4]), 2.into()));
    assert_eq!(fleet.etcd.revision(), revision);
    assert_eq!(fleet.prunes("20", &["--dry-run"]), (json!([1, 2, 3, 4]), 1.into()));
    assert_eq!(fleet.prunes("2", &[]), (json!([3, 4]), 2.into()));
    assert_eq!((fleet.ids(), fleet.get("deploy/pruned")), (vec![3, 4], Some(r#"{"before":3,"v":1}"#.into())));
    let pieces = ["one", "two", "four"].map(|content| fleet.has_piece(content));
    assert_eq!((pieces, fleet.get("blob/nobody/0")), ([true, false, true], None));
    let ids: Vec<_> = lines(&fleet.world(&["deploys"])).iter().map(|line| line["deploy"].clone()).collect();
    assert_eq!(ids, [3, 4]);
    // Then there is nothing to do.
    let revision = fleet.etcd.revision();
    assert_eq!(fleet.prunes("2", &[]), (json!([3, 4]), 0.into()));
    assert_eq!(fleet.etcd.revision(), revision);
    assert_eq!(fleet.deploy(&["--back", "1"]).status.code(), Some(1));
    assert!(fleet.deploy(&["--back"]).status.success());
    assert_eq!(fleet.ids(), [3, 4, 5]);
    assert_eq!(fleet.world(&["prune", "--keep", "0"]).status.code(), Some(2));
}

#[test]
fn hosts_go_on_after_the_beginning_of_the_chain_was_removed() {
    let Some(fleet) = Fleet::new("prune-chain") else { return };
    let url = fleet.etcd.url();
    // It has the first deploy on its disk, and is off for the others.
    fleet.deploys_for(HISTORY[0].0, HISTORY[0].1);
    let mut off = fleet.take("mail1", &url);
    fleet.holds("mail1", "one");
    until("it is kept", || fleet.case.path("state-mail1/deploy/good").exists());
    off.signal(Signal::KILL);
    off.ends();
    HISTORY[1..].iter().for_each(|(to, content)| fleet.deploys_for(to, content));
    let web = fleet.take("web1", &url);
    fleet.holds("web1", "for web");
    until("the host that was killed is gone", || fleet.get("agent/mail1/state").is_none());
    // 3 is the newest one for hosts such as mail1, 4 for web*, 5 is for no host any more.
    assert_eq!(fleet.prunes("1", &[]).0, json!([3, 4, 6]));
    assert_eq!(fleet.get("deploy/pruned").as_deref(), Some(r#"{"before":6,"v":1}"#));
    std::fs::remove_file(fleet.case.path("out/web1")).unwrap();
    fleet.holds("web1", "for web");
    // The ones that come now know no deploy, or one that was removed.
    let _late = ["mail1", "web2", "db1"].map(|host| fleet.take(host, &url));
    fleet.holds("mail1", "three");
    fleet.holds("web2", "for web");
    fleet.holds("db1", "again");
    fleet.deploys_for("", "seven");
    ["mail1", "web1", "web2", "db1"].iter().for_each(|host| fleet.holds(host, "seven"));
    assert!(!web.said().contains("--accept-older"), "{}", web.said());
    // A removal that was not recorded is reported as a gap.
    fleet.deploys_for("", "eight");
    fleet.holds("web1", "eight");
    web.signal(Signal::STOP);
    ["nine", "ten", "eleven"].iter().for_each(|content| fleet.deploys_for("", content));
    fleet.etcd.delete("/mclive/main/deploy/00000000000000000010");
    web.signal(Signal::CONT);
    web.says("there is no deploy 10: if an operator has removed it, start this host with --accept-older");
    fleet.deploys_for("", "twelve");
    fleet.prunes("1", &[]);
    fleet.deploys_for("", "thirteen");
    fleet.holds("web1", "thirteen");
}

#[test]
fn what_a_running_host_applies_stays() {
    let Some(fleet) = Fleet::new("prune-applied") else { return };
    let host = fleet.take_lastingly("web1");
    fleet.deploys_for("", "one");
    fleet.holds("web1", "one");
    fleet.forge(2, "file \"@OUT@/bad\" {\n\tcontent => $missing,\n}\n", |_| {});
    fleet.forge(3, "file \"@OUT@/bad\" {\n\tcontent => $missing2,\n}\n", |_| {});
    host.says("cannot find variable `$missing2`");
    until("it says so", || fleet.state("web1")["deploy"] == 3);
    assert_eq!(fleet.prunes("1", &[]).0, json!([1, 3]));
    assert!(fleet.has_piece("one"));
}

#[test]
fn nothing_is_removed_if_it_is_unknown_what_a_deploy_needs() {
    let Some(fleet) = Fleet::new("prune-unknown") else { return };
    ["one", "two", "three"].iter().for_each(|content| fleet.deploys_for("", content));
    let refused = |words: &str| {
        let output = fleet.world(&["prune", "--keep", "1"]);
        assert_eq!((output.status.code(), fleet.ids()), (Some(1), vec![1, 2, 3]), "{output:?}");
        assert!(stderr(&output).contains(words), "{output:?}");
    };
    let second = "deploy/00000000000000000002";
    let good = fleet.get(second).unwrap();
    fleet.put(second, &good.replace("\"v\":1", "\"v\":17"));
    refused("the record of deploy 2 is in format 17, which needs a newer version of mclive");
    fleet.put(second, &good);
    fleet.put(
        "deploy/lock",
        &json!({ "since": 1, "until": null, "v": 1, "who": "alice@desk", "why": "no" }).to_string(),
    );
    refused("deploys are locked by alice@desk");
    assert!(fleet.deploy(&["--unlock"]).status.success());
    assert_eq!(fleet.prunes("1", &[]).0, json!([3]));
}

/// A deploy does not send what the store has; then that is removed, ahead of its transaction.
#[test]
fn a_deploy_that_is_created_during_a_removal_has_all_its_contents() {
    let Some(fleet) = Fleet::new("prune-race") else { return };
    ["one", "two", "three"].iter().for_each(|content| fleet.deploys_for("", content));
    fleet.case.program(&fleet.program("one"));
    // Once: a removal during each try would leave the deploy no chance.
    let once = Once::new();
    let output = meanwhile_at(&fleet.etcd, &|| once.call_once(|| drop(fleet.prunes("1", &[]))), |url| {
        fleet.case.run(&["deploy", "--world", url, "main.mcl"])
    });
    assert_eq!(said(&output)["deploy"], 4, "{output:?}");
    assert_eq!((fleet.ids(), fleet.has_piece("one")), (vec![3, 4], true));
    let _host = fleet.take("web1", &fleet.etcd.url());
    fleet.holds("web1", "one");
}

/// A removal is planned; then a deploy is created that needs what is to be removed.
#[test]
fn a_removal_ends_if_a_deploy_is_created_meanwhile() {
    let Some(fleet) = Fleet::new("prune-late") else { return };
    ["one", "two", "three"].iter().for_each(|content| fleet.deploys_for("", content));
    let prune = |url: &str| -> Output { fleet.case.run(&["world", "prune", "--keep", "1", "--world", url]) };
    fleet.case.program(&fleet.program("one"));
    let output = meanwhile_at(&fleet.etcd, &|| drop(fleet.deploy(&["main.mcl"])), prune);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stderr(&output).contains("a deploy was created or removed, or the lock was changed"), "{output:?}");
    assert_eq!((fleet.ids(), fleet.has_piece("one")), (vec![1, 2, 3, 4], true));
    assert!(prune(&fleet.etcd.url()).status.success());
    assert_eq!((fleet.ids(), fleet.has_piece("one"), fleet.has_piece("two")), (vec![4], true, false));
}
