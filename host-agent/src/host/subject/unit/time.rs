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
        _ if lacks_verb(outcome.stderr.as_deref().unwrap_or_default()) => Ok(None),
        _ => Ok(Some(format!("systemd cannot parse the time `{time}` of {trigger}"))),
    }
}

/// Whether the tool is an earlier version, which cannot validate times: `timespan` came with systemd 240.
fn lacks_verb(said: &[u8]) -> bool {
    let said = String::from_utf8_lossy(said);
    said.lines().any(|line| line.starts_with("Unknown operation") || line.starts_with("Unknown command verb"))
}

#[cfg(test)]
mod tests {
    use super::lacks_verb;

    #[test]
    fn an_earlier_tool_does_not_refuse_a_time() {
        assert!(lacks_verb(b"Unknown operation 'timespan'.\n") && lacks_verb(b"Unknown command verb 'timespan'.\n"));
        assert!(!lacks_verb(b"Failed to parse time span 'Unknown operation': Invalid argument\n") && !lacks_verb(b""));
    }
}
