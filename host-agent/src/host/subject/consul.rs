//! Keys of Consul, over its HTTP interface on the network's thread. A watch is a request that the server holds until
//! the key changes.

use super::{Backend, Context, SubjectState, absent, refused};
use crate::host::errno::no_network;
use crate::host::{Host, Shared, subscribe};
use crate::lock::Mutex;
use crate::network::Task;
use crate::network::http::Method;
use crate::network::http::talk::{self, Answer, Message, escaped};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::consul::{Finding, Key, Probe, Step, USUAL, Watch};
use mclive_base::vocab::subjects::Consul;
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome, Power, request};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// The limit of one request.
const LIMIT: Duration = Duration::from_secs(80);
/// How long a server may hold a request, and how long to wait for its answer: it adds a sixteenth.
const HELD: &str = "5m";
const PATIENCE: Duration = Duration::from_secs(6 * 60);
/// The first and the longest pause between requests.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));
/// A request that was answered sooner was not held.
const SHORTEST_HELD: Duration = Duration::from_secs(1);

/// The held requests of watches.
#[derive(Default)]
pub(super) struct Consuls {
    held: Mutex<BTreeMap<Ticket, Vec<Task>>>,
}

impl SubjectState for Consuls {
    fn leave(&self, _: &Arc<Shared>, ticket: Ticket) {
        self.held.lock().remove(&ticket);
    }
}

impl Backend for Consul {
    type State = Consuls;
    absent! { fact }

    fn probe(at: &Context, Probe { key }: &Probe) -> Result<Finding, HostError> {
        let asked = message(at.shared, key, Method::GET, "")?;
        let what = format!("read the key {}", key.key);
        let answer = at.running.ask(&at.shared.network, LIMIT, talk::say(None, asked))?;
        value(&answer, &what).map(Finding::Value)
    }

    fn step(at: &Context, Step { key, value, now }: &Step) -> Result<Outcome, HostError> {
        let number = now.as_ref().map_or(0, |(_, number)| *number);
        let mut query = format!("?cas={number}");
        if number > 0 {
            let asked = message(at.shared, key, Method::GET, "")?;
            let answer = at.running.ask(&at.shared.network, LIMIT, talk::say(None, asked))?;
            query.extend(flags(&answer, number).map(|flags| format!("&flags={flags}")));
        }
        let mut asked = message(at.shared, key, Method::PUT, &query)?;
        asked.body.clone_from(value);
        let what = format!("set the key {}", key.key);
        let answer = at.running.ask(&at.shared.network, LIMIT, talk::say(None, asked))?;
        match (answer.status.as_u16(), answer.body.trim_ascii()) {
            (200, b"true") => Ok(Outcome::Done),
            // The state is checked again.
            (200, _) => {
                let why = format!("{what}: another client changed it in the meantime");
                Err(HostError::new(HostErrorKind::NotFound, why))
            }
            _ => Err(odd(&answer, &what)),
        }
    }

    /// In place when the server has reported the key's value, or is unavailable.
    fn watch(host: &mut Host, ticket: Ticket, Watch { key }: &Watch) -> Result<(), HostError> {
        let shared = host.shared.clone();
        message(&shared, key, Method::GET, "")?;
        host.awaits(ticket);
        let task = shared.network.spawn(follow(Arc::downgrade(&shared), ticket, key.clone())).map_err(no_network)?;
        shared.subjects.consul.held.lock().entry(ticket).or_default().push(task);
        Ok(())
    }
}

/// A request for a key, if the policy allows it.
fn message(shared: &Shared, key: &Key, method: Method, query: &str) -> Result<Message, HostError> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let usual = variable("CONSUL_HTTP_ADDR").unwrap_or_else(|| USUAL.to_owned());
    let usual = if usual.contains("://") { usual } else { format!("http://{usual}") };
    let server = if key.is_usual { &usual } else { &key.server };
    shared.policy.power(&Power::Ask((&**server).into())).map_err(refused)?;
    let message = Message::new(method, format!("{}{query}", address(server, &key.key)?));
    Ok(match token(key, server, &usual, variable("CONSUL_HTTP_TOKEN")) {
        Some(token) => message.header("X-Consul-Token", token),
        None => message,
    })
}

/// The address of a key. Errors: another address would be asked.
fn address(server: &str, key: &str) -> Result<String, HostError> {
    // Servers and proxies may clean a path before they route it, to another part of the interface.
    if key.split('/').any(|segment| matches!(segment, "." | "..")) {
        let why = format!("the key {key} contains `.` or `..` as a segment");
        return Err(HostError::new(HostErrorKind::Other, why));
    }
    let server = server.trim_end_matches('/');
    if server.split_once("://").map_or(server, |(_, rest)| rest).contains(['/', '?', '#']) {
        let why = format!("{} is not a server: expected a host with an optional port", request::shown(server));
        return Err(HostError::new(HostErrorKind::Other, why));
    }
    let path: String = key.split('/').map(escaped).collect::<Vec<_>>().join("/");
    Ok(format!("{server}/v1/kv/{path}"))
}

