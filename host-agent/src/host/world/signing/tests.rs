//! A host that signs, and what others make of its values.

use super::*;
use crate::host::world::leases::Tick;
use crate::host::world::mirror::Snapshot;
use crate::host::world::{Cluster, Joining};
use mclive_base::protocol::ResourceId;
use std::sync::Arc;
use std::time::Duration;

const VALUE: &str = "strings/place/h1";
const NOW: Tick = Tick(Duration::from_secs(1));

/// Host `h1`, which has read an empty store.
struct One {
    store: SharedStore,
    revision: i64,
}

impl One {
    fn new(secret: &str, run: u32) -> One {
        let urls = vec!["http://127.0.0.1:1".to_owned()];
        let joining = Joining {
            cluster: Cluster { urls, name: "main".into(), credentials: Arc::default() },
            ttl: 5,
            wait: Duration::ZERO,
            hostname: "h1".into(),
            id: Some("1".into()),
            may_be_away: false,
            signer: Some(Signer::new(OperatorKey::read(secret).unwrap(), "main", run)),
            opening: None,
            recipients: None,
            host_keys: None,
            operators: None,
        };
        let store = joining.into_store();
        let empty = Snapshot { cluster: "1".into(), revision: 1, ..Snapshot::default() };
        store.inside.lock().replace("h1", empty, NOW);
        One { store, revision: 1 }
    }

    /// A transaction of anyone; returns the values that their resources are to look at again.
    fn receives(&mut self, writes: &[Write]) -> Vec<String> {
        self.revision += 1;
        let revision = self.revision;
        let change = |write: &Write| match write {
            Write::Put(key, value, lease) => {
                let held = Held { value: Datum::Bytes(value.clone()), modified: revision, lease: *lease };
                Change { key: key.clone(), revision, held: Some(held) }
            }
            Write::Delete(key) => Change { key: key.clone(), revision, held: None },
        };
        let changes: Vec<Change> = writes.iter().map(change).collect();
        let values = self.store.values_in(&changes);
        self.store.inside.lock().apply("h1", revision, changes, NOW);
        self.store.changed_by_others(values)
    }

    /// Signs its value as the resource does.
    fn sets(&mut self, value: &[u8]) -> Vec<Write> {
        let writes = self.store.puts(VALUE, value, 0);
        self.store.remember(VALUE, &writes);
        assert_eq!(self.receives(&writes), [""; 0]);
        writes
    }

    /// What the resource sees.
    fn looks(&self, value: &str) -> Option<Datum> {
        self.store.look(&ResourceId::new("kv", "place"), value)
    }

    /// Whether there is something to write.
    fn mends(&self) -> bool {
        !self.store.inside.lock().mends.is_idle()
    }

    /// The value, if it is to be signed again.
    fn earlier(&self) -> Option<Vec<u8>> {
        self.store.earlier(&self.store.inside.lock(), VALUE).map(|(_, value)| value)
    }
}

fn put(key: &str, value: &[u8]) -> Write {
    Write::Put(key.to_owned(), value.to_vec(), 0)
}

fn secret() -> String {
    OperatorKey::generate("h1").unwrap().1
}

#[test]
fn a_resource_sets_its_value_again_if_others_have_changed_it_or_its_statement() {
    let mut one = One::new(&secret(), 1);
    assert_eq!(one.looks(VALUE), None);
    one.receives(&[put(VALUE, b"a")]);
    assert_eq!(one.looks(VALUE), Some(CHANGED_BY_OTHERS));
    let first = one.sets(b"a");
    assert_eq!(one.looks(VALUE), Some(Datum::text("a")));
    assert_eq!(one.receives(&[put(&place(VALUE).unwrap(), b"{}")]), [VALUE]);
    assert_eq!(one.looks(VALUE), Some(CHANGED_BY_OTHERS));
    // The value alone, and an equal one that is to end with a lease.
    for write in [put(VALUE, b"c"), Write::Put(VALUE.to_owned(), b"a".to_vec(), 7)] {
        one.sets(b"a");
        assert_eq!(one.receives(&[write]), [VALUE]);
        assert_eq!(one.looks(VALUE), Some(CHANGED_BY_OTHERS));
    }
    one.sets(b"b");
    assert_eq!(one.looks(VALUE), Some(Datum::text("b")));
    // An earlier one, and none.
    assert_eq!(one.receives(&first), [VALUE]);
    assert_eq!(one.looks(VALUE), Some(CHANGED_BY_OTHERS));
    one.receives(&one.store.deletes(VALUE));
    assert_eq!(one.looks(VALUE), None);
    // Values of other hosts, and of no one, are as they are.
    for other in ["strings/place/h2", "strings/h1"] {
        one.receives(&[put(other, b"c")]);
        assert_eq!(one.looks(other), Some(Datum::text("c")), "{other}");
    }
}

