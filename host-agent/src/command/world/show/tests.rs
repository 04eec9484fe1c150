//! What each command shows.

use super::*;
use crate::deploy::{Record, Targets};

fn deploy() -> Record {
    let record = Record::after(None, "/main.mcl".into(), Vec::new()).unwrap();
    Record { by: "alice@desk".into(), note: "two\nlines".into(), ..record }
}

#[test]
fn a_deploy_is_a_row_even_if_it_cannot_be_read() {
    let all = [(1, Ok(deploy())), (2, Err("larger than 1024 KiB".into()))];
    let signers = Signers { cluster: "main".into(), operators: None };
    assert_eq!(
        deploys(&all, &signers, false),
        "1  1970-01-01T00:00:00.000Z by alice@desk, 0 files: two\\nlines\n2  the record is larger than 1024 KiB\n"
    );
    let targets = Targets::new(&["web*".to_owned(), "10%".to_owned()]).ok();
    let some = [(1, Ok(deploy().targeted(targets)))];
    let said = deploys(&some, &signers, false);
    assert_eq!(said, "1  1970-01-01T00:00:00.000Z by alice@desk, 0 files, to 10%, web*: two\\nlines\n");
    let json: Value = serde_json::from_str(&deploys(&some, &signers, true)).unwrap();
    assert_eq!((&json["targets"], &json["spread"]), (&json!(["10%", "web*"]), &Value::Null));
    let spread = [(1, Ok(deploy().spread_over(Some(30))))];
    let said = deploys(&spread, &signers, false);
    assert_eq!(said, "1  1970-01-01T00:00:00.000Z by alice@desk, 0 files, spread over 30 s: two\\nlines\n");
}

