//! Exports that their hosts have signed, in a real etcd that others can write to.

mod values;

use crate::case::{Agent, Case, stderr, until};
use crate::fleet::{COLLECTS, Fleet, KEYS, exports, file, stays};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

/// Creates a key; returns its public line.
fn key(case: &Case, file: &str, host: &str) -> String {
    let created = case.run(&["key", "new", file, "--name", host]);
    assert!(created.status.success(), "{created:?}");
    String::from_utf8(created.stdout).unwrap()
}

/// What the store has of a key, for a request that writes it again.
struct Stored {
    value: Value,
    lease: Value,
}

impl Fleet {
    /// Starts a host that signs what it exports.
    fn vouches(&self, host: &str, key: &str, program: &str) -> Agent {
        self.start_with(host, &self.etcd.url(), &["--host-key", key], program)
    }

    /// The same; its lease outlasts the test, also on a machine where it gets no processor for many seconds.
    fn vouches_lastingly(&self, host: &str, key: &str, program: &str) -> Agent {
        self.start_with(host, &self.etcd.url(), &["--host-key", key, "--world-ttl", "600"], program)
    }

    /// Starts a host that collects only what a key in `hosts` has signed.
    fn requires_vouchers(&self, host: &str) -> Agent {
        self.start_with(host, &self.etcd.url(), &["--require-host-signatures", "hosts"], COLLECTS)
    }

    /// The keys of the one export of a host and of its statement.
    fn vouched(&self, host: &str) -> (String, String) {
        let keys = self.keys(&format!("exported/*/{host}/"));
        assert_eq!(keys.len(), 1, "{keys:?}");
        let export = keys[0].strip_prefix(KEYS).unwrap().to_owned();
        (export.clone(), statement(host, &export))
    }

    fn stored(&self, key: &str) -> Stored {
        let told = self.etcd.ask("kv/range", &json!({ "key": STANDARD.encode(format!("{KEYS}{key}")) }));
        let entry = told["kvs"][0].clone();
        assert!(entry.is_object(), "{key}: {told}");
        Stored { value: entry["value"].clone(), lease: entry["lease"].clone() }
    }

    /// Writes an export of a host and its statement in one transaction, under the leases that they had.
    fn write_again(&self, host: &str, export: &str, value: &Stored, signed: &Stored) {
        let put = |key: &str, stored: &Stored| {
            let key = STANDARD.encode(format!("{KEYS}{key}"));
            json!({ "request_put": { "key": key, "value": stored.value, "lease": stored.lease } })
        };
        let writes = [put(export, value), put(&statement(host, export), signed)];
        self.etcd.ask("kv/txn", &json!({ "compare": [], "success": writes, "failure": [] }));
    }
}

/// The key of the statement about an export.
fn statement(host: &str, export: &str) -> String {
    format!("host/{host}/signed/{export}/sig")
}

