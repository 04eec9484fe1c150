//! What the shared store holds, as text and as JSON lines.

mod signatures;
#[cfg(test)]
mod tests;

pub(super) use signatures::{judged_exports, judged_values};

use super::signers::Signers;
use crate::cli::WorldCommand;
use crate::deploy::{Head, HostState, LOCK, Lock, Standing};
use crate::host::{AGENTS, EXPORTS, Listed, POOLS, SEALED, Seen, VALUES, speaker};
use crate::sealed::Sealed;
use crate::show::counted;
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
    let name = value.strip_prefix(VALUES)?;
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
        WorldCommand::Hosts { .. } => hosts(seen),
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
        | WorldCommand::Voters(_)
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
            let files = counted(n_files, "file");
            let commit = record.commit.as_ref().map(|commit| format!(", commit {commit}")).unwrap_or_default();
            let to = record.targets.as_ref().map(|targets| format!(", to {}", targets.words())).unwrap_or_default();
            let over = record.spread.map(|seconds| format!(", spread over {seconds} s")).unwrap_or_default();
            let note = if record.note.is_empty() { String::new() } else { format!(": {}", record.note) };
            let words =
                format!("{id}  {at} by {}, {files}{to}{over}{commit}{}{note}", record.by, signers.words(record));
            let json = json!({ "at": record.at, "by": record.by, "commit": record.commit, "deploy": id, "files": n_files,
                "note": record.note, "signature": signers.json(record), "spread": record.spread, "targets": record.targets });
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
        let of = |(name, held): (&str, &Datum)| speaker(name, "state").and_then(|_| state(held));
        let states: Vec<HostState> = below(seen, AGENTS).filter_map(of).filter(is_for).collect();
        let n_at_it = states.iter().filter(|state| state.runs == id).count();
        let n_troubled = states.iter().filter(|state| !state.text.is_empty()).count();
        let troubled = if n_troubled > 0 { format!(" ({n_troubled} with problems)") } else { String::new() };
        (format!(", deploy {id} on {n_at_it} of {} hosts{troubled}", states.len()), n_troubled)
    });
    let (deploy, n_troubled) = deploy.unwrap_or_default();
    let (locked, lock) = lock(seen, now).unwrap_or_default();
    let words = format!(
        "{endpoint}: store {cluster}, revision {revision}; hosts {n_hosts}{deploy}, values {n_values}, exports \
         {n_exports}, schedules {n_pools}{locked}"
    );
    let json = json!({ "cluster": cluster, "deploy": head, "endpoint": endpoint, "exports": n_exports, "hosts": n_hosts,
        "lock": lock, "problems": n_troubled, "revision": revision, "schedules": n_pools, "values": n_values });
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
        let host = speaker(name, "live")?;
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
        Standing::Ok if !text.is_empty() => format!("deploy {deploy}, {text}"),
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
    let plain = below(seen, VALUES).map(|(key, held)| (key, stored(key, held)));
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
    for (key, held) in below(seen, POOLS) {
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
