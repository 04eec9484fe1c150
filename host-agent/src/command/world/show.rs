//! What the shared store holds, as text and as JSON lines.

mod signatures;

pub(super) use signatures::{judged_exports, judged_values};

use super::STRINGS;
use super::signers::Signers;
use crate::cli::WorldCommand;
use crate::deploy::{Head, HostState, LOCK, Lock, Standing};
use crate::host::{AGENTS, EXPORTS, Listed, SEALED, Seen};
use crate::sealed::Sealed;
use crate::utc::{LAST, utc};
use mclive_base::unicode::visible;
use mclive_base::vocab::{self, Datum};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A value as it is, with a newline; on a terminal without what would steer it.
pub(super) fn value(value: &Datum, is_terminal: bool) -> String {
    let value = text(value);
    match is_terminal {
        true => value.lines().map(|line| format!("{}\n", visible(line))).collect(),
        false => format!("{value}\n"),
    }
}

/// A value as a line of JSON.
pub(super) fn value_line(key: &str, value: &Datum) -> String {
    format!("{}\n", json!({ "key": key, "value": text(value) }))
}

/// The hosts that a value is sealed for, by its key `strings/…`. `None`: it is not sealed. Without hosts: it cannot be read.
pub(super) fn sealed_for(seen: &Seen, value: &str) -> Option<Vec<String>> {
    let name = value.strip_prefix(STRINGS)?;
    seen.keys.get(&format!("{SEALED}{name}")).map(hosts_of)
}

/// A value that is sealed as a line of JSON.
pub(super) fn sealed_line(key: &str, hosts: &[String]) -> String {
    format!("{}\n", json!({ "key": key, "sealed_for": hosts, "value": null }))
}

/// The hosts that a value is sealed for, in words.
pub(super) fn sealed_words(hosts: &[String]) -> String {
    match hosts {
        [] => "sealed in a form that this version of mclive cannot read".to_owned(),
        hosts => format!("sealed for {}", hosts.join(", ")),
    }
}

fn hosts_of(held: &Datum) -> Vec<String> {
    let sealed = Sealed::read(text(held).as_bytes());
    sealed.map(|sealed| sealed.hosts().into_iter().map(str::to_owned).collect()).unwrap_or_default()
}

/// The rows of a command. `now`: seconds since 1970.
pub(super) fn table(seen: &Seen, command: &WorldCommand, now: u64, is_json: bool) -> String {
    let rows = match command {
        WorldCommand::Hosts => hosts(seen),
        WorldCommand::List { prefix, .. } => values(seen, prefix.as_deref().unwrap_or_default()),
        WorldCommand::Exports { .. } => exports(seen),
        WorldCommand::Schedule => pools(seen),
        WorldCommand::Status
        | WorldCommand::Deploys { .. }
        | WorldCommand::Watch
        | WorldCommand::Leave(_)
        | WorldCommand::Prune(_)
        | WorldCommand::Check(_)
        | WorldCommand::Dump(_)
        | WorldCommand::Load(_)
        | WorldCommand::Grants { .. }
        | WorldCommand::Get { .. }
        | WorldCommand::Set(_)
        | WorldCommand::Unset { .. } => vec![status(seen, now)],
    };
    text_of(&rows, is_json)
}

/// A change of a key.
pub(super) fn change(key: &str, value: Option<&Datum>, is_json: bool) -> String {
    if let Some(held) = value.filter(|_| key.starts_with(SEALED)) {
        return text_of(&[sealed(key, held)], is_json);
    }
    let value = value.map(text);
    let words = match &value {
        Some(value) => format!("{key} = {value}"),
        None => format!("{key} was removed"),
    };
    text_of(&[Row { words, json: json!({ "key": key, "value": value }) }], is_json)
}

/// The list of deploys.
pub(super) fn deploys(all: &[Listed], signers: &Signers, is_json: bool) -> String {
    let row = |(id, record): &Listed| match record {
        Ok(record) => {
            let (n_files, at) = (record.files.len(), utc(record.at.min(LAST - 1), 0));
            let files = format!("{n_files} file{}", if n_files == 1 { "" } else { "s" });
            let commit = record.commit.as_ref().map(|commit| format!(", commit {commit}")).unwrap_or_default();
            let to = record.targets.as_ref().map(|targets| format!(", to {}", targets.words())).unwrap_or_default();
            let note = if record.note.is_empty() { String::new() } else { format!(": {}", record.note) };
            let words = format!("{id}  {at} by {}, {files}{to}{commit}{}{note}", record.by, signers.words(record));
            let json = json!({ "at": record.at, "by": record.by, "commit": record.commit, "deploy": id, "files": n_files,
                "note": record.note, "signature": signers.json(record), "targets": record.targets });
            Row { words, json }
        }
        Err(why) => Row { words: format!("{id}  the record is {why}"), json: json!({ "deploy": id, "error": why }) },
    };
    text_of(&all.iter().map(row).collect::<Vec<_>>(), is_json)
}

