//! Units: read and changed over D-Bus on the network's thread, with one connection to the system's manager and one to
//! that of the session.

mod board;
mod files;
mod job;
mod journal;
mod line;
mod lost;
mod manager;
mod starts;
mod time;

use super::{Backend, Context, SubjectState, absent};
use crate::host::watch::Listener;
use crate::host::{Host, Shared};
use line::Line;
use manager::Seen;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::unit::{Finding, Load, Probe, Step, Unit as Name, UnitState, Watch};
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome, subjects::Unit};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// The limit of a probe, including the connection. Each request has a separate limit.
const LOOK: Duration = Duration::from_secs(100);
/// How long to wait for a unit that changes its state without a job.
const ON_ITS_WAY: Duration = Duration::from_secs(10);
/// A job that takes longer is reported, repeatedly.
const SLOW: Duration = Duration::from_secs(10);
/// No limit: it can be stopped.
const FOREVER: Duration = Duration::MAX;

/// The systemd managers that this agent can use.
pub(super) struct Units {
    system: Arc<Line>,
    session: Arc<Line>,
}

impl Default for Units {
    fn default() -> Units {
        Units { system: Arc::new(Line::new(false)), session: Arc::new(Line::new(true)) }
    }
}

impl Units {
    fn of(&self, unit: &Name) -> &Arc<Line> {
        if unit.session { &self.session } else { &self.system }
    }
}

impl SubjectState for Units {
    fn leave(&self, _: &Arc<Shared>, ticket: Ticket) {
        self.system.leave(ticket);
        self.session.leave(ticket);
    }
}

impl Backend for Unit {
    type State = Units;
    absent! { fact }

    fn probe(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
        match probe {
            Probe::State { unit, settled } => {
                let (name, settled) = (unit.checked()?.to_owned(), *settled);
                ask(at, unit, if settled { FOREVER } else { LOOK }, move |line, shared| {
                    let name = name.clone();
                    async move {
                        let mut state = if settled {
                            at_rest(&line, &shared, &name).await?
                        } else {
                            let Seen { mut state, unproven } = line.link(&shared).await?.look(&name).await?;
                            state.has_job |= !unproven.is_zero();
                            state
                        };
                        state.is_stale |= matches!(state.load, Load::Bad(_)) && line.has_another_file(&name);
                        Ok(state)
                    }
                })
                .map(Finding::State)
            }
            Probe::Time { trigger, time } => time::complaint(at, trigger, time).map(Finding::Time),
        }
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        match step.clone() {
            Step::Enable { unit, enable, now } => {
                let name = unit.checked()?.to_owned();
                ask(at, &unit, FOREVER, move |line, shared| {
                    let (name, now) = (name.clone(), now.clone());
                    async move {
                        let manager = line.link(&shared).await?;
                        manager.enable(&name, enable, &now).await?;
                        line.reload(&manager).await
                    }
                })?;
            }
            Step::ReloadManager { unit } => {
                at.shared.subjects.unit.of(&unit).reads_file(unit.checked()?);
                reload(at, &unit)?;
            }
            Step::Job { unit, job, now } => job::run(at, &unit, job, now)?,
        }
        Ok(Outcome::Done)
    }

    /// In place when the manager has confirmed it; until it is there, the socket of its bus is watched.
    fn watch(host: &mut Host, ticket: Ticket, Watch { unit }: &Watch) -> Result<(), HostError> {
        let (line, name) = (host.shared.subjects.unit.of(unit).clone(), unit.checked()?);
        host.shared.watcher.add(Listener(ticket.0), &line.door().to_string_lossy(), false);
        host.awaits(ticket);
        line.hold(&host.shared, ticket, name)
    }
}

/// Makes the manager of a unit reload all files.
pub(super) fn reload(at: &Context, unit: &Name) -> Result<(), HostError> {
    ask(at, unit, FOREVER, |line, shared| async move {
        let manager = line.link(&shared).await?;
        line.reload(&manager).await
    })
}

/// Asks the manager of a unit, again if the question is lost.
fn ask<T: Send + 'static, F: Future<Output = Result<T, HostError>> + Send + 'static>(
    at: &Context,
    unit: &Name,
    limit: Duration,
    question: impl Fn(Arc<Line>, Arc<Shared>) -> F + Send + Sync + 'static,
) -> Result<T, HostError> {
    let gone = || HostError::new(HostErrorKind::Cancelled, "the agent is stopping");
    let shared = at.shared.me.upgrade().ok_or_else(gone)?;
    let line = at.shared.subjects.unit.of(unit).clone();
    let answered = async move { line.answered(|| question(line.clone(), shared.clone())).await };
    at.running.ask(&at.shared.network, limit, answered)
}

/// Waits while a job is in progress, and a while for a unit that changes without a job or has just started.
async fn at_rest(line: &Arc<Line>, shared: &Arc<Shared>, name: &str) -> Result<UnitState, HostError> {
    let began = Instant::now();
    // Subscribed before the check, so that no change is missed.
    let mut moves = line.moves();
    loop {
        let Seen { state, unproven } = line.link(shared).await?.look(name).await?;
        let left = ON_ITS_WAY.saturating_sub(began.elapsed());
        match (state.has_job, state.active.is_passing()) {
            // An overloaded bus drops signals.
            (true, _) => drop(timeout(SLOW, moves.changed()).await),
            (false, true) if !left.is_zero() => drop(timeout(left, moves.changed()).await),
            // Changes of other units are ignored: thousands may start at once.
            (false, false) if !unproven.is_zero() => sleep(unproven).await,
            (false, _) => return Ok(state),
        }
    }
}