/// The program's own token. The one of the environment belongs to the environment's server, and is sent to no other.
fn token(key: &Key, server: &str, usual: &str, of_usual: Option<String>) -> Option<String> {
    let given = Some(&key.token.0).filter(|token| !token.is_empty());
    let is_usual = server.trim_end_matches('/') == usual.trim_end_matches('/');
    given.cloned().or_else(|| of_usual.filter(|_| is_usual))
}

/// The value of the key in an answer.
fn value(answer: &Answer, what: &str) -> Result<Option<(Vec<u8>, u64)>, HostError> {
    match answer.status.as_u16() {
        404 if index(answer).is_some() => return Ok(None),
        200 => {}
        _ => return Err(odd(answer, what)),
    }
    let told: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let number = told.pointer("/0/ModifyIndex").and_then(Value::as_u64);
    let value = match told.pointer("/0/Value") {
        Some(Value::String(text)) => STANDARD.decode(text).ok(),
        // An empty value.
        Some(Value::Null) => Some(Vec::new()),
        _ => None,
    };
    let other = || HostError::new(HostErrorKind::Other, format!("{what}: unexpected response from Consul"));
    Ok(Some(value.zip(number).ok_or_else(other)?))
}

/// The index of an answer. Consul sends it with each key, also with a missing one; other servers answer 404 as well, and
/// that says nothing of keys.
fn index(answer: &Answer) -> Option<u64> {
    let index = answer.header("X-Consul-Index")?.parse::<u64>().ok()?;
    // With 0 the next request would not be held.
    Some(index.max(1))
}

/// The number that other clients have stored with this version of the key. The server resets it if a change leaves it out.
fn flags(answer: &Answer, version: u64) -> Option<u64> {
    let told: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let is_same = told.pointer("/0/ModifyIndex").and_then(Value::as_u64) == Some(version);
    told.pointer("/0/Flags").and_then(Value::as_u64).filter(|flags| is_same && *flags > 0)
}

fn odd(answer: &Answer, what: &str) -> HostError {
    let said = String::from_utf8_lossy(answer.body.get(..200).unwrap_or(&answer.body)).trim().replace('\n', " ");
    HostError::new(HostErrorKind::Other, format!("{what}: the server returned {}: {said}", answer.status))
}

/// Repeats held requests, and reports each change.
async fn follow(shared: Weak<Shared>, ticket: Ticket, key: Key) {
    let (mut last, mut pause, mut is_first, mut is_unsure) = (0, PAUSES.0, true, false);
    loop {
        let query = if last == 0 { String::new() } else { format!("?index={last}&wait={HELD}") };
        let Some(strong) = shared.upgrade() else { return };
        let asked = message(&strong, &key, Method::GET, &query);
        drop(strong);
        let began = Instant::now();
        let answer = match asked {
            Ok(mut asked) => {
                asked.patience = PATIENCE;
                talk::say(None, asked).await
            }
            Err(error) => Err(error),
        };
        let Some(shared) = shared.upgrade() else { return };
        let told = answer.ok().filter(|answer| matches!(answer.status.as_u16(), 200 | 404)).as_ref().and_then(index);
        if is_first {
            subscribe::in_place(&shared, ticket);
        } else if told.is_some_and(|told| is_unsure || last != 0 && told != last) {
            subscribe::changed(&shared, ticket, Some(key.key.clone()));
        }
        let is_quick = began.elapsed() < SHORTEST_HELD;
        let is_held = match told {
            // After a decrease the index starts again, and changes until the next answer would be missed.
            Some(told) => {
                let is_same = told == last;
                is_unsure = told < last;
                last = if is_unsure { 0 } else { told };
                !is_same || !is_quick
            }
            // The check reports why it is unavailable.
            None => {
                (last, is_unsure) = (0, true);
                false
            }
        };
        is_first = false;
        drop(shared);
        let (now, next) = pauses(is_held, is_quick, pause);
        pause = next;
        tokio::time::sleep(now).await;
    }
}

