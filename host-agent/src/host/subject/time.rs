//! The clocks of the system.

use super::{Backend, Context, absent, kernel_text, odd};
use crate::host::errno::io_failed;
use crate::host::timers::Every;
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::subjects::Time;
use mclive_base::vocab::time::{Fact, Watch};
use mclive_base::vocab::{Datum, HostError, Outcome};
use std::io::ErrorKind;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

impl Backend for Time {
    type State = ();
    absent! { probe step }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        let every = match watch {
            Watch::Every { ms } => Every::Period(Duration::from_millis(*ms)),
            Watch::Full { ms } => Every::Full(Duration::from_millis(*ms)),
        };
        host.shared.timers.lock().add(ticket, every);
        Ok(())
    }

    fn fact(_: &Shared, fact: &Fact) -> Result<Datum, HostError> {
        match fact {
            Fact::Clock { .. } => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Ok(Datum::Int(now.as_secs() as i64))
            }
            Fact::Zone => zone().map(Datum::Bytes),
            Fact::Uptime { .. } => {
                let text = kernel_text("/proc/uptime")?;
                let seconds = text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
                seconds.map(|seconds| Datum::Int(seconds as i64)).ok_or_else(|| odd("/proc/uptime"))
            }
        }
    }
}

/// The zone file of `TZ`, otherwise the system's.
fn zone() -> Result<Vec<u8>, HostError> {
    let path = match std::env::var("TZ") {
        Ok(zone) if zone.is_empty() || zone == "UTC" => return Ok(Vec::new()),
        Ok(zone) if zone.starts_with('/') => zone,
        Ok(zone) => format!("/usr/share/zoneinfo/{}", zone.trim_start_matches(':')),
        Err(_) => "/etc/localtime".into(),
    };
    match std::fs::read(&path) {
        // Without a zone it is UTC, as in the C library.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        zone => zone.map_err(|error| io_failed("read", &path, &error)),
    }
}
