//! Deploys that operators have signed, in a real etcd that others can write to.

use crate::case::{Agent, Case, stderr, until};
use crate::deploys::said;
use crate::fleet::{Fleet, file};
use rustix::process::Signal;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

/// A command without the keys of anyone who runs the tests.
fn command(case: &Case, args: &[&str]) -> Command {
    let mut command = case.command(args);
    command.env("XDG_CONFIG_HOME", case.path("config")).env_remove("MCLIVE_KEY");
    command
}

fn run(case: &Case, args: &[&str]) -> Output {
    command(case, args).output().unwrap()
}

/// Creates a key; returns its public line.
fn key(case: &Case, name: &str) -> String {
    let created = run(case, &["key", "new", name, "--name", name]);
    assert!(created.status.success(), "{created:?}");
    String::from_utf8(created.stdout).unwrap()
}

impl Fleet {
    fn deploy_with(&self, args: &[&str]) -> Output {
        run(&self.case, &[&["deploy", "--world", &self.etcd.url()], args].concat())
    }

    /// Deploys a file `own` with this content.
    fn signs(&self, key: &str, content: &str) -> u64 {
        let out = self.case.path("out");
        self.case.write("main.mcl", &file("own", &format!("\"{content}\"")).replace("@OUT@", out.to_str().unwrap()));
        let args: &[&str] = if key.is_empty() { &["main.mcl"] } else { &["--key", key, "main.mcl"] };
        let output = self.deploy_with(args);
        assert!(output.status.success(), "{output:?}");
        assert_eq!((&said(&output)["created"], said(&output)["signature"].is_null()), (&true.into(), key.is_empty()));
        said(&output)["deploy"].as_u64().unwrap()
    }

    /// Starts a host that takes what the keys in `operators` have signed.
    fn requires(&self, host: &str) -> Agent {
        let prefix = format!("state-{host}");
        let of_host = ["run", "--prefix", &prefix, "--hostname", host, "--operators", "operators"];
        Agent::spawn(self.case.command(&[&of_host[..], &["--world", &self.etcd.url(), "--world-ttl", "5"]].concat()))
    }

    fn standing(&self, host: &str) -> Value {
        let state = self.get(&format!("agent/{host}/state")).unwrap_or_default();
        serde_json::from_str::<Value>(&state).unwrap_or_default()["standing"].clone()
    }

    /// The file is repaired: the program runs.
    fn still(&self, content: &str) {
        std::fs::remove_file(self.case.path("out/own")).unwrap();
        self.holds("own", content);
    }

    /// Makes a record the newest one.
    fn set_record(&self, id: u64, record: &str) {
        let sum: String = Sha256::digest(record).iter().map(|byte| format!("{byte:02x}")).collect();
        self.put(&format!("deploy/{id:020}"), record);
        self.put("deploy/head", &json!({ "id": id, "sha256": sum, "v": 1 }).to_string());
    }
}

#[test]
fn a_key_is_created_once_for_its_owner_and_shown_again() {
    let case = Case::new("signed-key", "");
    let line = key(&case, "alice.key");
    assert!(line.starts_with("mclive-ed25519 ") && line.ends_with(" alice.key\n"), "{line}");
    let mode = |mode| set_permissions(case.path("alice.key"), Permissions::from_mode(mode)).unwrap();
    assert_eq!(std::fs::metadata(case.path("alice.key")).unwrap().permissions().mode() & 0o7777, 0o600);
    let before = case.read("alice.key");
    let again = run(&case, &["key", "new", "alice.key"]);
    assert_eq!((again.status.code(), case.read("alice.key")), (Some(2), before), "{again:?}");
    assert!(stderr(&again).contains("`alice.key` already exists; nothing was written"), "{again:?}");
    let show = |file: &str| run(&case, &["key", "show", file]);
    assert_eq!(String::from_utf8(show("alice.key").stdout).unwrap(), line);
    mode(0o644);
    for output in
        [show("alice.key"), run(&case, &["deploy", "--world", "http://127.0.0.1:1", "--key", "alice.key", "x"])]
    {
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = stderr(&output);
        assert!(said.contains("cannot use the key alice.key: other users can access it (mode 0644)"), "{said}");
    }
    case.write("main.key", &line);
    set_permissions(case.path("main.key"), Permissions::from_mode(0o600)).unwrap();
    assert!(stderr(&show("main.key")).contains("it is not an ed25519 private key"), "{:?}", show("main.key"));
    assert!(stderr(&show("missing")).contains("cannot use the key missing: "), "{:?}", show("missing"));
    // The default place.
    assert_eq!(run(&case, &["key", "show"]).status.code(), Some(2));
    let usual = run(&case, &["key", "new"]);
    assert_eq!(usual.stdout, run(&case, &["key", "show"]).stdout);
    assert!(case.path("config/mclive/operator.key").exists() && !usual.stdout.is_empty());
}

