//! The virtual clock.

use super::{Answer, Context, Play, Simulated, SubjectState, absent, no_such, number};
use crate::protocol::Ticket;
use crate::vocab::subjects::Time;
use crate::vocab::time::{Fact, Watch};
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use crate::world::EPOCH_NS;
use crate::{SimHost, World};
use mclive_base::shapes::host::{Alteration, Thing};

const START: &str = "start time (Unix time in seconds)";
/// Against a host whose clock was not changed.
const OFFSET: &str = "offset (ms)";
/// The latest start, which leaves room for long runs. Units: seconds since 1970.
const LATEST_S: i64 = 9_000_000_000;

/// The state of the clock, except for the time.
#[derive(Clone, Default)]
pub struct Clock {
    /// How long the machine had been up when the simulation began. Units: seconds.
    pub up_s: u32,
    /// The offset of the time zone, east of UTC. Units: minutes.
    pub utc_offset_min: i32,
}

impl SubjectState for Clock {
    fn of_new_host(_: &str) -> Clock {
        Clock::default()
    }
}

impl Simulated for Time {
    type State = Clock;
}

impl Play for Time {
    const TITLE: &'static str = "Clock";

    fn holds(world: &World) -> Vec<Thing> {
        let started = world.epoch_ns.div_euclid(1_000_000_000);
        let offset_ms = world.epoch_ns.saturating_sub(EPOCH_NS).div_euclid(1_000_000);
        let thing = Thing::new("clock").field(START, started.to_string()).field(OFFSET, offset_ms.to_string());
        let up = Thing::new("uptime").field("at the start (seconds)", world.subjects.time.up_s.to_string());
        // A program reads it when it is deployed, and not again.
        let zone = Thing::new("time zone")
            .field("UTC offset (from the next deploy)", offset(world.subjects.time.utc_offset_min));
        vec![thing.verbs(&["1 hour back", "1 hour ahead", "1 day ahead"]), up, zone]
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        if thing == "uptime" || thing == "time zone" {
            let Alteration::Set { field, value } = how else { return Err(no_such(thing, how)) };
            if thing == "uptime" {
                world.subjects.time.up_s = number(field, value)?;
            } else {
                world.subjects.time.utc_offset_min = minutes(value)?;
            }
            return Ok(());
        }
        let hour: i64 = 3_600 * 1_000_000_000;
        let to = match how {
            Alteration::Do { verb } if verb == "1 hour back" => world.epoch_ns.saturating_sub(hour),
            Alteration::Do { verb } if verb == "1 hour ahead" => world.epoch_ns.saturating_add(hour),
            Alteration::Do { verb } if verb == "1 day ahead" => world.epoch_ns.saturating_add(24 * hour),
            Alteration::Set { field, value } if field == START => {
                number::<i64>(field, value)?.saturating_mul(1_000_000_000)
            }
            Alteration::Set { field, value } if field == OFFSET => {
                EPOCH_NS.saturating_add(number::<i64>(field, value)?.saturating_mul(1_000_000))
            }
            Alteration::Set { .. } | Alteration::Do { .. } => return Err(no_such(thing, how)),
        };
        if !(0..=LATEST_S * 1_000_000_000).contains(&to) {
            let message = format!("the start time of a clock is between 0 and {LATEST_S} (Unix time in seconds)");
            return Err(HostError::new(HostErrorKind::Other, message));
        }
        let by = to - world.epoch_ns;
        world.epoch_ns = to;
        world.tree.now_ns = world.tree.now_ns.saturating_add(by);
        Ok(())
    }

    absent! { probe step }

    fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.next_tick(ticket, *watch);
        Ok(())
    }

    fn fact(world: &mut World, now_ns: u64, fact: &Fact) -> Result<Datum, HostError> {
        Ok(match fact {
            Fact::Clock { .. } => Datum::Int((world.epoch_ns + now_ns as i64).div_euclid(1_000_000_000)),
            Fact::Zone => Datum::Bytes(zone(world.subjects.time.utc_offset_min)),
            Fact::Uptime { .. } => Datum::Int((now_ns / 1_000_000_000) as i64 + i64::from(world.subjects.time.up_s)),
        })
    }
}

/// An offset from UTC as a text, such as `+05:30`.
fn offset(minutes: i32) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    let minutes = minutes.unsigned_abs();
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// The minutes of such a text. Errors: it is none, or no zone has it.
fn minutes(text: &str) -> Result<i32, HostError> {
    let parsed = || {
        let text = text.trim();
        let (sign, text) = match text.strip_prefix('-') {
            Some(text) => (-1, text),
            None => (1, text.strip_prefix('+')?),
        };
        let (hours, minutes) = text.split_once(':')?;
        let digits = |text: &str| text.parse::<i32>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
        let (hours, minutes) = (digits(hours)?, digits(minutes)?);
        (hours <= 14 && minutes < 60).then(|| sign * (hours * 60 + minutes))
    };
    parsed().ok_or_else(|| {
        HostError::new(HostErrorKind::Other, format!("`{text}` is not an offset from UTC, such as +02:00"))
    })
}

/// A file with the same offset at all times, in version 1 of the format; empty for UTC.
fn zone(minutes: i32) -> Vec<u8> {
    if minutes == 0 {
        return Vec::new();
    }
    let text = offset(minutes);
    // As zones without an abbreviation are called: `+02`, `+0530`.
    let name = text.strip_suffix(":00").map_or_else(|| text.replace(':', ""), str::to_owned);
    let mut file = b"TZif".to_vec();
    // The version, and bytes without a meaning.
    file.extend([0; 16]);
    // Of all tables, only those of offsets and of names have entries.
    for count in [0, 0, 0, 0, 1, name.len() as u32 + 1] {
        file.extend(count.to_be_bytes());
    }
    file.extend((minutes * 60).to_be_bytes());
    // It is not daylight saving time, and its name is the first one.
    file.extend([0, 0]);
    file.extend(name.bytes());
    file.push(0);
    file
}