#[test]
fn exports_that_their_hosts_have_signed_are_collected_and_others_are_not() {
    let Some(fleet) = Fleet::new("vouched-taken") else { return };
    let mut two = fleet.vouches_lastingly("h2", "h2.key", &exports("shared", "from h2"));
    two.says("created the key of this host in h2.key; hosts that require signatures need this line: mclive-ed25519 ");
    until("it has exported", || fleet.keys("exported/*/h2/").len() == 1);
    let mode = std::fs::metadata(fleet.case.path("h2.key")).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode, 0o600);
    let line = String::from_utf8(fleet.case.run(&["key", "show", "h2.key"]).stdout).unwrap();
    assert!(line.starts_with("mclive-ed25519 ") && line.ends_with(" h2\n"), "{line}");
    fleet.case.write("hosts", &format!("# hosts\n{line}"));
    let one = fleet.requires_vouchers("h1");
    fleet.holds("shared", "from h2");
    fleet.holds("count", "1");
    // A host that does not sign, as one of an earlier version, and one that requires no signatures.
    let _three = fleet.start_lasting("h3", &exports("more", "from h3"));
    one.says(
        "/more is refused: no key of h3 is in hosts; add the line that `mclive key show` prints for its --host-key",
    );
    let all = file("all", "fmt.printf(\"%d\", len(collect.res(\"file\")))");
    let _four = fleet.start("h4", &format!("import \"world/collect\"\nimport \"fmt\"\n{all}"));
    fleet.holds("all", "2");
    assert_eq!((fleet.read("count"), fleet.case.read("out/more")), ("1".to_owned(), None));
    assert_eq!(one.said().matches(" is refused: ").count(), 1, "{}", one.said());
    fleet.put("strings/colour", "green");
    fleet.put("strings/place/h2", "not signed");
    let valid = |command: &str, of: &str| {
        let listed = fleet.case.run(&["world", command, "--world", &fleet.etcd.url(), "--host-keys", "hosts"]);
        let text = String::from_utf8(listed.stdout).unwrap();
        let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        rows.map(|row| json!([row[of], row["signature"]["valid"]])).collect::<Value>()
    };
    assert_eq!(valid("exports", "from"), json!([["h2", true], ["h3", false]]));
    assert_eq!(valid("list", "key"), json!([["colour", null], ["place/h2", false]]));
    // What changes is signed again, and a statement that was removed is written again.
    let (export, statement) = fleet.vouched("h2");
    fleet.etcd.delete(&format!("{KEYS}{statement}"));
    until("it is signed again", || fleet.get(&statement).is_some());
    fleet.holds("count", "1");
    assert!(two.stop().success());
    // As if the time of its lease were over; the others ask for new ones.
    fleet.etcd.revoke_all();
    until("what it has exported ends with it", || fleet.get(&export).is_none() && fleet.get(&statement).is_none());
    fleet.holds("count", "0");
    let _two = fleet.vouches("h2", "h2.key", &exports("shared", "again"));
    fleet.holds("shared", "again");
    fleet.holds("count", "1");
}

#[test]
fn what_others_write_in_the_name_of_a_host_is_refused() {
    let Some(fleet) = Fleet::new("vouched-forged") else { return };
    // The other one also has a key that is listed.
    let lines = ["h2", "h3"].map(|host| key(&fleet.case, host, host));
    fleet.case.write("hosts", &lines.concat());
    let one = fleet.requires_vouchers("h1");
    let two = fleet.vouches_lastingly("h2", "h2", &exports("shared", "from h2"));
    fleet.holds("shared", "from h2");
    fleet.holds("count", "1");
    let (export, vouched) = fleet.vouched("h2");
    // Under no lease: a host that gets no processor for long loses its own.
    let [value, signed] = [&export, &vouched].map(|key| Stored { lease: "0".into(), ..fleet.stored(key) });
    // Its own resource choice.
    let evil = export.replace("/out/shared", "/out/evil");
    assert_ne!(evil, export);
    fleet.put(&evil, &fleet.get(&export).unwrap().replace("from h2", "evil"));
    one.says("/out/evil is refused: it is not signed; run the agent of h2 with --host-key FILE");
    two.says("/out/evil in the name of this host; such exports are removed");
    until("its host has removed it", || fleet.get(&evil).is_none());
    // A statement about another resource, and for another host.
    fleet.write_again("h2", &evil, &value, &signed);
    one.says("/out/evil is refused: its signature is invalid: someone else has changed or copied it");
    let of_h3 = evil.replace("/h2/", "/h3/");
    fleet.write_again("h3", &of_h3, &value, &signed);
    one.says("/out/evil is refused: it is signed with a key that hosts does not list for h3");
    assert_eq!((fleet.read("count"), fleet.case.read("out/evil")), ("1".to_owned(), None));
    until("its host has removed it again", || fleet.get(&evil).is_none());
    fleet.etcd.delete(&format!("{KEYS}{of_h3}"));
    // Anyone who changes an export, or what its host says about it, withholds it for a moment only.
    for key in [&export, &vouched] {
        fleet.put(key, "{}");
        until("its host has written it again", || fleet.get(key).is_some_and(|value| value != "{}"));
        fleet.holds("count", "1");
    }
    // A host with its own key is heard in its own name.
    let _three = fleet.vouches("h3", "h3", &exports("more", "from h3"));
    fleet.holds("more", "from h3");
    fleet.holds("count", "2");
}

