//! Replaces a container by a new one of the same name. The old one is stopped and kept under another name until the new
//! one runs. If anything fails before that, it is put back.

use super::{Engine, LEAVING, PAUSE, other};
use crate::network::http::Method;
use mclive_base::vocab::container::{Phase, Spec, aside, beside, put_back};
use mclive_base::vocab::{HostError, HostErrorKind};
use std::time::Duration;
use tokio::time::Instant;

/// The end of a replacement.
#[derive(PartialEq, Debug)]
pub(in super::super) enum Replaced {
    /// The new container runs.
    ByNew,
    /// The old one is as before, and why.
    Not(HostError),
}

impl Engine {
    pub(in super::super) async fn create(&self, version: &str, name: &str, spec: &Spec) -> Result<(), HostError> {
        self.remove(version, &beside(name)).await?;
        let made = self.make_container(version, name, name, spec).await;
        self.or_as_before(version, name, made).await
    }

    /// Starts a container, and then removes the one before it, which an agent left aside when it was killed.
    pub(in super::super) async fn start_anew(&self, version: &str, name: &str) -> Result<(), HostError> {
        let started = self.start(version, name).await;
        self.or_as_before(version, name, started).await?;
        self.remove(version, &aside(name)).await
    }

    /// If this failed, it was the rest of a replacement whose agent was killed, and the old container is put back. Whether
    /// that one ran is not known: it had the name of one that is to run.
    async fn or_as_before(&self, version: &str, name: &str, done: Result<(), HostError>) -> Result<(), HostError> {
        let Err(error) = done else { return Ok(()) };
        // Without an answer, the first error is the better one.
        match self.inspect(version, &aside(name)).await {
            Ok(Some(_)) => Err(self.undo(version, name, Phase::Running, error).await.unwrap_or_else(|error| error)),
            Ok(None) | Err(_) => Err(error),
        }
    }

    /// After an error, the old container may not be as before.
    pub(in super::super) async fn replace(
        &self,
        version: &str,
        name: &str,
        spec: &Spec,
        old: Phase,
    ) -> Result<Replaced, HostError> {
        if let Err(error) = self.prepare(version, name, spec).await {
            return Ok(Replaced::Not(HostError::new(HostErrorKind::NotBegun, error.message)));
        }
        let (engine, version, place) = (self.clone(), version.to_owned(), name.to_owned());
        // A step that is stopped must not leave the place empty.
        let exchange = tokio::spawn(async move { engine.exchange(&version, &place, old).await });
        exchange.await.unwrap_or_else(|error| Err(other(&format!("replace the container {name}"), &error.to_string())))
    }

    /// Creates the new container, after removing what an agent left that was killed.
    async fn prepare(&self, version: &str, name: &str, spec: &Spec) -> Result<(), HostError> {
        self.remove(version, &beside(name)).await?;
        self.remove(version, &aside(name)).await?;
        self.make_container(version, name, &beside(name), spec).await
    }

    async fn exchange(&self, version: &str, name: &str, old: Phase) -> Result<Replaced, HostError> {
        let Err(error) = self.take_place(version, name, old).await else {
            self.remove(version, &aside(name)).await?;
            return Ok(Replaced::ByNew);
        };
        self.undo(version, name, old, error).await.map(Replaced::Not)
    }

    /// Restores the old container after an error, and mentions that in it. Errors: it could not be restored.
    async fn undo(&self, version: &str, name: &str, old: Phase, error: HostError) -> Result<HostError, HostError> {
        match self.put_back(version, name, old).await {
            Ok(()) => Ok(HostError::new(error.kind, format!("{error} ({})", put_back(old)))),
            Err(why) => {
                let message = format!("{error} (the old container could not be restored: {why})");
                Err(HostError::new(error.kind, message))
            }
        }
    }

    async fn take_place(&self, version: &str, name: &str, old: Phase) -> Result<(), HostError> {
        match old {
            Phase::Stopped => {}
            Phase::Running | Phase::Restarting => self.stop(version, name).await?,
            // Podman does not stop what is paused.
            Phase::Paused => {
                self.unpause(version, name).await?;
                self.stop(version, name).await?;
            }
        }
        let patience = match self.rename(version, name, &aside(name), Duration::ZERO).await {
            Ok(()) => Duration::ZERO,
            // It was to be removed when it stops, and its name becomes free a little later.
            Err(error) if error.kind == HostErrorKind::NotFound => LEAVING,
            Err(error) => return Err(error),
        };
        self.rename(version, &beside(name), name, patience).await?;
        self.start(version, name).await
    }

    /// Undoes [`Self::take_place`], wherever it ended.
    async fn put_back(&self, version: &str, name: &str, old: Phase) -> Result<(), HostError> {
        self.discard(version, &beside(name)).await?;
        if self.inspect(version, &aside(name)).await?.is_some() {
            self.discard(version, name).await?;
            self.rename(version, &aside(name), name, LEAVING).await?;
        }
        if old == Phase::Stopped { Ok(()) } else { self.start(version, name).await }
    }

    /// Removes a new container in any state.
    async fn discard(&self, version: &str, name: &str) -> Result<(), HostError> {
        let what = format!("remove the container {name}");
        self.change(Method::DELETE, version, name, "?force=true", &[200, 204, 404], &what).await
    }

    async fn rename(&self, version: &str, from: &str, to: &str, patience: Duration) -> Result<(), HostError> {
        let what = format!("rename the container {from} to {to}");
        let began = Instant::now();
        loop {
            match self.change(Method::POST, version, from, &format!("/rename?name={to}"), &[204], &what).await {
                // The name of a removed container becomes free a little later.
                Err(error) if error.kind != HostErrorKind::NotFound && began.elapsed() < patience => {}
                renamed => return renamed,
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

#[cfg(test)]
mod tests;
