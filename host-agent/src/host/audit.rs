//! The audit log: one JSON line per step that was asked of this host, with how it went.
//!
//! It says what and where, never with which content: secrets stay out of it. Of a command that is its
//! program, its directory and its user, and how many words it was given; the words themselves, which is
//! where passwords hide, and the environment are in the program under the resource's name.

use mclive_compiler::protocol::ResourceId;
use mclive_compiler::vocab::{CommandSpec, Content, Outcome, Step};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) struct Audit {
    file: Option<File>,
}

impl Audit {
    pub(crate) fn open(path: &Path) -> std::io::Result<Audit> {
        use std::os::unix::fs::OpenOptionsExt;
        let file = File::options().append(true).create(true).mode(0o600).open(path)?;
        Ok(Audit { file: Some(file) })
    }

    pub(crate) fn write(&self, of: &ResourceId, step: &Step, outcome: &Outcome) {
        let Some(mut file) = self.file.as_ref() else { return };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (went, why) = match outcome {
            Outcome::Done => ("done", None),
            Outcome::Command(_) => ("ran", None),
            Outcome::Failed(error) => ("failed", Some(error.message.as_str())),
        };
        let line = serde_json::json!({
            "time": now.as_secs_f64(), "resource": of.to_string(), "step": step_words(step), "outcome": went, "why": why,
        });
        // One write per line: lines of several threads do not mix. A full disk must not end the run.
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}

/// A step in a few words.
pub(crate) fn step_words(step: &Step) -> String {
    match step {
        Step::WriteFile { path, content: Content::Bytes(bytes), .. } => format!("write {path} ({} bytes)", bytes.len()),
        Step::WriteFile { path, content: Content::CopyOf(from), .. } => format!("write {path} (copy of {from})"),
        Step::CreateFile { path, .. } => format!("create {path}"),
        Step::MakeDir { path, .. } => format!("make directory {path}"),
        Step::Remove { path, recursive: false } => format!("remove {path}"),
        Step::Remove { path, recursive: true } => format!("remove {path} with all below it"),
        Step::Symlink { path, target } => format!("link {path} to {target}"),
        Step::SetMode { path, mode } => format!("set mode {mode:04o} of {path}"),
        Step::SetOwner { path, .. } => format!("set owner of {path}"),
        Step::SetLabel { path, .. } => format!("set SELinux context of {path}"),
        Step::Run(spec) => run_words(spec),
        Step::WriteState { name, .. } => format!("keep {name}"),
        Step::RemoveState { name } => format!("forget {name}"),
        Step::SetKey { key, value, .. } => format!("{} key {key}", if value.is_some() { "set" } else { "remove" }),
        Step::Print { .. } => "print".into(),
    }
}

fn run_words(CommandSpec { argv, cwd, user, group, .. }: &CommandSpec) -> String {
    let (program, n_words) = (argv.first().map_or("nothing", String::as_str), argv.len().saturating_sub(1));
    let mut words = format!("run {program} with {n_words} argument{}", if n_words == 1 { "" } else { "s" });
    for (what, value) in [("in", cwd), ("as user", user), ("as group", group)] {
        if !value.is_empty() {
            words += &format!(" {what} {value}");
        }
    }
    words
}
