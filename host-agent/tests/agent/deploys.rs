//! Deploys in a real etcd: a program that the operator stores, and the hosts that take it.

use crate::case::{Agent, Case, stderr, until};
use crate::fleet::{Fleet, file, url};
use mclive_kit::etcd::Etcd;
use mclive_kit::link::Link;
use rustix::process::Signal;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::process::Output;

impl Fleet {
    pub(crate) fn deploy(&self, args: &[&str]) -> Output {
        self.case.run(&[&["deploy", "--world", &self.etcd.url()], args].concat())
    }

    /// Deploys a program of one file; returns the number of the deploy.
    pub(crate) fn deploys(&self, program: &str) -> u64 {
        self.case.program(&program.replace("@OUT@", self.case.path("out").to_str().unwrap()));
        let output = self.deploy(&["main.mcl"]);
        assert!(output.status.success(), "{output:?}");
        said(&output)["deploy"].as_u64().unwrap()
    }

    /// Starts a host that takes deploys.
    pub(crate) fn take(&self, host: &str, url: &str) -> Agent {
        self.take_for(host, url, "5")
    }

    /// The same; its lease outlasts the test, also on a machine where it gets no processor for many seconds.
    pub(crate) fn take_lastingly(&self, host: &str) -> Agent {
        self.take_for(host, &self.etcd.url(), "600")
    }

    fn take_for(&self, host: &str, url: &str, ttl: &str) -> Agent {
        let prefix = format!("state-{host}");
        let args = ["run", "--prefix", &prefix, "--hostname", host, "--world", url, "--world-ttl", ttl];
        Agent::spawn(self.case.command(&args))
    }

    /// Stores a deploy that no command would create. `spoil` changes its record.
    pub(crate) fn forge(&self, id: u64, program: &str, spoil: impl FnOnce(&mut Value)) {
        let program = program.replace("@OUT@", self.case.path("out").to_str().unwrap());
        let previous = self.get(&format!("deploy/{:020}", id - 1)).map(|before| sum(before.as_bytes()));
        let file = json!({ "path": "/main.mcl", "sha256": sum(program.as_bytes()), "size": program.len() });
        let mut record = json!({ "at": 1, "by": "mallory@desk", "entry": "/main.mcl", "files": [file], "id": id, "note": "",
            "previous": previous, "v": 1 });
        spoil(&mut record);
        let record = record.to_string();
        self.put(&format!("blob/{}/0", sum(program.as_bytes())), &program);
        self.put(&format!("deploy/{id:020}"), &record);
        self.put("deploy/head", &json!({ "id": id, "sha256": sum(record.as_bytes()), "v": 1 }).to_string());
    }

    fn record(&self, id: u64) -> Value {
        serde_json::from_str(&self.get(&format!("deploy/{id:020}")).unwrap()).unwrap()
    }
}

