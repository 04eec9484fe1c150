//! What the shared store holds, as text and as JSON lines.

use crate::cli::WorldCommand;
use crate::host::Seen;
use crate::utc::utc;
use mclive_base::unicode::visible;
use mclive_base::vocab::Datum;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The year 9999 is over. Units: seconds since 1970.
const LAST: u64 = 253_402_300_800;

/// A value as it is, with a newline; on a terminal without what would steer it.
pub(super) fn value(key: &str, value: &Datum, is_json: bool, is_terminal: bool) -> String {
    let value = text(value);
    match (is_json, is_terminal) {
        (true, _) => format!("{}\n", json!({ "key": key, "value": value })),
        (false, true) => value.lines().map(|line| format!("{}\n", visible(line))).collect(),
        (false, false) => format!("{value}\n"),
    }
}

/// The rows of a command.
pub(super) fn table(seen: &Seen, command: &WorldCommand, is_json: bool) -> String {
    let rows = match command {
        WorldCommand::Hosts => hosts(seen),
        WorldCommand::List { prefix } => values(seen, prefix.as_deref().unwrap_or_default()),
        WorldCommand::Exports => exports(seen),
        WorldCommand::Schedule => pools(seen),
        WorldCommand::Status | WorldCommand::Get { .. } | WorldCommand::Set { .. } | WorldCommand::Unset { .. } => {
            vec![status(seen)]
        }
    };
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

fn status(seen: &Seen) -> Row {
    let (n_hosts, n_values) = (hosts(seen).len(), values(seen, "").len());
    let (n_exports, n_pools) = (exports(seen).len(), pools(seen).len());
    let (endpoint, cluster, revision) = (&seen.endpoint, &seen.cluster, seen.revision);
    let words = format!(
        "{endpoint}: store {cluster}, revision {revision}; hosts {n_hosts}, values {n_values}, exports {n_exports}, \
         schedules {n_pools}"
    );
    let json = json!({ "cluster": cluster, "endpoint": endpoint, "exports": n_exports, "hosts": n_hosts,
        "revision": revision, "schedules": n_pools, "values": n_values });
    Row { words, json }
}

/// The hosts whose agents are running.
fn hosts(seen: &Seen) -> Vec<Row> {
    let row = |(name, held): (&str, &Datum)| {
        let host = name.strip_suffix("/live")?;
        let live: Value = serde_json::from_str(&text(held)).unwrap_or_default();
        let version = live["version"].as_str().unwrap_or("unknown");
        let since =
            live["since"].as_u64().filter(|since| *since < LAST).map_or("unknown".into(), |since| utc(since, 0));
        let words = format!("{host}  mclive {version}, running since {since}");
        Some(Row { words, json: json!({ "host": host, "since": live["since"], "version": version }) })
    };
    below(seen, "host/").filter_map(row).collect()
}

fn values(seen: &Seen, prefix: &str) -> Vec<Row> {
    let row = |(key, held): (&str, &Datum)| {
        let value = text(held);
        key.starts_with(prefix)
            .then(|| Row { words: format!("{key} = {value}"), json: json!({ "key": key, "value": value }) })
    };
    below(seen, "strings/").filter_map(row).collect()
}

fn exports(seen: &Seen) -> Vec<Row> {
    let row = |(key, _): (&str, &Datum)| {
        let mut parts = key.splitn(4, '/');
        let (to, from, kind, name) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let receiver = if to == "*" { "all hosts" } else { to };
        let words = format!("{kind}[{name}] from {from} for {receiver}");
        Some(Row { words, json: json!({ "from": from, "kind": kind, "name": name, "to": to }) })
    };
    below(seen, "exported/").filter_map(row).collect()
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

    #[test]
    fn each_command_has_its_rows() {
        let keys = [
            ("exported/*/web1/file//etc/x", Datum::text("{}")),
            ("exported/db1/web2/user/bob", Datum::text("{}")),
            ("host/web1/live", Datum::text(r#"{"id":"a","since":0,"v":1,"version":"0.1.0"}"#)),
            ("layout", Datum::text("1")),
            ("pool/a/b/chosen", Datum::List(vec![Datum::text("web1")])),
            ("pool/a/b/vote/web1", Datum::text("{}")),
            ("pool/a/b/vote/web2", Datum::text("{}")),
            ("strings/colour", Datum::text("green\x1b[31m")),
            ("strings/place/web1", Datum::text("rack 1")),
        ];
        let keys = keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let seen = Seen { endpoint: "http://a:1".into(), cluster: "7".into(), revision: 12, keys };
        let said = |command: WorldCommand| table(&seen, &command, false);
        assert_eq!(
            said(WorldCommand::Status),
            "http://a:1: store 7, revision 12; hosts 1, values 2, exports 2, schedules 1\n"
        );
        assert_eq!(said(WorldCommand::Hosts), "web1  mclive 0.1.0, running since 1970-01-01T00:00:00.000Z\n");
        let all = said(WorldCommand::List { prefix: None });
        assert_eq!(all, "colour = green\\u{1b}[31m\nplace/web1 = rack 1\n");
        assert_eq!(said(WorldCommand::List { prefix: Some("place/".into()) }), "place/web1 = rack 1\n");
        assert_eq!(said(WorldCommand::Exports), "file[/etc/x] from web1 for all hosts\nuser[bob] from web2 for db1\n");
        assert_eq!(said(WorldCommand::Schedule), "a/b: elected web1; votes of web1, web2\n");
        let hostile = Datum::text("two\nlines\u{1b}[31m");
        assert_eq!(value("k", &hostile, false, true), "two\nlines\\u{1b}[31m\n");
        assert_eq!(value("k", &hostile, false, false), "two\nlines\u{1b}[31m\n");
        assert_eq!(value("k", &hostile, true, true), "{\"key\":\"k\",\"value\":\"two\\nlines\\u001b[31m\"}\n");
        let json = table(&seen, &WorldCommand::Exports, true);
        assert_eq!(json.lines().last(), Some(r#"{"from":"web2","kind":"user","name":"bob","to":"db1"}"#));
    }
}
