//! A host that requires signatures, and what others write.

use super::*;
use crate::deploy::OperatorKey;
use crate::host::scratch::Scratch;
use crate::host::world::leases::Tick;
use crate::host::world::mirror::{Held, Snapshot};
use crate::host::world::{Cluster, Joining};
use mclive_base::vocab::Datum;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

const EXPORT: &str = "exported/*/h1/file//x";
const NOW: Tick = Tick(Duration::from_secs(1));

/// What host `me` knows of exports of `h1`.
struct TestStore {
    inside: Inside,
    revision: i64,
}

impl TestStore {
    fn new(line: &str) -> TestStore {
        let keys = HostKeys::parse(line).unwrap();
        let judge = Some(Judge::new("list".into(), keys, "main", None));
        let mut world = TestStore { inside: Inside { judge, ..Inside::default() }, revision: 1 };
        world.inside.replace("me", Snapshot { cluster: "1".into(), revision: 1, ..Snapshot::default() }, NOW);
        world
    }

    /// A transaction; returns the keys that are reported.
    fn set(&mut self, writes: &[(&str, Option<&[u8]>)], lease: i64) -> Vec<String> {
        self.revision += 1;
        let held = |bytes: &[u8]| Held { value: Datum::Bytes(bytes.to_vec()), modified: self.revision, lease };
        let change = |(key, bytes): &(&str, Option<&[u8]>)| Change {
            key: (*key).to_owned(),
            revision: self.revision,
            held: bytes.map(held),
        };
        let changes = writes.iter().map(change).collect();
        self.inside.apply("me", self.revision, changes, NOW)
    }

    /// The export and its statement.
    fn put(&mut self, value: &[u8], statement: &[u8], lease: i64) -> Vec<String> {
        let place = place(EXPORT).unwrap();
        self.set(&[(EXPORT, Some(value)), (place.as_str(), Some(statement))], lease)
    }

    fn remove(&mut self) -> Vec<String> {
        let place = place(EXPORT).unwrap();
        self.set(&[(EXPORT, None), (place.as_str(), None)], 0)
    }

    fn counts(&self) -> bool {
        self.inside.counts(EXPORT)
    }
}

fn key(host: &str) -> OperatorKey {
    OperatorKey::generate(host).unwrap().0
}

fn statement(key: &OperatorKey, value: &[u8], lease: i64, n: u64) -> Vec<u8> {
    Signable { cluster: "main", key: EXPORT, value }.signed(key, lease, n).bytes()
}

#[test]
fn an_export_counts_with_the_statement_of_its_host() {
    let key = key("h1");
    let mut world = TestStore::new(&key.line());
    assert!(world.inside.counts("strings/k") && !world.counts());
    // Each key is reported once, though its value and its standing have changed.
    assert_eq!(world.put(b"a", &statement(&key, b"a", 7, 1), 7), [EXPORT.to_owned(), place(EXPORT).unwrap()]);
    assert!(world.counts());
    // Its value, or its statement, is written by someone else.
    assert!(world.set(&[(EXPORT, Some(&b"b"[..]))], 7).contains(&EXPORT.to_owned()));
    assert!(!world.counts());
    assert!(world.set(&[(EXPORT, Some(&b"a"[..]))], 7).contains(&EXPORT.to_owned()));
    assert!(world.counts());
    let place = place(EXPORT).unwrap();
    assert!(world.set(&[(place.as_str(), None)], 0).contains(&EXPORT.to_owned()));
    assert!(!world.counts());
    let n_refused = |world: &TestStore| world.inside.judge.as_ref().map(Judge::n_refused);
    assert_eq!(n_refused(&world), Some(1));
    // Of the values, one of a host in the list; whether the other is of a host is not known.
    world.set(&[("strings/place/h1", Some(&b"a"[..])), ("strings/place/h2", Some(&b"a"[..]))], 0);
    assert_eq!(n_refused(&world), Some(2));
    world.remove();
    assert_eq!(n_refused(&world), Some(1));
}

#[test]
fn what_was_changed_or_withdrawn_does_not_count_again() {
    let key = key("h1");
    let mut world = TestStore::new(&key.line());
    let [first, second, third] = [(b"a", 1), (b"b", 2), (b"a", 3)].map(|(value, n)| statement(&key, value, 7, n));
    world.put(b"a", &first, 7);
    world.put(b"b", &second, 7);
    assert!(world.counts());
    world.put(b"a", &first, 7);
    assert!(!world.counts());
    // It is the last one.
    world.put(b"b", &second, 7);
    assert!(world.counts());
    world.remove();
    world.put(b"b", &second, 7);
    assert!(!world.counts());
    world.put(b"a", &third, 7);
    assert!(world.counts());
    // A lease that the host did not name, of the attacker or none.
    for lease in [8, 0] {
        world.put(b"a", &third, lease);
        assert!(!world.counts(), "{lease}");
    }
}

