//! Containers and their images: requests to an engine over HTTP on its socket, on the network's thread. One stream of
//! its events serves all watches; each new stream triggers a check of all.

mod credentials;
mod engine;
mod held;
mod pull;

use super::{Backend, Context, SubjectState, absent};
use crate::host::errno::no_network;
use crate::host::watch::Listener;
use crate::host::{Host, Shared, subscribe};
use crate::lock::Mutex;
use crate::network::Task;
use crate::network::http::Method;
use crate::network::http::talk;
use engine::Engine;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::container::{Finding, Probe, Step, Watch};
use mclive_base::vocab::subjects::Container;
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome};
use serde_json::Value;
use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, MutexGuard, Weak};
use std::time::Duration;

/// The sockets of engines; the first that exists is used.
const SOCKETS: [&str; 2] = ["/var/run/docker.sock", "/run/podman/podman.sock"];
/// The limit of a probe. A step has separate limits.
const LOOK: Duration = Duration::from_secs(70);
const FOREVER: Duration = Duration::MAX;
/// The first and the longest pause between reconnections.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));
/// An event stream is silent when nothing happens.
const SILENT: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// The maximum size of an event. Units: bytes.
const LONGEST_EVENT: usize = 256 << 10;

/// The watches, and the stream that serves them.
#[derive(Default)]
pub(super) struct Containers {
    watched: Mutex<Watched>,
}

#[derive(Default)]
struct Watched {
    tickets: BTreeMap<Ticket, Vec<Watch>>,
    /// Ends with the last watch.
    stream: Option<Task>,
    /// The stream is established; earlier watches wait for this.
    listens: bool,
    waiting: Vec<Ticket>,
    held: held::Held,
}

impl SubjectState for Containers {
    fn leave(&self, _: &Arc<Shared>, ticket: Ticket) {
        let mut watched = self.watched();
        watched.tickets.remove(&ticket);
        if watched.tickets.is_empty() {
            *watched = Watched::default();
        }
    }
}

impl Containers {
    fn watched(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock()
    }
}

impl Backend for Container {
    type State = Containers;
    absent! { fact }

    fn probe(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
        let probe = probe.clone();
        ask(at, LOOK, |engine| async move {
            Ok(match probe {
                Probe::Image { reference, version } => {
                    checked(&reference)?;
                    Finding::Image(engine.image(&version, &reference).await?)
                }
                Probe::Container { name, version } => {
                    checked(&name)?;
                    Finding::Container(engine.container(&version, &name).await?.map(Box::new))
                }
            })
        })
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        let done = match step.clone() {
            Step::Replace { name, spec, now, version } => held::replace(at, &name, *spec, now, version),
            Step::Pull { reference, version } => {
                ask(at, FOREVER, |engine| async move { engine.pull(&version, checked(&reference)?).await })
            }
            Step::RemoveImage { reference, version, .. } => {
                ask(at, FOREVER, |engine| async move { engine.remove_image(&version, checked(&reference)?).await })
            }
            Step::Create { name, spec, version } => {
                ask(at, FOREVER, |engine| async move { engine.create(&version, checked(&name)?, &spec).await })
            }
            Step::Start { name, version } => {
                ask(at, FOREVER, |engine| async move { engine.start_anew(&version, checked(&name)?).await })
            }
            Step::Stop { name, version, .. } => {
                ask(at, FOREVER, |engine| async move { engine.stop(&version, checked(&name)?).await })
            }
            Step::Unpause { name, version } => {
                ask(at, FOREVER, |engine| async move { engine.unpause(&version, checked(&name)?).await })
            }
            Step::Remove { name, version } => {
                ask(at, FOREVER, |engine| async move { engine.remove(&version, checked(&name)?).await })
            }
        };
        done.map(|()| Outcome::Done)
    }

    /// In place when the event stream has started; until there is an engine, its sockets are watched.
    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        for socket in sockets() {
            host.shared.watcher.add(Listener(ticket.0), &socket.to_string_lossy(), false);
        }
        host.awaits(ticket);
        let shared = host.shared.clone();
        let mut watched = shared.subjects.container.watched();
        watched.tickets.entry(ticket).or_default().push(watch.clone());
        if watched.listens {
            drop(watched);
            subscribe::in_place(&shared, ticket);
            return Ok(());
        }
        watched.waiting.push(ticket);
        drop(watched);
        begin(&shared)
    }
}

