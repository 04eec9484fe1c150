//! Containers and their images, of an engine with Docker's API.

use super::subject::never;
use super::{Change, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Fact }

/// The kind whose containers have ports.
const KIND: &str = "docker:container";
/// The address of the host at which the ports of a container are published.
pub const ANYWHERE: &str = "0.0.0.0";
/// The end of the name of a new container that has not taken its place yet, and of an old one that has left it. An agent
/// that is killed during a replacement leaves them.
const LEFT: [&str; 2] = [".mclive-new", ".mclive-old"];

/// A query, each with the API version, such as `v1.41`; empty: the engine's own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Probe {
    /// → `Image`.
    Image { reference: String, version: String },
    /// → `Container`.
    Container { name: String, version: String },
}

/// The answers to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The image id; `None` if it does not exist.
    Image(Option<String>),
    /// The container; `None` if it does not exist.
    Container(Option<Box<Container>>),
}

/// A container as the engine reports it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Container {
    /// Its state.
    pub phase: Phase,
    /// The id of its image.
    pub image: String,
    /// The name that the image was requested by.
    pub image_name: String,
    /// Command and arguments.
    pub cmd: Vec<String>,
    /// The hash of each `NAME=value`, since environment variables may be secret.
    pub env: Vec<[u8; 32]>,
    /// Published ports, sorted.
    pub ports: Vec<Binding>,
}

/// The state of a container.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Phase {
    /// Running.
    Running,
    /// Paused.
    Paused,
    /// Between restarts.
    Restarting,
    /// Created, exited or dead.
    Stopped,
}

/// A published port.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Binding {
    /// `tcp`, `udp` or `sctp`.
    pub protocol: String,
    /// Port on the host.
    pub host: u16,
    /// Port in the container.
    pub inside: u16,
}

/// The properties of a new container.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Spec {
    /// The image reference.
    pub image: String,
    /// Command and arguments; empty: the image's own.
    pub cmd: Vec<String>,
    /// Environment variables as `NAME=value`.
    pub env: Vec<String>,
    /// Published ports.
    pub ports: Vec<Binding>,
}

/// A change. `version` is that of the API, as in [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Pulls an image.
    Pull {
        /// The image reference.
        reference: String,
        /// Version of the API.
        version: String,
    },
    /// Removes an image.
    RemoveImage {
        /// The image reference.
        reference: String,
        /// The image id.
        id: String,
        /// Version of the API.
        version: String,
    },
    /// Creates a container without starting it.
    Create {
        /// Name of the container.
        name: String,
        /// Its properties.
        spec: Box<Spec>,
        /// Version of the API.
        version: String,
    },
    /// Starts it; succeeds if it still runs a moment later.
    Start {
        /// Name of the container.
        name: String,
        /// Version of the API.
        version: String,
    },
    /// Stops it, with ten seconds to shut down.
    Stop {
        /// Name of the container.
        name: String,
        /// The state that was seen.
        now: Phase,
        /// Version of the API.
        version: String,
    },
    /// Continues a paused container.
    Unpause {
        /// Name of the container.
        name: String,
        /// Version of the API.
        version: String,
    },
    /// Removes a stopped container.
    Remove {
        /// Name of the container.
        name: String,
        /// Version of the API.
        version: String,
    },
    /// Replaces a container by a new one that runs. If the new one cannot be created or started, the old one is put back.
    Replace {
        /// Name of the container.
        name: String,
        /// The properties of the new one.
        spec: Box<Spec>,
        /// The state of the old one that was seen.
        now: Phase,
        /// Version of the API.
        version: String,
    },
}

/// Changes of a container or of images, and the engine becoming available or unavailable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Watch {
    /// Any image.
    Images,
    /// A container, by name.
    Container { name: String },
}

impl Phase {
    /// The word in messages.
    pub fn word(self) -> &'static str {
        match self {
            Phase::Running => "running",
            Phase::Paused => "paused",
            Phase::Restarting => "restarting",
            Phase::Stopped => "stopped",
        }
    }
}

impl Spec {
    /// The variables that it sets, as a part of a sentence.
    fn sets(&self) -> String {
        let named: Vec<&str> = self.env.iter().filter_map(|entry| entry.split('=').next()).collect();
        if named.is_empty() { String::new() } else { format!("; sets {}", named.join(", ")) }
    }
}

/// The name of the new container until it takes the place of the old one.
pub fn beside(place: &str) -> String {
    format!("{place}{}", LEFT[0])
}

/// The name of the old container until the new one runs.
pub fn aside(place: &str) -> String {
    format!("{place}{}", LEFT[1])
}

/// The name of the container that was to be replaced, if a replacement left this one.
fn place(name: &str) -> Option<&str> {
    LEFT.into_iter().find_map(|end| name.strip_suffix(end))
}

/// The state of an old container that could not be replaced, for the end of the message.
pub fn put_back(old: Phase) -> &'static str {
    match old {
        Phase::Running | Phase::Paused | Phase::Restarting => "the old container is running again",
        Phase::Stopped => "the old container was kept",
    }
}

