//! Times of timers: systemd's own tool validates them.

use super::super::Context;
use crate::host::exec;
use crate::host::program::Executable;
use mclive_base::vocab::{CommandSpec, HostError};

const TOOL: &str = "/usr/bin/systemd-analyze";

/// The error in a time. Without the tool the manager reports it.
pub(super) fn complaint(at: &Context, trigger: &str, time: &str) -> Result<Option<String>, HostError> {
    let verb = if trigger == "OnCalendar" { "calendar" } else { "timespan" };
    let argv = [TOOL, verb, "--", time].map(str::to_owned).to_vec();
    let env = [("PATH", "/usr/bin:/bin"), ("LC_ALL", "C")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let spec = CommandSpec { argv, env: env.to_vec(), signal: "SIGKILL".into(), ..CommandSpec::default() };
    if !std::path::Path::new(TOOL).exists() {
        return Ok(None);
    }
    let outcome = exec::look(&spec, &Executable::any(&spec)?, at.running)?;
    match outcome.status {
        Some(0) => Ok(None),
        _ => Ok(Some(format!("systemd cannot parse the time `{time}` of {trigger}"))),
    }
}
