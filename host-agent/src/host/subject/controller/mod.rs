//! Management controllers, over the network, on the thread of the network. A step is finished when the controller
//! reports the new state.

mod redfish;
mod rpc;

use super::{Backend, Context, SubjectState, absent};
use crate::host::fs;
use crate::host::{Host, Shared};
use crate::lock::Mutex;
use crate::network::http::Trust;
use crate::network::http::talk::{self, Answer, Message};
use mclive_base::hash::sha256;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::controller::{Controller, Finding, Language, Probe, Step};
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome, subjects};
use redfish::Redfish;
use rpc::Rpc;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The limit of a probe.
const LIMIT: Duration = Duration::from_secs(100);
/// How long a machine may take to turn on or off, and how often to poll.
const TO_TURN: Duration = Duration::from_secs(60);
const BETWEEN: Duration = Duration::from_secs(2);
/// The request is repeated if it had no effect for this long.
const AGAIN: Duration = Duration::from_secs(10);
/// How long a controller that restarts may answer that its service is not there yet.
const TO_RETURN: Duration = Duration::from_secs(60);
/// How long a controller may take to receive an image, install it and restart.
const TO_INSTALL: Duration = Duration::from_secs(45 * 60);
/// The maximum size of an image. Units: bytes.
const LARGEST: u64 = 512 << 20;

/// Blocks of power changes, by the name of the resource that would make them.
#[derive(Default)]
pub(super) struct Blocks(Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<()>>>>);

impl Blocks {
    fn of(&self, name: &str) -> Arc<tokio::sync::Mutex<()>> {
        self.0.lock().entry(name.to_owned()).or_default().clone()
    }
}

impl SubjectState for Blocks {}

impl Backend for subjects::Controller {
    type State = Blocks;
    absent! { watch fact }

    fn probe(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
        match probe.clone() {
            Probe::Power(controller) => {
                let asked = async move { power(&controller).await.map(Finding::Power) };
                at.running.ask(&at.shared.network, LIMIT, asked)
            }
            Probe::Firmware(controller) => {
                let asked = async move { Redfish::new(&controller).firmware().await.map(Finding::Firmware) };
                at.running.ask(&at.shared.network, LIMIT, asked)
            }
        }
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        match step.clone() {
            Step::Power { controller, on, .. } => {
                let block = at.shared.subjects.controller.of(&at.id.name);
                let turned = async move {
                    let _held = block.lock().await;
                    turn(&controller, on).await
                };
                at.running.ask(&at.shared.network, TO_INSTALL + TO_TURN + LIMIT, turned)?;
            }
            Step::Install { controller, file, hash, version, block, .. } => {
                let image = fs::read_file(at.shared.policy.reads(), &file, LARGEST)?;
                if sha256(&image) != hash {
                    let why = format!("{file} has changed since it was checked");
                    return Err(HostError::new(HostErrorKind::NotFound, why));
                }
                let block = (!block.is_empty()).then(|| at.shared.subjects.controller.of(&block));
                let installed = async move {
                    let _held = match &block {
                        Some(block) => Some(block.lock().await),
                        None => None,
                    };
                    let name = file.rsplit('/').next().unwrap_or_default();
                    Redfish::new(&controller).install(name, image, &version, Instant::now() + TO_INSTALL).await
                };
                at.running.ask(&at.shared.network, TO_INSTALL + TO_TURN + LIMIT, installed)?;
            }
        }
        Ok(Outcome::Done)
    }
}

/// A request to a controller with a certificate that is trusted.
async fn say(controller: &Controller, message: Message) -> Result<Answer, HostError> {
    let place = controller.place();
    let failed = |why: String| HostError::new(HostErrorKind::Other, format!("{place}: {why}"));
    let trust = match controller.pinned().map_err(failed)? {
        Some(sha256) => Some(Trust::pinned(sha256).map_err(failed)?),
        None => None,
    };
    let is_pinned = trust.is_some();
    talk::say(None, Message { trust, ..message }).await.map_err(|error| {
        if is_pinned || !error.message.contains("certificate") {
            return error;
        }
        let help = "to trust this certificate alone, add its fingerprint to the resource name: `#sha256=…`";
        HostError::new(error.kind, format!("{}; {help}", error.message))
    })
}

/// Whether an answer means that the web server runs, but not its management service. After a restart the web server is
/// often back before the rest.
fn is_away(answer: &Answer) -> bool {
    matches!(answer.status.as_u16(), 502..=504)
}

/// The error of an answer that [`is_away`], also after it was waited for.
fn away(place: &str, answer: &Answer) -> HostError {
    let why = format!("the controller returned {}: its management service does not respond", answer.status);
    HostError::new(HostErrorKind::Unavailable, format!("{place}: {why}"))
}

async fn power(controller: &Controller) -> Result<String, HostError> {
    match controller.language {
        Language::Redfish => Redfish::new(controller).power().await,
        Language::Rpc => Rpc::new(controller).power().await,
    }
}

/// Turns a machine on or off unless that is in progress, and waits for it.
async fn turn(controller: &Controller, on: bool) -> Result<(), HostError> {
    let word = if on { "on" } else { "off" };
    let until = Instant::now() + TO_TURN;
    let mut asked: Option<Instant> = None;
    loop {
        let now = power(controller).await?;
        if now == word {
            return Ok(());
        }
        // While it changes to the other state it ignores requests.
        if asked.is_none_or(|asked| asked.elapsed() > AGAIN) && !now.starts_with("powering") {
            let turned = match controller.language {
                Language::Redfish => Redfish::new(controller).reset(on).await,
                Language::Rpc => Rpc::new(controller).turn(word).await,
            };
            match turned {
                // The state shows whether it had an effect.
                Err(error) if error.kind == HostErrorKind::Unavailable && Instant::now() < until => {}
                turned => turned?,
            }
            asked = Some(Instant::now());
        }
        if Instant::now() >= until {
            let (address, seconds) = (controller.place(), TO_TURN.as_secs());
            let why = format!("{address}: the machine is still {now} after {seconds} s, not {word}");
            return Err(HostError::new(HostErrorKind::TimedOut, why));
        }
        tokio::time::sleep(BETWEEN).await;
    }
}
