//! The stores: of the cluster, and of this host.

use super::Seen::{Fatal, Value};
use super::{Change, Row, Seen, row};
use crate::World;
use crate::vocab::{Datum, KeyStore};

fn exported(world: &mut World, name: &str, data: Option<&str>) {
    let key = format!("exported/*/host2/file/{name}");
    world.set_key(KeyStore::World, &key, data.map(Datum::text));
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        row(
            "net/http.response",
            r#"http.response("page")"#,
            Value(r#"struct{status: 0; output: ""}"#),
            &[(
                |world| {
                    world.subjects.request.results.insert("page".into(), (200, b"hello".to_vec()));
                },
                100,
                Value(r#"struct{status: 200; output: "hello"}"#),
            )],
        ),
        row(
            "world.getval",
            r#"world.getval("colour")"#,
            Value(r#"struct{value: ""; exists: false}"#),
            &[
                (
                    |world| world.set_key(KeyStore::World, "strings/colour", Some(Datum::text("blue"))),
                    100,
                    Value(r#"struct{value: "blue"; exists: true}"#),
                ),
                (
                    |world| world.set_key(KeyStore::World, "strings/colour", None),
                    100,
                    Value(r#"struct{value: ""; exists: false}"#),
                ),
            ],
        ),
        row(
            "world.kvlookup",
            r#"world.kvlookup("ns")"#,
            Value("{}"),
            &[
                (
                    |world| world.set_key(KeyStore::World, "strings/ns/host2", Some(Datum::text("x"))),
                    100,
                    Value(r#"{"host2": "x"}"#),
                ),
                (|world| world.set_key(KeyStore::World, "strings/ns/host2", None), 100, Value("{}")),
            ],
        ),
        row(
            "world.schedule",
            r#"world.schedule("web")"#,
            Value("[]"),
            &[(
                |world| {
                    let chosen = Datum::List(vec![Datum::text("host2")]);
                    world.set_key(KeyStore::World, "pool/web/chosen", Some(chosen));
                },
                100,
                Value(r#"["host2"]"#),
            )],
        ),
        row(
            "world/collect.res",
            r#"collect.res("file")"#,
            Value("[]"),
            &[
                (
                    |world| exported(world, "/tmp/a", Some("x")),
                    100,
                    Value(r#"[struct{name: "/tmp/a"; host: "host2"}]"#),
                ),
                (|world| exported(world, "/tmp/a", None), 100, Value("[]")),
            ],
        ),
        stored(
            "value.get_bool",
            r#"value.get_bool("v")"#,
            "false",
            |world| world.set_key(KeyStore::Local, "v", Some(Datum::Bool(true))),
            "true",
        ),
        stored(
            "value.get_str",
            r#"value.get_str("v")"#,
            r#""""#,
            |world| world.set_key(KeyStore::Local, "v", Some(Datum::text("x"))),
            r#""x""#,
        ),
        stored(
            "value.get_int",
            r#"value.get_int("v")"#,
            "0",
            |world| world.set_key(KeyStore::Local, "v", Some(Datum::Int(7))),
            "7",
        ),
        stored(
            "value.get_float",
            r#"value.get_float("v")"#,
            "0",
            |world| world.set_key(KeyStore::Local, "v", Some(Datum::Float(1.5))),
            "1.5",
        ),
    ]
}

/// A typed value of this host's own store: missing, present, of another type, present.
fn stored(path: &'static str, call: &'static str, zero: &str, store: Change, value: &str) -> Row {
    let shown =
        |value: &str, ready: bool| -> Seen { Value(format!("struct{{value: {value}; ready: {ready}}}").leak()) };
    let list: Change = |world| world.set_key(KeyStore::Local, "v", Some(Datum::List(vec![])));
    let gone: Change = |world| world.set_key(KeyStore::Local, "v", None);
    let then = vec![
        (store, 100, shown(value, true)),
        (list, 100, Fatal("type mismatch, check type in Value[v]")),
        (gone, 100, shown(zero, false)),
        (store, 100, shown(value, true)),
    ];
    Row { path, call, first: shown(zero, false), then: then.leak() }
}