#[test]
fn a_host_with_operators_applies_signed_deploys_only() {
    let Some(fleet) = Fleet::new("signed-taken") else { return };
    fleet.case.write("operators", &format!("# who may deploy\n{}", key(&fleet.case, "alice")));
    let one = fleet.requires("h1");
    assert_eq!(fleet.signs("alice", "one"), 1);
    fleet.holds("own", "one");
    assert_eq!(fleet.signs("", "two"), 2);
    one.says(
        "cannot apply the newest deploy: deploy 2 is not signed; this host requires a signature with a key in operators",
    );
    until("it says that it has refused", || fleet.standing("h1") == "refused");
    fleet.still("one");
    // The same program with a signature is something new, but only once.
    let dry = fleet.deploy_with(&["--key", "alice", "--dry-run", "main.mcl"]);
    assert!(said(&dry)["signature"]["sig"].is_string() && said(&dry)["created"] == false, "{dry:?}");
    assert_eq!(fleet.signs("alice", "two"), 3);
    fleet.holds("own", "two");
    let again = fleet.deploy_with(&["--key", "alice", "main.mcl"]);
    assert_eq!((&said(&again)["created"], &said(&again)["deploy"]), (&false.into(), &3.into()), "{again:?}");
    until("it says that it applies it", || fleet.standing("h1") == "ok");
    let deploys = |args: &[&str]| {
        let listed = run(&fleet.case, &[&["world", "deploys", "--world", &fleet.etcd.url()], args].concat());
        let text = String::from_utf8(listed.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["signature"].clone()).collect::<Vec<_>>()
    };
    let known = deploys(&["--operators", "operators"]);
    assert_eq!((&known[0]["operator"], &known[0]["valid"], &known[1]), (&"alice".into(), &true.into(), &Value::Null));
    let unknown = deploys(&[]);
    assert_eq!((&unknown[0]["operator"], &unknown[0]["valid"]), (&Value::Null, &Value::Null));
    assert_eq!(unknown[0]["id"], known[0]["id"]);
}

#[test]
fn what_others_write_into_the_store_is_not_applied() {
    let Some(fleet) = Fleet::new("signed-forged") else { return };
    fleet.case.write("operators", &key(&fleet.case, "alice"));
    let one = fleet.requires("h1");
    fleet.signs("alice", "one");
    fleet.holds("own", "one");
    let head = fleet.get("deploy/head").unwrap();
    // A program of theirs, and a signed one with another content.
    fleet.forge(2, &file("own", "\"evil\""), |_| {});
    one.says("deploy 2 is not signed");
    fleet.etcd.delete("/mclive/main/deploy/00000000000000000002");
    fleet.put("deploy/head", &head);
    assert_eq!(fleet.signs("alice", "two"), 2);
    fleet.holds("own", "two");
    assert_eq!(fleet.signs("alice", "three"), 3);
    fleet.holds("own", "three");
    let third = fleet.get("deploy/00000000000000000003").unwrap();
    let second: Value = serde_json::from_str(&fleet.get("deploy/00000000000000000002").unwrap()).unwrap();
    let three: Value = serde_json::from_str(&third).unwrap();
    let sum = |record: &Value| record["files"][0]["sha256"].as_str().unwrap().to_owned();
    let size = |record: &Value| format!("\"size\":{}", record["files"][0]["size"]);
    let swapped = third.replace(&sum(&three), &sum(&second)).replace(&size(&three), &size(&second));
    assert_ne!(swapped, third);
    let mut two = fleet.requires("h2");
    two.says("applying deploy 3 by ");
    fleet.set_record(3, &swapped);
    one.says("but this host has already taken deploy 3");
    two.stop();
    std::fs::remove_dir_all(fleet.case.path("state-h2")).unwrap();
    // A host that has taken none yet has only the signature to go by.
    let two = fleet.requires("h2");
    two.says("deploy 3 has an invalid signature of the key ");
    fleet.still("three");
    // A deploy of the same operator for another cluster.
    let elsewhere = ["--world-name", "test", "--key", "alice", "main.mcl"];
    fleet.case.write("main.mcl", &format!("# elsewhere\n{}", fleet.case.read("main.mcl").unwrap()));
    assert!(fleet.deploy_with(&elsewhere).status.success());
    let record = fleet.etcd.get("/mclive/test/deploy/00000000000000000001").unwrap();
    let three = fleet.requires("h3");
    three.says("invalid signature");
    fleet.set_record(1, &record);
    three.says("deploy 1 has an invalid signature of the key ");
    one.says("the newest deploy of the shared store is 1, but this host has already taken deploy 3");
    fleet.still("three");
}

