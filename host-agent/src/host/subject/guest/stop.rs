//! Stops a machine, also one that does not answer. systemd kills the processes of its unit after a limit, which units
//! usually have; those of a unit without a limit are killed here.

use super::super::{Backend, Context};
use super::{MACHINED, MANAGER};
use crate::host::Shared;
use crate::host::bus::{self, Daemon};
use crate::host::running::Running;
use crate::network::bus::{OwnedObjectPath, OwnedVariant, read};
use mclive_base::protocol::ResourceId;
use mclive_base::vocab::subjects::Unit;
use mclive_base::vocab::unit::{self, Active, Job};
use mclive_base::vocab::{HostError, HostErrorKind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How long a machine may take to shut down if its unit has no limit.
const TO_STOP: Duration = Duration::from_secs(300);
/// What systemd reports for a unit without a limit.
const NO_LIMIT: u64 = u64::MAX;
/// The result of a unit whose processes systemd has killed at the limit.
const KILLED: &str = "timeout";

static SYSTEMD: Daemon = Daemon {
    service: "org.freedesktop.systemd1",
    absent: "systemd is not running",
    comes_when_asked: true,
    topic: |_| None,
};

/// Stops a machine by its unit, and reports if it had to be killed.
pub(super) fn stop(at: &Context, name: &str, unit: &str) -> Result<(), HostError> {
    let has_no_limit = limit_us(at, unit).is_ok_and(|limit| limit == NO_LIMIT);
    let unit = unit::Unit::new(unit, false);
    let ((ends, over), (shared, id)) = (channel::<()>(), (at.shared, at.id));
    std::thread::scope(|scope| {
        let kills = move || {
            if over.recv_timeout(TO_STOP) == Err(RecvTimeoutError::Timeout) {
                kill(shared, id, name);
            }
        };
        if has_no_limit {
            // Without this thread, the machine is waited for until the agent is stopped.
            drop(std::thread::Builder::new().name("terminate".into()).spawn_scoped(scope, kills));
        }
        let stopped = Unit::step(at, &unit::Step::Job { unit: unit.clone(), job: Job::Stop, now: Active::Active });
        drop(ends);
        stopped.map(drop)
    })?;
    if let Ok(unit::Finding::State(state)) = Unit::probe(at, &unit::Probe::State { unit, settled: false })
        && state.result == KILLED
    {
        shared.show.line(id, &format!("{name} did not shut down in time: systemd has killed its processes"));
    }
    Ok(())
}

/// After how long systemd kills the processes of a unit that does not stop. Units: microseconds.
fn limit_us(at: &Context, unit: &str) -> Result<u64, HostError> {
    let unit = unit.to_owned();
    bus::speak(at, &SYSTEMD, |line| async move {
        let what = format!("query {unit}");
        let manager = ("/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager");
        let loaded = line.ask(manager, "LoadUnit", &unit.as_str(), &what).await?;
        let path: OwnedObjectPath = read(&loaded, &what)?;
        let properties = (path.as_str(), "org.freedesktop.DBus.Properties");
        let asked = ("org.freedesktop.systemd1.Service", "TimeoutStopUSec");
        let answer = line.ask(properties, "Get", &asked, &what).await?;
        let limit: OwnedVariant = read(&answer, &what)?;
        let odd = |_| HostError::new(HostErrorKind::Other, format!("{what}: its limit is not a number"));
        u64::try_from(&limit).map_err(odd)
    })
}

/// Kills all processes of a machine while its unit is being stopped. To terminate it would only stop its unit once more.
fn kill(shared: &Shared, id: &ResourceId, name: &str) {
    const KILL: i32 = 9;
    let tell = |text: &str| shared.show.line(id, text);
    tell(&format!("{name} has not shut down within {} s: killing its processes", TO_STOP.as_secs()));
    let (running, machine) = (Running::step(), name.to_owned());
    let at = Context { shared, id, running: &running };
    let killed = bus::speak(&at, &MACHINED, |line| async move {
        let what = format!("kill the machine {machine}");
        line.ask(MANAGER, "KillMachine", &(machine.as_str(), "all", KILL), &what).await
    });
    if let Err(error) = killed {
        tell(&error.message);
    }
}
