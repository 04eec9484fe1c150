//! Keys of a store: which events a watch of them delivers, and how values are reported.

use super::talk::{Talk, kind, put, set, world};
use crate::protocol::Output;
use crate::vocab::{Datum, HostErrorKind, KeyStore, store};

pub(super) fn a_watch_of_keys_hears_its_own(talk: &mut Talk) {
    let one = talk.watch(vec![world("k/one").into()]);
    let below = talk.watch(vec![world("k/").into()]);
    talk.apply(vec![put("k/one", "1")]);
    talk.fires(one);
    talk.fires(below);
    talk.apply(vec![put("k/one", "1"), put("k/one/deeper", "1"), set(KeyStore::Local, "k/one", Some(Datum::Int(1)))]);
    talk.is_silent(one);
    talk.fires(below);
    talk.apply(vec![set(KeyStore::World, "k/one", None)]);
    talk.fires(one);
    talk.body.take(Output::Unwatch(one));
    talk.apply(vec![put("k/one", "2")]);
    talk.is_silent(one);
}

pub(super) fn a_value_is_told_when_it_is_another_one(talk: &mut Talk) {
    let (value, first) = talk.subscribe(store::Fact::Local { key: "v".into() });
    assert_eq!(kind(first), Some(HostErrorKind::NotFound));
    talk.apply(vec![set(KeyStore::Local, "v", Some(Datum::Int(7)))]);
    assert_eq!(talk.value(value), Ok(Datum::Int(7)));
    talk.apply(vec![set(KeyStore::Local, "v", Some(Datum::Int(7))), set(KeyStore::World, "v", Some(Datum::Int(8)))]);
    talk.is_silent(value);
    let (shared, first) = talk.subscribe(store::Fact::Value { key: "s".into() });
    assert_eq!(kind(first), Some(HostErrorKind::NotFound));
    talk.apply(vec![put("strings/s", "x")]);
    assert_eq!(talk.value(shared), Ok(Datum::text("x")));
    talk.apply(vec![set(KeyStore::World, "strings/s", None)]);
    assert_eq!(kind(talk.value(shared)), Some(HostErrorKind::NotFound));
    // Whether it is shared is up to the body, but each knows it.
    let (_, answer) = talk.subscribe(store::Fact::Shared);
    assert!(matches!(answer, Ok(Datum::Bool(_))), "{answer:?}");
}

pub(super) fn a_map_has_hosts_and_nothing_deeper(talk: &mut Talk) {
    let (map, first) = talk.subscribe(store::Fact::Map { namespace: "ns".into() });
    assert_eq!(first, Ok(Datum::Map(Vec::new())));
    let entry = |host: &str| (Datum::text(host), Datum::text("1"));
    talk.apply(vec![put("strings/ns/b", "1")]);
    assert_eq!(talk.value(map), Ok(Datum::Map(vec![entry("b")])));
    talk.apply(vec![put("strings/ns/a", "1")]);
    assert_eq!(talk.value(map), Ok(Datum::Map(vec![entry("a"), entry("b")])));
    talk.apply(vec![put("strings/nsx", "1"), put("strings/ns", "1")]);
    talk.is_silent(map);
    // What is deeper is left out: any host can set it, and it must not stop the programs of the others.
    talk.apply(vec![put("strings/ns/a/b", "1")]);
    talk.is_silent(map);
    talk.apply(vec![put("strings/ns/c", "1")]);
    assert_eq!(talk.value(map), Ok(Datum::Map(vec![entry("a"), entry("b"), entry("c")])));
    talk.apply(vec![set(KeyStore::World, "strings/ns/a/b", None), set(KeyStore::World, "strings/ns/c", None)]);
    assert_eq!(talk.value(map), Ok(Datum::Map(vec![entry("a"), entry("b")])));
}

pub(super) fn exports_are_sorted_by_their_keys(talk: &mut Talk, hostname: &str) {
    let fact = store::Fact::Exported { kind: "file".into() };
    let keys = [
        format!("exported/{hostname}/h2/file//b/c"),
        "exported/*/h2/file//z".to_owned(),
        format!("exported/{hostname}/h1/file//y"),
        "exported/other/h1/file//w".to_owned(),
        format!("exported/{hostname}/h1/user/u"),
    ];
    talk.apply(keys.iter().map(|key| put(key, "d")).collect());
    let (exported, first) = talk.subscribe(fact);
    let entry = |name: &str, host: &str| {
        let text = Datum::text;
        Datum::Struct(vec![("name".into(), text(name)), ("host".into(), text(host)), ("data".into(), text("d"))])
    };
    assert_eq!(first, Ok(Datum::List(vec![entry("/z", "h2"), entry("/y", "h1"), entry("/b/c", "h2")])));
    talk.apply(vec![put("exported/other/h3/file//w", "d")]);
    talk.is_silent(exported);
    talk.apply(vec![set(KeyStore::World, "exported/*/h2/file//z", None)]);
    assert_eq!(talk.value(exported), Ok(Datum::List(vec![entry("/y", "h1"), entry("/b/c", "h2")])));
}