fn ask<T: Send + 'static, F: Future<Output = Result<T, HostError>> + Send + 'static>(
    at: &Context,
    limit: Duration,
    question: impl FnOnce(Engine) -> F,
) -> Result<T, HostError> {
    let engine = engine()?;
    begin(&at.shared.myself()?)?;
    at.running.ask(&at.shared.network, limit, question(engine))
}

/// The engine of this host. Errors: there is none.
fn engine() -> Result<Engine, HostError> {
    let told = std::env::var("DOCKER_HOST").ok().filter(|text| !text.is_empty());
    if let Some(engine @ Engine::Net(_)) = told.as_deref().map(named).transpose()? {
        return Ok(engine);
    }
    let sockets = sockets();
    let found = sockets.iter().find(|socket| socket.exists()).cloned();
    found.map(Engine::Socket).ok_or_else(|| {
        let doors: Vec<String> = sockets.iter().map(|socket| format!("no {}", socket.display())).collect();
        let help = "install the package `docker.io`, or `podman`, and start it with `systemctl start docker` or \
                    `systemctl start podman.socket`";
        HostError::new(
            HostErrorKind::Unavailable,
            format!("no container engine is running ({}): {help}", doors.join(", ")),
        )
    })
}

/// The engine that `DOCKER_HOST` names. Errors: it cannot be reached in this way, and no other engine is meant.
fn named(text: &str) -> Result<Engine, HostError> {
    if let Some(address) = text.strip_prefix("tcp://") {
        return Ok(Engine::Net(format!("http://{}", address.trim_end_matches('/'))));
    }
    if let Some(path) = text.strip_prefix("unix://") {
        return Ok(Engine::Socket(path.into()));
    }
    let scheme = text.split_once("://").map_or(text, |(scheme, _)| scheme);
    let why = format!("`DOCKER_HOST` must begin with `unix://` or `tcp://`, not `{scheme}`");
    Err(HostError::new(HostErrorKind::Other, why))
}

fn sockets() -> Vec<PathBuf> {
    let named = std::env::var("DOCKER_HOST").ok().and_then(|text| text.strip_prefix("unix://").map(PathBuf::from));
    named.map_or_else(|| SOCKETS.map(PathBuf::from).to_vec(), |socket| vec![socket])
}

/// Checks a name that is part of a path of the interface.
fn checked(name: &str) -> Result<&str, HostError> {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/:@".contains(&byte);
    let is_valid = !name.is_empty()
        && name.bytes().all(letter)
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && !name.contains("//")
        && !name.split('/').any(|part| part.starts_with('.'));
    if is_valid {
        return Ok(name);
    }
    let rule = "only letters, digits and `._-/:@` are allowed";
    Err(HostError::new(
        HostErrorKind::Refused,
        format!("`{name}` is not a valid name for a container or image: {rule}"),
    ))
}

/// Starts to follow the events, unless that has happened already.
fn begin(shared: &Arc<Shared>) -> Result<(), HostError> {
    let mut watched = shared.subjects.container.watched();
    if watched.stream.is_none() && !watched.tickets.is_empty() {
        watched.stream = Some(shared.network.spawn(follow(Arc::downgrade(shared))).map_err(no_network)?);
    }
    Ok(())
}

/// Follows the events of the engine while there are watches and an engine. An event during a check causes another one.
async fn follow(shared: Weak<Shared>) {
    let mut pause = PAUSES.0;
    loop {
        let listened = match engine() {
            Ok(engine) => listen(&shared, &engine).await,
            Err(_) => false,
        };
        let Some(shared) = shared.upgrade() else { return };
        shared.subjects.container.watched().listens = false;
        // The check reports why there are no events.
        in_place(&shared);
        if listened {
            pause = PAUSES.0;
            tell(&shared, |_| true);
        }
        {
            let mut watched = shared.subjects.container.watched();
            if engine().is_err() {
                watched.stream = None;
                return;
            }
        }
        drop(shared);
        tokio::time::sleep(pause).await;
        pause = PAUSES.1.min(pause * 2);
    }
}

