//! Several agents that share a world in a real etcd: values, exports, schedules, and names.

use crate::case::{Agent, Case, until};
use mclive_kit::etcd::Etcd;
use mclive_kit::link::Link;
use rustix::process::Signal;
use std::time::{Duration, Instant};

/// What belongs to a host outlives it by this. Units: seconds.
pub(crate) const TTL: u64 = 5;
pub(crate) const KEYS: &str = "/mclive/main/";

/// Hosts with one folder for their output.
pub(crate) struct Fleet {
    pub(crate) etcd: Etcd,
    pub(crate) case: Case,
}

impl Fleet {
    /// `None`: there is no etcd here.
    pub(crate) fn new(name: &str) -> Option<Fleet> {
        Some(Fleet { etcd: Etcd::start()?, case: Case::new(name, "") })
    }

    pub(crate) fn start(&self, host: &str, program: &str) -> Agent {
        self.start_at(host, &self.etcd.url(), program)
    }

    pub(crate) fn start_at(&self, host: &str, url: &str, program: &str) -> Agent {
        self.start_with(host, url, &[], program)
    }

    /// Starts an agent whose lease outlasts the test, also on a machine where it gets no processor for many seconds.
    pub(crate) fn start_lasting(&self, host: &str, program: &str) -> Agent {
        self.start_with(host, &self.etcd.url(), &["--world-ttl", "600"], program)
    }

    /// Starts an agent with more options, which may say how long its lease lasts.
    pub(crate) fn start_with(&self, host: &str, url: &str, flags: &[&str], program: &str) -> Agent {
        let text = program.replace("@OUT@", self.case.path("out").to_str().unwrap());
        self.case.write(&format!("{host}.mcl"), &text);
        let (prefix, file, ttl) = (format!("state-{host}"), format!("{host}.mcl"), TTL.to_string());
        let of_host = ["run", "--prefix", &prefix, "--hostname", host];
        let of_world = ["--world", url];
        let lasts = ["--world-ttl", &*ttl];
        let lasts: &[&str] = if flags.contains(&"--world-ttl") { &[] } else { &lasts };
        Agent::spawn(self.case.command(&[&of_host[..], &of_world, lasts, flags, &[&file]].concat()))
    }

    pub(crate) fn get(&self, key: &str) -> Option<String> {
        self.etcd.get(&format!("{KEYS}{key}"))
    }

    pub(crate) fn put(&self, key: &str, value: &str) {
        self.etcd.put(&format!("{KEYS}{key}"), value);
    }

    pub(crate) fn keys(&self, prefix: &str) -> Vec<String> {
        self.etcd.keys(&format!("{KEYS}{prefix}"))
    }

    pub(crate) fn holds(&self, below: &str, content: &str) {
        self.case.holds(&format!("out/{below}"), content);
    }

    pub(crate) fn read(&self, below: &str) -> String {
        self.case.read(&format!("out/{below}")).unwrap_or_default()
    }
}

/// An operator sees what the hosts share, and changes a value that they follow.
#[test]
fn an_operator_reads_and_sets_what_is_shared() {
    let Some(fleet) = Fleet::new("fleet-operator") else { return };
    let program = "import \"world\"\n\
                   kv \"place\" { value => \"rack 1\", mapped => true, }\n\
                   schedule \"web\" { }\n\
                   $found = world.getval(\"colour\")\n\
                   $colour = if $found->exists {\n$found->value\n} else {\n\"none\"\n}\n\
                   file \"@OUT@/colour\" { state => \"exists\", content => $colour, }\n";
    let world = |args: &[&str]| fleet.case.run(&[&["world", "--world", &fleet.etcd.url()], args].concat());
    let said = |args: &[&str]| String::from_utf8(world(args).stdout).unwrap();
    let _agent = fleet.start("web1", program);
    fleet.holds("colour", "none");
    assert_eq!(world(&["set", "colour", "green"]).status.code(), Some(0));
    fleet.holds("colour", "green");
    assert_eq!(said(&["get", "colour"]), "green\n");
    until("the host is elected", || said(&["schedule"]).contains("\"elected\":[\"web1\"]"));
    assert_eq!(said(&["get", "place", "--host", "web1"]), "rack 1\n");
    until("the host is there", || said(&["hosts"]).starts_with("{\"host\":\"web1\""));
    assert!(
        said(&["list"])
            .lines()
            .eq(["{\"key\":\"colour\",\"value\":\"green\"}", "{\"key\":\"place/web1\",\"value\":\"rack 1\"}"])
    );
    assert_eq!(world(&["unset", "colour"]).status.code(), Some(0));
    fleet.holds("colour", "none");
    let missing = world(&["get", "colour"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("there is no value `colour`"));
    let away = fleet.case.run(&["world", "status", "--world", "http://127.0.0.1:1"]);
    assert_eq!(away.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&away.stderr).contains("cannot reach the shared store"));
    assert_eq!(fleet.case.run(&["world", "status"]).status.code(), Some(2));
}

