//! Jobs: started and awaited. A start has succeeded when its process survives it; otherwise it has failed, and the
//! error contains the unit's last log lines ([`Starts`](super::starts::Starts)).

use super::super::Context;
use super::line::Line;
use super::manager::Manager;
use super::starts::May;
use super::{FOREVER, LOOK, SLOW, ask, at_rest, journal};
use crate::host::Shared;
use mclive_base::vocab::unit::{Active, Job, Unit as Name, UnitState};
use mclive_base::vocab::{HostError, HostErrorKind};
use std::sync::Arc;
use std::time::SystemTime;
use tokio::time::timeout;

/// The result of a unit that was started too often within a short time.
const START_LIMIT: &str = "start-limit-hit";

/// The outcome of a job.
enum End {
    Done,
    /// The started unit is not running, and why.
    Down(String),
}

pub(super) fn run(at: &Context, unit: &Name, job: Job, now: Active) -> Result<(), HostError> {
    let (line, name) = (at.shared.subjects.unit.of(unit).clone(), unit.checked()?.to_owned());
    let (is_start, id, began) = (starts(job, now), at.id.clone(), SystemTime::now());
    if job == Job::Start && name.ends_with(".service") {
        may_start(at, &line, unit, &name)?;
    }
    let of = name.clone();
    let ended = ask(at, unit, FOREVER, move |line, shared| {
        let (of, id) = (of.clone(), id.clone());
        async move {
            let _hush = is_start.then(|| line.hush(&of));
            let tell = |text: &str| shared.show.line(&id, text);
            // The limit counts the starts of others as well, and those of an agent before this one.
            let clears = if is_start { line.clears(&of) } else { now == Active::Failed };
            let ended = carry_out(&line, &shared, &of, (job, is_start), clears, &tell).await?;
            match ended {
                End::Done if is_start => line.came_up(&shared, &of),
                End::Done => {}
                End::Down(_) => {
                    let state = line.link(&shared).await?.state(&of).await?;
                    line.stayed_down(&of, state.active.word());
                }
            }
            Ok(ended)
        }
    })?;
    match ended {
        End::Done if job == Job::Start => line.start_survived(&name),
        End::Done => {}
        End::Down(why) => {
            let n_failed = line.start_failed(&name);
            let times = if n_failed > 1 { format!(" ({n_failed} failed starts in a row)") } else { String::new() };
            let why = format!("{} {name}: {why}{times}{}", job.word(), last_words(at, unit, began));
            look_when_rested(at, &line, &name);
            return Err(HostError::new(HostErrorKind::Other, why));
        }
    }
    Ok(())
}

/// Whether a unit in this state is running after the job.
fn starts(job: Job, now: Active) -> bool {
    match job {
        Job::Start | Job::Restart => true,
        Job::TryRestart | Job::ReloadOrTryRestart => matches!(now, Active::Active | Active::Reloading),
        Job::Stop => false,
    }
}

/// An error while a service that ends soon after each start rests. Its holders check again after the rest, and no other
/// attempt is made before.
fn may_start(at: &Context, line: &Arc<Line>, unit: &Name, name: &str) -> Result<(), HostError> {
    let May::Wait { n_starts, since } = line.may_start(name) else { return Ok(()) };
    let of = name.to_owned();
    let state = ask(at, unit, LOOK, move |line, shared| {
        let of = of.clone();
        async move { line.link(&shared).await?.state(&of).await }
    })?;
    let ended = match state.active {
        Active::Failed => format!(": {}", ended(&state)),
        _ => String::new(),
    };
    look_when_rested(at, line, name);
    let words = last_words(at, unit, since);
    let why = format!("start {name}: it exited shortly after each of {n_starts} starts{ended}{words}");
    Err(HostError::new(HostErrorKind::Refused, why))
}

fn look_when_rested(at: &Context, line: &Arc<Line>, name: &str) {
    if let Some(shared) = at.shared.me.upgrade() {
        line.look_when_rested(&shared, name);
    }
}