/// The pause before the next request, and the one after it unless that is held. Where changes follow one another, each of
/// them is an answer: the next request then tells what has changed in the pause.
fn pauses(is_held: bool, is_quick: bool, pause: Duration) -> (Duration, Duration) {
    match (is_held, is_quick) {
        (true, false) => (Duration::ZERO, PAUSES.0),
        (true, true) => (PAUSES.0, PAUSES.0),
        (false, _) => (pause, PAUSES.1.min(pause * 2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::http::StatusCode;
    use mclive_base::vocab::password::Secret;

    fn answer(status: u16, body: &str) -> Answer {
        let status = StatusCode::from_u16(status).unwrap();
        Answer { status, headers: Default::default(), body: body.as_bytes().to_vec() }
    }

    #[test]
    fn the_token_of_the_environment_is_for_its_server() {
        let sent = |given: &str, usual: &str| {
            let (server, token_given) = ("http://h:1".to_owned(), Secret(given.into()));
            let key = Key { server, is_usual: false, token: token_given, key: "k".into() };
            token(&key, &key.server, usual, Some("env".into()))
        };
        assert_eq!(sent("", "http://h:1/").as_deref(), Some("env"));
        assert_eq!(sent("", "http://other:1"), None);
        assert_eq!(sent("", "https://h:1"), None);
        assert_eq!(sent("own", "http://other:1").as_deref(), Some("own"));
    }

    #[test]
    fn a_key_is_asked_for_at_its_own_address() {
        let asked = |key: &str| address("http://h:8500/", key).unwrap();
        assert_eq!(asked("app/colour"), "http://h:8500/v1/kv/app/colour");
        assert_eq!(asked("a b/?x#y/%2e%2e/..."), "http://h:8500/v1/kv/a%20b/%3Fx%23y/%252e%252e/...");
        for key in ["..", "a/../../agent/leave", "./a", "a/."] {
            let refused = address("http://h", key).unwrap_err().message;
            assert_eq!(refused, format!("the key {key} contains `.` or `..` as a segment"));
        }
        for server in ["http://h/proxy", "http://h?x=", "http://h#", "h/v1/agent"] {
            let refused = address(server, "a").unwrap_err().message;
            assert!(refused.ends_with(" is not a server: expected a host with an optional port"), "{refused}");
        }
    }

    #[test]
    fn what_other_clients_store_with_a_key_is_kept() {
        let told = |body: &str| flags(&answer(200, body), 12);
        let noted = r#"[{"Key":"a","ModifyIndex":12,"Flags":18446744073709551615,"Value":"bmV3"}]"#;
        assert_eq!(told(noted), Some(u64::MAX));
        assert_eq!(told(&noted.replace("12", "13")), None, "the change will be refused");
        assert_eq!(told(&noted.replace("18446744073709551615", "0")), None);
        assert_eq!((told(r#"[{"ModifyIndex":12}]"#), told("Permission denied")), (None, None));
    }

    #[test]
    fn a_server_whose_answers_always_differ_is_not_asked_without_end() {
        let rising = (0..5).scan(PAUSES.0, |pause, _| {
            let (now, next) = pauses(false, true, *pause);
            *pause = next;
            Some(now)
        });
        assert_eq!(rising.collect::<Vec<_>>(), [1, 2, 4, 8, 16].map(|n| PAUSES.0 * n));
        assert_eq!(pauses(false, false, PAUSES.1), (PAUSES.1, PAUSES.1));
        assert_eq!(pauses(true, true, PAUSES.1), (PAUSES.0, PAUSES.0));
        assert_eq!(pauses(true, false, PAUSES.1), (Duration::ZERO, PAUSES.0));
    }

    #[test]
    fn another_server_says_nothing_of_keys() {
        let other = value(&answer(404, "not found"), "look").unwrap_err().message;
        assert_eq!(other, "look: the server returned 404 Not Found: not found");
        let told = |number: &str| {
            let mut answer = answer(404, "");
            answer.headers.insert("X-Consul-Index", number.parse().unwrap());
            index(&answer)
        };
        assert_eq!((told("12"), told("0"), told("x"), index(&answer(200, "[]"))), (Some(12), Some(1), None, None));
    }

    #[test]
    fn what_an_answer_says() {
        let told = r#"[{"Key":"a","ModifyIndex":12,"Value":"bmV3"}]"#;
        assert_eq!(value(&answer(200, told), "").unwrap(), Some((b"new".to_vec(), 12)));
        let empty = r#"[{"ModifyIndex":1,"Value":null}]"#;
        assert_eq!(value(&answer(200, empty), "").unwrap(), Some((Vec::new(), 1)));
        let mut missing = answer(404, "");
        missing.headers.insert("X-Consul-Index", "7".parse().unwrap());
        assert_eq!(value(&missing, "").unwrap(), None);
        assert!(value(&answer(200, "<html>"), "look").unwrap_err().message.contains("unexpected response from Consul"));
        let denied = value(&answer(403, "Permission denied"), "look").unwrap_err().message;
        assert_eq!(denied, "look: the server returned 403 Forbidden: Permission denied");
    }
}