#[test]
fn what_is_the_same_in_one_message_is_judged_by_revision() {
    let key = key("h1");
    let mut world = TestStore::new(&key.line());
    let place = place(EXPORT).unwrap();
    let change = |key: &str, revision: i64, bytes: &[u8]| Change {
        key: key.to_owned(),
        revision,
        held: Some(Held { value: Datum::Bytes(bytes.to_vec()), modified: revision, lease: 7 }),
    };
    let both = |revision, value: &[u8], n| {
        [change(EXPORT, revision, value), change(&place, revision, &statement(&key, value, 7, n))]
    };
    let changes = [both(2, b"a", 1), both(3, b"b", 2), both(4, b"a", 1)];
    world.inside.apply("me", 4, changes.into_iter().flatten().collect(), NOW);
    assert!(!world.counts());
}

/// A group may have so many that judging all of them takes longer than a lease.
#[test]
fn a_changed_list_concerns_only_the_hosts_whose_keys_have_changed() {
    let [one, other, new] = ["h1", "h2", "h1"].map(key);
    let mut world = TestStore::new(&one.line());
    world.put(b"a", &statement(&one, b"a", 7, 1), 7);
    assert!(world.counts());
    // It would be judged in another way by now.
    let held = Some(Held { value: Datum::Bytes(b"b".to_vec()), modified: 3, lease: 7 });
    world.inside.mirror.apply(3, vec![Change { key: EXPORT.to_owned(), revision: 3, held }]);
    let with_other = HostKeys::parse(&format!("{}\n{}\n", one.line(), other.line()));
    assert_eq!(world.inside.relist("me", with_other), [""; 0]);
    assert!(world.counts());
    let with_new = HostKeys::parse(&format!("{}\n{}\n{}\n", one.line(), new.line(), other.line()));
    assert_eq!(world.inside.relist("me", with_new), [EXPORT]);
    assert!(!world.counts());
}

#[test]
fn a_changed_list_counts_at_once_and_a_broken_one_changes_nothing() {
    let [old, new] = ["h1", "h1"].map(key);
    let mut world = TestStore::new(&old.line());
    world.put(b"a", &statement(&new, b"a", 7, 1), 7);
    assert!(!world.counts());
    let both = HostKeys::parse(&format!("{}\n{}\n", old.line(), new.line()));
    assert_eq!(world.inside.relist("me", both), [EXPORT]);
    assert!(world.counts());
    assert_eq!(world.inside.relist("me", Err("no".into())), [""; 0]);
    assert!(world.counts());
    assert_eq!(world.inside.relist("me", HostKeys::parse(&old.line())), [EXPORT]);
    assert!(!world.counts());
}

#[test]
fn a_host_is_named_once_for_each_reason() {
    let mut judge = Judge::new("list".into(), HostKeys::parse(&key("h1").line()).unwrap(), "main", None);
    let said = judge.warning(EXPORT, Doubt::Unsigned).unwrap();
    assert_eq!(
        said,
        "mclive: warning: the export exported/*/h1/file//x is refused: it is not signed; run the agent of h1 with \
         --host-key FILE"
    );
    assert_eq!(judge.warning("exported/*/h1/file//y", Doubt::Unsigned), None);
    assert!(judge.warning(EXPORT, Doubt::Invalid).is_some());
    // Others choose the names.
    let forged = judge.warning("exported/*/h\n2/file//x\nmclive: error: y", Doubt::Unlisted).unwrap();
    assert!(!forged.contains('\n') && forged.contains("no key of h\\n2 is in list"), "{forged}");
    let more = (0..100).filter_map(|n| judge.warning(&format!("exported/*/x{n}/file//x"), Doubt::Unlisted));
    let more: Vec<String> = more.collect();
    assert_eq!(more.len(), MOST_TOLD - 3);
    assert!(more.last().unwrap().ends_with("other hosts are not reported"));
}

#[test]
fn the_own_exports_need_no_statement() {
    let mut world = TestStore::new(&key("h1").line());
    let own = "exported/*/me/file//x";
    world.inside.own.keep(own, Some(&b"a"[..]));
    world.set(&[(own, Some(&b"a"[..]))], 7);
    assert!(world.inside.counts(own));
    world.set(&[(own, Some(&b"b"[..]))], 7);
    assert!(!world.inside.counts(own));
}

const VALUE: &str = "strings/place/h1";

/// A value and its statement.
fn put_value(world: &mut TestStore, value: &[u8], statement: &[u8]) -> Vec<String> {
    let place = place(VALUE).unwrap();
    world.set(&[(VALUE, Some(value)), (place.as_str(), Some(statement))], 0)
}

/// Whether a value counts alone, and as one of its host.
fn standing(world: &mut TestStore, value: &str) -> (bool, bool) {
    (world.inside.counts(value), world.inside.counts_for_its_host(value))
}

