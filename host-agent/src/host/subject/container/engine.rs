//! [`Engine`]: typed requests to a container engine. Its interface is the Docker Engine API, which podman
//! supports as well.

mod named;
mod replace;

pub(super) use replace::Replaced;

use super::credentials;
use super::pull::Progress;
use crate::network::http::Method;
use crate::network::http::talk::{self, Answer, Message};
use mclive_base::vocab::container::{ANYWHERE, Binding, Container, Phase, Spec, tagged};
use mclive_base::vocab::{HostError, HostErrorKind};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::Instant;

/// The limit for starting or stopping a container.
const LONG: Duration = Duration::from_secs(120);
/// The limit for pulling an image; podman reports no progress.
const PULL: Duration = Duration::from_secs(600);
/// The grace period of a container. Units: seconds.
const TO_STOP: u32 = 10;
/// How long a container must run to count as started.
const MOMENT: Duration = Duration::from_millis(300);
const LAST_LINES: usize = 5;
/// How long to wait for a container that is stopping, and for the ports of a removed one.
const LEAVING: Duration = Duration::from_secs(15);
const PORTS: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(100);

/// The address of an engine.
#[derive(Clone, PartialEq)]
pub(super) enum Engine {
    Socket(PathBuf),
    /// `http://host:port`.
    Net(String),
}

impl Engine {
    /// A request; `path` begins with a slash.
    pub(super) fn message(&self, method: Method, version: &str, path: &str) -> Message {
        let base = match self {
            Engine::Socket(_) => "http://engine",
            Engine::Net(base) => base,
        };
        let version = if version.is_empty() { String::new() } else { format!("/{version}") };
        Message::new(method, format!("{base}{version}{path}"))
    }

    pub(super) fn socket(&self) -> Option<&PathBuf> {
        match self {
            Engine::Socket(path) => Some(path),
            Engine::Net(_) => None,
        }
    }

    async fn say(&self, message: Message) -> Result<Answer, HostError> {
        talk::say(self.socket().map(PathBuf::as_path), message).await
    }

    /// Reads a path; `None` if it does not exist.
    async fn get(&self, version: &str, path: &str, what: &str) -> Result<Option<Value>, HostError> {
        let answer = self.say(self.message(Method::GET, version, path)).await?;
        match answer.status.as_u16() {
            404 if denies(&answer) => Ok(None),
            200 => serde_json::from_slice(&answer.body).map(Some).map_err(|error| other(what, &error.to_string())),
            _ => Err(refused(what, &answer)),
        }
    }

    /// Makes a request that one of these status codes confirms.
    async fn make(&self, message: Message, good: &[u16], what: &str) -> Result<Answer, HostError> {
        let answer = self.say(message).await?;
        let is_good = good.contains(&answer.status.as_u16()) && (answer.status != 404 || denies(&answer));
        if is_good { Ok(answer) } else { Err(refused(what, &answer)) }
    }

    pub(super) async fn image(&self, version: &str, reference: &str) -> Result<Option<String>, HostError> {
        let what = format!("inspect the image {reference}");
        let seen = self.get(version, &format!("/images/{reference}/json"), &what).await?;
        Ok(seen.map(|seen| plain_id(text(&seen, "/Id"))))
    }

