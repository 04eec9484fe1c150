//! What a host exports with secrets, and what its receiver makes of it.

use super::*;
use crate::deploy::OperatorKey;
use crate::host::contract::linux;
use crate::host::scratch::Scratch;
use crate::host::world::limits::MOST_EXPORTS;
use crate::host::world::{Cluster, Joining};
use crate::network::Network;
use mclive_base::protocol::Input;
use mclive_base::protocol::contract::Body;
use mclive_base::vocab::password::Secret;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

const KEY: &str = "exported/db1/web1/consul:kv/motd";
const RECORD: &[u8] = br#"{"version":2,"kind":"consul:kv","name":"motd"}"#;
const SECRETS: &[u8] = b"hush-hush\0hush again";
/// How long a machine under load may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// A host with its own key, and with a list of the keys of hosts.
fn host(name: &str, key: Option<&OperatorKey>, list: Option<&str>) -> SharedStore {
    host_with(name, key, list.map(|list| ("hosts".into(), list)))
}

/// The same with the place of the list.
fn host_with(name: &str, key: Option<&OperatorKey>, list: Option<(PathBuf, &str)>) -> SharedStore {
    let urls = vec!["http://127.0.0.1:1".to_owned()];
    let joining = Joining {
        cluster: Cluster { urls, name: "main".into(), credentials: Arc::default() },
        ttl: 5,
        wait: Duration::ZERO,
        hostname: name.into(),
        id: None,
        may_be_away: false,
        signer: None,
        opening: key.map(OperatorKey::opening),
        recipients: list.map(|(place, list)| (place, Recipients::parse(list).unwrap())),
        host_keys: None,
        operators: None,
    };
    joining.into_store()
}

fn keys<const N: usize>(hosts: [&str; N]) -> [OperatorKey; N] {
    hosts.map(|host| OperatorKey::generate(host).unwrap().0)
}