#[test]
fn a_value_of_an_earlier_run_is_signed_again_once() {
    let secret = secret();
    let before = One::new(&secret, 1).sets(b"a");
    let mut one = One::new(&secret, 2);
    // Others may have written it again after its resource was gone: only a resource that looks has it signed.
    assert_eq!(one.receives(&before), [VALUE]);
    assert!(!one.mends());
    assert_eq!((one.looks(VALUE), one.earlier()), (Some(Datum::text("a")), Some(b"a".to_vec())));
    assert!(one.mends());
    one.sets(b"a");
    assert_eq!((one.looks(VALUE), one.earlier()), (Some(Datum::text("a")), None));
    assert_eq!(one.receives(&before), [VALUE]);
    // One that another key has signed is set again at once.
    let mut other = One::new(&self::secret(), 3);
    other.receives(&before);
    assert_eq!((other.looks(VALUE), other.earlier()), (Some(CHANGED_BY_OTHERS), None));
}

const EXPORT: &str = "exported/*/h1/file//x";

#[test]
fn only_what_a_later_run_holds_under_its_own_lease_is_left_to_it() {
    let (key, text) = OperatorKey::generate("h1").unwrap();
    let mine = Signer::new(key, "main", 7);
    let held = |value: &[u8], lease| Held { value: Datum::Bytes(value.to_vec()), modified: 1, lease };
    let leaves = |by: &Signer, signed: i64, stored: i64| {
        let stated = held(&by.sign(EXPORT, b"a", signed), stored);
        mine.is_overtaken(EXPORT, &held(b"a", stored), &stated)
    };
    let of_run = |run| Signer::new(OperatorKey::read(&text).unwrap(), "main", run);
    assert!(leaves(&of_run(8), 5, 5));
    assert!(!leaves(&of_run(6), 5, 5), "it is of an earlier run");
    // Someone has kept it from a run with a larger number, whose lease has ended.
    assert!(!leaves(&of_run(8), 5, 6));
    let (other, _) = OperatorKey::generate("h1").unwrap();
    assert!(!leaves(&Signer::new(other, "main", 8), 5, 5), "it is signed with another key");
}

#[test]
fn an_export_of_an_earlier_run_is_known_as_one_of_this_host() {
    let secret = secret();
    let earlier = One::new(&secret, 1).store.puts(EXPORT, b"a", 9);
    let under = |lease: i64| {
        let copy = |write: &Write| match write {
            Write::Put(key, value, _) => Write::Put(key.clone(), value.clone(), lease),
            Write::Delete(key) => Write::Delete(key.clone()),
        };
        earlier.iter().map(copy).collect::<Vec<_>>()
    };
    let has_signed = |one: &One| one.store.has_signed(&one.store.inside.lock(), EXPORT);
    let mut one = One::new(&secret, 2);
    assert!(!has_signed(&one));
    one.receives(&under(9));
    assert!(has_signed(&one));
    // Someone has kept it, and writes it when that lease has ended; or something else under it.
    one.receives(&under(10));
    assert!(!has_signed(&one));
    one.receives(&under(9));
    one.receives(&[Write::Put(EXPORT.to_owned(), b"b".to_vec(), 9)]);
    assert!(!has_signed(&one));
    let mut other = One::new(&self::secret(), 3);
    other.receives(&under(9));
    assert!(!has_signed(&other), "it is signed with another key");
}