fn text_of(rows: &[Row], is_json: bool) -> String {
    let mut out = String::new();
    for row in rows {
        let _ = match is_json {
            true => writeln!(out, "{}", row.json),
            false => writeln!(out, "{}", visible(&row.words)),
        };
    }
    out
}

struct Row {
    words: String,
    json: Value,
}

fn status(seen: &Seen, now: u64) -> Row {
    let (n_hosts, n_values) = (hosts(seen).len(), values(seen, "").len());
    let (n_exports, n_pools) = (exports(seen).len(), pools(seen).len());
    let (endpoint, cluster, revision) = (&seen.endpoint, &seen.cluster, seen.revision);
    let head = seen.keys.get("deploy/head").and_then(|head| Head::read(text(head).as_bytes()).ok()).map(|head| head.id);
    let deploy = head.map(|id| {
        let is_for = |state: &HostState| state.standing != Standing::Skipped || state.deploy < id || state.runs == id;
        let states: Vec<HostState> = below(seen, AGENTS).filter_map(|(_, held)| state(held)).filter(is_for).collect();
        let n_at_it = states.iter().filter(|state| state.runs == id).count();
        format!(", deploy {id} on {n_at_it} of {} hosts", states.len())
    });
    let (locked, lock) = lock(seen, now).unwrap_or_default();
    let words = format!(
        "{endpoint}: store {cluster}, revision {revision}; hosts {n_hosts}{}, values {n_values}, exports {n_exports}, \
         schedules {n_pools}{locked}",
        deploy.unwrap_or_default()
    );
    let json = json!({ "cluster": cluster, "deploy": head, "endpoint": endpoint, "exports": n_exports, "hosts": n_hosts,
        "lock": lock, "revision": revision, "schedules": n_pools, "values": n_values });
    Row { words, json }
}

/// The lock of deploys for the end of a line, and as JSON. `None`: there is none, or it has expired.
fn lock(seen: &Seen, now: u64) -> Option<(String, Value)> {
    match Lock::read(text(seen.keys.get(LOCK)?).as_bytes()) {
        Ok(lock) if !lock.is_in_force(now) => None,
        Ok(lock) => Some((format!("; deploys are {}", lock.words()), json!(lock))),
        Err(why) => Some((format!("; {why}"), json!({ "error": why }))),
    }
}

/// The hosts whose agents are running.
fn hosts(seen: &Seen) -> Vec<Row> {
    let row = |(name, held): (&str, &Datum)| {
        let host = name.strip_suffix("/live")?;
        let live: Value = serde_json::from_str(&text(held)).unwrap_or_default();
        let version = live["version"].as_str().unwrap_or("unknown");
        let since =
            live["since"].as_u64().filter(|since| *since < LAST).map_or("unknown".into(), |since| utc(since, 0));
        let state = seen.keys.get(&format!("{AGENTS}{host}/state")).and_then(state);
        let words = format!(
            "{host}  mclive {version}, running since {since}{}",
            state.as_ref().map(|state| format!(", {}", state_words(state))).unwrap_or_default()
        );
        Some(Row { words, json: json!({ "host": host, "since": live["since"], "state": state, "version": version }) })
    };
    below(seen, AGENTS).filter_map(row).collect()
}

fn state(held: &Datum) -> Option<HostState> {
    HostState::read(text(held).as_bytes())
}

/// What a host reports, in a line.
pub(in super::super) fn state_words(state: &HostState) -> String {
    let HostState { deploy, runs, standing, text, .. } = state;
    let text = text.lines().next().unwrap_or_default();
    match standing {
        Standing::Ok if *deploy == 0 => "no deploy".to_owned(),
        Standing::Ok if state.converged => format!("deploy {deploy}, converged"),
        Standing::Ok => format!("deploy {deploy}"),
        Standing::Starting => format!("deploy {deploy} has no graph yet"),
        Standing::Skipped => {
            let runs = match runs {
                0 => String::new(),
                runs => format!(", applying deploy {runs}"),
            };
            let own = if text.is_empty() { String::new() } else { format!(", {text}") };
            let converged = if state.converged && own.is_empty() { ", converged" } else { "" };
            format!("deploy {deploy} is not for this host{runs}{converged}{own}")
        }
        Standing::Refused if *deploy == 0 => format!("no deploy: {text}"),
        Standing::Refused if deploy == runs => format!("deploy {deploy}, cannot apply a newer one: {text}"),
        Standing::Refused | Standing::Failed if *runs == 0 => format!("deploy {deploy} {}: {text}", standing.word()),
        Standing::Refused | Standing::Failed => {
            format!("deploy {deploy} {}, applying deploy {runs}: {text}", standing.word())
        }
    }
}

