//! The last lines that a service wrote, for whoever reads why it failed.

use super::super::Place;
use crate::host::exec;
use crate::host::program::Executable;
use mclive_base::vocab::CommandSpec;
use mclive_base::vocab::unit::Unit;
use std::time::{SystemTime, UNIX_EPOCH};

const TOOL: &str = "/usr/bin/journalctl";
/// So many lines, and bytes of them all, are told.
const MOST_LINES: &str = "5";
const MOST_BYTES: usize = 600;

/// What the processes of a unit wrote since a moment, on one line; `None`: nothing, or nobody here can tell.
pub(super) fn last_lines(at: &Place, unit: &Unit, since: SystemTime) -> Option<String> {
    // What was written last may still be on its way. Without the right to ask for that, it is told as far as it has come.
    let _ = journal(at, &["--sync"]);
    let since = since.duration_since(UNIX_EPOCH).ok()?.as_secs();
    let of = if unit.session { "_SYSTEMD_USER_UNIT" } else { "_SYSTEMD_UNIT" };
    let (since, of) = (format!("--since=@{since}"), format!("{of}={}", unit.name));
    let said = journal(at, &["--quiet", "--no-pager", "--output=cat", "--lines", MOST_LINES, &since, &of])?;
    told(&said)
}

fn journal(at: &Place, args: &[&str]) -> Option<String> {
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

/// Lines in one, the last of them whole.
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
