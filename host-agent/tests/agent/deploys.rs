//! Deploys in a real etcd: a program that the operator stores, and the hosts that take it.

use crate::case::{Agent, stderr};
use crate::fleet::Fleet;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::process::Output;

impl Fleet {
    fn deploy(&self, args: &[&str]) -> Output {
        self.case.run(&[&["deploy", "--world", &self.etcd.url()], args].concat())
    }

    /// Deploys a program of one file; returns the number of the deploy.
    fn deploys(&self, program: &str) -> u64 {
        self.case.program(&program.replace("@OUT@", self.case.path("out").to_str().unwrap()));
        let output = self.deploy(&["main.mcl"]);
        assert!(output.status.success(), "{output:?}");
        said(&output)["deploy"].as_u64().unwrap()
    }

    fn record(&self, id: u64) -> Value {
        serde_json::from_str(&self.get(&format!("deploy/{id:020}")).unwrap()).unwrap()
    }
}

/// The line of JSON that a command printed.
fn said(output: &Output) -> Value {
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
fn of_deploys_at_once_each_number_goes_to_one_and_the_others_are_told() {
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
