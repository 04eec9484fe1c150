//! Units: by way of [`units`](crate::units).

use super::{Answer, Place, Play, absent, done, hash};
use crate::World;
use crate::units::Wait;
use crate::vocab::subjects::Unit;
use crate::vocab::unit::{Finding, Probe, Step, Watch};
use crate::vocab::{Datum, HostError, Outcome};

impl Play for Unit {
    absent! { fact }

    fn probe(at: &mut Place, probe: &Probe) -> Answer<Finding> {
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

    fn step(at: &mut Place, step: &Step) -> Answer<Outcome> {
        match step {
            Step::Enable { unit, enable, .. } => done(at.world.enable_unit(unit, *enable)),
            Step::ReloadManager { unit } => done(at.world.reload_units(unit.session)),
            Step::Job { unit, job, .. } => match at.world.unit_job(unit, *job) {
                Ok(Some(Wait(ms))) => Answer::Later(ms),
                other => done(other.map(|_| ())),
            },
        }
    }

    fn fingerprint(world: &World, watch: &Watch) -> u64 {
        hash(&format!("{:?}", world.unit(&watch.unit)))
    }
}

/// What is wrong with a time, as far as its letters tell.
fn complaint(trigger: &str, time: &str) -> Option<String> {
    let is_calendar = |byte: u8| byte.is_ascii_alphanumeric() || b" *-:/,.~".contains(&byte);
    let is_span = |byte: u8| byte.is_ascii_alphanumeric() || b" .".contains(&byte);
    let words = ["minutely", "hourly", "daily", "weekly", "monthly", "quarterly", "semiannually", "yearly", "annually"];
    let is_valid = match trigger {
        "OnCalendar" => {
            words.contains(&time)
                || time.bytes().all(is_calendar) && time.bytes().any(|byte| byte.is_ascii_digit() || byte == b'*')
        }
        _ => time.starts_with(|first: char| first.is_ascii_digit()) && time.bytes().all(is_span),
    };
    (!is_valid).then(|| format!("systemd does not understand the time `{time}`"))
}
