//! Votes that their hosts have signed, and lists of voters, in a real etcd that others can write to.

use crate::case::{Agent, stderr, until};
use crate::deploy_states::lines;
use crate::elections::votes;
use crate::fleet::{Fleet, KEYS, stays};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::time::Duration;

const TTL: &str = "\tttl => 5,\n";
/// Of a vote that must not end during the test, also if its host gets no processor for many seconds.
const LASTING: &str = "\tttl => 300,\n";
/// Of one that should not, and whose end is waited for.
const LONG: &str = "\tttl => 15,\n";

impl Fleet {
    /// Creates keys for a name each; returns their public lines.
    fn has_keys<const N: usize>(&self, files: [(&str, &str); N]) -> [String; N] {
        files.map(|(file, name)| {
            let created = self.case.run(&["key", "new", file, "--name", name]);
            assert!(created.status.success(), "{created:?}");
            String::from_utf8(created.stdout).unwrap()
        })
    }

    /// Publishes a list of voters; returns its number.
    fn publishes(&self, lines: &str, by: &str) -> u64 {
        self.case.write("list", lines);
        let output = self.world(&["voters", "--publish", "list", "--key", by]);
        assert!(output.status.success(), "{output:?}");
        let told = lines_of(&output);
        assert_eq!(told["published"], true, "{output:?}");
        told["list"].as_u64().unwrap()
    }

    /// Starts a host that votes in the pool `web`, and requires signed votes.
    fn votes(&self, host: &str, key: &str, ttl: &str) -> Agent {
        let flags = ["--host-key", key, "--require-vote-signatures", "operators"];
        self.start_with(host, &self.etcd.url(), &flags, &votes(host, ttl))
    }

    fn forges(&self, host: &str) {
        self.put(&format!("pool/web/vote/{host}"), "arrived=0&max=1&persist=true&strategy=alpha");
        self.put("pool/web/chosen", &json!({ "list": [host], "v": 1 }).to_string());
    }

    fn result(&self) -> Value {
        let chosen = self.get("pool/web/chosen").unwrap_or_default();
        serde_json::from_str::<Value>(&chosen).unwrap_or_default()["list"].clone()
    }

    /// The number of the list that the vote of a host names.
    fn names(&self, host: &str) -> Option<u64> {
        let statement = self.get(&format!("host/{host}/signed/pool/web/vote/{host}/sig"))?;
        serde_json::from_str::<Value>(&statement).ok()?["list"].as_u64()
    }
}

/// The only line of a command.
fn lines_of(output: &std::process::Output) -> Value {
    let mut lines = lines(output);
    assert_eq!(lines.len(), 1, "{output:?}");
    lines.remove(0)
}