/// The line of JSON that a command printed.
pub(crate) fn said(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_deploy_is_a_record_in_a_chain_with_contents_in_pieces() {
    let Some(fleet) = Fleet::new("deploy-record") else { return };
    let big = "x".repeat((512 << 10) + 7);
    std::fs::create_dir_all(fleet.case.path("tree/files")).unwrap();
    fleet.case.write("tree/main.mcl", "file \"/tmp/a\" {\n\tstate => \"exists\",\n}\n");
    fleet.case.write("tree/files/big", &big);
    fleet.case.write("tree/files/same", &big);
    let dry = fleet.deploy(&["--dry-run", "tree"]);
    assert_eq!((said(&dry)["created"].as_bool(), fleet.keys("").len()), (Some(false), 0), "{dry:?}");
    let first = fleet.deploy(&["--note", "the first", "tree"]);
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    assert_eq!((said(&first)["deploy"].as_u64(), said(&first)["files"].as_u64()), (Some(1), Some(3)));
    let record = fleet.record(1);
    let paths: Vec<_> = record["files"].as_array().unwrap().iter().map(|file| file["path"].clone()).collect();
    assert_eq!(paths, ["/files/big", "/files/same", "/main.mcl"]);
    assert_eq!(
        (record["note"].as_str(), record["files"][0]["sha256"].as_str()),
        (Some("the first"), Some(&*sum(big.as_bytes())))
    );
    // The two equal files are one content.
    let pieces = fleet.keys("blob/");
    assert_eq!(pieces.len(), 3, "{pieces:?}");
    let of_big = |n: usize| fleet.get(&format!("blob/{}/{n}", sum(big.as_bytes()))).unwrap();
    assert_eq!(of_big(0) + &of_big(1), big);
    let revision = fleet.etcd.revision();
    let again = fleet.deploy(&["tree"]);
    assert_eq!((again.status.code(), said(&again)["created"].as_bool()), (Some(0), Some(false)));
    assert_eq!(fleet.etcd.revision(), revision);
    fleet.case.write("tree/files/same", "other");
    assert_eq!(said(&fleet.deploy(&["tree"]))["deploy"], 2);
    let bytes = fleet.get("deploy/00000000000000000001").unwrap();
    assert_eq!(fleet.record(2)["previous"].as_str(), Some(&*sum(bytes.as_bytes())));
    let head: Value = serde_json::from_str(&fleet.get("deploy/head").unwrap()).unwrap();
    let newest = fleet.get("deploy/00000000000000000002").unwrap();
    assert_eq!((head["id"].as_u64(), head["sha256"].as_str()), (Some(2), Some(&*sum(newest.as_bytes()))));
}

#[test]
fn a_program_with_errors_is_not_deployed() {
    let Some(fleet) = Fleet::new("deploy-errors") else { return };
    fleet.case.program("file \"/tmp/a\" {\n\tcontent => $missing,\n}\n");
    let refused = fleet.deploy(&["main.mcl"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(stderr(&refused).contains("cannot find variable `$missing`"), "{refused:?}");
    assert_eq!(fleet.keys("").len(), 0);
    assert_eq!(fleet.case.run(&["deploy", "main.mcl"]).status.code(), Some(2));
    assert_eq!(fleet.deploy(&[]).status.code(), Some(2));
}

#[test]
fn simultaneous_deploys_get_different_numbers_or_an_error() {
    let Some(fleet) = Fleet::new("deploy-race") else { return };
    let url = fleet.etcd.url();
    let all: Vec<Agent> = (0..5)
        .map(|n| {
            let name = format!("{n}.mcl");
            fleet.case.write(&name, &format!("print \"{n}\" {{}}\n"));
            Agent::spawn(fleet.case.command(&["deploy", "--world", &url, &name]))
        })
        .collect();
    let mut n_created = 0;
    for mut agent in all {
        let status = agent.ends();
        match status.success() {
            true => n_created += 1,
            false => agent.says("was created first"),
        }
    }
    let records = fleet.keys("deploy/0");
    assert!(n_created >= 1 && records.len() == n_created, "{n_created}: {records:?}");
    let mut previous = Value::Null;
    for id in 1..=n_created {
        let record = fleet.get(&format!("deploy/{id:020}")).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&record).unwrap()["previous"], previous);
        previous = sum(record.as_bytes()).into();
    }
}

#[test]
fn hosts_take_each_deploy_and_keep_what_runs_if_the_newest_is_not_valid() {
    let Some(fleet) = Fleet::new("deploy-taken") else { return };
    let hosts = ["h1", "h2"].map(|host| fleet.take(host, &fleet.etcd.url()));
    hosts.iter().for_each(|host| host.says("there is no deploy yet; waiting for the first one"));
    let each = |content: &str| ["h1", "h2"].iter().for_each(|host| fleet.holds(host, content));
    fleet.deploys(&file("${hostname}", "\"one\""));
    each("one");
    fleet.deploys(&file("${hostname}", "\"two\""));
    each("two");
    hosts.iter().for_each(|host| host.says("applying deploy 2 by "));
    // A deploy that was not checked before: each host checks it.
    fleet.forge(3, "file \"@OUT@/bad\" {\n\tcontent => $missing,\n}\n", |_| {});
    hosts.iter().for_each(|host| host.says("cannot find variable `$missing`"));
    std::fs::remove_file(fleet.case.path("out/h1")).unwrap();
    each("two");
    assert_eq!(fleet.deploys(&file("${hostname}", "\"four\"")), 4);
    each("four");
    // A host that comes later takes the newest at once.
    let _three = fleet.take("h3", &fleet.etcd.url());
    fleet.holds("h3", "four");
}

#[test]
fn a_host_starts_with_its_last_good_deploy_while_the_store_is_away() {
    let Some(fleet) = Fleet::new("deploy-away") else { return };
    let link = Link::to(&fleet.etcd.address());
    fleet.put("strings/k", "value");
    let program =
        |own: &str| format!("{}import \"world\"\n{}", file("own", own), file("k", "world.getval(\"k\")->value"));
    fleet.deploys(&file("own", "\"one\""));
    let mut one = fleet.take("h1", &url(&link));
    fleet.holds("own", "one");
    until("it is kept", || fleet.case.path("state-h1/deploy/good").exists());
    one.signal(Signal::KILL);
    one.ends();
    link.cut();
    std::fs::remove_file(fleet.case.path("out/own")).unwrap();
    one = fleet.take("h1", &url(&link));
    one.says("applying the last deploy that this host has kept");
    fleet.holds("own", "one");
    fleet.deploys(&program("\"two\""));
    link.heal();
    fleet.holds("own", "two");
    fleet.holds("k", "value");
    until("it is there", || fleet.get("agent/h1/live").is_some());
    assert!(one.runs());
}

#[test]
fn a_program_that_reads_the_world_waits_for_a_store_that_was_never_read() {
    let Some(fleet) = Fleet::new("deploy-unknown") else { return };
    let link = Link::to(&fleet.etcd.address());
    fleet.put("strings/k", "value");
    fleet.deploys(&format!("import \"world\"\n{}", file("k", "world.getval(\"k\")->value")));
    let mut one = fleet.take("h1", &url(&link));
    fleet.holds("k", "value");
    until("it is kept", || fleet.case.path("state-h1/deploy/good").exists());
    one.signal(Signal::KILL);
    one.ends();
    link.cut();
    one = fleet.take("h1", &url(&link));
    one.says("the shared store is unreachable");
    // An empty value would be wrong: it is not known.
    assert_eq!(fleet.read("k"), "value");
    fleet.put("strings/k", "other");
    link.heal();
    fleet.holds("k", "other");
}

#[test]
fn a_deploy_without_a_graph_is_replaced_by_the_one_before() {
    let Some(fleet) = Fleet::new("deploy-failed") else { return };
    fleet.case.write("out/mode", "none");
    fleet.deploys(&file("own", "\"one\""));
    let one = fleet.take("h1", &fleet.etcd.url());
    fleet.holds("own", "one");
    let mode =
        "import \"os\"\nfile \"@OUT@/own\" {\n\tstate => \"exists\",\n\tmode => os.readfile(\"@OUT@/mode\"),\n}\n";
    fleet.deploys(mode);
    one.says("deploy 2 failed; applying deploy 1 again");
    std::fs::remove_file(fleet.case.path("out/own")).unwrap();
    fleet.holds("own", "one");
    fleet.deploys(&file("own", "\"three\""));
    fleet.holds("own", "three");
}

#[test]
fn the_number_of_a_deploy_never_goes_back_and_a_broken_chain_is_not_followed() {
    let Some(fleet) = Fleet::new("deploy-back") else { return };
    fleet.deploys(&file("own", "\"one\""));
    let first = fleet.get("deploy/head").unwrap();
    fleet.deploys(&file("own", "\"two\""));
    let mut one = fleet.take("h1", &fleet.etcd.url());
    fleet.holds("own", "two");
    fleet.put("deploy/head", "garbage\u{1b}[2J");
    one.says("the key deploy/head of the shared store is not JSON with a version");
    fleet.put("deploy/head", &first);
    one.says("but this host has already taken deploy 2");
    fleet.forge(3, &file("own", "\"three\""), |record| record["previous"] = sum(b"").into());
    one.says("deploy 3 does not follow the one before it");
    fleet.forge(3, &file("own", "\"three\""), |record| record["files"][0]["sha256"] = sum(b"other").into());
    one.says("the content of /main.mcl is missing or damaged");
    assert_eq!(fleet.read("own"), "two");
    one.signal(Signal::KILL);
    one.ends();
    fleet.put("deploy/head", &first);
    let world = ["--world", &fleet.etcd.url(), "--world-ttl", "5", "--accept-older"];
    let back = fleet.case.run(&[&["run", "--once", "--prefix", "state-h1", "--hostname", "h1"], &world[..]].concat());
    assert!(back.status.success(), "{back:?}");
    assert_eq!(fleet.read("own"), "one");
}

#[test]
fn a_run_once_applies_the_newest_deploy() {
    let Some(fleet) = Fleet::new("deploy-once") else { return };
    let url = fleet.etcd.url();
    let once = || fleet.case.run(&["run", "--once", "--prefix", "state", "--hostname", "h1", "--world", &url]);
    let none = once();
    assert_eq!(none.status.code(), Some(1), "{none:?}");
    assert!(stderr(&none).contains("the shared store has no deploy"), "{none:?}");
    fleet.deploys(&file("own", "\"one\""));
    assert!(once().status.success());
    assert_eq!(fleet.read("own"), "one");
    assert!(fleet.case.path("state/deploy/good").exists());
    let missing = fleet.case.run(&["run", "--once", "--prefix", "state"]);
    assert_eq!(missing.status.code(), Some(2), "{missing:?}");
}

#[test]
fn a_deploy_reaches_its_hosts_although_members_of_the_store_die() {
    let Some(mut members) = Etcd::cluster(3) else { return };
    let case = Case::new("deploy-members", "");
    let urls = members.iter().map(Etcd::url).collect::<Vec<_>>().join(",");
    let hosts = ["h1", "h2"].map(|host| {
        let prefix = format!("state-{host}");
        let args = ["run", "--prefix", &prefix, "--hostname", host, "--world", &urls, "--world-ttl", "5"];
        Agent::spawn(case.command(&args))
    });
    let deploy = |content: &str| {
        case.program(&file("${hostname}", &format!("\"{content}\"")));
        case.run(&["deploy", "--world", &urls, "main.mcl"])
    };
    let each = |content: &str| ["h1", "h2"].iter().for_each(|host| case.holds(&format!("out/{host}"), content));
    assert!(deploy("one").status.success());
    each("one");
    members[0].kill();
    // Until another leader is elected it may be refused; an attempt that has succeeded unnoticed is not repeated.
    until("it is deployed", || deploy("two").status.success());
    each("two");
    // One of three says nothing for sure.
    members[1].freeze(true);
    let lost = deploy("three");
    assert_eq!(lost.status.code(), Some(1), "{lost:?}");
    std::fs::remove_file(case.path("out/h1")).unwrap();
    each("two");
    members[1].freeze(false);
    until("it is deployed again", || deploy("three").status.success());
    each("three");
    hosts.iter().for_each(|host| assert!(!host.said().contains("not valid"), "{}", host.said()));
}
