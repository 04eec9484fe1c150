//! Values that their hosts have signed, in a real etcd that others can write to.

use super::{Stored, key, statement};
use crate::case::{Agent, until};
use crate::fleet::{Fleet, file};

/// The value of the host that signs.
const VALUE: &str = "strings/place/h2";
const BOTH: &str = r#"{"h1": "rack 1", "h2": "rack 2"}"#;
const ONE: &str = r#"{"h1": "rack 1"}"#;

/// A program that sets the place of its host.
fn stands_in(place: &str) -> String {
    format!("kv \"place\" {{\n\tvalue => \"{place}\",\n\tmapped => true,\n}}\n")
}

/// A program that writes the places of all hosts, and the one of `h2`.
fn reads(map: &str, alone: &str) -> String {
    let map = file(map, "fmt.printf(\"%v\", world.kvlookup(\"place\"))");
    let found =
        "$found = world.getval(\"place/h2\")\n$place = if $found->exists {\n$found->value\n} else {\n\"none\"\n}\n";
    format!("import \"fmt\"\nimport \"world\"\n{found}{map}{}", file(alone, "$place"))
}

impl Fleet {
    /// Starts a host that signs, and counts only what a key in `hosts` has signed.
    fn trusts_places(&self) -> Agent {
        let program = format!("{}{}", reads("map", "alone"), stands_in("rack 1"));
        self.start_with("h1", &self.etcd.url(), &["--host-key", "h1", "--require-host-signatures", "hosts"], &program)
    }

    /// Creates the keys of these hosts, and their list.
    fn knows(&self, hosts: &[&str]) {
        let lines: Vec<String> = hosts.iter().map(|host| key(&self.case, host, host)).collect();
        self.case.write("hosts", &lines.concat());
    }

    /// A value and its statement.
    fn signed_value(&self) -> [Stored; 2] {
        [VALUE, &statement("h2", VALUE)].map(|key| Stored { lease: "0".into(), ..self.stored(key) })
    }
}

#[test]
fn values_that_their_hosts_have_signed_are_read_and_others_are_not() {
    let Some(fleet) = Fleet::new("vouched-values") else { return };
    fleet.knows(&["h1", "h2"]);
    // It was set before hosts signed.
    fleet.put(VALUE, "rack 2");
    let one = fleet.trusts_places();
    one.says("the value strings/place/h2 is refused: it is not signed; run the agent of h2 with --host-key FILE");
    fleet.holds("map", ONE);
    fleet.holds("alone", "none");
    let mut two = fleet.vouches("h2", "h2", &stands_in("rack 2"));
    fleet.holds("map", BOTH);
    fleet.holds("alone", "rack 2");
    // A host that does not sign, and one that requires no signatures.
    let _three = fleet.start("h3", &stands_in("rack 3"));
    one.says(
        "the value strings/place/h3 is refused: no key of h3 is in hosts; add the line that `mclive key show` prints for \
         its --host-key",
    );
    let _four = fleet.start("h4", &reads("all", "any"));
    fleet.holds("all", r#"{"h1": "rack 1", "h2": "rack 2", "h3": "rack 3"}"#);
    fleet.holds("map", BOTH);
    // It stays when its host ends, and goes with its statement when the host is removed.
    assert!(two.stop().success());
    fleet.holds("map", BOTH);
    let url = fleet.etcd.url();
    let leave = ["world", "leave", "--world", &url, "h2"];
    until("it is removed", || fleet.case.run(&leave).status.success());
    assert_eq!((fleet.get(VALUE), fleet.get(&statement("h2", VALUE))), (None, None));
    fleet.holds("map", ONE);
}

#[test]
fn values_that_others_write_in_the_name_of_a_host_are_refused_and_set_again() {
    let Some(fleet) = Fleet::new("vouched-values-forged") else { return };
    fleet.knows(&["h1", "h2", "h3"]);
    let one = fleet.trusts_places();
    let _two = fleet.vouches("h2", "h2", &stands_in("rack 2"));
    fleet.holds("map", BOTH);
    let [value, signed] = fleet.signed_value();
    fleet.put(VALUE, "evil");
    one.says("the value strings/place/h2 is refused: its signature is invalid: someone else has changed or copied it");
    until("its host has set it again", || fleet.get(VALUE).as_deref() == Some("rack 2"));
    fleet.holds("map", BOTH);
    // Without its statement it is refused, too.
    let vouched = statement("h2", VALUE);
    fleet.put(&vouched, "{}");
    until("its host has signed it again", || fleet.get(&vouched).is_some_and(|signed| signed != "{}"));
    fleet.holds("map", BOTH);
    // In the name of another host.
    fleet.write_again("h3", "strings/place/h3", &value, &signed);
    one.says("the value strings/place/h3 is refused: it is signed with a key that hosts does not list for h3");
    fleet.holds("map", BOTH);
    // A value that the host does not want.
    let mut three = fleet.vouches("h3", "h3", "kv \"place\" { mapped => true, }\n");
    until("its host has removed it", || fleet.get("strings/place/h3").is_none());
    assert!(three.runs());
}

#[test]
fn an_earlier_value_does_not_count_when_others_write_it_again() {
    let Some(fleet) = Fleet::new("vouched-values-replayed") else { return };
    fleet.knows(&["h1", "h2"]);
    let one = fleet.trusts_places();
    let mut two = fleet.vouches("h2", "h2", &stands_in("rack 2"));
    fleet.holds("map", BOTH);
    let [value, signed] = fleet.signed_value();
    two.stop();
    let mut two = fleet.vouches("h2", "h2", &stands_in("rack 3"));
    fleet.holds("alone", "rack 3");
    two.stop();
    fleet.write_again("h2", VALUE, &value, &signed);
    one.says("the value strings/place/h2 is refused: it is an earlier version, which h2 has changed or withdrawn");
    fleet.holds("map", ONE);
    fleet.holds("alone", "none");
    // Its host wants the same, and signs it again.
    let _two = fleet.vouches("h2", "h2", &stands_in("rack 2"));
    fleet.holds("map", BOTH);
}

#[test]
fn a_value_is_signed_again_in_a_store_that_was_restored() {
    let Some(mut fleet) = Fleet::new("vouched-values-restored") else { return };
    fleet.knows(&["h1", "h2"]);
    let _one = fleet.trusts_places();
    let _two = fleet.vouches("h2", "h2", &stands_in("rack 2"));
    fleet.holds("map", BOTH);
    let vouched = statement("h2", VALUE);
    let saved = fleet.get(&vouched);
    fleet.etcd.back_up();
    fleet.put(&vouched, "{}");
    let is_new = |signed: Option<String>| signed.is_some() && signed != saved && signed.as_deref() != Some("{}");
    until("its host has signed it again", || is_new(fleet.get(&vouched)));
    // The backup is far behind: more than what hosts write while it is read.
    (0..100).for_each(|n| fleet.put("strings/k", &n.to_string()));
    fleet.etcd.restore();
    // The value is the same; hosts that know the later signature refuse the earlier one.
    until("its host has signed it once more", || is_new(fleet.get(&vouched)));
    fleet.holds("map", BOTH);
}