#[test]
fn a_key_that_is_removed_from_the_list_counts_no_more() {
    let Some(fleet) = Fleet::new("signed-removed") else { return };
    let [alice, bob] = ["alice", "bob"].map(|name| key(&fleet.case, name));
    fleet.case.write("operators", &format!("{alice}{bob}"));
    let mut one = fleet.requires("h1");
    fleet.signs("bob", "one");
    fleet.holds("own", "one");
    until("it is kept", || fleet.case.path("state-h1/deploy/good").exists());
    fleet.case.write("operators", &alice);
    one.says("its program keeps running until a newer deploy is applied or the agent is restarted");
    fleet.still("one");
    fleet.signs("bob", "two");
    one.says("deploy 2 is signed with an unknown key, ");
    until("it says that it has refused", || fleet.standing("h1") == "refused");
    fleet.still("one");
    // A list that cannot be used allows nothing.
    fleet.case.write("operators", &format!("{bob}nonsense\n"));
    one.says("cannot use the operators in operators: line 2: expected `mclive-ed25519 KEY NAME`");
    fleet.case.write("operators", &format!("{alice}{bob}"));
    fleet.holds("own", "two");
    one.signal(Signal::KILL);
    one.ends();
    fleet.case.write("operators", &alice);
    std::fs::remove_file(fleet.case.path("out/own")).unwrap();
    let one = fleet.requires("h1");
    one.says("the last deploy of this host is not applied: deploy ");
    until("it says that it has refused", || fleet.standing("h1") == "refused");
    assert_eq!(fleet.read("own"), "");
    fleet.signs("alice", "three");
    fleet.holds("own", "three");
}

#[test]
fn only_a_deploy_of_an_operator_is_signed_again() {
    let Some(fleet) = Fleet::new("signed-again") else { return };
    let [alice, bob] = ["alice", "bob"].map(|name| key(&fleet.case, name));
    fleet.case.write("operators", &format!("{alice}{bob}"));
    fleet.signs("alice", "one");
    fleet.signs("bob", "two");
    fleet.forge(3, &file("own", "\"evil\""), |_| {});
    let back = |id: &str, args: &[&str]| fleet.deploy_with(&[&["--key", "alice", "--back", id], args].concat());
    for (id, args) in [("3", &[][..]), ("3", &["--operators", "operators"][..]), ("2", &[][..])] {
        let refused = back(id, args);
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        assert!(
            stderr(&refused).contains(&format!("cannot sign deploy {id} again: deploy {id} is not ")),
            "{refused:?}"
        );
    }
    let first = back("1", &[]);
    assert_eq!((first.status.code(), said(&first)["deploy"].as_u64()), (Some(0), Some(4)), "{first:?}");
    let _one = fleet.requires("h1");
    fleet.holds("own", "one");
    assert!(back("2", &["--operators", "operators"]).status.success());
    fleet.holds("own", "two");
}

#[test]
fn a_list_of_operators_that_cannot_be_used_is_an_error() {
    let case = Case::new("signed-usage", "");
    let line = key(&case, "alice");
    case.write("none", "# nobody\n");
    case.write("broken", &format!("{line}\nssh-ed25519 AAAA\n"));
    let world = ["run", "--prefix", "state", "--world", "http://127.0.0.1:1", "--world-wait", "1"];
    let of = |args: &[&str]| {
        let output = run(&case, &[&world[..], args].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        stderr(&output)
    };
    for (list, why) in [
        ("none", "cannot use the operators in none: it has no public key"),
        ("broken", "cannot use the operators in broken: line 3: expected `mclive-ed25519 KEY NAME`"),
        ("alice", "cannot use the operators in alice: line 2: expected "),
        ("missing", "cannot use the operators in missing: "),
    ] {
        let said = of(&["--operators", list]);
        assert!(said.contains(why), "{said}");
    }
    case.write("list", &line);
    for mode in [0o666, 0o620] {
        set_permissions(case.path("list"), Permissions::from_mode(mode)).unwrap();
        let why = format!("cannot use the operators in list: others can change it (mode {mode:04o})");
        let said = of(&["--operators", "list"]);
        assert!(said.contains(&why), "{said}");
    }
    case.write("main.mcl", "");
    assert!(of(&["--operators", "alice", "main.mcl"]).contains("cannot be used with"));
    assert_eq!(run(&case, &["run", "--operators", "alice"]).status.code(), Some(2));
}