/// Reads events until the stream ends; `false`: there was no stream.
async fn listen(shared: &Weak<Shared>, engine: &Engine) -> bool {
    let filters = "%7B%22type%22%3A%5B%22container%22%2C%22image%22%5D%7D";
    let mut message = engine.message(Method::GET, "", &format!("/events?filters={filters}"));
    let url = message.url.clone();
    message.patience = Duration::from_secs(10);
    let Ok(answer) = talk::begin(engine.socket().map(PathBuf::as_path), message).await else { return false };
    if answer.status() != 200 {
        return false;
    }
    {
        let Some(shared) = shared.upgrade() else { return false };
        shared.subjects.container.watched().listens = true;
        in_place(&shared);
        // Earlier events were missed.
        tell(&shared, |_| true);
    }
    let (mut body, mut line) = (answer.into_body(), Vec::new());
    while let Ok(Some(piece)) = talk::next(&mut body, &url, SILENT).await {
        let Some(shared) = shared.upgrade() else { return true };
        line.extend_from_slice(&piece);
        while let Some(end) = line.iter().position(|byte| *byte == b'\n') {
            let event: Vec<u8> = line.drain(..=end).collect();
            if let Some(about) = about(&event) {
                tell(&shared, |watch| concerns(watch, &about));
            }
        }
        if line.len() > LONGEST_EVENT {
            return true;
        }
    }
    true
}

/// The subject of an event.
#[derive(Debug, PartialEq)]
enum About {
    Image,
    Container(String),
}

fn about(event: &[u8]) -> Option<About> {
    let event: Value = serde_json::from_slice(event).ok()?;
    let text = |at: &str| event.pointer(at).and_then(Value::as_str).unwrap_or_default();
    match (text("/Type"), text("/Action")) {
        ("image", _) => Some(About::Image),
        // They change nothing that a probe reads.
        ("container", action)
            if ["exec", "health_status", "history", "attach", "top", "resize"]
                .iter()
                .any(|it| action.starts_with(it)) =>
        {
            None
        }
        // It is told with the new name, and the old one is free now.
        ("container", "rename") => Some(About::Container(String::new())),
        ("container", _) => Some(About::Container(text("/Actor/Attributes/name").to_owned())),
        _ => None,
    }
}

fn concerns(watch: &Watch, about: &About) -> bool {
    match (watch, about) {
        (Watch::Images, About::Image) => true,
        (Watch::Container { name }, About::Container(of)) => of.is_empty() || name == of,
        (Watch::Images, About::Container(_)) | (Watch::Container { .. }, About::Image) => false,
    }
}

fn in_place(shared: &Shared) {
    let waiting = std::mem::take(&mut shared.subjects.container.watched().waiting);
    waiting.into_iter().for_each(|ticket| subscribe::in_place(shared, ticket));
}

fn tell(shared: &Shared, concerns: impl Fn(&Watch) -> bool) {
    let told: Vec<Ticket> = {
        let mut watched = shared.subjects.container.watched();
        let Watched { tickets, held, .. } = &mut *watched;
        let mut hears = |watch: &Watch| concerns(watch) && !held.keep(watch);
        tickets.iter().filter(|(_, watches)| watches.iter().any(&mut hears)).map(|(ticket, _)| *ticket).collect()
    };
    told.into_iter().for_each(|ticket| subscribe::changed(shared, ticket, Some("the container engine".into())));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_event_is_about() {
        let event = |text: &str| about(text.as_bytes());
        let named = |action: &str| {
            event(&format!(r#"{{"Type":"container","Action":"{action}","Actor":{{"Attributes":{{"name":"web"}}}}}}"#))
        };
        assert_eq!(named("die"), Some(About::Container("web".into())));
        assert_eq!(named("exec_start: sh"), None);
        assert_eq!(event(r#"{"Type":"image","Action":"untag"}"#), Some(About::Image));
        assert_eq!(event("not json"), None);
        let web = Watch::Container { name: "web".into() };
        assert!(concerns(&web, &About::Container("web".into())) && !concerns(&web, &About::Container("web2".into())));
        let other = Watch::Container { name: "other".into() };
        assert!(
            [web, other].iter().all(|watch| concerns(watch, &named("rename").unwrap())),
            "either name may be meant"
        );
    }

    #[test]
    fn an_engine_that_cannot_be_reached_is_replaced_by_no_other() {
        assert!(named("tcp://h:2375/").is_ok_and(|it| it == Engine::Net("http://h:2375".into())));
        assert!(named("unix:///run/x.sock").is_ok_and(|it| it == Engine::Socket("/run/x.sock".into())));
        for (text, shown) in [("ssh://me@h", "ssh"), ("h:2375", "h:2375")] {
            let why = named(text).err().unwrap().message;
            assert_eq!(why, format!("`DOCKER_HOST` must begin with `unix://` or `tcp://`, not `{shown}`"));
        }
    }

    #[test]
    fn a_name_is_no_path() {
        assert!(checked("h:5000/a/b_c:1").is_ok() && checked("a@sha256:0").is_ok());
        for name in ["", "../x", "a/../b", "a?b", "a b", "a//b", "-a", "a%2e"] {
            assert!(checked(name).is_err(), "{name}");
        }
    }
}
