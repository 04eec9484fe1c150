//! [`Containers`]: a container engine on a simulated host, and its registry.

use crate::gather::Boxed;
use crate::subject::SubjectState;
use crate::vocab::container::{Container, Phase, Spec, aside, put_back};
use crate::vocab::{HostError, HostErrorKind};
use std::collections::{BTreeMap, BTreeSet};

/// The image of containers that are added by hand: reference and id.
const IMAGE: (&str, &str) = ("busybox:latest", "b0b0b0b0b0b0b0b0");

/// A container engine.
#[derive(Clone, Default)]
pub struct Containers {
    /// Whether it is missing or stopped.
    pub are_gone: bool,
    /// The ids of images in the registry, by reference.
    pub registry: BTreeMap<String, String>,
    /// The ids of local images, by reference.
    pub images: BTreeMap<String, String>,
    /// The containers by name.
    pub all: Boxed<String, Container>,
    /// Ids of images whose containers exit immediately.
    pub crash: BTreeSet<String>,
}

impl SubjectState for Containers {
    fn of_new_host(_: &str) -> Containers {
        Containers::default()
    }

    fn n_entries(&self) -> usize {
        self.images.len() + self.all.len()
    }
}

impl Containers {
    /// Errors: there is no engine.
    pub(super) fn engine(&mut self) -> Result<&mut Containers, HostError> {
        let why = "no container engine is running: install the package `docker.io`, or `podman`";
        if self.are_gone { Err(HostError::new(HostErrorKind::Unavailable, why)) } else { Ok(self) }
    }

    pub(super) fn pull(&mut self, reference: &str) -> Result<(), HostError> {
        let id = self
            .registry
            .get(reference)
            .ok_or_else(|| failed(format!("pull the image {reference}: manifest unknown")))?;
        self.images.insert(reference.to_owned(), id.clone());
        Ok(())
    }

    pub(super) fn remove_image(&mut self, reference: &str) -> Result<(), HostError> {
        let id = self.images.get(reference);
        let user = self.all.iter().find(|(_, container)| Some(&container.image) == id);
        if let Some((user, _)) = user {
            return Err(failed(format!("remove the image {reference}: it is in use by the container {user}")));
        }
        self.images.remove(reference);
        Ok(())
    }

    /// Creates a container by hand, like `docker create`.
    pub fn create(&mut self, name: &str, spec: &Spec) -> Result<(), HostError> {
        let Some(id) = self.images.get(&spec.image) else {
            return Err(failed(format!("create the container {name}: no such image: {}", spec.image)));
        };
        let made = Container {
            phase: Phase::Stopped,
            image: id.clone(),
            image_name: spec.image.clone(),
            cmd: spec.cmd.clone(),
            env: spec.env.iter().map(|entry| mclive_base::hash::sha256(entry.as_bytes())).collect(),
            ports: spec.ports.clone(),
        };
        self.all.insert(name.to_owned(), Box::new(made));
        Ok(())
    }

    /// Replaces a container with a new one that runs; if that fails, the old one is restored.
    pub(super) fn replace(&mut self, name: &str, spec: &Spec) -> Result<(), HostError> {
        let old = self.all.get(name).cloned();
        self.create(name, spec).map_err(|error| HostError::new(HostErrorKind::NotBegun, error.message))?;
        let Err(mut error) = self.set(name, Phase::Running) else { return Ok(()) };
        if let Some(mut old) = old {
            error.message = format!("{error} ({})", put_back(old.phase));
            if old.phase != Phase::Stopped {
                old.phase = Phase::Running;
            }
            self.all.insert(name.to_owned(), old);
        }
        Err(error)
    }

    /// Starts a container. If that fails, one that an interrupted replacement left aside is put back.
    pub(super) fn start(&mut self, name: &str) -> Result<(), HostError> {
        let Err(mut error) = self.set(name, Phase::Running) else { return Ok(()) };
        if let Some(mut old) = self.all.remove(&aside(name)) {
            error.message = format!("{error} ({})", put_back(Phase::Running));
            old.phase = Phase::Running;
            self.all.insert(name.to_owned(), old);
        }
        Err(error)
    }

    /// Creates and starts a container by hand, like `docker run`. Errors: the name is invalid.
    pub(super) fn run(&mut self, name: &str) -> Result<(), HostError> {
        let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        if name.len() < 2
            || !name.starts_with(|first: char| first.is_ascii_alphanumeric())
            || !name.bytes().all(is_valid)
        {
            let rule = "at least two letters, digits, `_`, `.` and `-`, beginning with a letter or digit";
            let message = format!("`{name}` is not a valid container name: {rule}");
            return Err(HostError::new(HostErrorKind::Other, message));
        }
        self.images.entry(IMAGE.0.to_owned()).or_insert_with(|| IMAGE.1.to_owned());
        let image = IMAGE.0.to_owned();
        self.create(name, &Spec { image, cmd: Vec::new(), env: Vec::new(), ports: Vec::new() })?;
        self.set(name, Phase::Running)
    }

    /// Sets the phase of an existing container.
    pub fn set(&mut self, name: &str, phase: Phase) -> Result<(), HostError> {
        let Some(container) = self.all.get_mut(name) else { return Ok(()) };
        if phase == Phase::Running && self.crash.contains(&container.image) {
            return Err(failed(format!(
                "start the container {name}: it exited immediately with status 1 and no output"
            )));
        }
        container.phase = phase;
        Ok(())
    }
}

fn failed(why: String) -> HostError {
    HostError::new(HostErrorKind::Other, why)
}
