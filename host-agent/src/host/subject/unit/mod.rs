//! Units: asked and changed over D-Bus on the network's thread, by one connection for the system's manager and one for
//! that of the session.

mod board;
mod line;
mod manager;
mod time;

use super::{Backend, Place, absent};
use crate::host::watch::Listener;
use crate::host::{Host, Shared};
use line::Line;
use manager::Manager;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::unit::{Active, Finding, Job, Probe, Step, Unit as Name, UnitState, Watch};
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome, subjects::Unit};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// For a look, with a connection that may have to be made first. Each question has a limit of its own within.
const LOOK: Duration = Duration::from_secs(100);
/// One that is on its way without a job is waited for so long.
const ON_ITS_WAY: Duration = Duration::from_secs(10);
/// A job that takes longer is told of, again and again.
const SLOW: Duration = Duration::from_secs(10);
/// There is no limit: who wants to stop it does so.
const FOREVER: Duration = Duration::MAX;

/// The managers of systemd that this agent can speak with.
pub(in crate::host) struct Units {
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

    pub(in crate::host) fn leave(&self, ticket: Ticket) {
        self.system.leave(ticket);
        self.session.leave(ticket);
    }
}

impl Backend for Unit {
    absent! { fact }

    fn probe(at: &Place, probe: &Probe) -> Result<Finding, HostError> {
        match probe {
            Probe::State { unit, settled } => {
                let (line, name) = (at.shared.units.of(unit).clone(), unit.checked()?.to_owned());
                let (limit, settled) = (if *settled { FOREVER } else { LOOK }, *settled);
                ask(at, limit, |shared| async move {
                    if settled {
                        return at_rest(&line, &shared, &name).await;
                    }
                    line.link(&shared).await?.state(&name).await
                })
                .map(Finding::State)
            }
            Probe::Time { trigger, time } => time::complaint(at, trigger, time).map(Finding::Time),
        }
    }

    fn step(at: &Place, step: &Step) -> Result<Outcome, HostError> {
        match step.clone() {
            Step::Enable { unit, enable, now } => {
                let (line, name) = (at.shared.units.of(&unit).clone(), unit.checked()?.to_owned());
                ask(at, FOREVER, |shared| async move {
                    let manager = line.link(&shared).await?;
                    manager.enable(&name, enable, &now).await?;
                    line.reload(&manager).await
                })?;
            }
            Step::ReloadManager { unit } => {
                let line = at.shared.units.of(&unit).clone();
                ask(at, FOREVER, |shared| async move {
                    let manager = line.link(&shared).await?;
                    line.reload(&manager).await
                })?;
            }
            Step::Job { unit, job, now } => {
                let (line, name) = (at.shared.units.of(&unit).clone(), unit.checked()?.to_owned());
                let id = at.id.clone();
                ask(at, FOREVER, |shared| async move {
                    let tell = |text: &str| shared.show.line(&id, text);
                    carry_out(&line, &shared, &name, job, now, &tell).await
                })?;
            }
        }
        Ok(Outcome::Done)
    }

    /// In place when the manager has said so; until it is there, the socket of its bus is watched.
    fn watch(host: &mut Host, ticket: Ticket, Watch { unit }: &Watch) -> Result<(), HostError> {
        let (line, name) = (host.shared.units.of(unit).clone(), unit.checked()?);
        host.shared.watcher.add(Listener(ticket.0), &line.door().to_string_lossy(), false);
        host.awaits(ticket);
        line.hold(&host.shared, ticket, name)
    }
}

fn ask<T: Send + 'static, F: Future<Output = Result<T, HostError>> + Send + 'static>(
    at: &Place,
    limit: Duration,
    question: impl FnOnce(Arc<Shared>) -> F,
) -> Result<T, HostError> {
    let gone = || HostError::new(HostErrorKind::Cancelled, "the agent ends");
    let shared = at.shared.me.upgrade().ok_or_else(gone)?;
    at.running.ask(&at.shared.network, limit, question(shared))
}

/// Waits while a job is under way, and a while for what has none.
async fn at_rest(line: &Arc<Line>, shared: &Arc<Shared>, name: &str) -> Result<UnitState, HostError> {
    let began = Instant::now();
    // What happens after a look is not missed.
    let mut moves = line.moves();
    loop {
        let state = line.link(shared).await?.state(name).await?;
        let left = ON_ITS_WAY.saturating_sub(began.elapsed());
        match (state.has_job, state.active.is_passing()) {
            // A bus that has too much to carry drops signals.
            (true, _) => drop(timeout(SLOW, moves.changed()).await),
            (false, true) if !left.is_zero() => drop(timeout(left, moves.changed()).await),
            (false, _) => return Ok(state),
        }
    }
}

async fn carry_out(
    line: &Arc<Line>,
    shared: &Arc<Shared>,
    name: &str,
    job: Job,
    now: Active,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<(), HostError> {
    let manager = line.link(shared).await?;
    if now == Active::Failed {
        manager.reset_failed(name).await?;
    }
    let path = manager.begin(name, job).await?;
    let mut ended = line.job_end(&path);
    let result = loop {
        match timeout(SLOW, &mut ended).await {
            Ok(Ok(result)) => break result,
            Ok(Err(_)) => {
                let why = format!("{} {name}: systemd went away before it was done", job.word());
                return Err(HostError::new(HostErrorKind::Other, why));
            }
            Err(_) => match end_by_state(&manager, name, job).await {
                Some(result) => break result.to_owned(),
                None => tell(&format!("{} of {name} is slow ...", job.word())),
            },
        }
    };
    match result.as_str() {
        "done" => Ok(()),
        result => Err(why_not(&manager, name, job, result).await),
    }
}

/// How a job ended whose end the bus did not tell, by what its unit is now; `None` while there is a job.
async fn end_by_state(manager: &Manager, name: &str, job: Job) -> Option<&'static str> {
    let state = manager.state(name).await.ok().filter(|state| !state.has_job)?;
    let is_up = state.active == Active::Active || state.active.is_passing();
    let has_run = state.is_one_shot && state.active == Active::Inactive && state.result == "success";
    let is_good = match job {
        Job::Start | Job::Restart => is_up || has_run || !state.conditions_hold,
        Job::Stop => !is_up,
        Job::TryRestart | Job::ReloadOrTryRestart => state.active != Active::Failed,
    };
    Some(if is_good { "done" } else { "failed" })
}

/// Why a job did not end well, in words.
async fn why_not(manager: &Manager, name: &str, job: Job, result: &str) -> HostError {
    let failed = match manager.state(name).await {
        Ok(state) => match state.result.as_str() {
            "exit-code" => format!("its process ended with status {}", state.status),
            "success" | "" => "it failed".to_owned(),
            result => format!("it failed ({result})"),
        },
        Err(_) => "it failed".to_owned(),
    };
    let (kind, why) = match result {
        "canceled" => (HostErrorKind::Cancelled, "the operation was cancelled".to_owned()),
        "timeout" => (HostErrorKind::TimedOut, "the operation timed out".to_owned()),
        "dependency" => (HostErrorKind::Other, "a unit that it depends on failed".to_owned()),
        "skipped" => (HostErrorKind::Other, "it was skipped".to_owned()),
        "failed" => (HostErrorKind::Other, failed),
        other => (HostErrorKind::Other, format!("systemd says `{other}`")),
    };
    HostError::new(kind, format!("{} {name}: {why}; `journalctl -u {name}` may say more", job.word()))
}