/// The last log lines of a unit since a moment, or where to find them.
fn last_words(at: &Context, unit: &Name, since: SystemTime) -> String {
    match journal::last_lines(at, unit, since) {
        Some(lines) => format!("; last log lines: {lines}"),
        None => {
            let tool = if unit.session { "journalctl --user" } else { "journalctl" };
            format!("; for details, see `{tool} -u {}`", unit.name)
        }
    }
}

async fn carry_out(
    line: &Arc<Line>,
    shared: &Arc<Shared>,
    name: &str,
    (job, is_start): (Job, bool),
    clears: bool,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<End, HostError> {
    let mut manager = line.link(shared).await?;
    if clears {
        manager.reset_failed(name).await?;
    }
    let room = line.room_for_job().await;
    let path = manager.begin(name, job).await?;
    let mut ended = line.job_end(&path);
    let result = loop {
        let heard = timeout(SLOW, &mut ended).await;
        if let Ok(Ok(result)) = heard {
            break result;
        }
        if heard.is_ok() {
            ended = line.job_end(&path);
        }
        // The manager continues its jobs, but its signals about this one may be lost: with a connection that broke, be it
        // before anything waited for them, or because the bus had no manager then.
        let back = line.answered(|| line.link(shared)).await;
        manager = back.map_err(|error| {
            let why = format!("{} {name}: systemd exited before it finished", job.word());
            HostError::new(HostErrorKind::Other, format!("{why}: {}", error.message))
        })?;
        if let Some(result) = end_by_state(&manager, name, job).await {
            break result.to_owned();
        }
        if heard.is_err() {
            tell(&format!("{} of {name} is still in progress ...", job.word()));
        }
    };
    drop(room);
    match result.as_str() {
        "done" if is_start && name.ends_with(".service") => {
            let state = at_rest(line, shared, name).await?;
            Ok(down(&state).map_or(End::Done, End::Down))
        }
        "done" => Ok(End::Done),
        "failed" | "timeout" | "dependency" if is_start => {
            Ok(End::Down(why_not(&manager, name, &result).await.message))
        }
        result => {
            let error = why_not(&manager, name, result).await;
            let message = format!("{} {name}: {}; for details, see `journalctl -u {name}`", job.word(), error.message);
            Err(HostError { message, ..error })
        }
    }
}

/// Why a service that was started is not up; `None`: it is, or never was to be.
fn down(state: &UnitState) -> Option<String> {
    let is_restarting = state.active == Active::Activating && state.sub.starts_with("auto-restart");
    match state.active {
        Active::Failed => Some(ended(state)),
        Active::Inactive if state.conditions_hold && !state.is_one_shot => Some("it exited immediately".to_owned()),
        _ if is_restarting => Some(format!("{}, repeatedly", ended(state))),
        _ => None,
    }
}

fn ended(state: &UnitState) -> String {
    match state.result.as_str() {
        "exit-code" => format!("its process exited with status {}", state.status),
        "signal" | "core-dump" => format!("its process was killed by signal {}", state.status),
        START_LIMIT => "systemd refuses to restart it: its start limit was reached".to_owned(),
        "success" | "" => "it failed".to_owned(),
        result => format!("it failed ({result})"),
    }
}

/// The outcome of a job whose end the bus did not report, from the unit's current state; `None` while there is a job.
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

/// Why a job failed, in words.
async fn why_not(manager: &Manager, name: &str, result: &str) -> HostError {
    let failed = match manager.state(name).await {
        Ok(state) => ended(&state),
        Err(_) => "it failed".to_owned(),
    };
    let (kind, why) = match result {
        "canceled" => (HostErrorKind::Cancelled, "the operation was canceled".to_owned()),
        "timeout" => (HostErrorKind::TimedOut, "the operation timed out".to_owned()),
        "dependency" => (HostErrorKind::Other, "a unit that it depends on failed".to_owned()),
        "skipped" => (HostErrorKind::Other, "it was skipped".to_owned()),
        "failed" => (HostErrorKind::Other, failed),
        other => (HostErrorKind::Other, format!("systemd reported `{other}`")),
    };
    HostError::new(kind, why)
}
