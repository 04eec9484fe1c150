//! `mclive world check` in a real etcd: each fault is told with its key, and its remedy removes it.

use crate::case::until;
use crate::deploy_states::lines;
use crate::fleet::{Fleet, KEYS, file};
use serde_json::{Value, json};

impl Fleet {
    /// The exit code, the faults, and what was checked.
    fn check(&self, flags: &[&str]) -> (Option<i32>, Vec<Value>, Value) {
        let output = self.world(&[&["check"], flags].concat());
        let mut lines = lines(&output);
        let checked = lines.pop().unwrap_or_else(|| panic!("{output:?}"));
        assert_eq!(checked["faults"], lines.len(), "{output:?}");
        (output.status.code(), lines, checked)
    }

    #[track_caller]
    fn is_sound(&self) {
        let (code, faults, _) = self.check(&[]);
        assert_eq!((code, faults), (Some(0), Vec::new()));
    }

    /// The only fault, whose key this is.
    #[track_caller]
    fn fault(&self, flags: &[&str], key: &str) -> Value {
        let (code, mut faults, _) = self.check(flags);
        assert!(code == Some(1) && faults.len() == 1 && faults[0]["key"] == key, "{code:?}, {faults:?}");
        faults.remove(0)
    }
}

#[test]
fn faults_of_deploys_are_told_until_they_are_put_right() {
    let Some(fleet) = Fleet::new("check-deploys") else { return };
    fleet.is_sound();
    for content in ["\"one\"", "\"two\"", "\"three\""] {
        fleet.deploys(&file("own", content));
    }
    let (code, _, checked) = fleet.check(&[]);
    assert_eq!((code, &checked["deploys"], &checked["files"]), (Some(0), &json!(3), &json!(3)));
    // A content that was changed is stored again by a deploy of its program.
    let newest: Value = serde_json::from_str(&fleet.get(&record(3)).unwrap()).unwrap();
    let piece = format!("blob/{}/0", newest["files"][0]["sha256"].as_str().unwrap());
    let right = fleet.get(&piece).unwrap();
    fleet.put(&piece, &right.replace("three", "eerht"));
    let said = fleet.fault(&[], &piece)["fault"].clone();
    assert!(said.as_str().unwrap().contains("a part of /main.mcl in deploy 3"), "{said}");
    fleet.deploys(&file("own", "\"three\""));
    fleet.is_sound();
    // The newest one is named by the command that is told.
    fleet.etcd.delete(&format!("{KEYS}deploy/head"));
    let command = fleet.fault(&[], "deploy/head")["command"].as_str().unwrap().to_owned();
    let value =
        command.strip_prefix(&format!("etcdctl put {KEYS}deploy/head '")).and_then(|rest| rest.strip_suffix('\''));
    fleet.put("deploy/head", value.unwrap_or_else(|| panic!("{command}")));
    fleet.is_sound();
    assert_eq!(fleet.deploys(&file("own", "\"four\"")), 4);
    // A chain with a gap begins after it.
    fleet.etcd.delete(&format!("{KEYS}{}", record(2)));
    let said = fleet.fault(&[], &record(2))["fault"].clone();
    assert_eq!(said, "deploy 2 is missing, although deploy 3 follows it");
    assert!(fleet.world(&["prune", "--keep", "1"]).status.success());
    fleet.is_sound();
    fleet.put("deploy/5", "{}");
    assert_eq!(fleet.fault(&[], "deploy/5")["command"], format!("etcdctl del {KEYS}deploy/5"));
}

#[test]
fn signatures_are_checked_with_the_keys_of_operators_and_hosts() {
    let Some(fleet) = Fleet::new("check-signed") else { return };
    for (name, list) in [("alice", "operators"), ("web1", "hosts")] {
        let output = fleet.case.run(&["key", "new", name, "--name", name]);
        assert!(output.status.success(), "{output:?}");
        fleet.case.write(list, &String::from_utf8(output.stdout).unwrap());
    }
    fleet.case.program(&file("own", "\"one\""));
    let url = fleet.etcd.url();
    let mut unsigned = fleet.case.command(&["deploy", "--world", &url, "main.mcl"]);
    // Without the key of anyone who runs the tests.
    let unsigned =
        unsigned.env("XDG_CONFIG_HOME", fleet.case.path("config")).env_remove("MCLIVE_KEY").output().unwrap();
    assert!(unsigned.status.success(), "{unsigned:?}");
    fleet.is_sound();
    let said = fleet.fault(&["--operators", "operators"], &record(1))["fault"].clone();
    assert_eq!(said, "deploy 1 is not signed");
    fleet.case.program(&file("own", "\"two\""));
    let signed = fleet.deploy(&["--key", "alice", "main.mcl"]);
    assert!(signed.status.success(), "{signed:?}");
    // No host applies the first one any more.
    assert_eq!(fleet.check(&["--operators", "operators"]).0, Some(0));
    let value = "kv \"place\" {\n\tvalue => \"rack 1\",\n\tmapped => true,\n}\n";
    let mut agent = fleet.start_with("web1", &fleet.etcd.url(), &["--host-key", "web1"], value);
    until("its value is signed", || fleet.get("host/web1/signed/strings/place/web1/sig").is_some());
    assert!(agent.stop().success());
    let (code, faults, checked) = fleet.check(&["--host-keys", "hosts"]);
    assert_eq!((code, &checked["signatures"]), (Some(0), &json!(2)), "{faults:?}");
    fleet.put("strings/place/web1", "rack 2");
    let said = fleet.fault(&[], "strings/place/web1")["fault"].clone();
    assert_eq!(said, "its signature is invalid: someone else has changed or copied it");
    fleet.etcd.delete(&format!("{KEYS}strings/place/web1"));
    fleet.fault(&[], "host/web1/signed/strings/place/web1/sig");
}

fn record(id: u64) -> String {
    format!("deploy/{id:020}")
}
