//! Deploys for some hosts only, in a real etcd: who applies them, what the others keep, and who counts.

use crate::case::{stderr, until};
use crate::deploy_states::lines;
use crate::deploys::said;
use crate::fleet::{Fleet, file};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::process::Output;

impl Fleet {
    /// Deploys a file with the name of each host and this content to some hosts, with more options.
    fn deploys_to(&self, to: &str, content: &str, flags: &[&str]) -> Output {
        let program = file("${hostname}", &format!("\"{content}\""));
        self.case.program(&program.replace("@OUT@", self.case.path("out").to_str().unwrap()));
        let to: &[&str] = if to.is_empty() { &[] } else { &["--to", to] };
        let output = self.deploy(&[to, flags, &["main.mcl"]].concat());
        assert!(output.status.success(), "{output:?}");
        output
    }

    /// The host has dealt with a deploy that is not for it.
    fn skips(&self, host: &str, deploy: u64, runs: u64) {
        until(&format!("{host} skips deploy {deploy} and applies {runs}"), || {
            let state = self.state(host);
            (&state["standing"], &state["deploy"], &state["runs"]) == (&"skipped".into(), &deploy.into(), &runs.into())
        });
    }

    /// The file of a host is repaired: its program runs.
    fn host_still(&self, host: &str, content: &str) {
        std::fs::remove_file(self.case.path(&format!("out/{host}"))).unwrap();
        self.holds(host, content);
    }

    /// The targets of all deploys.
    fn all_targets(&self) -> Vec<Value> {
        lines(&self.world(&["deploys"])).iter().map(|line| line["targets"].clone()).collect()
    }
}

#[test]
fn a_host_waits_for_its_turn_with_a_deploy_that_is_spread_and_for_none_with_a_later_one() {
    let Some(fleet) = Fleet::new("deploy-spread") else { return };
    let web = fleet.take("web1", &fleet.etcd.url());
    fleet.deploys_to("", "one", &[]);
    fleet.holds("web1", "one");
    assert_eq!(said(&fleet.deploys_to("", "two", &["--spread", "1d"]))["spread"], json!(86_400));
    web.says("deploy 2 is spread over 86400 s; applying it in ");
    fleet.host_still("web1", "one");
    // It is not there yet, so the same program is deployed again.
    fleet.deploys_to("", "two", &[]);
    fleet.holds("web1", "two");
    fleet.deploys_to("", "three", &["--spread", "1s"]);
    fleet.holds("web1", "three");
    let spread: Vec<_> = lines(&fleet.world(&["deploys"])).iter().map(|line| line["spread"].clone()).collect();
    assert_eq!(spread, [Value::Null, json!(86_400), Value::Null, json!(1)]);
}

#[test]
fn a_deploy_for_some_hosts_leaves_the_others_with_theirs() {
    let Some(fleet) = Fleet::new("targets-some") else { return };
    let url = fleet.etcd.url();
    let mut web = fleet.take("web1", &url);
    let db = fleet.take("db1", &url);
    fleet.deploys_to("", "one", &[]);
    ["web1", "db1"].iter().for_each(|host| fleet.holds(host, "one"));
    assert_eq!(said(&fleet.deploys_to("web*", "two", &[]))["targets"], json!(["web*"]));
    fleet.holds("web1", "two");
    db.says("deploy 2 is not for this host; applying deploy 1");
    fleet.skips("db1", 2, 1);
    fleet.host_still("db1", "one");
    fleet.deploys_to("db1", "three", &[]);
    fleet.holds("db1", "three");
    fleet.skips("web1", 3, 2);
    assert_eq!(fleet.all_targets(), [Value::Null, json!(["web*"]), json!(["db1"])]);
    // It starts with its last good deploy, and takes the newest one for it, which is not the newest one.
    web.signal(Signal::KILL);
    web.ends();
    std::fs::remove_file(fleet.case.path("out/web1")).unwrap();
    let _web = fleet.take("web1", &url);
    fleet.holds("web1", "two");
    fleet.skips("web1", 3, 2);
    // Hosts that come later look back.
    let _late = ["web2", "db2"].map(|host| fleet.take(host, &url));
    fleet.holds("web2", "two");
    fleet.holds("db2", "one");
    fleet.skips("db2", 3, 1);
    until("it is listed with that", || {
        String::from_utf8(fleet.world(&["hosts"]).stdout).unwrap().contains("\"standing\":\"skipped\"")
    });
    fleet.deploys_to("", "four", &[]);
    ["web1", "web2", "db1", "db2"].iter().for_each(|host| fleet.holds(host, "four"));
}

#[test]
fn a_host_without_a_deploy_for_it_waits_for_one() {
    let Some(fleet) = Fleet::new("targets-none") else { return };
    let url = fleet.etcd.url();
    fleet.deploys_to("web1", "one", &[]);
    let db = fleet.take("db1", &url);
    db.says("deploy 1 is not for this host; waiting for another one");
    fleet.skips("db1", 1, 0);
    let once = fleet.case.run(&["run", "--once", "--prefix", "state", "--hostname", "db2", "--world", &url]);
    assert_eq!(once.status.code(), Some(1), "{once:?}");
    assert!(stderr(&once).contains("the shared store has no deploy for this host"), "{once:?}");
    assert_eq!((fleet.read("db1"), fleet.read("db2")), (String::new(), String::new()));
    fleet.deploys_to("db*", "two", &[]);
    fleet.holds("db1", "two");
    // A copy of a state directory is no deploy for a host of another name.
    let copy = fleet.case.run(&["run", "--once", "--prefix", "state", "--hostname", "db2", "--world", &url]);
    assert!(copy.status.success(), "{copy:?}");
    let other = fleet.case.run(&["run", "--once", "--prefix", "state", "--hostname", "mail1", "--world", &url]);
    assert_eq!(other.status.code(), Some(1), "{other:?}");
    assert!(stderr(&other).contains("the last deploy in the state directory, 2, is not for this host"), "{other:?}");
    assert_eq!(fleet.read("mail1"), "");
}