#[test]
fn a_forged_vote_elects_no_host_and_a_forged_result_is_corrected() {
    let Some(fleet) = Fleet::new("voters-forged") else { return };
    let [operator, h1, h2] = fleet.has_keys([("alice", "alice"), ("h1.key", "h1"), ("h2.key", "h2")]);
    fleet.case.write("operators", &operator);
    assert_eq!(fleet.publishes(&format!("{h1}{h2}"), "alice"), 1);
    let one = fleet.votes("h1", "h1.key", LASTING);
    fleet.holds("elected-h1", r#"["h1"]"#);
    let mut two = fleet.votes("h2", "h2.key", TTL);
    until("both vote", || fleet.keys("pool/web/vote/").len() == 2);
    fleet.holds("elected-h2", r#"["h1"]"#);
    // The forged vote would come first, and its options would count.
    fleet.forges("h0");
    for host in [&one, &two] {
        host.says("the vote pool/web/vote/h0 does not count: no key of h0 is in the list of voters; ");
    }
    until("the result is corrected", || fleet.result() == json!(["h1"]) || fleet.result() == json!(["h2"]));
    let elected = fleet.result();
    let written = elected.to_string();
    let follow = || ["elected-h1", "elected-h2"].iter().all(|file| fleet.read(file) == written);
    until("both hosts follow the corrected result", follow);
    // Neither host corrects the other.
    stays(Duration::from_secs(3), || fleet.result() == elected);
    let fault = lines(&fleet.world(&["check"])).remove(0);
    assert_eq!(
        (&fault["key"], &fault["fault"]),
        (&json!("pool/web/vote/h0"), &json!("no key of h0 is in the list of voters"))
    );
    // A vote in the name of another host, which writes it again.
    fleet.put("pool/web/vote/h2", "arrived=0&max=9&persist=true&strategy=alpha");
    one.says(
        "the vote pool/web/vote/h2 does not count: its signature is invalid: someone else has changed or copied it",
    );
    until("its host votes again", || fleet.get("pool/web/vote/h2").is_some_and(|vote| vote.contains("max=1")));
    // The signature ends with the vote.
    assert!(two.stop().success());
    until("the vote and its signature are removed", || {
        fleet.get("pool/web/vote/h2").is_none() && fleet.names("h2").is_none()
    });
    fleet.holds("elected-h1", r#"["h1"]"#);
    fleet.etcd.delete(&format!("{KEYS}pool/web/vote/h0"));
    assert_eq!(fleet.world(&["check", "--operators", "operators"]).status.code(), Some(0));
}

#[test]
fn the_key_of_a_host_is_replaced_without_an_election() {
    let Some(fleet) = Fleet::new("voters-replaced") else { return };
    let keys = [("alice", "alice"), ("old.key", "h1"), ("new.key", "h1"), ("h2.key", "h2")];
    let [operator, old, new, h2] = fleet.has_keys(keys);
    fleet.case.write("operators", &operator);
    fleet.publishes(&format!("{old}{h2}"), "alice");
    let mut one = fleet.votes("h1", "old.key", LASTING);
    fleet.holds("elected-h1", r#"["h1"]"#);
    let two = fleet.votes("h2", "h2.key", LONG);
    until("both vote", || fleet.keys("pool/web/vote/").len() == 2);
    assert_eq!(fleet.publishes(&format!("{old}{new}{h2}"), "alice"), 2);
    // Each voter signs again, and names the new list.
    until("both know the new list", || fleet.names("h1") == Some(2) && fleet.names("h2") == Some(2));
    fleet.holds("elected-h2", r#"["h1"]"#);
    assert!(one.stop().success());
    // As if the time of its lease were over.
    fleet.etcd.delete(&format!("{KEYS}pool/web/vote/h1"));
    fleet.holds("elected-h2", r#"["h2"]"#);
    let one = fleet.votes("h1", "new.key", LASTING);
    until("both vote again", || fleet.keys("pool/web/vote/").len() == 2);
    assert_eq!(fleet.publishes(&format!("{new}{h2}"), "alice"), 3);
    until("both know the last list", || fleet.names("h1") == Some(3) && fleet.names("h2") == Some(3));
    fleet.holds("elected-h1", r#"["h2"]"#);
    // A host without a key in the list votes no more, and is elected no more.
    assert_eq!(fleet.publishes(&new, "alice"), 4);
    two.says("list 4 of voters does not have the key ");
    fleet.holds("elected-h1", r#"["h1"]"#);
    // An earlier list is not used again, nor one that no operator has signed.
    let list = fleet.get("voters").unwrap();
    assert!(list.contains("\"n\":4"), "{list}");
    fleet.put("voters", &list.replace("\"n\":4", "\"n\":5"));
    one.says("the list of voters in the store is not signed by the key ");
    let said = fleet.world(&["voters"]);
    assert!(stderr(&said).contains("the list of voters in the store is not signed by the key "), "{said:?}");
    stays(Duration::from_secs(2), || fleet.read("elected-h1") == r#"["h1"]"#);
    // The next list has a larger number than the one that votes name.
    assert_eq!(fleet.publishes(&format!("{new}{h2}"), "alice"), 5);
    until("both vote once more", || fleet.names("h2") == Some(5));
    assert_eq!(fleet.world(&["check", "--operators", "operators"]).status.code(), Some(0));
}

#[test]
fn without_a_list_of_voters_all_votes_count_and_from_the_first_one_on_only_signed_ones() {
    let Some(fleet) = Fleet::new("voters-first") else { return };
    let [operator, h1] = fleet.has_keys([("alice", "alice"), ("h1.key", "h1")]);
    let _one = fleet.start_with("h1", &fleet.etcd.url(), &["--host-key", "h1.key"], &votes("h1", LASTING));
    fleet.holds("elected-h1", r#"["h1"]"#);
    assert_eq!(fleet.names("h1"), Some(0));
    // It does not sign.
    let two = fleet.start("h2", &votes("h2", TTL));
    until("both vote", || fleet.keys("pool/web/vote/").len() == 2);
    fleet.holds("elected-h2", r#"["h1"]"#);
    assert_eq!(lines_of(&fleet.world(&["voters"]))["list"], json!(null));
    // A host that requires signed votes waits for a list.
    fleet.case.write("operators", &operator);
    let flags = ["--require-vote-signatures", "operators"];
    let three = fleet.start_with("h3", &fleet.etcd.url(), &flags, &votes("h3", TTL));
    three.says("there is no list of voters; publish one with `mclive world voters --publish FILE`; no vote counts");
    fleet.holds("elected-h3", "[]");
    assert_eq!(fleet.publishes(&h1, "alice"), 1);
    two.says("only signed votes count in this group; run the agent with --host-key FILE");
    for host in ["h1", "h2", "h3"] {
        fleet.holds(&format!("elected-{host}"), r#"["h1"]"#);
    }
    until("the vote that was signed names the list", || fleet.names("h1") == Some(1));
}

#[test]
fn a_vote_that_its_host_has_withdrawn_is_removed_if_others_write_it_again() {
    let Some(fleet) = Fleet::new("voters-again") else { return };
    let [operator, h1] = fleet.has_keys([("alice", "alice"), ("h1.key", "h1")]);
    fleet.case.write("operators", &operator);
    fleet.publishes(&h1, "alice");
    let other = "schedule \"db\" {\n}\n";
    let flags = ["--host-key", "h1.key", "--require-vote-signatures", "operators"];
    let program = format!("{}{other}", votes("h1", ""));
    let _one = fleet.start_with("h1", &fleet.etcd.url(), &flags, &program);
    let raw = |key: &str| {
        let told = fleet.etcd.ask("kv/range", &json!({ "key": STANDARD.encode(format!("{KEYS}{key}")) }));
        told["kvs"][0].clone()
    };
    let (vote, signed) = ("pool/web/vote/h1", "host/h1/signed/pool/web/vote/h1/sig");
    until("it votes in both pools", || fleet.get(vote).is_some() && fleet.get("pool/db/vote/h1").is_some());
    let before = [vote, signed].map(|key| (key, raw(key)["value"].clone()));
    fleet.case.write("h1.mcl", other);
    until("it withdraws one vote", || fleet.get(vote).is_none() && fleet.get(signed).is_none());
    let lease = raw("pool/db/vote/h1")["lease"].clone();
    let puts = before.map(|(key, value)| {
        let key = STANDARD.encode(format!("{KEYS}{key}"));
        json!({ "request_put": { "key": key, "value": value, "lease": lease } })
    });
    let written = fleet.etcd.ask("kv/txn", &json!({ "compare": [], "success": puts, "failure": [] }));
    assert_eq!(written["succeeded"], true, "{written}");
    until("its host removes it", || fleet.get(vote).is_none() && fleet.get(signed).is_none());
    until("the other vote is there", || fleet.get("pool/db/vote/h1").is_some());
}

#[test]
fn a_list_of_voters_is_published_once_and_shown() {
    let Some(fleet) = Fleet::new("voters-shown") else { return };
    let [operator, other, h1, h2] =
        fleet.has_keys([("alice", "alice"), ("eve", "eve"), ("h1.key", "h1"), ("h2.key", "h2")]);
    fleet.case.write("operators", &operator);
    fleet.case.write("others", &other);
    fleet.case.write("list", &h1);
    let publish = ["voters", "--publish", "list", "--key", "alice"];
    let planned = lines_of(&fleet.world(&[&publish[..], &["--dry-run"]].concat()));
    assert_eq!((&planned["list"], &planned["published"]), (&json!(1), &json!(false)));
    assert_eq!(fleet.get("voters"), None);
    assert_eq!(fleet.publishes(&h1, "alice"), 1);
    let again = lines_of(&fleet.world(&publish));
    assert_eq!((&again["list"], &again["published"]), (&json!(1), &json!(false)));
    assert_eq!(fleet.publishes(&format!("{h1}{h2}"), "alice"), 2);
    let shown = |operators: &str| {
        let output = fleet.world(&["voters", "--operators", operators]);
        (output.status.code(), lines_of(&output))
    };
    let (code, list) = shown("operators");
    assert_eq!((code, &list["list"], &list["signature"]["operator"]), (Some(0), &json!(2), &json!("alice")));
    assert_eq!(list["hosts"].as_object().map(serde_json::Map::len), Some(2), "{list}");
    let (code, list) = shown("others");
    assert_eq!((code, &list["signature"]["valid"]), (Some(1), &json!(false)));
    let fault = lines(&fleet.world(&["check", "--operators", "others"])).remove(0);
    assert!(fault["key"] == "voters" && fault["fault"].as_str().unwrap().contains("an unknown key"), "{fault}");
    fleet.case.write("list", "# none\n");
    let wrong = fleet.world(&publish);
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
    assert!(stderr(&wrong).contains("cannot use the keys of hosts in list: it has no public key"), "{wrong:?}");
}
