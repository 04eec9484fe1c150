//! The git commit that a program is from, for the list of deploys.

use crate::process::{Patience, Purpose, Start, Stream};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

/// How long git may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest answer: a commit with a mark. Units: bytes.
const LONGEST: usize = 100;

/// The commit of the directory of an input, with `-dirty` if files differ from it. `None`: there is none, or no git.
pub(crate) fn commit_of(input: &str) -> Option<String> {
    let path = Path::new(input);
    let dir = if path.is_dir() { path } else { path.parent()? };
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    // Neither a hook nor a monitor of the repository is run.
    let settings = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
    let asked = ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"];
    let start = Start::new("git", Purpose::Look).args(settings).args(asked).inherits().dir(dir).heard();
    let mut said = Vec::new();
    let patience = Patience { silence: None, whole: Some(PATIENCE) };
    let ended = start.begin().ok()?.hear(patience, |stream, bytes| {
        if matches!(stream, Stream::Stdout) {
            said.extend_from_slice(bytes);
        }
        if said.len() > LONGEST { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let text = String::from_utf8(said).ok().filter(|_| ended.is_ok_and(|status| status.success()))?;
    let text = text.trim_end();
    let is_commit =
        (7..LONGEST).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_commit.then(|| text.to_owned())
}