pub(crate) fn url(link: &Link) -> String {
    format!("http://{}", link.address())
}

/// Waits until something stays so for a time. A host that gets no processor for longer than its lease lasts loses it
/// once; one that does not renew it loses it repeatedly.
#[track_caller]
pub(crate) fn stays(time: Duration, is_so: impl Fn() -> bool) {
    until(&format!("it stays so for {time:?}"), || {
        let began = Instant::now();
        while began.elapsed() < time {
            if !is_so() {
                return false;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        true
    });
}

pub(crate) fn file(name: &str, content: &str) -> String {
    format!("file \"@OUT@/{name}\" {{\n\tstate => \"exists\",\n\tcontent => {content},\n}}\n")
}

/// A program that writes what it sees of a value.
pub(crate) fn sees(name: &str, key: &str) -> String {
    format!("import \"world\"\n{}", file(name, &format!("world.getval(\"{key}\")->value")))
}

/// A program that exports a file to all hosts, and writes nothing here.
pub(crate) fn exports(name: &str, content: &str) -> String {
    file(name, &format!("\"{content}\"")).replace("}\n", "\tMeta:hidden => true,\n\tMeta:export => [\"*\"],\n}\n")
}

/// A program that collects all files, and writes how many there are.
pub(crate) const COLLECTS: &str = "import \"world/collect\"\nimport \"fmt\"\ncollect file collect.res(\"file\") {}\n\
    file \"@OUT@/count\" {\n\tstate => \"exists\",\n\tcontent => fmt.printf(\"%d\", len(collect.res(\"file\"))),\n}\n";

#[test]
fn a_value_set_by_one_host_is_seen_by_the_other() {
    let Some(fleet) = Fleet::new("fleet-values") else { return };
    let map = "fmt.printf(\"%v\", world.kvlookup(\"address\"))";
    let sees_map = format!("import \"fmt\"\n{}{}", sees("greeting", "greeting"), file("map", map));
    let mapped = |address: &str| format!("kv \"address\" {{\n\tvalue => \"{address}\",\n\tmapped => true,\n}}\n");
    let mut one = fleet.start("h1", &format!("kv \"greeting\" {{ value => \"hello\", }}\n{}", mapped("10.0.0.1")));
    let mut two = fleet.start("h2", &format!("{sees_map}{}", mapped("10.0.0.2")));
    fleet.holds("greeting", "hello");
    fleet.holds("map", r#"{"h1": "10.0.0.1", "h2": "10.0.0.2"}"#);
    assert_eq!(fleet.get("strings/address/h1").as_deref(), Some("10.0.0.1"));
    // A change from outside is undone by its owner.
    fleet.put("strings/greeting", "by hand");
    until("the owner repairs its value", || fleet.get("strings/greeting").as_deref() == Some("hello"));
    fleet.etcd.delete(&format!("{KEYS}strings/address/h1"));
    until("the owner sets its value again", || fleet.get("strings/address/h1").is_some());
    fleet.holds("greeting", "hello");
    // Without a change nothing is written, once the last of these changes is.
    until("nothing is written", || {
        let before = fleet.etcd.revision();
        std::thread::sleep(Duration::from_secs(2));
        fleet.etcd.revision() == before
    });
    assert!(one.stop().success() && two.stop().success());
    // Values are not the host's: they stay.
    assert_eq!(fleet.get("strings/greeting").as_deref(), Some("hello"));
}

#[test]
fn what_one_host_exports_the_other_collects_until_the_lease_of_a_dead_host_ends() {
    let Some(fleet) = Fleet::new("fleet-exports") else { return };
    let _one = fleet.start("h1", COLLECTS);
    fleet.holds("count", "0");
    let mut two = fleet.start("h2", &exports("shared", "from h2"));
    fleet.holds("shared", "from h2");
    fleet.holds("count", "1");
    let is_exported = || fleet.keys("exported/*/h2/file/").len() == 1;
    // A host that crashed and is back in time continues without a gap. One that a busy machine starts too late has one.
    let goes_on = |_: u32| {
        two.signal(Signal::KILL);
        two.ends();
        two = fleet.start("h2", &exports("shared", "from h2"));
        let (began, mut is_without_gap) = (Instant::now(), true);
        while began.elapsed() < Duration::from_secs(TTL + 4) {
            is_without_gap &= is_exported();
            std::thread::sleep(Duration::from_millis(20));
        }
        until("it exports again", is_exported);
        is_without_gap
    };
    assert!((0..5).any(goes_on), "it never goes on without a gap");
    fleet.holds("count", "1");
    // It ends with its lease, which is nearly over if a busy machine kept the host from renewing it: then the next one dies.
    let ends_late = |_: u32| {
        two.signal(Signal::KILL);
        let died = Instant::now();
        two.ends();
        until("the export ends", || !is_exported());
        let is_late = died.elapsed() > Duration::from_secs(TTL / 2);
        if !is_late {
            two = fleet.start("h2", &exports("shared", "from h2"));
            until("it exports again", is_exported);
        }
        is_late
    };
    assert!((0..5).any(ends_late), "it ends at once");
    fleet.holds("count", "0");
    until("the other host alone is there", || fleet.keys("agent/") == [format!("{KEYS}agent/h1/live")]);
}

#[test]
fn an_export_that_a_later_program_does_not_make_ends_with_the_earlier_run() {
    let Some(fleet) = Fleet::new("fleet-stale") else { return };
    let both = format!("{}{}", exports("a", "a"), exports("b", "b"));
    let mut one = fleet.start("h1", &both);
    until("both are exported", || fleet.keys("exported/").len() == 2);
    assert!(one.stop().success());
    let _one = fleet.start("h1", &exports("b", "b"));
    until("the other one ends", || fleet.keys("exported/").len() == 1);
    stays(Duration::from_secs(TTL + 2), || fleet.keys("exported/").iter().all(|key| key.ends_with("/b")));
    assert_eq!(fleet.keys("exported/").len(), 1);
}

#[test]
fn two_agents_cannot_have_one_name_and_a_missing_store_is_an_error() {
    let Some(fleet) = Fleet::new("fleet-twins") else { return };
    // The other one waits for less than this lease.
    let _one = fleet.start_lasting("h1", &exports("shared", "x"));
    until("it is there", || fleet.get("agent/h1/live").is_some());
    let world = ["--world", &fleet.etcd.url(), "--world-ttl", "5", "h1.mcl"];
    let twin = fleet.case.run(&[&["run", "--once", "--prefix", "state-twin", "--hostname", "h1"], &world[..]].concat());
    assert_eq!(twin.status.code(), Some(1), "{twin:?}");
    let said = crate::case::stderr(&twin);
    assert!(said.contains("the host name h1 is in use by another agent since "), "{said}");
    let nowhere =
        ["run", "--once", "--prefix", "state-h3", "--world", "http://127.0.0.1:9", "--world-wait", "4", "h1.mcl"];
    // Between two attempts of a host without a processor, all of the time may be over.
    until("it says that it waits", || {
        let missing = fleet.case.run(&nowhere);
        assert_eq!(missing.status.code(), Some(1), "{missing:?}");
        let said = crate::case::stderr(&missing);
        assert!(said.contains("mclive: error: cannot reach the shared store within 4 s: http://127.0.0.1:9"), "{said}");
        said.contains("mclive: waiting for the shared store, for ")
    });
}

/// It was not there when the other one started.
#[test]
fn an_agent_whose_name_another_one_has_taken_says_so() {
    let Some(fleet) = Fleet::new("fleet-taken") else { return };
    let one = fleet.start("h1", &exports("shared", "x"));
    until("it is there", || fleet.get("agent/h1/live").is_some());
    until("it says that there is another one", || {
        fleet.put("agent/h1/live", r#"{"id":"other","since":0,"v":1,"version":"0.1.0"}"#);
        one.said().contains("the host name h1 is also used by another agent since Thu, 01 Jan 1970 00:00:00 GMT: ")
    });
}

#[test]
fn a_plan_reads_the_store_and_writes_nothing() {
    let Some(fleet) = Fleet::new("fleet-plan") else { return };
    fleet.put("strings/k", "one");
    let revision = fleet.etcd.revision();
    let program = format!("{}kv \"own\" {{ value => \"h1\", }}\n{}", sees("k", "k"), exports("shared", "x"));
    fleet.case.program(&program);
    for command in [&["plan"][..], &["run", "--once", "--noop"]] {
        let url = fleet.etcd.url();
        let args = [command, &["--prefix", "state", "--hostname", "h1", "--world", &url, "main.mcl"]].concat();
        let output = fleet.case.run(&args);
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("kv[own]"), "{said}");
    }
    assert_eq!(fleet.etcd.revision(), revision);
    assert_eq!(fleet.case.read("out/k"), None);
}