fn values(seen: &Seen, prefix: &str) -> Vec<Row> {
    all_values(seen, prefix).into_values().collect()
}

/// The values whose keys begin with a prefix, by key. One that is sealed counts more than one in the clear.
fn all_values<'a>(seen: &'a Seen, prefix: &str) -> BTreeMap<&'a str, Row> {
    let plain = below(seen, STRINGS).map(|(key, held)| (key, stored(key, held)));
    let sealed = below(seen, SEALED).map(|(key, held)| (key, sealed(key, held)));
    plain.chain(sealed).filter(|(key, _)| key.starts_with(prefix)).collect()
}

/// A value that is sealed, by its key.
fn sealed(key: &str, held: &Datum) -> Row {
    let hosts = hosts_of(held);
    let words = format!("{key} is {}", sealed_words(&hosts));
    Row { words, json: json!({ "key": key, "sealed_for": hosts, "value": null }) }
}

/// A value, by its key without the prefix.
fn stored(key: &str, held: &Datum) -> Row {
    let value = text(held);
    Row { words: format!("{key} = {value}"), json: json!({ "key": key, "value": value }) }
}

fn exports(seen: &Seen) -> Vec<Row> {
    below(seen, EXPORTS).filter_map(|(key, held)| export(key, held)).collect()
}

/// An exported resource, by its key without the prefix.
fn export(key: &str, held: &Datum) -> Option<Row> {
    let mut parts = key.splitn(4, '/');
    let (to, from, kind, name) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let receiver = if to == "*" { "all hosts" } else { to };
    let mut words = format!("{kind}[{name}] from {from} for {receiver}");
    let mut json = json!({ "from": from, "kind": kind, "name": name, "to": to });
    let sealed = sealed_fields(held);
    if !sealed.is_empty() {
        let _ = write!(words, ", sealed: {}", sealed.join(", "));
        json["sealed"] = json!(sealed);
    }
    Some(Row { words, json })
}

/// The fields of an exported resource whose secrets only its receiver can read.
fn sealed_fields(held: &Datum) -> Vec<String> {
    let record = vocab::export::sealed(text(held).as_bytes()).map(|(record, _)| record);
    let record: Value = record.and_then(|record| serde_json::from_slice(&record).ok()).unwrap_or_default();
    let secrets = record["secrets"].as_array().into_iter().flatten();
    let mut fields: Vec<String> = secrets.filter_map(|secret| secret[0].as_str().map(str::to_owned)).collect();
    fields.dedup();
    fields
}

/// The schedules, with their votes and elected hosts.
fn pools(seen: &Seen) -> Vec<Row> {
    let mut pools: BTreeMap<&str, (Vec<&str>, Vec<String>)> = BTreeMap::new();
    for (key, held) in below(seen, "pool/") {
        if let Some(pool) = key.strip_suffix("/chosen") {
            pools.entry(pool).or_default().1 = list(held);
        } else if let Some((pool, host)) = key.rsplit_once("/vote/") {
            pools.entry(pool).or_default().0.push(host);
        }
    }
    let row = |(pool, (votes, elected)): (&str, (Vec<&str>, Vec<String>))| {
        let named = |hosts: &[String]| if hosts.is_empty() { "none".to_owned() } else { hosts.join(", ") };
        let words = format!("{pool}: elected {}; votes of {}", named(&elected), votes.join(", "));
        Row { words, json: json!({ "elected": elected, "schedule": pool, "votes": votes }) }
    };
    pools.into_iter().map(row).collect()
}

/// The keys with a prefix, without it.
fn below<'a>(seen: &'a Seen, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a Datum)> {
    let keys = seen.keys.range(prefix.to_owned()..);
    keys.map_while(move |(key, held)| Some((key.strip_prefix(prefix)?, held)))
}

fn list(value: &Datum) -> Vec<String> {
    match value {
        Datum::List(items) => items.iter().map(text).collect(),
        _ => Vec::new(),
    }
}

fn text(value: &Datum) -> String {
    match value {
        Datum::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Datum::Int(number) => number.to_string(),
        Datum::List(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(json["targets"], json!(["10%", "web*"]));
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
            "http://a:1: store 7, revision 12; hosts 1, deploy 1 on 1 of 1 hosts, values 2, exports 2, schedules 1\n"
        );
        assert_eq!(
            said(WorldCommand::Hosts),
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
        assert!(
            json.ends_with("\"signature\":{\"valid\":false,\"why\":\"it is not signed\"},\"to\":\"db1\"}\n"),
            "{json}"
        );
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
}