#[test]
fn an_export_with_secrets_shows_which_fields_are_sealed() {
    let record = br#"{"version":2,"secrets":[["token",0]]}"#;
    let stored = vocab::export::seal(record, br#"{"boxes":{},"v":1}"#);
    let row = export("db1/web1/consul:kv/motd", &Datum::Bytes(stored)).unwrap();
    assert_eq!(row.words, "consul:kv[motd] from web1 for db1, sealed: token");
    assert_eq!(row.json["sealed"], json!(["token"]));
}

#[test]
fn a_host_that_the_newest_deploy_is_not_for_says_which_one_it_applies() {
    let said = |runs, text| state_words(&HostState::new(4, runs, Standing::Skipped, text, true));
    assert_eq!(said(3, ""), "deploy 4 is not for this host, applying deploy 3, converged");
    let refused = "deploy 4 is not for this host, applying deploy 2, deploy 3 refused: E0301";
    assert_eq!(said(2, "deploy 3 refused: E0301"), refused);
    assert_eq!(said(0, ""), "deploy 4 is not for this host, converged");
}

#[test]
fn a_host_on_which_resources_fail_has_not_converged() {
    let said = |standing, text| state_words(&HostState::new(4, 4, standing, text, true));
    assert_eq!(said(Standing::Ok, ""), "deploy 4, converged");
    assert_eq!(said(Standing::Ok, "1 resource failed: file[/x]"), "deploy 4, 1 resource failed: file[/x]");
    let skipped = "deploy 4 is not for this host, applying deploy 4, 1 resource failed: file[/x]";
    assert_eq!(said(Standing::Skipped, "1 resource failed: file[/x]"), skipped);
}

#[test]
fn the_status_shows_a_lock_that_has_not_expired() {
    let lock = Lock::new("alice@desk".into(), "database upgrade\u{202e}", 0, Some(60)).unwrap();
    let said = |value: String, now: u64, is_json: bool| {
        let keys = [(LOCK.to_owned(), Datum::text(value))].into();
        let seen = Seen { endpoint: "http://a:1".into(), cluster: "7".into(), revision: 12, keys };
        table(&seen, &WorldCommand::Status, now, is_json)
    };
    let stored = || String::from_utf8(lock.bytes()).unwrap();
    let status = "http://a:1: store 7, revision 12; hosts 0, values 0, exports 0, schedules 0";
    let locked = "locked by alice@desk since 1970-01-01T00:00:00.000Z until 1970-01-01T00:01:00.000Z";
    let why = "database upgrade\\u{202e}";
    assert_eq!(said(stored(), 60, false), format!("{status}; deploys are {locked}: {why}\n"));
    assert_eq!(said(stored(), 61, false), format!("{status}\n"));
    let json = |value: String, now: u64| serde_json::from_str::<Value>(&said(value, now, true)).unwrap();
    assert_eq!(json(stored(), 60)["lock"], json!(lock));
    assert_eq!(json(stored(), 61)["lock"], Value::Null);
    let broken = "the key deploy/lock is not JSON with a version; remove it with `mclive deploy --unlock`";
    assert_eq!(said("{".into(), 0, false), format!("{status}; {broken}\n"));
    assert_eq!(json("{".into(), 0)["lock"]["error"], broken);
}

#[test]
fn a_sealed_value_is_shown_with_its_hosts_only() {
    let sealed = r#"{"boxes":{"db1":["x"],"web1":["y"]},"v":1}"#;
    let values = [
        ("sealed/db/password", sealed),
        ("sealed/odd", "{}"),
        ("strings/colour", "green"),
        // A program has set it since then.
        ("strings/db/password", "in the clear"),
    ];
    let keys = values.map(|(key, value)| (key.to_owned(), Datum::text(value))).into();
    let seen = Seen { endpoint: "http://a:1".into(), cluster: "7".into(), revision: 12, keys };
    let hosts = vec!["db1".to_owned(), "web1".to_owned()];
    assert_eq!(sealed_for(&seen, "strings/db/password"), Some(hosts.clone()));
    assert_eq!(sealed_for(&seen, "strings/colour"), None);
    assert_eq!(sealed_words(&hosts), "sealed for db1, web1");
    let line = "{\"key\":\"k\",\"sealed_for\":[\"db1\",\"web1\"],\"value\":null}\n";
    assert_eq!(sealed_line("k", &hosts), line);
    let list = |prefix: Option<&str>| {
        let command = WorldCommand::List { prefix: prefix.map(str::to_owned), host_keys: None };
        table(&seen, &command, 0, false)
    };
    let odd = "odd is sealed in a form that this version of mclive cannot read\n";
    assert_eq!(list(None), format!("colour = green\ndb/password is sealed for db1, web1\n{odd}"));
    assert_eq!(list(Some("db/")), "db/password is sealed for db1, web1\n");
    let judged = judged_values(&seen, "db/", |_| None, false);
    assert_eq!(judged, "no signature: db/password is sealed for db1, web1\n");
    let told = change("sealed/db/password", Some(&Datum::text(sealed)), false);
    assert_eq!(told, "sealed/db/password is sealed for db1, web1\n");
    assert_eq!(change("sealed/db/password", None, false), "sealed/db/password was removed\n");
}

#[test]
fn each_command_has_its_rows() {
    let refused = HostState::new(2, 1, Standing::Refused, "E\u{1b}[2J\nmore", false);
    let keys = [
        ("exported/*/web1/file//etc/x", Datum::text("{}")),
        ("exported/db1/web2/user/bob", Datum::text("{}")),
        ("deploy/head", Datum::text(String::from_utf8(Head::of(&deploy()).bytes()).unwrap())),
        ("agent/web1/live", Datum::text(r#"{"id":"a","since":0,"v":1,"version":"0.1.0"}"#)),
        ("agent/web1/state", Datum::text(String::from_utf8(refused.bytes()).unwrap())),
        // Of a host that passes for another one.
        ("agent/web1/web2/live", Datum::text("{}")),
        ("agent/web1/web2/state", Datum::text(String::from_utf8(refused.bytes()).unwrap())),
        ("layout", Datum::text("1")),
        ("pool/a/b/chosen", Datum::List(vec![Datum::text("web1")])),
        ("pool/a/b/vote/web1", Datum::text("{}")),
        ("pool/a/b/vote/web2", Datum::text("{}")),
        ("strings/colour", Datum::text("green\x1b[31m")),
        ("strings/place/web1", Datum::text("rack 1")),
    ];
    let keys = keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let seen = Seen { endpoint: "http://a:1".into(), cluster: "7".into(), revision: 12, keys };
    let said = |command: WorldCommand| table(&seen, &command, 0, false);
    assert_eq!(
        said(WorldCommand::Status),
        "http://a:1: store 7, revision 12; hosts 1, deploy 1 on 1 of 1 hosts (1 with problems), values 2, exports 2, \
         schedules 1\n"
    );
    assert_eq!(
        said(WorldCommand::Hosts { wait_converged: None }),
        "web1  mclive 0.1.0, running since 1970-01-01T00:00:00.000Z, deploy 2 refused, applying deploy 1: E\\u{1b}[2J\n"
    );
    let all = said(WorldCommand::List { prefix: None, host_keys: None });
    assert_eq!(all, "colour = green\\u{1b}[31m\nplace/web1 = rack 1\n");
    let some = said(WorldCommand::List { prefix: Some("place/".into()), host_keys: None });
    assert_eq!(some, "place/web1 = rack 1\n");
    let exports = || WorldCommand::Exports { host_keys: None };
    assert_eq!(said(exports()), "file[/etc/x] from web1 for all hosts\nuser[bob] from web2 for db1\n");
    let doubt = |export: &str| export.contains("/web2/").then(|| "it is not signed".to_owned());
    assert_eq!(
        judged_exports(&seen, doubt, false),
        "file[/etc/x] from web1 for all hosts, valid signature\n\
         user[bob] from web2 for db1, refused: it is not signed\n"
    );
    let json = judged_exports(&seen, doubt, true);
    assert!(json.ends_with("\"signature\":{\"valid\":false,\"why\":\"it is not signed\"},\"to\":\"db1\"}\n"), "{json}");
    assert_eq!(said(WorldCommand::Schedule), "a/b: elected web1; votes of web1, web2\n");
    let hostile = Datum::text("two\nlines\u{1b}[31m");
    assert_eq!(value(&hostile, true), "two\nlines\\u{1b}[31m\n");
    assert_eq!(value(&hostile, false), "two\nlines\u{1b}[31m\n");
    assert_eq!(value_line("k", &hostile), "{\"key\":\"k\",\"value\":\"two\\nlines\\u001b[31m\"}\n");
    let colour = change("strings/colour", Some(&Datum::text("green\u{1b}[31m")), false);
    assert_eq!(colour, "strings/colour = green\\u{1b}[31m\n");
    assert_eq!(change("strings/colour", None, false), "strings/colour was removed\n");
    let json = table(&seen, &exports(), 0, true);
    assert_eq!(json.lines().last(), Some(r#"{"from":"web2","kind":"user","name":"bob","to":"db1"}"#));
}
