//! Jobs: carried out and waited for. A start is good when its process has survived it; else it has failed, with the last
//! lines of the unit, and the next one waits ([`Starts`](super::starts::Starts)).

use super::super::Place;
use super::line::Line;
use super::manager::Manager;
use super::starts::May;
use super::{FOREVER, SLOW, ask, at_rest, journal};
use crate::host::Shared;
use mclive_base::vocab::unit::{Active, Job, Unit as Name, UnitState};
use mclive_base::vocab::{HostError, HostErrorKind};
use std::sync::Arc;
use std::time::SystemTime;
use tokio::time::timeout;

/// How a job ended.
enum End {
    Done,
    /// What was started is not up, and why.
    Down(String),
}

pub(super) fn run(at: &Place, unit: &Name, job: Job, now: Active) -> Result<(), HostError> {
    let (line, name) = (at.shared.units.of(unit).clone(), unit.checked()?.to_owned());
    let (is_start, id, began) = (matches!(job, Job::Start | Job::Restart), at.id.clone(), SystemTime::now());
    if is_start {
        may_start(at, &line, &name)?;
    }
    let (to, of) = (line.clone(), name.clone());
    let ended = ask(at, FOREVER, |shared| async move {
        let _hush = is_start.then(|| to.hush(&of));
        let tell = |text: &str| shared.show.line(&id, text);
        let clears = now == Active::Failed && (!is_start || to.starts().clears(&of));
        let ended = carry_out(&to, &shared, &of, job, clears, &tell).await?;
        match ended {
            End::Done if is_start => to.came_up(&shared, &of),
            End::Done => {}
            End::Down(_) => {
                let state = to.link(&shared).await?.state(&of).await?;
                to.stayed_down(&of, state.active.word());
            }
        }
        Ok(ended)
    })?;
    match ended {
        End::Done if is_start => line.started(&name),
        End::Done => {}
        End::Down(why) => {
            let why = match journal::last_lines(at, unit, began) {
                Some(lines) => format!("{why}; its last lines: {lines}"),
                None => {
                    let tool = if unit.session { "journalctl --user" } else { "journalctl" };
                    format!("{why}; `{tool} -u {name}` may say more")
                }
            };
            line.started_in_vain(&name, why.clone());
            may_start(at, &line, &name)?;
            return Err(HostError::new(HostErrorKind::Refused, why));
        }
    }
    Ok(())
}

/// An error while a unit is not to be started: with it, whoever holds the unit looks again when it may be.
fn may_start(at: &Place, line: &Arc<Line>, name: &str) -> Result<(), HostError> {
    let May::Wait { until, why, is_first } = line.may_start(name) else { return Ok(()) };
    if is_first && let Some(shared) = at.shared.me.upgrade() {
        line.look_then(&shared, name, until);
    }
    // No other attempt is made before that moment.
    Err(HostError::new(HostErrorKind::Refused, why))
}

async fn carry_out(
    line: &Arc<Line>,
    shared: &Arc<Shared>,
    name: &str,
    job: Job,
    clears: bool,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<End, HostError> {
    let manager = line.link(shared).await?;
    if clears {
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
    let is_start = matches!(job, Job::Start | Job::Restart);
    match result.as_str() {
        "done" if is_start && name.ends_with(".service") => {
            let state = at_rest(line, shared, name).await?;
            Ok(down(&state).map_or(End::Done, |why| End::Down(format!("{} {name}: {why}", job.word()))))
        }
        "done" => Ok(End::Done),
        "failed" | "timeout" | "dependency" if is_start => {
            Ok(End::Down(why_not(&manager, name, job, &result).await.message))
        }
        result => {
            let error = why_not(&manager, name, job, result).await;
            Err(HostError { message: format!("{}; `journalctl -u {name}` may say more", error.message), ..error })
        }
    }
}

/// Why a service that was started is not up; `None`: it is, or never was to be.
fn down(state: &UnitState) -> Option<String> {
    let is_restarting = state.active == Active::Activating && state.sub.starts_with("auto-restart");
    match state.active {
        Active::Failed => Some(ended(state)),
        Active::Inactive if state.conditions_hold && !state.is_one_shot => Some("it ended at once".to_owned()),
        _ if is_restarting => Some(format!("{}, again and again", ended(state))),
        _ => None,
    }
}

fn ended(state: &UnitState) -> String {
    match state.result.as_str() {
        "exit-code" => format!("its process ended with status {}", state.status),
        "signal" | "core-dump" => format!("its process was ended by signal {}", state.status),
        "start-limit-hit" => "systemd does not start it again so soon: its start limit was hit".to_owned(),
        "success" | "" => "it failed".to_owned(),
        result => format!("it failed ({result})"),
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
        Ok(state) => ended(&state),
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
    HostError::new(kind, format!("{} {name}: {why}", job.word()))
}
