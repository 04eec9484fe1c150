//! Machines of cloud providers, over their APIs, on the network's thread.
//!
//! A step is finished when the cloud reports the requested state of the machine.

mod ec2;
mod hetzner;

use super::{Backend, Context, absent, refused};
use crate::host::{Host, Shared};
use ec2::Ec2;
use hetzner::Hetzner;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::cloud::{Cloud, Finding, Found, Machine, Probe, Stand, Step, Wait};
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome, Power, subjects};
use std::time::{Duration, Instant};

/// The limit of a probe, which includes pauses that the cloud asks for.
const LIMIT: Duration = Duration::from_secs(100);
/// The shortest time between two requests.
const SHORTEST: Duration = Duration::from_millis(250);

impl Backend for subjects::Cloud {
    type State = ();
    absent! { watch fact }

    fn probe(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
        let network = &at.shared.network;
        match probe.clone() {
            Probe::Machine(Machine { cloud: Cloud::Hetzner { token }, name }) => {
                let hetzner = Hetzner::new(at.shared, &token)?;
                at.running.ask(network, LIMIT, async move { hetzner.find(&name).await }).map(Finding::Machine)
            }
            Probe::Machine(Machine { cloud: Cloud::Ec2 { region }, name }) => {
                let ec2 = Ec2::new(at.shared, &region)?;
                at.running.ask(network, LIMIT, async move { ec2.find(&name).await }).map(Finding::Machine)
            }
            Probe::Image { cloud: Cloud::Ec2 { region }, image } => {
                let ec2 = Ec2::new(at.shared, &region)?;
                at.running.ask(network, LIMIT, async move { ec2.has_image(&image).await }).map(Finding::Image)
            }
            Probe::Image { cloud: Cloud::Hetzner { token }, image } => {
                let hetzner = Hetzner::new(at.shared, &token)?;
                at.running.ask(network, LIMIT, async move { hetzner.has_image(&image).await }).map(Finding::Image)
            }
            Probe::ServerType { token, name, place } => {
                let hetzner = Hetzner::new(at.shared, &token)?;
                let asked = async move { hetzner.has_server_type(&name, &place).await };
                at.running.ask(network, LIMIT, asked).map(Finding::Offered)
            }
            Probe::Place { token, name } => {
                let hetzner = Hetzner::new(at.shared, &token)?;
                at.running.ask(network, LIMIT, async move { hetzner.has_place(&name).await }).map(Finding::Offered)
            }
        }
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        let patience = Patience::of(step.wait);
        let (limit, owned) = (patience.limit + LIMIT, step.clone());
        match &step.machine.cloud {
            Cloud::Hetzner { token } => {
                let hetzner = Hetzner::new(at.shared, token)?;
                at.running.ask(&at.shared.network, limit, async move { hetzner.act(&owned, patience).await })?;
            }
            Cloud::Ec2 { region } => {
                let ec2 = Ec2::new(at.shared, region)?;
                at.running.ask(&at.shared.network, limit, async move { ec2.act(&owned, patience).await })?;
            }
        }
        Ok(Outcome::Done)
    }
}

/// The address of an API; a variable of the environment can replace it. The policy judges either.
fn address(shared: &Shared, usual: String, variables: &[&str]) -> Result<String, HostError> {
    let told = variables.iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    let address = told.unwrap_or(usual);
    shared.policy.power(&Power::Ask((&*address).into())).map_err(refused)?;
    Ok(address.trim_end_matches('/').to_owned())
}

/// The error for an infinite list: its first pages are not the whole list.
fn endless(what: &str, n_pages: u64) -> HostError {
    HostError::new(HostErrorKind::Other, format!("{what}: the list has more than {n_pages} pages"))
}

/// How long to wait for a change that a cloud has accepted.
#[derive(Clone, Copy)]
struct Patience {
    interval: Duration,
    limit: Duration,
    began: Instant,
}

impl Patience {
    fn of(wait: Wait) -> Patience {
        let interval = Duration::from_millis(wait.interval_ms).max(SHORTEST);
        Patience { interval, limit: Duration::from_millis(wait.limit_ms), began: Instant::now() }
    }

    /// Half of the remaining time.
    fn half(self) -> Patience {
        Patience { limit: self.began.elapsed() + self.left() / 2, ..self }
    }

    fn left(&self) -> Duration {
        self.limit.saturating_sub(self.began.elapsed())
    }

    /// Waits until the next request. Errors: what did not happen in time.
    async fn pause(&self, what: impl FnOnce() -> String) -> Result<(), HostError> {
        if self.left().is_zero() {
            let why = format!("{} after {} s", what(), self.limit.as_secs());
            return Err(HostError::new(HostErrorKind::TimedOut, why));
        }
        tokio::time::sleep(self.interval.min(self.left())).await;
        Ok(())
    }
}

/// The requested state of a machine.
#[derive(Clone, Copy, PartialEq)]
enum Goal {
    Is(Stand),
    Settled,
    Gone,
}

impl Goal {
    fn is_reached(self, found: Option<&Found>) -> bool {
        match (self, found) {
            (Goal::Is(state), Some(found)) => found.state == state,
            (Goal::Is(_), None) => false,
            (Goal::Settled, found) => found.is_none_or(|found| found.state != Stand::Passing),
            (Goal::Gone, found) => found.is_none(),
        }
    }

    /// Whether a machine has reached it. If not, this returns when it is time to look again. `machine` is its name in
    /// an error.
    async fn is_reached_now(self, found: Option<Found>, machine: &str, patience: Patience) -> Result<bool, HostError> {
        if self.is_reached(found.as_ref()) {
            return Ok(true);
        }
        let word = found.map_or("gone".to_owned(), |found| found.word);
        patience.pause(|| format!("{machine} is still {word}")).await?;
        Ok(false)
    }
}