    /// The state of a container once it is stable: waits a while for one that is being stopped or removed.
    pub(super) async fn container(&self, version: &str, name: &str) -> Result<Option<Container>, HostError> {
        let began = Instant::now();
        loop {
            let seen = self.inspect(version, name).await;
            let is_leaving = match &seen {
                Ok(Some(seen)) => ["removing", "stopping"].contains(&text(seen, "/State/Status")),
                Ok(None) => false,
                // Podman has removed its files, but not yet its name.
                Err(error) => error.message.ends_with("container not known"),
            };
            if !is_leaving || began.elapsed() > LEAVING {
                return Ok(seen?.as_ref().map(container));
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn inspect(&self, version: &str, name: &str) -> Result<Option<Value>, HostError> {
        let what = format!("inspect the container {name}");
        let seen = match self.get(version, &format!("/containers/{name}/json"), &what).await {
            Err(error) if named::is_ambiguous(&error.message) => None,
            seen => seen?,
        };
        // The engine accepts a part of an id as a name.
        Ok(seen.filter(|seen| text(seen, "/Name").trim_start_matches('/') == name))
    }

    pub(super) async fn pull(&self, version: &str, reference: &str) -> Result<(), HostError> {
        let (name, tag) = match reference.split_once('@') {
            Some((name, digest)) => (name, digest),
            None => reference.rsplit_once(':').unwrap_or((reference, "latest")),
        };
        let path = format!("/images/create?fromImage={}&tag={}", escaped(name), escaped(tag));
        let mut message = self.message(Method::POST, version, &path);
        message.patience = PULL;
        if let Some(login) = credentials::of(name) {
            message = message.header("X-Registry-Auth", login);
        }
        let (what, url) = (format!("pull the image {reference}"), message.url.clone());
        let answer = talk::begin(self.socket().map(PathBuf::as_path), message).await?;
        let (status, headers) = (answer.status(), answer.headers().clone());
        let (mut incoming, mut progress) = (answer.into_body(), Progress::default());
        while let Some(piece) = talk::next(&mut incoming, &url, PULL).await? {
            progress.add(&piece);
        }
        if status != 200 {
            return Err(refused(&what, &Answer { status, headers, body: progress.head }));
        }
        progress.end().map_err(|why| other(&what, &why))
    }

    pub(super) async fn remove_image(&self, version: &str, reference: &str) -> Result<(), HostError> {
        let message = self.message(Method::DELETE, version, &format!("/images/{reference}"));
        self.make(message, &[200, 404], &format!("remove the image {reference}")).await.map(drop)
    }

    /// Creates a container, which is called `place` for now.
    async fn make_container(&self, version: &str, name: &str, place: &str, spec: &Spec) -> Result<(), HostError> {
        let inside = |port: &Binding| format!("{}/{}", port.inside, port.protocol);
        let mut exposed = serde_json::Map::new();
        let mut bindings = serde_json::Map::new();
        for port in &spec.ports {
            exposed.insert(inside(port), json!({}));
            let bound = bindings.entry(inside(port)).or_insert_with(|| json!([]));
            let binding = json!({ "HostIp": ANYWHERE, "HostPort": port.host.to_string() });
            bound.as_array_mut().expect("it was made so").push(binding);
        }
        let mut body = json!({
            "Image": spec.image,
            "Env": spec.env,
            "ExposedPorts": exposed,
            "HostConfig": { "PortBindings": bindings },
        });
        if !spec.cmd.is_empty() {
            body["Cmd"] = json!(spec.cmd);
        }
        let message = self.message(Method::POST, version, &format!("/containers/create?name={place}")).json(&body);
        self.make(message, &[201], &format!("create the container {name}")).await.map(drop)
    }

    /// Starts a container. One that ends at once has failed.
    pub(super) async fn start(&self, version: &str, name: &str) -> Result<(), HostError> {
        let what = format!("start the container {name}");
        let began = Instant::now();
        loop {
            let Err(error) = self.change(Method::POST, version, name, "/start", &[204, 304], &what).await else {
                break;
            };
            // The ports of a removed container become free a little later.
            let is_port = ["address already in use", "port is already"].iter().any(|why| error.message.contains(why));
            if !is_port || began.elapsed() > PORTS {
                return Err(error);
            }
            tokio::time::sleep(PAUSE).await;
        }
        let waits = self.message(Method::POST, version, &format!("/containers/{name}/wait?condition=not-running"));
        // Its state afterwards counts: podman reports the end of a container late.
        let _ = tokio::time::timeout(MOMENT, self.say(waits)).await;
        let Some(seen) = self.inspect(version, name).await? else {
            let why = format!("{what}: it was removed in the meantime");
            return Err(HostError::new(HostErrorKind::NotFound, why));
        };
        if container(&seen).phase != Phase::Stopped {
            return Ok(());
        }
        let status = seen.pointer("/State/ExitCode").and_then(Value::as_i64).unwrap_or(-1);
        let said = self.last_lines(version, name).await;
        let said = if said.is_empty() { "no output".to_owned() } else { format!("output: {}", said.join("; ")) };
        Err(other(&what, &format!("it exited immediately with status {status}; {said}")))
    }

    async fn last_lines(&self, version: &str, name: &str) -> Vec<String> {
        let path = format!("/containers/{name}/logs?stdout=1&stderr=1&tail={LAST_LINES}");
        match self.say(self.message(Method::GET, version, &path)).await {
            Ok(answer) => lines(&answer.body),
            // That it ended is reported in any case.
            Err(_) => Vec::new(),
        }
    }

    pub(super) async fn stop(&self, version: &str, name: &str) -> Result<(), HostError> {
        let (rest, what) = (format!("/stop?t={TO_STOP}"), format!("stop the container {name}"));
        self.change(Method::POST, version, name, &rest, &[204, 304, 404], &what).await
    }

    pub(super) async fn unpause(&self, version: &str, name: &str) -> Result<(), HostError> {
        self.change(Method::POST, version, name, "/unpause", &[204], &format!("unpause the container {name}")).await
    }

    pub(super) async fn remove(&self, version: &str, name: &str) -> Result<(), HostError> {
        let what = format!("remove the container {name}");
        self.change(Method::DELETE, version, name, "", &[200, 204, 404], &what).await
    }
}

fn container(seen: &Value) -> Container {
    let words = |at: &str| -> Vec<String> {
        let words = seen.pointer(at).and_then(Value::as_array).into_iter().flatten();
        words.filter_map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let phase = match text(seen, "/State/Status") {
        // What is still stopping after a long time was left in the middle by an engine that was killed.
        "running" | "stopping" => Phase::Running,
        "paused" => Phase::Paused,
        "restarting" => Phase::Restarting,
        _ => Phase::Stopped,
    };
    let mut ports = Vec::new();
    for (inside, bound) in seen.pointer("/HostConfig/PortBindings").and_then(Value::as_object).into_iter().flatten() {
        let (number, protocol) = inside.split_once('/').unwrap_or((inside, "tcp"));
        // A port that is published at one address cannot be reached at the others.
        let is_everywhere = |binding: &&Value| matches!(text(binding, "/HostIp"), "" | ANYWHERE | "::");
        for binding in bound.as_array().into_iter().flatten().filter(is_everywhere) {
            if let (Ok(inside), Ok(host)) = (number.parse(), text(binding, "/HostPort").parse()) {
                ports.push(Binding { protocol: protocol.to_owned(), host, inside });
            }
        }
    }
    ports.sort();
    // Published at the addresses of both families, it is one port.
    ports.dedup();
    Container {
        phase,
        image: plain_id(text(seen, "/Image")),
        image_name: tagged(text(seen, "/Config/Image")),
        cmd: words("/Config/Cmd"),
        env: words("/Config/Env").iter().map(|entry| Sha256::digest(entry).into()).collect(),
        ports,
    }
}

fn text<'a>(value: &'a Value, at: &str) -> &'a str {
    value.pointer(at).and_then(Value::as_str).unwrap_or_default()
}

/// Removes the name of the hash, which some engines write before an id.
fn plain_id(id: &str) -> String {
    id.trim_start_matches("sha256:").to_owned()
}

/// The lines of a log; each piece has a header of eight bytes with the stream and the length.
fn lines(log: &[u8]) -> Vec<String> {
    let (mut rest, mut all) = (log, Vec::new());
    while let [0..=2, 0, 0, 0, a, b, c, d, tail @ ..] = rest {
        let length = (u32::from_be_bytes([*a, *b, *c, *d]) as usize).min(tail.len());
        all.extend_from_slice(&tail[..length]);
        rest = &tail[length..];
    }
    all.extend_from_slice(rest);
    let all = String::from_utf8_lossy(&all).into_owned();
    all.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn other(what: &str, why: &str) -> HostError {
    HostError::new(HostErrorKind::Other, format!("{what}: {why}"))
}

/// Whether an engine says that there is no such container or image. Any other server answers 404 as well, and so does an
/// engine for an unknown version of its interface: that does not concern containers.
fn denies(answer: &Answer) -> bool {
    let told: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let why = text(&told, "/message").to_ascii_lowercase();
    !matches!(&*why, "" | "not found" | "page not found")
}

fn refused(what: &str, answer: &Answer) -> HostError {
    let told: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let why = told.get("message").and_then(Value::as_str).map(str::to_owned);
    let why = why.unwrap_or_else(|| format!("the engine returned {}", answer.status));
    let kind = if answer.status == 404 { HostErrorKind::NotFound } else { HostErrorKind::Other };
    HostError::new(kind, format!("{what}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_as_the_engine_reports_it() {
        let seen = json!({
            "Name": "/web", "Image": "sha256:abc",
            "State": { "Status": "exited" },
            "Config": { "Image": "h:5000/site", "Cmd": ["run", "x"], "Env": ["A=b"] },
            "HostConfig": { "PortBindings": {
                "80/tcp": [
                    { "HostIp": "0.0.0.0", "HostPort": "8080" },
                    { "HostIp": "::", "HostPort": "8080" },
                    { "HostIp": "127.0.0.1", "HostPort": "8081" },
                ],
                "53/udp": null,
            } },
        });
        let ports = vec![Binding { protocol: "tcp".into(), host: 8080, inside: 80 }];
        let expect = Container {
            phase: Phase::Stopped,
            image: "abc".into(),
            image_name: "h:5000/site:latest".into(),
            cmd: vec!["run".into(), "x".into()],
            env: vec![Sha256::digest("A=b").into()],
            ports,
        };
        assert_eq!(container(&seen), expect);
    }

    #[test]
    fn what_is_not_stopped_yet_runs() {
        let phase = |status: &str| container(&json!({ "State": { "Status": status } })).phase;
        let told = ["running", "stopping", "paused", "restarting", "exited", "created", "dead"].map(phase);
        let (running, stopped) = (Phase::Running, Phase::Stopped);
        assert_eq!(told, [running, running, Phase::Paused, Phase::Restarting, stopped, stopped, stopped]);
    }

    #[test]
    fn another_server_says_nothing_of_containers() {
        let denied = |body: &str| {
            let status = crate::network::http::StatusCode::NOT_FOUND;
            denies(&Answer { status, headers: Default::default(), body: body.as_bytes().to_vec() })
        };
        assert!(denied(r#"{"message":"No such container: web"}"#));
        assert!(denied(
            r#"{"cause":"no such image","message":"failed to find image x: no such image","response":404}"#
        ));
        for body in [
            "",
            "404 page not found\n",
            "<html>",
            "{}",
            r#"{"message":"page not found"}"#,
            r#"{"message":"Not Found"}"#,
        ] {
            assert!(!denied(body), "{body}");
        }
    }

    #[test]
    fn the_lines_of_a_log() {
        assert_eq!(lines(b"\x02\0\0\0\0\0\0\x04one\n\x01\0\0\0\0\0\0\x03two"), ["one", "two"]);
        assert_eq!(lines(b"of a terminal\r\n"), ["of a terminal"]);
        assert_eq!(lines(b"\x01\0\0\0\xff\xff\xff\xffcut"), ["cut"]);
    }
}
