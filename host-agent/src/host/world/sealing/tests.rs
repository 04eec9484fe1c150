//! What a host exports with secrets, and what its receiver makes of it.

use super::*;
use crate::deploy::OperatorKey;
use crate::host::world::{Cluster, Joining};
use std::sync::Arc;
use std::time::Duration;

const KEY: &str = "exported/db1/web1/consul:kv/motd";
const RECORD: &[u8] = br#"{"version":2,"kind":"consul:kv","name":"motd"}"#;
const SECRETS: &[u8] = b"hush-hush\0hush again";

/// A host with a key of its own, and with a list of the keys of hosts.
fn host(name: &str, key: Option<&OperatorKey>, list: Option<&str>) -> SharedStore {
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
        recipients: list.map(|list| ("hosts".into(), Recipients::parse(list).unwrap())),
        host_keys: None,
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
            web.seal_again(sealer, &before);
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
