//! Values that are sealed for some hosts, in a real etcd that all of them can read.

use crate::case::{Agent, stderr, until};
use crate::fleet::{Fleet, file};
use std::fs::File;
use std::process::Output;

const SECRET: &str = "hush-my-secret";

/// A program that writes what it sees of a value.
fn reads(key: &str, name: &str) -> String {
    let found = format!("$found = world.getval(\"{key}\")\n");
    let text = "$text = if $found->exists {\n$found->value\n} else {\n\"none\"\n}\n";
    format!("import \"world\"\n{found}{text}{}", file(name, "$text"))
}

impl Fleet {
    /// Creates the keys of these hosts, and their list.
    pub(crate) fn has_sealing_keys(&self, hosts: &[&str]) {
        let lines = hosts.iter().map(|host| {
            let created = self.case.run(&["key", "new", &format!("{host}.key"), "--name", host, "--sealing"]);
            assert!(created.status.success(), "{created:?}");
            String::from_utf8(created.stdout).unwrap()
        });
        self.case.write("hosts", &lines.collect::<String>());
    }

    /// Seals a value, which is on the standard input.
    fn seals(&self, key: &str, hosts: &str, value: &str) -> Output {
        self.case.write("value", value);
        let value = File::open(self.case.path("value")).unwrap();
        let url = self.etcd.url();
        let args = ["world", "set", key, "--seal-for", hosts, "--host-keys", "hosts", "--world", &url];
        self.case.command(&args).stdin(value).output().unwrap()
    }

    /// Starts a host that has its key.
    pub(crate) fn opens(&self, host: &str, program: &str) -> Agent {
        let (key, log, trace) = (format!("{host}.key"), format!("log-{host}"), format!("trace-{host}"));
        let flags = ["--host-key", &key, "--log", &log, "--record", &trace];
        self.start_with(host, &self.etcd.url(), &flags, program)
    }
}

#[test]
fn a_sealed_value_is_read_by_its_hosts_only_and_told_by_none() {
    let Some(fleet) = Fleet::new("sealed-read") else { return };
    fleet.has_sealing_keys(&["h1", "h2"]);
    let url = fleet.etcd.url();
    let world = |args: &[&str]| fleet.case.run(&[&["world", "--world", &url], args].concat());
    let set = fleet.seals("db/password", "h1", &format!("{SECRET}\n"));
    assert!(set.status.success(), "{set:?}");
    let mut one = fleet.opens("h1", &reads("db/password", "h1"));
    let two = fleet.opens("h2", &reads("db/password", "h2"));
    fleet.holds("h1", SECRET);
    fleet.holds("h2", "none");
    two.says("the value db/password does not exist for this host: it is sealed for h1, not for this host");
    let stored = fleet.get("sealed/db/password").unwrap();
    assert!(!stored.contains(SECRET) && fleet.get("strings/db/password").is_none(), "{stored}");
    let get = world(&["get", "db/password"]);
    assert_eq!(get.status.code(), Some(1));
    assert!(stderr(&get).contains("the value `db/password` is sealed for h1"), "{get:?}");
    let list = String::from_utf8(world(&["list"]).stdout).unwrap();
    assert_eq!(list, "{\"key\":\"db/password\",\"sealed_for\":[\"h1\"],\"value\":null}\n");
    // What tells of the run does not have it, and neither does what tells of a repair.
    std::fs::remove_file(fleet.case.path("out/h1")).unwrap();
    fleet.holds("h1", SECRET);
    assert!(one.stop().success());
    std::fs::remove_file(fleet.case.path("out/h1")).unwrap();
    let plan = ["plan", "--prefix", "plan", "--hostname", "h1", "--world", &url, "--host-key", "h1.key", "h1.mcl"];
    let plan = fleet.case.run(&plan);
    let planned = String::from_utf8(plan.stdout).unwrap();
    assert!(planned.contains("out/h1") && !planned.contains(SECRET), "{planned}");
    assert!(!one.said().contains(SECRET), "{}", one.said());
    let holds = |bytes: &[u8]| bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
    for file in ["log-h1", "trace-h1", "state-h1/audit.log"] {
        assert!(!holds(&std::fs::read(fleet.case.path(file)).unwrap()), "{file}");
    }
    let replayed = fleet.case.run(&["replay", "trace-h1"]);
    assert!(replayed.status.success(), "{replayed:?}");
    // Another value, for both.
    let set = fleet.seals("db/password", "h1,h2", "another secret");
    assert!(set.status.success(), "{set:?}");
    fleet.holds("h2", "another secret");
    let _one = fleet.start_with("h1", &url, &["--host-key", "h1.key"], &reads("db/password", "h1"));
    fleet.holds("h1", "another secret");
    // A value in the clear takes its place.
    assert!(world(&["set", "db/password", "open to all"]).status.success());
    fleet.holds("h1", "open to all");
    fleet.holds("h2", "open to all");
    assert_eq!(fleet.get("sealed/db/password"), None);
    assert!(fleet.seals("db/password", "h2", SECRET).status.success());
    fleet.holds("h2", SECRET);
    fleet.holds("h1", "none");
    assert!(world(&["unset", "db/password"]).status.success());
    fleet.holds("h2", "none");
    // Nor does what tells that it was replaced.
    assert!(
        !holds(&std::fs::read(fleet.case.path("log-h2")).unwrap()) && !two.said().contains(SECRET),
        "{}",
        two.said()
    );
    until("both are gone", || fleet.keys("sealed/").is_empty() && fleet.keys("strings/").is_empty());
}