#[test]
fn a_value_counts_with_the_statement_of_its_host() {
    let key = key("h1");
    let signed = |value: &[u8], n| Signable { cluster: "main", key: VALUE, value }.signed(&key, 0, n).bytes();
    let [first, second] = [(b"a", 1), (b"b", 2)].map(|(value, n)| signed(value, n));
    let mut world = TestStore::new(&key.line());
    world.set(&[(VALUE, Some(&b"a"[..]))], 0);
    assert_eq!(standing(&mut world, VALUE), (false, false));
    assert!(put_value(&mut world, b"a", &first).contains(&VALUE.to_owned()));
    assert_eq!(standing(&mut world, VALUE), (true, true));
    put_value(&mut world, b"b", &first);
    assert_eq!(standing(&mut world, VALUE), (false, false));
    put_value(&mut world, b"b", &second);
    assert_eq!(standing(&mut world, VALUE), (true, true));
    // An earlier one, and one under a lease.
    put_value(&mut world, b"a", &first);
    assert_eq!(standing(&mut world, VALUE), (false, false));
    let place = place(VALUE).unwrap();
    world.set(&[(VALUE, Some(&b"b"[..])), (place.as_str(), Some(&second[..]))], 7);
    assert_eq!(standing(&mut world, VALUE), (false, false));
    // It was moved to another name.
    let (other, other_place) = ("strings/other/h1", super::place("strings/other/h1").unwrap());
    world.set(&[(other, Some(&b"b"[..])), (other_place.as_str(), Some(&second[..]))], 0);
    assert_eq!(standing(&mut world, other), (false, false));
}

#[test]
fn a_value_of_nobody_counts_alone_until_there_is_such_a_host() {
    let keys = ["h1", "port"].map(|host| key(host).line());
    let mut world = TestStore::new(&keys[0]);
    for value in ["strings/config", "strings/config/port"] {
        world.set(&[(value, Some(&b"80"[..]))], 0);
        assert!(world.inside.counts(value), "{value}");
    }
    assert!(!world.inside.counts_for_its_host("strings/config/port"));
    let both = HostKeys::parse(&keys.join("\n"));
    assert_eq!(world.inside.relist("me", both), ["strings/config/port"]);
    assert_eq!(standing(&mut world, "strings/config/port"), (false, false));
}

#[test]
fn the_own_values_need_a_statement_only_on_a_host_that_signs() {
    const OWN: &str = "strings/place/me";
    let (me, list) = (key("me"), key("h1").line());
    let mut world = TestStore::new(&list);
    world.set(&[(OWN, Some(&b"a"[..]))], 0);
    assert_eq!(standing(&mut world, OWN), (true, true));
    let keys = HostKeys::parse(&list).unwrap();
    world.inside.judge = Some(Judge::new("list".into(), keys, "main", Some(me.public())));
    assert_eq!(world.inside.judge_all("me"), [""; 0]);
    assert_eq!(standing(&mut world, OWN), (false, false));
    // Its key need not be in the list.
    let statement = Signable { cluster: "main", key: OWN, value: b"a" }.signed(&me, 0, 1).bytes();
    let place = place(OWN).unwrap();
    assert_eq!(world.set(&[(place.as_str(), Some(&statement[..]))], 0), [place.as_str(), OWN]);
    assert_eq!(standing(&mut world, OWN), (true, true));
}

#[test]
fn sealed_values_are_read_again_when_the_list_changes() {
    let [one, two] = ["h1", "h2"].map(|host| key(host).line());
    let mut world = TestStore::new(&one);
    world.set(&[("sealed/place/h2", Some(&b"{}"[..]))], 0);
    let must_be_signed = |world: &TestStore| {
        world.inside.judge.as_ref().is_some_and(|judge| judge.is_of_listed_host("strings/place/h2"))
    };
    assert!(!must_be_signed(&world));
    let both = HostKeys::parse(&format!("{one}\n{two}\n"));
    assert_eq!(world.inside.relist("me", both), ["sealed/place/h2"]);
    assert!(must_be_signed(&world));
}

#[test]
fn a_list_that_was_replaced_is_read_again() {
    let dir = Scratch::new("host-keys");
    let list = dir.join("hosts");
    let replace = |host: &str| {
        let new = dir.join("new");
        fs::write(&new, key(host).line()).unwrap();
        fs::set_permissions(&new, Permissions::from_mode(0o644)).unwrap();
        fs::rename(&new, &list).unwrap();
    };
    replace("h1");
    let urls = vec!["http://127.0.0.1:1".to_owned()];
    let joining = Joining {
        cluster: Cluster { urls, name: "main".into(), credentials: Arc::default() },
        ttl: 5,
        wait: Duration::ZERO,
        hostname: "me".into(),
        id: None,
        may_be_away: false,
        signer: None,
        opening: None,
        recipients: None,
        host_keys: Some((list.clone(), HostKeys::read(&list).unwrap())),
        operators: None,
    };
    let store = joining.into_store();
    let knows = |host: &str| store.inside.lock().judge.as_ref().is_some_and(|judge| judge.keys.know(host));
    let replaces = async {
        // Only the first one may come before the watch.
        for host in ["h2", "h3"] {
            replace(host);
            while !knows(host) {
                sleep(Duration::from_millis(10)).await;
            }
        }
    };
    let nobody = Weak::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        tokio::select! {
            () = store.follow_host_keys(&nobody) => {}
            done = timeout(Duration::from_secs(120), replaces) => done.expect("the list is read again"),
        }
    });
    assert!(!knows("h1"));
}
