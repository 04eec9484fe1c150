//! HTTP requests: to the servers of this host, and to the remotes of the world.

use super::{Adds, Answer as Said, Context, Play, Simulated, SubjectState, exists, hash, no_such, number};
use crate::World;
use crate::vocab::request::{Answer, Fact, Finding, Probe, Request as Asked, Step, Watch, authority};
use crate::vocab::subjects::Request;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use crate::world::Remote;
use mclive_base::shapes::host::{Alteration, Thing};
use std::collections::BTreeMap;

/// The longest content that is shown to be changed. Units: bytes.
const LONGEST_TEXT: usize = 64 << 10;
/// The field with the date that the other host reports; empty: none.
const MODIFIED: &str = "last modified (Unix time in seconds)";

/// The responses to http client resources, by their names.
#[derive(Clone, Default)]
pub struct Answers {
    last: BTreeMap<String, Answer>,
    /// The results for functions: status and output.
    pub results: BTreeMap<String, (i64, Vec<u8>)>,
}

impl SubjectState for Answers {
    fn of_new_host(_: &str) -> Answers {
        Answers::default()
    }

    fn n_entries(&self) -> usize {
        self.last.len() + self.results.len()
    }

    fn n_bytes(&self) -> usize {
        let last = self.last.values().filter_map(|answer| answer.content.as_ref());
        last.chain(self.results.values().map(|(_, output)| output)).map(Vec::len).sum()
    }
}

impl Simulated for Request {
    type State = Answers;
}

impl Play for Request {
    const TITLE: &'static str = "Internet, as seen from this host";
    const ADDS: Adds = &[("URL", "", "https://example.com/motd")];

    fn holds(world: &World) -> Vec<Thing> {
        let thing = |(url, remote): (&String, &Remote)| {
            let thing = Thing::new(url).field("status", remote.status.to_string());
            let thing = match std::str::from_utf8(&remote.body) {
                Ok(text) if text.len() <= LONGEST_TEXT => thing.text("content", text),
                _ => thing.fixed("content", format!("{} bytes", remote.body.len())),
            };
            let modified = remote.modified_s.map(|modified| modified.to_string());
            let thing = thing.field(MODIFIED, modified.unwrap_or_default());
            match remote.is_down {
                true => thing.fixed("server", "unreachable").verbs(&["make reachable", "delete"]),
                false => thing.fixed("server", "reachable").verbs(&["make unreachable", "delete"]),
            }
        };
        world.subjects.server.remotes.iter().map(thing).collect()
    }

    /// Adds a URL without content.
    fn add(world: &mut World, thing: &str) -> Result<(), HostError> {
        if !is_url(thing) {
            return Err(other(&format!("`{thing}` is not a URL, such as https://example.com/motd")));
        }
        if world.subjects.server.remotes.contains_key(thing) {
            return Err(exists(thing));
        }
        world.subjects.server.remotes.insert(thing.to_owned(), Remote { status: 200, ..Remote::default() });
        Ok(())
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        let now_s = world.tree.now_ns.div_euclid(1_000_000_000);
        let Some(remote) = world.subjects.server.remotes.get_mut(thing) else { return Err(no_such(thing, how)) };
        match how {
            Alteration::Set { field, value } if field == "status" => remote.status = status(value)?,
            Alteration::Set { field, value } if field == "content" => {
                // Clients that ask for changes since a date get this one.
                remote.modified_s = remote.modified_s.map(|_| now_s);
                remote.body = value.clone().into_bytes();
            }
            Alteration::Set { field, value } if field == MODIFIED => {
                let is_dated = !value.trim().is_empty();
                remote.modified_s = if is_dated { Some(number(field, value)?) } else { None };
            }
            Alteration::Do { verb } if verb == "make reachable" => remote.is_down = false,
            Alteration::Do { verb } if verb == "make unreachable" => remote.is_down = true,
            Alteration::Do { verb } if verb == "delete" => drop(world.subjects.server.remotes.remove(thing)),
            Alteration::Set { .. } | Alteration::Do { .. } => return Err(no_such(thing, how)),
        }
        Ok(())
    }

    fn probe(at: &mut Context, probe: &Probe) -> Said<Finding> {
        let uid = at.id.name.to_string();
        let seen = match probe {
            Probe::Ask(request) => ask(at, request).map(Finding::Answer),
            Probe::Last => {
                at.world.subjects.request.last.get(&uid).cloned().map(Finding::Answer).ok_or_else(|| other("no answer"))
            }
            // A remote answers when it changes.
            Probe::Held(request) => ask(at, request).map(Finding::Answer),
            Probe::Publish { path, content } => {
                let content = match path {
                    Some(path) => at.world.tree.read(path).map(|bytes| Some(bytes.to_vec())),
                    None => Ok(content.clone()),
                };
                content.map(|content| {
                    at.world.subjects.request.results.insert(uid, (200, content.clone().unwrap_or_default()));
                    Finding::Content(content)
                })
            }
        };
        seen.into()
    }