#[test]
fn a_sealed_value_that_was_copied_or_whose_host_has_no_key_is_not_opened() {
    let Some(fleet) = Fleet::new("sealed-copied") else { return };
    fleet.has_sealing_keys(&["h1", "h2"]);
    assert!(fleet.seals("db/password", "h1,h2", SECRET).status.success());
    fleet.put("sealed/db/copy", &fleet.get("sealed/db/password").unwrap());
    let one = fleet.opens("h1", &reads("db/copy", "h1"));
    one.says("the value db/copy does not exist for this host: it was sealed under another name and then copied");
    fleet.holds("h1", "none");
    let two = fleet.start("h2", &reads("db/password", "h2"));
    two.says(
        "the value db/password does not exist for this host: it is sealed for this host; run the agent with --host-key FILE",
    );
    fleet.holds("h2", "none");
}

#[test]
fn a_value_that_cannot_be_sealed_is_an_error() {
    let Some(fleet) = Fleet::new("sealed-usage") else { return };
    fleet.has_sealing_keys(&["h1"]);
    let refused = |output: Output| {
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        stderr(&output)
    };
    let said = refused(fleet.seals("k", "h1,h9", SECRET));
    assert!(said.contains("cannot use the keys of hosts in hosts: it has no sealing key of h9"), "{said}");
    let said = refused(fleet.seals("k", "h1", "short\n"));
    assert!(said.contains("a value of 5 bytes cannot be sealed"), "{said}");
    // The limit is within a letter.
    let said = refused(fleet.seals("k", "h1", &format!("a{}", "ü".repeat(40_000))));
    assert!(said.contains("cannot read the value from standard input: it is larger than 65537 bytes"), "{said}");
    let url = fleet.etcd.url();
    let args = ["world", "set", "k", "--seal-for", "h1", "--host-keys", "hosts", "--world", &url];
    // An argument can be seen by others.
    let said = refused(fleet.case.run(&[&args[..], &[SECRET]].concat()));
    assert!(said.contains("--seal-for"), "{said}");
    let said = refused(fleet.case.run(&[&args[..], &["--value-file", "nowhere"]].concat()));
    assert!(said.contains("cannot read the value from nowhere: "), "{said}");
    // Each host has a box, and all of them are one value.
    let list = fleet.case.read("hosts").unwrap();
    let key =
        list.lines().find_map(|line| line.strip_suffix(" h1").filter(|key| key.starts_with("mclive-x25519"))).unwrap();
    let hosts: Vec<String> = (0..20).map(|n| format!("h{n}")).collect();
    let lines: String = hosts.iter().map(|host| format!("{key} {host}\n")).collect();
    fleet.case.write("hosts", &lines);
    let said = refused(fleet.seals("k", &hosts.join(","), &"x".repeat(64 << 10)));
    assert!(said.contains("cannot seal the value for these hosts: the value has 17"), "{said}");
    let said = refused(fleet.seals(&"n".repeat(1_025), "h1", SECRET));
    assert!(said.contains("the name has 1025 bytes; the limit is 1024"), "{said}");
    assert!(fleet.keys("").is_empty());
    fleet.case.write("value", SECRET);
    let set = fleet.case.run(&[&args[..], &["--value-file", "value"]].concat());
    assert!(set.status.success() && fleet.get("sealed/k").is_some(), "{set:?}");
}
