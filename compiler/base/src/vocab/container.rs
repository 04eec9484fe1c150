//! Containers and their images, as an engine with Docker's interface has them.

use super::subject::never;
use super::{Change, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Fact }

/// The kind whose containers have ports.
const KIND: &str = "docker:container";
/// The address of the host at which the ports of a container are published.
pub const ANYWHERE: &str = "0.0.0.0";

/// Each with the version of the interface, `v1.41`; empty is the engine's own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `Image`.
    Image { reference: String, version: String },
    /// → `Container`.
    Container { name: String, version: String },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// Its id; `None`: the engine has none of this name.
    Image(Option<String>),
    Container(Option<Box<Container>>),
}

/// A container as the engine has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Container {
    pub phase: Phase,
    /// The id of its image, and the name by which it was asked for.
    pub image: String,
    pub image_name: String,
    pub cmd: Vec<String>,
    /// The hash of each `NAME=value`: what a container is told may be secret.
    pub env: Vec<[u8; 32]>,
    /// Sorted.
    pub ports: Vec<Binding>,
}

/// How a container is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Phase {
    Running,
    Paused,
    Restarting,
    /// Created, exited or dead.
    Stopped,
}

/// A port of the host that leads to one of a container.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Binding {
    pub protocol: String,
    pub host: u16,
    pub inside: u16,
}

/// What a container is made of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Spec {
    pub image: String,
    pub cmd: Vec<String>,
    pub env: Vec<String>,
    pub ports: Vec<Binding>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    Pull {
        reference: String,
        version: String,
    },
    RemoveImage {
        reference: String,
        id: String,
        version: String,
    },
    Create {
        name: String,
        spec: Box<Spec>,
        version: String,
    },
    /// Starts it, and goes well once it has run for a moment.
    Start {
        name: String,
        version: String,
    },
    /// It may tidy up for ten seconds.
    Stop {
        name: String,
        now: Phase,
        version: String,
    },
    Unpause {
        name: String,
        version: String,
    },
    Remove {
        name: String,
        version: String,
    },
}

/// What happens to it, to any image, and the coming and going of the engine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Watch {
    Images,
    Container { name: String },
}

impl Phase {
    pub fn word(self) -> &'static str {
        match self {
            Phase::Running => "running",
            Phase::Paused => "paused",
            Phase::Restarting => "restarting",
            Phase::Stopped => "stopped",
        }
    }
}

/// The reference of an image with its tag: `latest` where it has neither tag nor digest. The colon of a port is no tag.
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
    /// What a container is told stands in no words.
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        match self {
            Step::Pull { reference, .. } => write!(f, "pull the image {reference} (is absent)"),
            Step::RemoveImage { reference, id, .. } => {
                write!(f, "remove the image {reference} (is {})", id.get(..12).unwrap_or(id))
            }
            Step::Create { name, spec, .. } => {
                write!(f, "create the container {name} from {} (is absent", spec.image)?;
                let named: Vec<&str> = spec.env.iter().filter_map(|entry| entry.split('=').next()).collect();
                if !named.is_empty() {
                    write!(f, "; sets {}", named.join(", "))?;
                }
                f.write_char(')')
            }
            Step::Start { name, .. } => write!(f, "start the container {name} (is stopped)"),
            Step::Stop { name, now, .. } => write!(f, "stop the container {name} (is {})", now.word()),
            Step::Unpause { name, .. } => write!(f, "let the container {name} go on (is paused)"),
            Step::Remove { name, .. } => write!(f, "remove the container {name}"),
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Step::Pull { reference, .. } | Step::RemoveImage { reference, .. } => vec![Power::Image(reference)],
            Step::Create { name, spec, .. } => {
                let listens = |port: &Binding| Power::Listen(KIND, format!("{ANYWHERE}:{}", port.host).into());
                let own = [Power::Container(name), Power::Image(&spec.image)];
                own.into_iter().chain(spec.ports.iter().map(listens)).collect()
            }
            Step::Start { name, .. }
            | Step::Stop { name, .. }
            | Step::Unpause { name, .. }
            | Step::Remove { name, .. } => vec![Power::Container(name)],
        }
    }

    fn waits(&self) -> bool {
        true
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
    }

    #[test]
    fn a_published_port_listens() {
        let ports = vec![Binding { protocol: "tcp".into(), host: 80, inside: 8080 }];
        let spec = Box::new(Spec { image: "a:1".into(), cmd: Vec::new(), env: Vec::new(), ports });
        let step = Step::Create { name: "web".into(), spec, version: String::new() };
        assert_eq!(step.powers()[2..], [Power::Listen("docker:container", "0.0.0.0:80".into())]);
    }
}