/// The image reference with its tag: `latest` if it has neither tag nor digest. A colon before a port is not a tag.
pub fn tagged(image: &str) -> String {
    let name = image.rsplit('/').next().unwrap_or(image);
    if name.contains([':', '@']) { image.to_owned() } else { format!("{image}:latest") }
}

impl Look for Probe {
    type Finding = Finding;

    fn waits(&self) -> bool {
        true
    }
}

impl Change for Step {
    /// Environment variables may be secret, so they are left out.
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        match self {
            Step::Pull { reference, .. } => write!(f, "pull the image {reference} (is absent)"),
            Step::RemoveImage { reference, id, .. } => {
                write!(f, "remove the image {reference} (is {})", id.get(..12).unwrap_or(id))
            }
            Step::Create { name, spec, .. } => {
                write!(f, "create the container {name} from {} (is absent{})", spec.image, spec.sets())
            }
            Step::Replace { name, spec, now, .. } => {
                let (image, now, sets) = (&spec.image, now.word(), spec.sets());
                write!(f, "replace the container {name} with a new one from {image} (is {now}{sets})")
            }
            Step::Start { name, .. } => write!(f, "start the container {name} (is stopped)"),
            Step::Stop { name, now, .. } => write!(f, "stop the container {name} (is {})", now.word()),
            Step::Unpause { name, .. } => write!(f, "resume the container {name} (is paused)"),
            Step::Remove { name, .. } if place(name).is_some() => {
                write!(f, "remove the container {name} (left by an interrupted replacement)")
            }
            Step::Remove { name, .. } => write!(f, "remove the container {name}"),
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Step::Pull { reference, .. } | Step::RemoveImage { reference, .. } => vec![Power::Image(reference)],
            Step::Create { name, spec, .. } | Step::Replace { name, spec, .. } => {
                let listens = |port: &Binding| Power::Listen(KIND, format!("{ANYWHERE}:{}", port.host).into());
                let own = [Power::Container(name), Power::Image(&spec.image)];
                own.into_iter().chain(spec.ports.iter().map(listens)).collect()
            }
            // What a replacement leaves is a part of it.
            Step::Remove { name, .. } | Step::Stop { name, .. } => {
                vec![Power::Container(place(name).unwrap_or(name))]
            }
            Step::Start { name, .. } | Step::Unpause { name, .. } => vec![Power::Container(name)],
        }
    }

    fn waits(&self) -> bool {
        true
    }

    /// A replacement that fails has interrupted the old container: each is a separate attempt.
    fn repeats(&self) -> bool {
        !matches!(self, Step::Replace { .. })
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        match self {
            Watch::Images => f.write_str("the images of containers"),
            Watch::Container { name } => write!(f, "the container {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colon_of_a_port_is_no_tag() {
        for (image, expect) in [
            ("alpine", "alpine:latest"),
            ("alpine:3", "alpine:3"),
            ("h:5000/x", "h:5000/x:latest"),
            ("h:5000/x:1", "h:5000/x:1"),
            ("h/x@sha256:1", "h/x@sha256:1"),
        ] {
            assert_eq!(tagged(image), expect);
        }
    }

    #[test]
    fn what_a_container_is_told_stands_in_no_words() {
        let env = vec!["PASSWORD=hunter2".to_owned()];
        let spec = Box::new(Spec { image: "a:1".into(), cmd: Vec::new(), env, ports: Vec::new() });
        let step = super::super::Step::from(Step::Create { name: "web".into(), spec, version: String::new() });
        assert_eq!(step.to_string(), "create the container web from a:1 (is absent; sets PASSWORD)");
        assert_eq!(step.audit(), step.to_string());
        assert_eq!(step.powers(), [Power::Container("web"), Power::Image("a:1")]);
        let super::super::Step::Container(Step::Create { name, spec, version }) = step else { panic!("it is one") };
        let step = super::super::Step::from(Step::Replace { name, spec, now: Phase::Paused, version });
        let words = "replace the container web with a new one from a:1 (is paused; sets PASSWORD)";
        assert_eq!((step.to_string(), step.audit()), (words.to_owned(), words.to_owned()));
        assert_eq!(step.powers(), [Power::Container("web"), Power::Image("a:1")]);
    }

    #[test]
    fn what_a_replacement_leaves_is_removed_with_the_same_permission() {
        for name in [beside("web"), aside("web")] {
            let step = Step::Remove { name: name.clone(), version: String::new() };
            assert_eq!(step.powers(), [Power::Container("web")]);
            let words = super::super::Step::from(step).to_string();
            assert_eq!(words, format!("remove the container {name} (left by an interrupted replacement)"));
        }
        let other = Step::Remove { name: "web.old".into(), version: String::new() };
        assert_eq!(other.powers(), [Power::Container("web.old")]);
    }

    #[test]
    fn a_published_port_listens() {
        let ports = vec![Binding { protocol: "tcp".into(), host: 80, inside: 8080 }];
        let spec = Box::new(Spec { image: "a:1".into(), cmd: Vec::new(), env: Vec::new(), ports });
        let step = Step::Create { name: "web".into(), spec, version: String::new() };
        assert_eq!(step.powers()[2..], [Power::Listen("docker:container", "0.0.0.0:80".into())]);
    }
}