#[test]
fn secrets_are_sealed_for_the_receiver_and_with_the_record() {
    let [db, other] = keys(["db1", "db2"]);
    let web = host("web1", None, Some(&format!("{}\n{}\n", db.sealing_line(), other.sealing_line())));
    let clear = export::join(RECORD, SECRETS);
    let stored = web.sealed(KEY, &clear).unwrap().unwrap();
    assert!(!stored.windows(9).any(|part| part == b"hush-hush"));
    let (record, sealed) = export::sealed(&stored).unwrap();
    assert_eq!(record, RECORD);
    let open = |name: &str, key: Option<&OperatorKey>, place: &str, record: &[u8]| {
        host(name, key, None).unsealed(place, record, sealed)
    };
    assert_eq!(open("db1", Some(&db), KEY, RECORD), Ok(SECRETS.to_vec()));
    assert_eq!(open("db1", None, KEY, RECORD), Err(Unopened::NoKey));
    assert_eq!(open("db1", Some(&other), KEY, RECORD), Err(Unopened::OtherKey));
    assert_eq!(open("db2", Some(&other), KEY, RECORD), Err(Unopened::OtherHosts));
    assert_eq!(open("db1", Some(&db), "exported/db1/web2/consul:kv/motd", RECORD), Err(Unopened::Moved));
    assert_eq!(open("db1", Some(&db), KEY, br#"{"version":2}"#), Err(Unopened::Moved));
    assert_eq!((web.sealed(KEY, RECORD), web.sealed("strings/a", &clear)), (Ok(None), Ok(None)));
}

#[test]
fn a_receiver_without_a_key_is_named() {
    let [other] = keys(["db2"]);
    let clear = export::join(RECORD, SECRETS);
    let why = |list: Option<&str>| host("web1", None, list).sealed(KEY, &clear).unwrap_err();
    assert!(
        why(None).starts_with("its secrets cannot be sealed: run this agent with --host-keys FILE"),
        "{}",
        why(None)
    );
    let said = why(Some(&other.sealing_line()));
    assert!(said.starts_with("cannot use the keys of hosts in hosts: it has no sealing key of db1; "), "{said}");
}

#[test]
fn an_export_is_sealed_again_for_other_keys_of_its_receiver_only() {
    let [old, new, other] = keys(["db1", "db1", "db2"]);
    let web = host("web1", None, Some(&other.sealing_line()));
    let clear = export::join(RECORD, SECRETS);
    web.inside.lock().own.waits_for_seal(KEY, clear.clone());
    let sealer = web.sealer.as_ref().unwrap();
    let replace = |lines: &[String]| {
        if let Some(before) = sealer.relist(Recipients::parse(&lines.join("\n"))) {
            web.seal_again(sealer, Some(&before));
        }
        web.inside.lock().own.value(KEY).cloned()
    };
    let first = replace(&[other.sealing_line(), old.sealing_line()]).expect("it can be sealed now");
    assert_eq!(web.inside.lock().own.opened(KEY, &first), Some(&clear));
    assert_eq!(replace(&[old.sealing_line()]), Some(first.clone()), "the key of another host");
    let second = replace(&[new.sealing_line()]).expect("it stays");
    assert_ne!(second, first);
    let (record, sealed) = export::sealed(&second).unwrap();
    let opened = |key: &OperatorKey| host("db1", Some(key), None).unsealed(KEY, &record, sealed);
    assert_eq!((opened(&new), opened(&old)), (Ok(SECRETS.to_vec()), Err(Unopened::OtherKey)));
    assert_eq!(replace(&[other.sealing_line()]), Some(second.clone()), "without a key it stays as it was");
}

/// It is written later, and a look then finds it in the clear.
#[test]
fn what_waits_for_a_key_is_hidden_at_once() {
    let [other] = keys(["db2"]);
    let web = host("web1", None, Some(&other.sealing_line()));
    let (mut linux, _state) = linux("seal-waits");
    let said = web.seal(&linux.host.shared, KEY, &export::join(RECORD, SECRETS)).unwrap_err();
    assert!(said.contains("it has no sealing key of db1"), "{said}");
    assert_eq!(web.inside.lock().own.with_secrets().count(), 1);
    for secret in ["hush-hush", "hush again"] {
        assert_eq!(linux.next(), Some(Input::Secret(Secret(secret.into()))));
    }
    // It is exported again, with another secret.
    let secrets = [SECRETS, b"hush once more"].join(&0u8);
    web.seal(&linux.host.shared, KEY, &export::join(RECORD, &secrets)).unwrap_err();
    assert_eq!(linux.next(), Some(Input::Secret(Secret("hush once more".into()))));
}

/// The network renews leases.
#[test]
fn the_network_does_not_wait_until_exports_are_sealed_again() {
    let [old, new] = keys(["db1", "db1"]);
    let dir = Scratch::new("seal-beside");
    let list = dir.join("hosts");
    fs::write(&list, new.sealing_line()).unwrap();
    fs::set_permissions(&list, Permissions::from_mode(0o644)).unwrap();
    let web = Arc::new(host_with("web1", None, Some((list, old.sealing_line().as_str()))));
    web.inside.lock().own.waits_for_seal(KEY, export::join(RECORD, SECRETS));
    let until = |holds: &dyn Fn() -> bool, what: &str| {
        let began = Instant::now();
        while !holds() {
            assert!(began.elapsed() < PATIENCE, "{what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    let network = Network::default();
    // Sealing takes as long as this is held.
    let sealing = web.sealer.as_ref().unwrap().sealing.lock();
    let store = web.clone();
    let _following = network.spawn(async move { store.follow_recipients(&Weak::new()).await }).unwrap();
    until(&|| web.n_lists() == 1, "the list is read");
    assert_eq!(network.wait(PATIENCE, async { 1 }, |_| {}).expect("the network does not wait"), 1);
    assert_eq!(web.inside.lock().own.value(KEY), None);
    drop(sealing);
    until(&|| web.inside.lock().own.value(KEY).is_some(), "it is sealed");
    let stored = web.inside.lock().own.value(KEY).cloned().unwrap();
    let (record, sealed) = export::sealed(&stored).unwrap();
    assert_eq!(host("db1", Some(&new), None).unsealed(KEY, &record, sealed), Ok(SECRETS.to_vec()));
}

#[test]
fn an_export_that_was_sealed_while_the_list_changed_is_sealed_again() {
    let [old, new] = keys(["db1", "db1"]);
    let web = host("web1", None, Some(&old.sealing_line()));
    let clear = export::join(RECORD, SECRETS);
    let n_lists = web.n_lists();
    let first = web.sealed(KEY, &clear).unwrap().unwrap();
    let sealer = web.sealer.as_ref().unwrap();
    let before = sealer.relist(Recipients::parse(&new.sealing_line())).unwrap();
    web.seal_again(sealer, Some(&before));
    {
        let mut inside = web.inside.lock();
        inside.own.keep(KEY, Some(&first));
        inside.own.seals(KEY, clear);
    }
    web.sealed_with(n_lists);
    let second = web.inside.lock().own.value(KEY).cloned().unwrap();
    let (record, sealed) = export::sealed(&second).unwrap();
    assert_eq!(host("db1", Some(&new), None).unsealed(KEY, &record, sealed), Ok(SECRETS.to_vec()));
    web.sealed_with(web.n_lists());
    assert_eq!(web.inside.lock().own.value(KEY), Some(&second));
}

/// A host may export thousands of resources to another one, which the list has no more.
#[test]
fn exports_that_cannot_be_sealed_again_are_told_together() {
    let words = |n_more| unsealed_words("db1", "exported/db1/web1/file//a", "no", n_more);
    assert_eq!(
        [words(0), words(9_999)],
        ["", ", and 9999 more"].map(|more| format!(
            "mclive: warning: cannot seal the export exported/db1/web1/file//a{more} to the current keys of db1: no"
        ))
    );
}

#[test]
fn no_more_is_exported_when_its_key_is_known_than_a_host_may_export() {
    let [db, other] = keys(["db1", "db2"]);
    let web = host("web1", None, Some(&other.sealing_line()));
    {
        let mut inside = web.inside.lock();
        (0..MOST_EXPORTS).for_each(|n| inside.own.keep(&format!("exported/*/web1/file/{n}"), Some(b"{}")));
        inside.own.waits_for_seal(KEY, export::join(RECORD, SECRETS));
    }
    let sealer = web.sealer.as_ref().unwrap();
    let before = sealer.relist(Recipients::parse(&db.sealing_line())).unwrap();
    web.seal_again(sealer, Some(&before));
    assert_eq!(web.inside.lock().own.value(KEY), None);
}
