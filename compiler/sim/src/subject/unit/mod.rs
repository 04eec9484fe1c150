//! Units: the world's [`Units`](crate::Units).

pub(super) mod state;

use super::{Adds, Answer, Context, Play, Simulated, absent, done, exists, hash, no_such};
use crate::World;
use crate::vocab::subjects::Unit;
use crate::vocab::unit::{self, Active, Enabled, Job, Load};
use crate::vocab::unit::{Finding, Probe, Step, Watch};
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use mclive_base::shapes::host::{Alteration, Thing};
use state::Wait;

/// The file of a service that is added by hand.
const SERVICE: &str = "[Service]\nExecStart=/usr/bin/sleep infinity\n\n[Install]\nWantedBy=multi-user.target\n";

impl Simulated for Unit {
    type State = state::Units;
}

impl Play for Unit {
    const TITLE: &'static str = "systemd units";
    const ADDS: Adds = &[("service", "", "demo.service")];

    fn holds(world: &World) -> Vec<Thing> {
        let unit = |name: String| {
            let state = world.unit(&unit::Unit::new(name.as_str(), false)).ok()?;
            let runs = matches!(state.active, Active::Active | Active::Reloading | Active::Activating);
            let is_on = state.enabled == Enabled::Enabled;
            let enabled = if is_on { "enabled" } else { "disabled" };
            let thing = Thing::new(name).fixed("state", state.sub).fixed("at boot", enabled);
            let thing = thing.verbs(if runs { &["stop", "kill"] } else { &["start"] });
            Some(thing.verbs(if is_on { &["disable"] } else { &["enable"] }))
        };
        world.unit_names().into_iter().filter_map(unit).collect()
    }

    /// Adds a service that runs until it is stopped.
    fn add(world: &mut World, thing: &str) -> Result<(), HostError> {
        let is_there = !matches!(world.unit(&unit::Unit::new(thing, false))?.load, Load::NotFound);
        if is_there {
            return Err(exists(&format!("unit {thing}")));
        }
        // A template is not a unit.
        if !thing.ends_with(".service") || thing.contains('@') {
            let message = format!("`{thing}` is not a valid service name such as `demo.service`");
            return Err(HostError::new(HostErrorKind::Other, message));
        }
        world.write(&format!("/etc/systemd/system/{thing}"), SERVICE)
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        let Alteration::Do { verb } = how else { return Err(no_such(thing, how)) };
        let unit = unit::Unit::new(thing, false);
        match verb.as_str() {
            "start" => world.unit_job(&unit, Job::Start).map(drop),
            "stop" => world.unit_job(&unit, Job::Stop).map(drop),
            "kill" => {
                world.kill_unit(thing);
                Ok(())
            }
            "enable" => world.enable_unit(&unit, true),
            "disable" => world.enable_unit(&unit, false),
            _ => Err(no_such(thing, how)),
        }
    }

    absent! { fact }

    fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
        match probe {
            Probe::State { unit, settled } => match at.world.unit_wait(unit).filter(|_| *settled) {
                Some(Wait(ms)) => Answer::Later(ms),
                None => {
                    at.world.arrive(unit);
                    Answer::Now(at.world.unit(unit).map(Finding::State))
                }
            },
            Probe::Time { trigger, time } => Answer::Now(Ok(Finding::Time(complaint(trigger, time)))),
        }
    }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        match step {
            Step::Enable { unit, enable, .. } => done(at.world.enable_unit(unit, *enable)),
            Step::ReloadManager { unit } => done(at.world.reload_units(unit.session)),
            Step::Job { unit, job, .. } => match at.world.unit_job(unit, *job) {
                Ok(Some(Wait(ms))) => Answer::Later(ms),
                other => done(other.map(|_| ())),
            },
        }
    }

    fn fingerprint(world: &World, watch: &Watch) -> Option<u64> {
        Some(hash(&world.unit(&watch.unit)))
    }

    fn stamp(world: &World) -> Option<u64> {
        Some(hash(&world.unit_stamp()))
    }
}

/// The problem with a time, as far as its characters show it.
fn complaint(trigger: &str, time: &str) -> Option<String> {
    let is_calendar = |byte: u8| byte.is_ascii_alphanumeric() || b" *-:/,.~".contains(&byte);
    let is_span = |byte: u8| byte.is_ascii_alphanumeric() || b" .".contains(&byte);
    let words = ["minutely", "hourly", "daily", "weekly", "monthly", "quarterly", "semiannually", "yearly", "annually"];
    let is_valid = match trigger {
        "OnCalendar" => {
            words.contains(&time)
                || time.bytes().all(is_calendar) && time.bytes().any(|byte| byte.is_ascii_digit() || byte == b'*')
        }
        _ => time == "infinity" || time.starts_with(|first: char| first.is_ascii_digit()) && time.bytes().all(is_span),
    };
    (!is_valid).then(|| format!("systemd cannot parse the time `{time}`"))
}