#[test]
fn what_a_host_has_withdrawn_does_not_count_when_others_write_it_again() {
    let Some(fleet) = Fleet::new("vouched-replayed") else { return };
    fleet.case.write("hosts", &key(&fleet.case, "h2", "h2"));
    let one = fleet.requires_vouchers("h1");
    let mut two = fleet.vouches("h2", "h2", &exports("shared", "from h2"));
    fleet.holds("shared", "from h2");
    fleet.holds("count", "1");
    let (export, vouched) = fleet.vouched("h2");
    let (mut value, mut signed) = (fleet.stored(&export), fleet.stored(&vouched));
    two.stop();
    fleet.holds("count", "0");
    // Anyone who can write to the store can also create a lease with a number of their choice.
    fleet.etcd.ask("lease/grant", &json!({ "ID": value.lease, "TTL": "600" }));
    fleet.write_again("h2", &export, &value, &signed);
    one.says("/shared is refused: it is an earlier version, which h2 has changed or withdrawn");
    (value.lease, signed.lease) = ("0".into(), "0".into());
    fleet.write_again("h2", &export, &value, &signed);
    stays(Duration::from_secs(1), || fleet.read("count") == "0");
    // A host that has seen nothing of it is protected by the lease.
    let three = fleet.requires_vouchers("h3");
    three.says("/shared is refused: it is an earlier version, which h2 has changed or withdrawn");
    drop(three);
    // It counts again once its host has exported it again.
    let _two = fleet.vouches("h2", "h2", &exports("shared", "again"));
    fleet.holds("shared", "again");
    fleet.holds("count", "1");
}

#[test]
fn the_list_of_keys_is_read_again_when_it_changes() {
    let Some(fleet) = Fleet::new("vouched-rotated") else { return };
    let [old, new] = ["old", "new"].map(|file| key(&fleet.case, file, "h2"));
    fleet.case.write("hosts", &old);
    let one = fleet.requires_vouchers("h1");
    let mut two = fleet.vouches("h2", "old", &exports("shared", "from h2"));
    fleet.holds("count", "1");
    two.stop();
    fleet.holds("count", "0");
    let _two = fleet.vouches_lastingly("h2", "new", &exports("shared", "from h2"));
    one.says("/shared is refused: it is signed with a key that hosts does not list for h2");
    assert_eq!(fleet.read("count"), "0");
    fleet.case.write("hosts", &format!("{old}{new}"));
    fleet.holds("count", "1");
    // A list that cannot be read changes nothing.
    fleet.case.write("hosts", "nonsense\n");
    one.says(
        "cannot use the keys of hosts in hosts: line 1: expected `mclive-ed25519 KEY HOST`, as `mclive key show` prints it; \
         still using the previous keys",
    );
    assert_eq!(fleet.read("count"), "1");
    fleet.case.write("hosts", &old);
    fleet.holds("count", "0");
}

#[test]
fn keys_that_cannot_be_used_are_an_error() {
    let case = Case::new("vouched-usage", "");
    let line = key(&case, "h2.key", "h2");
    case.write("hosts", &line);
    case.write("none", "# nobody\n");
    let world = ["run", "--prefix", "state", "--world", "http://127.0.0.1:1", "--world-wait", "1"];
    let of = |args: &[&str]| {
        let output = case.run(&[&world[..], args, &["main.mcl"]].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        stderr(&output)
    };
    let said = of(&["--require-host-signatures", "none"]);
    assert!(said.contains("cannot use the keys of hosts in none: it has no public key"), "{said}");
    let said = of(&["--require-host-signatures", "h2.key"]);
    assert!(said.contains("cannot use the keys of hosts in h2.key: line 2: expected "), "{said}");
    set_permissions(case.path("hosts"), Permissions::from_mode(0o666)).unwrap();
    let said = of(&["--require-host-signatures", "hosts"]);
    assert!(said.contains("cannot use the keys of hosts in hosts: others can change it (mode 0666)"), "{said}");
    let other = case.run(&[&world[..], &["--host-key", "h2.key", "--hostname", "h1", "main.mcl"]].concat());
    let expected = format!(
        "the key in h2.key is not named after this host; hosts that require signatures need this line: {}",
        line.replace(" h2", " h1")
    );
    assert!(stderr(&other).contains(&expected), "{other:?}");
    set_permissions(case.path("h2.key"), Permissions::from_mode(0o644)).unwrap();
    let said = of(&["--host-key", "h2.key"]);
    assert!(said.contains("cannot use the key h2.key: other users can access it (mode 0644)"), "{said}");
    let said = of(&["--host-key", "hosts"]);
    assert!(said.contains("cannot use the key hosts: "), "{said}");
}
