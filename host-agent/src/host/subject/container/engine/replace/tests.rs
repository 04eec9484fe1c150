//! Replacements by an engine that refuses some requests.

use super::*;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::channel;

const NAME: &str = "/containers/web";
const BEGIN: [&str; 3] = [
    "DELETE /containers/web.mclive-new",
    "DELETE /containers/web.mclive-old",
    "POST /containers/create?name=web.mclive-new",
];

/// A container, by what it was made for, and whether it runs.
type Made = (&'static str, bool);

/// Requests with this text about this container are refused with this status and message.
#[derive(Clone, Copy)]
struct Refusal {
    asked: &'static str,
    of: &'static str,
    answer: (&'static str, &'static str),
}

/// An engine with a container `web`.
struct Fake {
    all: BTreeMap<String, Made>,
    refusals: Vec<Refusal>,
}

/// The id of a container. Those of `other` and `another` begin with the name of a third one.
fn id(name: &str) -> String {
    match name {
        "other" => "db0123".to_owned(),
        "another" => "db4567".to_owned(),
        "db" => "ff4567".to_owned(),
        name => format!("id of {name}"),
    }
}

impl Fake {
    /// Whether a text is not a name, but the beginning of several ids.
    fn is_ambiguous(&self, asked: &str) -> bool {
        !self.all.contains_key(asked) && self.all.keys().filter(|name| id(name).starts_with(asked)).count() > 1
    }

    /// The name of the container that is meant by a name or the beginning of an id.
    fn named(&self, asked: &str) -> String {
        let by_id = || self.all.keys().find(|name| id(name).starts_with(asked));
        let name = if self.all.contains_key(asked) { None } else { by_id() };
        name.map_or(asked, String::as_str).to_owned()
    }

    /// The status and the body of the answer.
    fn answer(&mut self, asked: &str) -> (&'static str, String) {
        let (method, path) = asked.split_once(' ').unwrap();
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let path = path.strip_prefix("/containers/").unwrap();
        let (name, verb) = path.split_once('/').unwrap_or((path, ""));
        if self.is_ambiguous(name) {
            return ("400 Bad Request", message(&format!("multiple IDs found with provided prefix: {name}")));
        }
        let name = &*self.named(name);
        let to = query.trim_start_matches("name=").to_owned();
        let of = if name == "create" { "new" } else { self.all.get(name).map_or("", |made| made.0) };
        if let Some(refusal) = self.refusals.iter().find(|it| asked.contains(it.asked) && it.of == of) {
            return (refusal.answer.0, message(refusal.answer.1));
        }
        if name == "create" {
            self.all.insert(to, ("new", false));
            return ("201 Created", "{}".to_owned());
        }
        let is_taken = self.all.contains_key(&to);
        let Some(made) = self.all.get_mut(name) else {
            return ("404 Not Found", message(&format!("no such container: {name}")));
        };
        match (method, verb) {
            ("GET", "json") => {
                let status = if made.1 { "running" } else { "exited" };
                let id = id(name);
                ("200 OK", format!(r#"{{"Id":"{id}","Name":"/{name}","State":{{"Status":"{status}"}}}}"#))
            }
            ("POST", "wait") => ("200 OK", "{}".to_owned()),
            ("POST", "rename") if is_taken => ("409 Conflict", message("the name is in use")),
            _ => {
                match (method, verb) {
                    ("POST", "start") => made.1 = true,
                    ("POST", "stop") => made.1 = false,
                    ("POST", "rename") => {
                        let made = *made;
                        self.all.remove(name);
                        self.all.insert(to, made);
                    }
                    ("DELETE", "") => _ = self.all.remove(name),
                    _ => assert_eq!(verb, "unpause", "{asked}"),
                }
                ("204 No Content", String::new())
            }
        }
    }
}

fn message(text: &str) -> String {
    format!(r#"{{"message":"{text}"}}"#)
}

/// The first line of a request, which is read completely.
fn request(stream: &TcpStream) -> String {
    let (mut reader, mut n_body) = (BufReader::new(stream), 0);
    let lines: Vec<String> = reader.by_ref().lines().map_while(Result::ok).take_while(|it| !it.is_empty()).collect();
    for (name, value) in lines.iter().filter_map(|line| line.split_once(": ")) {
        if name.eq_ignore_ascii_case("Content-Length") {
            n_body = value.parse::<u64>().unwrap();
        }
    }
    std::io::copy(&mut reader.take(n_body), &mut std::io::sink()).unwrap();
    lines[0].trim_end_matches(" HTTP/1.1").to_owned()
}

/// The result of a replacement, what the engine was asked, and the containers afterwards.
struct Seen {
    replaced: Result<Replaced, HostError>,
    asked: Vec<String>,
    all: BTreeMap<String, Made>,
}

impl Seen {
    fn all(&self) -> Vec<(&str, Made)> {
        self.all.iter().map(|(name, made)| (&**name, *made)).collect()
    }
}

fn replaced(old: Phase, refusals: &[Refusal]) -> Seen {
    let spec = Spec { image: "a:1".into(), cmd: Vec::new(), env: Vec::new(), ports: Vec::new() };
    let web = [("web", ("old", old != Phase::Stopped))];
    let (replaced, asked, all) =
        with(&web, refusals, async move |engine: Engine| engine.replace("", "web", &spec, old).await);
    Seen { replaced, asked, all }
}

/// What becomes of these containers, and what the engine was asked.
fn with<T>(
    all: &[(&str, Made)],
    refusals: &[Refusal],
    act: impl AsyncFnOnce(Engine) -> T,
) -> (T, Vec<String>, BTreeMap<String, Made>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let engine = Engine::Net(format!("http://{}", listener.local_addr().unwrap()));
    let all: BTreeMap<String, Made> = all.iter().map(|(name, made)| ((*name).to_owned(), *made)).collect();
    let mut fake = Fake { all, refusals: refusals.to_vec() };
    let (send, heard) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let asked = request(&stream);
            let (status, body) = fake.answer(&asked);
            send.send((asked, fake.all.clone())).unwrap();
            let length = if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
            let _ =
                (&stream).write_all(format!("HTTP/1.1 {status}\r\n{length}Connection: close\r\n\r\n{body}").as_bytes());
        }
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().unwrap();
    let done = runtime.block_on(act(engine));
    let (asked, mut states): (Vec<String>, Vec<BTreeMap<String, Made>>) = heard.try_iter().unzip();
    (done, asked, states.pop().unwrap_or_default())
}

fn refused(asked: &'static str, of: &'static str, status: &'static str, why: &'static str) -> Refusal {
    Refusal { asked, of, answer: (status, why) }
}

/// The message of a replacement that failed, with the old container as before.
fn why(seen: &Seen) -> &str {
    match &seen.replaced {
        Ok(Replaced::Not(error)) => &error.message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_old_container_is_kept_until_the_new_one_runs() {
    let seen = replaced(Phase::Paused, &[]);
    assert_eq!(seen.replaced, Ok(Replaced::ByNew));
    let rest = [
        "POST /containers/web/unpause",
        "POST /containers/web/stop?t=10",
        "POST /containers/web/rename?name=web.mclive-old",
        "POST /containers/web.mclive-new/rename?name=web",
        "POST /containers/web/start",
        "POST /containers/web/wait?condition=not-running",
        "GET /containers/web/json",
        "DELETE /containers/web.mclive-old",
    ];
    assert_eq!(seen.asked, [&BEGIN[..], &rest].concat());
    assert_eq!(seen.all(), [("web", ("new", true))]);
}

#[test]
fn a_container_whose_replacement_cannot_be_created_runs_on() {
    let seen = replaced(Phase::Running, &[refused("create?", "new", "400 Bad Request", "no command specified")]);
    let error = HostError::new(HostErrorKind::NotBegun, "create the container web: no command specified");
    assert_eq!(seen.replaced, Ok(Replaced::Not(error)));
    assert_eq!(seen.asked, BEGIN);
    assert_eq!(seen.all(), [("web", ("old", true))]);
}

#[test]
fn an_old_container_is_put_back_if_the_new_one_cannot_be_started() {
    let refusal = refused("/start", "new", "500 Internal Server Error", "no such device");
    let seen = replaced(Phase::Running, &[refusal]);
    assert_eq!(why(&seen), "start the container web: no such device (the old container is running again)");
    assert_eq!(seen.all(), [("web", ("old", true))]);
    let seen = replaced(Phase::Stopped, &[refusal]);
    assert_eq!(why(&seen), "start the container web: no such device (the old container was kept)");
    assert_eq!(seen.all(), [("web", ("old", false))]);
    assert!(!seen.asked.contains(&format!("POST {NAME}/stop?t=10")));
}

#[test]
fn an_old_container_is_put_back_if_a_name_is_refused() {
    for (of, from, to) in [("old", "web", "web.mclive-old"), ("new", "web.mclive-new", "web")] {
        let seen = replaced(Phase::Running, &[refused("/rename", of, "409 Conflict", "the name is in use")]);
        let expect =
            format!("rename the container {from} to {to}: the name is in use (the old container is running again)");
        assert_eq!(why(&seen), expect);
        assert_eq!(seen.all(), [("web", ("old", true))]);
    }
}

#[test]
fn an_old_container_that_cannot_be_put_back_is_reported() {
    let no_device = |of| refused("/start", of, "500 Internal Server Error", "no such device");
    let seen = replaced(Phase::Running, &[no_device("new"), no_device("old")]);
    let expect = "start the container web: no such device (the old container could not be restored: start the \
                  container web: no such device)";
    assert_eq!(seen.replaced.unwrap_err().message, expect);
    assert_eq!(seen.all.get("web"), Some(&("old", false)));
}

/// An agent was killed after the old container was set aside: before the new one got its name, or before it ran.
#[test]
fn a_container_that_was_left_aside_is_put_back_if_the_new_one_does_not_run() {
    let refusal = refused("/start", "new", "500 Internal Server Error", "no such device");
    let left = ("web.mclive-old", ("old", false));
    let start = async |engine: Engine| engine.start_anew("", "web").await;
    let (started, _, all) = with(&[left, ("web", ("new", false))], &[refusal], start);
    let why = "start the container web: no such device (the old container is running again)";
    assert_eq!((started.unwrap_err().message.as_str(), &all), (why, &BTreeMap::from([("web".into(), ("old", true))])));
    let refusal = refused("create?", "new", "400 Bad Request", "no command specified");
    let create = async |engine: Engine| {
        let spec = Spec { image: "a:1".into(), cmd: Vec::new(), env: Vec::new(), ports: Vec::new() };
        engine.create("", "web", &spec).await
    };
    let (created, _, all) = with(&[left, ("web.mclive-new", ("new", false))], &[refusal], create);
    let why = "create the container web: no command specified (the old container is running again)";
    assert_eq!((created.unwrap_err().message.as_str(), &all), (why, &BTreeMap::from([("web".into(), ("old", true))])));
}

#[test]
fn a_container_that_was_left_aside_is_removed_once_the_new_one_runs() {
    let left = [("web.mclive-old", ("old", false)), ("web", ("new", false))];
    let (started, asked, all) = with(&left, &[], async |engine: Engine| engine.start_anew("", "web").await);
    assert_eq!((started, asked.last().map(String::as_str)), (Ok(()), Some("DELETE /containers/web.mclive-old")));
    assert_eq!(all, BTreeMap::from([("web".into(), ("new", true))]));
}

#[test]
fn a_name_that_may_be_an_id_means_no_other_container() {
    let other = ("other", ("theirs", true));
    let kept = || ("other".to_owned(), other.1);
    let (stopped, _, all) = with(&[other], &[], async |engine: Engine| engine.stop("", "db").await);
    assert_eq!((stopped, all), (Ok(()), BTreeMap::from([kept()])));
    let (removed, _, all) = with(&[other], &[], async |engine: Engine| engine.remove("", "db").await);
    assert_eq!((removed, all), (Ok(()), BTreeMap::from([kept()])));
    let (started, _, all) = with(&[other], &[], async |engine: Engine| engine.start("", "db").await);
    let why = "start the container db: no such container: db";
    assert_eq!((started.unwrap_err().message.as_str(), all), (why, BTreeMap::from([kept()])));
    let several = [other, ("another", ("theirs", true))];
    let (seen, ..) = with(&several, &[], async |engine: Engine| engine.container("", "db").await);
    assert_eq!(seen, Ok(None));
    // The name is free until the old container is put back.
    let refusal = refused("create?", "new", "400 Bad Request", "no command specified");
    let create = async |engine: Engine| {
        let spec = Spec { image: "a:1".into(), cmd: Vec::new(), env: Vec::new(), ports: Vec::new() };
        engine.create("", "db", &spec).await
    };
    let (created, _, all) = with(&[("db.mclive-old", ("old", false)), other], &[refusal], create);
    let why = "create the container db: no command specified (the old container is running again)";
    assert_eq!(created.unwrap_err().message, why);
    assert_eq!(all, BTreeMap::from([("db".to_owned(), ("old", true)), kept()]));
    // A container with exactly this name takes precedence.
    let both = [("db", ("old", true)), other];
    let (stopped, _, all) = with(&both, &[], async |engine: Engine| engine.stop("", "db").await);
    assert_eq!((stopped, all), (Ok(()), BTreeMap::from([("db".to_owned(), ("old", false)), kept()])));
}