#[test]
fn a_host_says_what_became_of_its_own_deploy_although_the_newest_is_not_for_it() {
    let Some(fleet) = Fleet::new("targets-refused") else { return };
    let host = fleet.take_lastingly("web1");
    fleet.deploys_to("", "one", &[]);
    fleet.holds("web1", "one");
    fleet.forge(2, "file \"@OUT@/bad\" {\n\tcontent => $missing,\n}\n", |_| {});
    host.says("cannot find variable `$missing`");
    until("it has refused it", || fleet.state("web1")["standing"] == "refused");
    // It says it in words and as JSON, on two streams, which are read at different times.
    host.says(r#""type":"refused""#);
    let n_said = || host.said().matches(r#""type":"refused""#).count();
    fleet.deploys_to("db1", "three", &[]);
    fleet.skips("web1", 3, 1);
    let text = fleet.state("web1")["text"].clone();
    assert!(text.as_str().unwrap().starts_with("deploy 2 refused: E"), "{text}");
    // The refused one is not tried again.
    fleet.deploys_to("db2", "four", &[]);
    fleet.skips("web1", 4, 1);
    assert_eq!(n_said(), 1, "{}", host.said());
    fleet.host_still("web1", "one");
}

#[test]
fn a_share_is_the_same_hosts_and_a_wait_counts_only_targets() {
    let Some(fleet) = Fleet::new("targets-share") else { return };
    // By the hash of its name the first is in the first 20%, the second in none below 90%.
    let _hosts = ["h2", "h1"].map(|host| fleet.take_lastingly(host));
    fleet.deploys_to("", "one", &[]);
    ["h1", "h2"].iter().for_each(|host| fleet.holds(host, "one"));
    let waited = |to: &str, content: &str| {
        let last = lines(&fleet.deploys_to(to, content, &["--wait", "240"])).pop().unwrap();
        (last["applied"].as_u64(), last["hosts"].as_u64(), last["enough"].as_bool())
    };
    assert_eq!(waited("20%", "two"), (Some(1), Some(1), Some(true)));
    fleet.holds("h2", "two");
    fleet.skips("h1", 2, 1);
    assert_eq!(waited("50%", "three"), (Some(1), Some(1), Some(true)));
    fleet.holds("h2", "three");
    fleet.skips("h1", 3, 1);
    fleet.host_still("h1", "one");
    assert_eq!(waited("20%,h1", "four"), (Some(2), Some(2), Some(true)));
    ["h1", "h2"].iter().for_each(|host| fleet.holds(host, "four"));
    let nobody = fleet.deploy(&["--to", "mail*", "--wait", "1", "main.mcl"]);
    assert_eq!(nobody.status.code(), Some(1), "{nobody:?}");
    assert!(stderr(&nobody).contains("no host among its targets (mail*) takes deploys"), "{nobody:?}");
}

#[test]
fn a_program_is_new_for_other_hosts_and_goes_back_for_the_same_ones() {
    let Some(fleet) = Fleet::new("targets-back") else { return };
    let created = |output: &Output| said(output)["created"].as_bool().unwrap();
    assert!(created(&fleet.deploys_to("", "one", &[])));
    // All hosts have it already.
    assert!(!created(&fleet.deploys_to("web1", "one", &[])));
    assert!(created(&fleet.deploys_to("web1,web2", "two", &[])));
    assert!(!created(&fleet.deploys_to("web2", "two", &[])));
    assert!(created(&fleet.deploys_to("db1", "two", &[])));
    // The hosts of the newest one get what they had before.
    let back = |args: &[&str]| {
        let output = fleet.deploy(args);
        assert!(output.status.success(), "{output:?}");
    };
    back(&["--back"]);
    back(&["--back", "2"]);
    back(&["--back", "2", "--to", "db*"]);
    let all = lines(&fleet.world(&["deploys"]));
    let rows: Vec<_> = all[3..].iter().map(|line| (line["note"].as_str().unwrap(), line["targets"].clone())).collect();
    assert_eq!(
        rows,
        [
            ("rollback to deploy 1", json!(["db1"])),
            ("rollback to deploy 2", json!(["web1", "web2"])),
            ("rollback to deploy 2", json!(["db*"])),
        ]
    );
    for (args, words) in [
        (&["--to", "0%", "main.mcl"][..], "invalid --to: \"0%\" is not a target"),
        (&["--to", "web 1", "main.mcl"], "is not a target"),
        (&["--lock", "why", "--to", "web1"], "cannot be used with"),
    ] {
        let output = fleet.deploy(args);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(stderr(&output).contains(words), "{output:?}");
    }
    assert_eq!(fleet.all_targets().len(), 6);
}
