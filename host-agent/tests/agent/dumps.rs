//! `mclive world dump` and `load` in a real etcd: what a dump holds, and what comes back from it.

use crate::case::{stderr, until};
use crate::deploy_states::lines;
use crate::deploys::said;
use crate::fleet::{Fleet, exports, file};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

impl Fleet {
    /// Everything that is there, by key.
    fn all(&self) -> BTreeMap<String, Option<String>> {
        self.keys("").into_iter().map(|key| (key.clone(), self.etcd.get(&key))).collect()
    }

    /// The keys of a dump, with their values.
    fn dumped(&self) -> Vec<Value> {
        let output = self.world(&["dump"]);
        assert!(output.status.success(), "{output:?}");
        let dump: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&dump["v"], &dump["world"]), (&json!(1), &json!("main")));
        dump["keys"].as_array().unwrap().clone()
    }
}

/// Larger than an answer, and more keys than a transaction has.
#[test]
fn a_store_that_was_lost_comes_back_from_a_dump() {
    let Some(mut fleet) = Fleet::new("dump-lost") else { return };
    for content in ["\"one\"", "\"two\""] {
        fleet.deploys(&file("own", content));
    }
    let large = "x".repeat(1 << 20);
    (0..18).for_each(|n| fleet.put(&format!("strings/large/{n}"), &large));
    (0..250).for_each(|n| fleet.put(&format!("strings/{n}"), &format!("value {n}")));
    fleet.put("strings/place/web1", "two\nlines\u{1b}[31m");
    let before = fleet.all();
    let written = fleet.world(&["dump", "kept.json"]);
    assert_eq!(said(&written)["keys"], before.len(), "{written:?}");
    let mode = std::fs::metadata(fleet.case.path("kept.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
    let again = fleet.world(&["dump", "kept.json"]);
    assert!(again.status.code() == Some(2) && stderr(&again).contains("already exists"), "{again:?}");
    // It is the same text on standard output.
    assert_eq!(String::from_utf8(fleet.world(&["dump"]).stdout).ok(), fleet.case.read("kept.json"));
    fleet.etcd.start_empty();
    let dry = fleet.world(&["load", "--dry-run", "kept.json"]);
    assert_eq!((&said(&dry)["keys"], fleet.all().len()), (&json!(before.len()), 0), "{dry:?}");
    let loaded = fleet.world(&["load", "kept.json"]);
    assert_eq!(said(&loaded), json!({ "equal": 0, "keys": before.len(), "left_out": {}, "loaded": true }));
    assert_eq!(fleet.all(), before);
    let ids: Vec<Value> = lines(&fleet.world(&["deploys"])).iter().map(|line| line["deploy"].clone()).collect();
    assert_eq!(ids, [1, 2]);
    let _host = fleet.take("web1", &fleet.etcd.url());
    fleet.holds("own", "two");
}

#[test]
fn a_group_that_is_not_empty_is_loaded_only_on_request() {
    let Some(fleet) = Fleet::new("dump-overwrite") else { return };
    for (key, value) in [("a", "1"), ("b", "1")] {
        fleet.put(&format!("strings/{key}"), value);
    }
    assert!(fleet.world(&["dump", "kept.json"]).status.success());
    fleet.put("strings/a", "2");
    fleet.put("strings/c", "2");
    let refused = fleet.world(&["load", "kept.json"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(
        stderr(&refused).contains("the group is not empty: it has the key strings/a; with --overwrite"),
        "{refused:?}"
    );
    assert_eq!(fleet.get("strings/a").as_deref(), Some("2"));
    let loaded = fleet.world(&["load", "--overwrite", "kept.json"]);
    assert_eq!(said(&loaded), json!({ "equal": 1, "keys": 1, "left_out": {}, "loaded": true }));
    let values = ["a", "b", "c"].map(|key| fleet.get(&format!("strings/{key}")).unwrap());
    assert_eq!(values, ["1", "1", "2"]);
    // Nothing differs any more, so nothing is written.
    let revision = fleet.etcd.revision();
    assert_eq!(said(&fleet.world(&["load", "--overwrite", "kept.json"]))["keys"], 0);
    assert_eq!(fleet.etcd.revision(), revision);
}

#[test]
fn what_a_running_agent_writes_itself_is_dumped_and_not_loaded() {
    let Some(mut fleet) = Fleet::new("dump-agents") else { return };
    let mut agent = fleet.start_lasting("web1", &exports("shared", "from web1"));
    let export = || fleet.keys("exported/*/web1/file/").first().cloned();
    until("it exports", || export().is_some());
    until("it says that it is there", || fleet.get("agent/web1/live").is_some());
    fleet.put("strings/a", "1");
    let export = export().unwrap();
    let name = export.strip_prefix(crate::fleet::KEYS).unwrap();
    let dumped = fleet.dumped();
    let leased = |key: &str| dumped.iter().find(|line| line["key"] == key).map(|line| line["leased"] == true);
    assert_eq!(["agent/web1/live", name, "strings/a"].map(leased), [Some(true), Some(true), Some(false)]);
    assert!(fleet.world(&["dump", "kept.json"]).status.success());
    assert!(agent.stop().success());
    fleet.etcd.start_empty();
    let loaded = fleet.world(&["load", "kept.json"]);
    assert_eq!(said(&loaded)["left_out"], json!({ "agent": 1, "exported": 1 }), "{loaded:?}");
    assert_eq!(fleet.keys(""), [format!("{}strings/a", crate::fleet::KEYS)]);
    // An agent that runs already is no reason to refuse.
    fleet.etcd.start_empty();
    let _agent = fleet.start("web1", &exports("shared", "from web1"));
    until("it exports", || !fleet.keys("exported/*/web1/file/").is_empty());
    assert!(fleet.world(&["load", "kept.json"]).status.success());
    assert_eq!(fleet.get("strings/a").as_deref(), Some("1"));
}

#[test]
fn what_is_not_a_dump_changes_nothing() {
    let Some(fleet) = Fleet::new("dump-wrong") else { return };
    for (text, words) in [
        ("", "it is not JSON with a version"),
        (r#"{"keys":[],"v":9,"world":"main"}"#, "it is in format 9, which needs another version of mclive"),
        (
            r#"{"keys":[{"key":"strings/a","value":"1"},{"key":"strings/b"}],"v":1,"world":"main"}"#,
            "strings/b has no value",
        ),
        (
            r#"{"keys":[{"key":"layout","value":"2"},{"key":"strings/a","value":"1"}],"v":1,"world":"main"}"#,
            "the layout is 2, and this version of mclive requires 1",
        ),
    ] {
        fleet.case.write("wrong.json", text);
        let output = fleet.world(&["load", "wrong.json"]);
        assert_eq!((output.status.code(), fleet.keys("").len()), (Some(2), 0), "{output:?}");
        assert!(stderr(&output).contains(words), "{output:?}");
    }
    fleet.case.write("other.json", r#"{"keys":[{"key":"strings/a","value":"1"}],"v":1,"world":"test"}"#);
    let other = fleet.world(&["load", "other.json"]);
    assert!(other.status.success(), "{other:?}");
    assert!(
        stderr(&other).contains("is a dump of the group `test`; signatures in it are not valid in `main`"),
        "{other:?}"
    );
    assert_eq!(fleet.world(&["load", "nowhere.json"]).status.code(), Some(2));
}
