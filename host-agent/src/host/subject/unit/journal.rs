//! The last log lines of a service, for error messages.

use super::super::Context;
use crate::host::exec;
use crate::host::program::Executable;
use mclive_base::vocab::CommandSpec;
use mclive_base::vocab::unit::Unit;
use std::time::{SystemTime, UNIX_EPOCH};

const TOOL: &str = "/usr/bin/journalctl";
/// The maximum number of lines, and of bytes in total.
const MOST_LINES: &str = "5";
const MOST_BYTES: usize = 600;

/// The output of a unit's processes since a moment, on one line; `None` if there is none or it is unreadable.
pub(super) fn last_lines(at: &Context, unit: &Unit, since: SystemTime) -> Option<String> {
    // The last lines may not be written yet. Without the right to sync, only the written ones are used.
    let _ = journal(at, &["--sync"]);
    let since = since.duration_since(UNIX_EPOCH).ok()?.as_secs();
    let of = if unit.session { "_SYSTEMD_USER_UNIT" } else { "_SYSTEMD_UNIT" };
    let (since, of) = (format!("--since=@{since}"), format!("{of}={}", unit.name));
    let said = journal(at, &["--quiet", "--no-pager", "--output=cat", "--lines", MOST_LINES, &since, &of])?;
    told(&said)
}

fn journal(at: &Context, args: &[&str]) -> Option<String> {
    if !std::path::Path::new(TOOL).exists() {
        return None;
    }
    let argv = std::iter::once(TOOL).chain(args.iter().copied()).map(str::to_owned).collect();
    let env = [("PATH", "/usr/bin:/bin"), ("LC_ALL", "C.UTF-8")];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let spec = CommandSpec { argv, env, signal: "SIGKILL".into(), ..CommandSpec::default() };
    let outcome = exec::look(&spec, &Executable::any(&spec).ok()?, at.running).ok()?;
    let said = outcome.stdout.unwrap_or_default();
    (outcome.status == Some(0)).then(|| String::from_utf8_lossy(&said).into_owned())
}

/// Joins lines, the last one unabridged.
fn told(said: &str) -> Option<String> {
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let text = lines.join(" | ");
    let from = text.ceil_char_boundary(text.len().saturating_sub(MOST_BYTES));
    match (text.is_empty(), from) {
        (true, _) => None,
        (false, 0) => Some(text),
        (false, from) => Some(format!("…{}", &text[from..])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_one_within_a_bound() {
        assert_eq!(told(" \n"), None);
        assert_eq!(told("one\n\n two\n").as_deref(), Some("one | two"));
        let long = told(&"ü".repeat(MOST_BYTES)).unwrap();
        assert!(long.starts_with("…ü") && long.len() <= MOST_BYTES + '…'.len_utf8());
    }
}