    fn step(at: &mut Context, step: &Step) -> Said<Outcome> {
        let did = match step {
            Step::Send(request) => ask(at, request).map(drop),
            Step::Place { path, modified_s, .. } => match at.world.subjects.request.last.get(&*at.id.name).cloned() {
                Some(Answer { content: Some(content), .. }) => {
                    let tree = &mut at.world.tree;
                    let placed = tree.write(path, content, None);
                    let modified = modified_s.map(|at| at.saturating_mul(1_000_000_000));
                    placed.and_then(|()| match modified {
                        Some(at) => tree.change(path, true, |node| node.mtime_ns = at),
                        None => Ok(()),
                    })
                }
                Some(Answer { content: None, .. }) | None => {
                    Err(other("the response is no longer available: send the request again"))
                }
            },
        };
        super::done(did)
    }

    fn fingerprint(world: &World, watch: &Watch) -> Option<u64> {
        Some(match watch {
            Watch::Answer { uid } => hash(&world.subjects.request.results.get(uid)),
            Watch::Held { request, .. } => hash(&world.subjects.server.remotes.get(&request.url)),
        })
    }

    fn fact(world: &mut World, _: u64, Fact::Last { uid }: &Fact) -> Result<Datum, HostError> {
        let (status, output) = world.subjects.request.results.get(uid).cloned().unwrap_or_default();
        Ok(Datum::Struct(vec![("status".into(), Datum::Int(status)), ("output".into(), Datum::Bytes(output))]))
    }
}

/// Whether a client can request it: a scheme, a host, and no fragment.
fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let is_wrong = |char: char| char.is_whitespace() || char.is_control() || char == '#';
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '?', ':']) && !rest.contains(is_wrong))
}

/// Parses the status of an answer. Errors: it is none.
fn status(text: &str) -> Result<u16, HostError> {
    let status = text.trim().parse::<u16>().ok().filter(|status| (200..=599).contains(status));
    status.ok_or_else(|| other(&format!("`{text}` is not an HTTP status, such as 404")))
}

fn other(message: &str) -> HostError {
    HostError::new(HostErrorKind::Other, message)
}

/// Sends a request, and records the resource's result.
fn ask(at: &mut Context, request: &Asked) -> Result<Answer, HostError> {
    let uid = at.id.name.to_string();
    match answer(at.world, request) {
        Ok(answer) => {
            if answer.status != 304 {
                let output = answer.content.clone().unwrap_or_default();
                at.world.subjects.request.results.insert(uid.clone(), (answer.status.into(), output));
            }
            at.world.subjects.request.last.insert(uid, answer.clone());
            Ok(answer)
        }
        Err(why) => {
            at.world.subjects.request.results.insert(uid, (-1, Vec::new()));
            Err(other(&why))
        }
    }
}

fn answer(world: &mut World, request: &Asked) -> Result<Answer, String> {
    let shown = crate::vocab::request::shown(&request.url);
    let answer = |status: u16, content: Vec<u8>, modified_s| Answer {
        status,
        hash: mclive_base::hash::sha256(&content),
        size: content.len() as u64,
        modified_s,
        content: Some(content),
    };
    if let Some(Remote { status, body, modified_s, is_down }) = world.subjects.server.remotes.get(&request.url) {
        if *is_down {
            return Err(format!("{shown}: connection refused"));
        }
        let is_old = modified_s.zip(request.since_s).is_some_and(|(modified, since)| modified <= since);
        return Ok(if is_old { answer(304, Vec::new(), None) } else { answer(*status, body.clone(), *modified_s) });
    }
    let authority = authority(&request.url);
    let (host, port) = authority.rsplit_once(':').unwrap_or((&authority, "80"));
    let rest = request.url.split_once("://").map_or("", |(_, rest)| rest);
    let target = rest.find(['/', '?']).map_or("/", |at| &rest[at..]);
    let (port, body) = (port.parse().unwrap_or(80), request.body.as_deref().unwrap_or_default());
    match world.subjects.server.request(&mut world.tree, (host, port), &request.method, target, body) {
        Ok(response) => Ok(answer(response.status, response.body, None)),
        Err(_) => Err(format!("{shown}: connection refused")),
    }
}
