//! Systemd units: services, timers and everything else that its managers start and stop.

use super::subject::never;
use super::{Change, HostError, HostErrorKind, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Fact }

/// A unit of a manager, by full name: `nginx.service`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Unit {
    /// The full name.
    pub name: String,
    /// Whether it belongs to the session manager of the agent's user, not to the system manager.
    pub session: bool,
}

/// A query to a manager.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Probe {
    /// → `State`. With `settled`, waits for a unit in transition: for a job as long as it takes, otherwise for a while.
    State { unit: Unit, settled: bool },
    /// → `Time`: whether systemd accepts a timer setting, such as `OnCalendar` with `*-*-* 04:00`.
    Time { trigger: String, time: String },
}

/// The answers to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The state.
    State(UnitState),
    /// The problem; `None` if there is none, or if only the manager can tell.
    Time(Option<String>),
}

/// A unit, as its manager reports it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct UnitState {
    /// Whether its file could be loaded.
    pub load: Load,
    /// Its activity.
    pub active: Active,
    /// The detailed state: `running`, `dead`, `auto-restart`.
    pub sub: String,
    /// Whether it starts at boot.
    pub enabled: Enabled,
    /// Its file; empty if there is none.
    pub file: String,
    /// Whether its file has changed since the manager read it, or could not be read.
    pub is_stale: bool,
    /// Whether a job is queued or running, or the unit has only just started and may exit immediately.
    pub has_job: bool,
    /// Whether it is a one-shot service, which is never active for long.
    pub is_one_shot: bool,
    /// The result of its last run: `success`, `exit-code`, `start-limit-hit`.
    pub result: String,
    /// The exit status of its main process.
    pub status: i32,
    /// Whether its conditions held at its last start, or it has never been started.
    pub conditions_hold: bool,
}

/// The result of loading its file.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Load {
    /// Loaded.
    Loaded,
    /// There is no such unit.
    NotFound,
    /// It is masked and cannot be started.
    Masked,
    /// The file is invalid, with the reason.
    Bad(String),
}

/// The activity of a unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Active {
    /// Active.
    Active,
    /// Active, and reloading its configuration.
    Reloading,
    /// Not active.
    Inactive,
    /// Not active after a failure.
    Failed,
    /// Starting.
    Activating,
    /// Stopping.
    Deactivating,
    /// Not active, with maintenance in progress.
    Maintenance,
}

/// Whether a unit starts at boot.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Enabled {
    /// Enabled.
    Enabled,
    /// Enabled until the next boot.
    Runtime,
    /// Disabled.
    Disabled,
    /// Its file is elsewhere, with a link to it; not enabled.
    Linked,
    /// It cannot be enabled or disabled: `static`, `indirect`, `generated`, `masked`.
    Fixed(String),
    /// It has no file.
    NoFile,
}

/// A change of a unit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Step {
    /// Enables or disables it permanently; the manager then reloads its files.
    Enable { unit: Unit, enable: bool, now: Enabled },
    /// Runs a job and waits for its end. A start succeeds if the process survives it. An earlier failure is reset
    /// first, unless its last start failed.
    Job { unit: Unit, job: Job, now: Active },
    /// Makes the unit's manager reload all files.
    ReloadManager { unit: Unit },
}

/// A job for a unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Job {
    /// Start it.
    Start,
    /// Stop it.
    Stop,
    /// Restart it, or start it if it is inactive.
    Restart,
    /// Restart it only if it is active.
    TryRestart,
    /// Reload it, or restart it if it cannot reload; only if it is active.
    ReloadOrTryRestart,
}

/// Changes of its state, its file and whether it is enabled, and its manager starting or stopping.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    /// The unit.
    pub unit: Unit,
}

impl Unit {
    /// A unit of the session manager or of the system manager.
    pub fn new(name: impl Into<String>, session: bool) -> Unit {
        Unit { name: name.into(), session }
    }

    /// The name, if it is a valid unit name and not a path or a pattern.
    pub fn checked(&self) -> Result<&str, HostError> {
        if is_valid(&self.name) {
            return Ok(&self.name);
        }
        let rule = "up to 255 letters, digits and `:-_.@\\`";
        Err(HostError::new(HostErrorKind::Refused, format!("`{}` is not a valid unit name: {rule}", self.name)))
    }

    /// `demo.service`, `demo.service of the session`.
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.session { f.write_str(" of the session") } else { Ok(()) }
    }
}

/// Whether this is a valid unit name.
pub fn is_valid(name: &str) -> bool {
    const TYPES: [&str; 11] =
        ["service", "socket", "target", "device", "mount", "automount", "swap", "timer", "path", "slice", "scope"];
    let Some((stem, suffix)) = name.rsplit_once('.') else { return false };
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b":-_.\\@".contains(&byte);
    name.len() <= 255
        && !stem.is_empty()
        && !stem.starts_with('@')
        && TYPES.contains(&suffix)
        && stem.bytes().all(is_letter)
}

impl Active {
    /// The variant of systemd's word.
    pub fn parse(word: &str) -> Option<Active> {
        Some(match word {
            "active" => Active::Active,
            "reloading" | "refreshing" => Active::Reloading,
            "inactive" => Active::Inactive,
            "failed" => Active::Failed,
            "activating" => Active::Activating,
            "deactivating" => Active::Deactivating,
            "maintenance" => Active::Maintenance,
            _ => return None,
        })
    }

    /// The name that systemd uses for it.
    pub fn word(self) -> &'static str {
        match self {
            Active::Active => "active",
            Active::Reloading => "reloading",
            Active::Inactive => "inactive",
            Active::Failed => "failed",
            Active::Activating => "activating",
            Active::Deactivating => "deactivating",
            Active::Maintenance => "maintenance",
        }
    }

    /// Whether it is in transition to another state.
    pub fn is_passing(self) -> bool {
        match self {
            Active::Reloading | Active::Activating | Active::Deactivating | Active::Maintenance => true,
            Active::Active | Active::Inactive | Active::Failed => false,
        }
    }
}

impl Enabled {
    /// The variant of systemd's word.
    pub fn parse(word: &str) -> Enabled {
        match word {
            "enabled" => Enabled::Enabled,
            "enabled-runtime" => Enabled::Runtime,
            "disabled" => Enabled::Disabled,
            "linked" | "linked-runtime" => Enabled::Linked,
            "" | "not-found" => Enabled::NoFile,
            other => Enabled::Fixed(other.to_owned()),
        }
    }

    /// The name that systemd uses for it.
    pub fn word(&self) -> &str {
        match self {
            Enabled::Enabled => "enabled",
            Enabled::Runtime => "enabled until the next boot",
            Enabled::Disabled => "disabled",
            Enabled::Linked => "linked",
            Enabled::Fixed(word) => word,
            Enabled::NoFile => "without a unit file",
        }
    }
}

impl Job {
    /// The name that systemd uses for it.
    pub fn word(self) -> &'static str {
        match self {
            Job::Start => "start",
            Job::Stop => "stop",
            Job::Restart | Job::TryRestart => "restart",
            Job::ReloadOrTryRestart => "reload",
        }
    }
}

impl Step {
    fn unit(&self) -> &Unit {
        match self {
            Step::Enable { unit, .. } | Step::Job { unit, .. } | Step::ReloadManager { unit } => unit,
        }
    }
}

impl Look for Probe {
    type Finding = Finding;

    fn waits(&self) -> bool {
        true
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        match self {
            Step::Enable { unit, enable, now } => {
                f.write_str(if *enable { "enable " } else { "disable " })?;
                unit.words(f)?;
                write!(f, " (is {})", now.word())
            }
            Step::Job { unit, job, now } => {
                write!(f, "{} ", job.word())?;
                unit.words(f)?;
                write!(f, " (is {})", now.word())
            }
            Step::ReloadManager { unit } => {
                let whose = if unit.session { "user" } else { "system" };
                write!(f, "reload the systemd {whose} manager")
            }
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Unit(&self.unit().name)]
    }

    fn waits(&self) -> bool {
        true
    }

    /// A start or reload that fails would fail again a moment later: each is a separate attempt.
    fn repeats(&self) -> bool {
        !matches!(self, Step::Job { job: Job::Start | Job::Restart | Job::TryRestart | Job::ReloadOrTryRestart, .. })
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        self.unit.words(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_path_and_no_pattern() {
        for (name, valid) in [
            ("nginx.service", true),
            ("getty@tty1.service", true),
            (r"dev-disk-by\x2duuid-1.mount", true),
            ("a.b.timer", true),
            ("/tmp/evil.service", false),
            ("../evil.service", false),
            ("*.service", false),
            ("a b.service", false),
            ("@x.service", false),
            (".service", false),
            ("nginx", false),
            ("nginx.conf", false),
            ("", false),
        ] {
            assert_eq!(is_valid(name), valid, "{name}");
            assert_eq!(Unit::new(name, false).checked().is_ok(), valid);
        }
        assert!(!is_valid(&format!("{}.service", "a".repeat(250))));
    }

    #[test]
    fn steps_say_what_was_before() {
        let unit = |session| Unit::new("demo.service", session);
        for (step, words) in [
            (Step::Job { unit: unit(false), job: Job::Start, now: Active::Failed }, "start demo.service (is failed)"),
            (
                Step::Enable { unit: unit(true), enable: true, now: Enabled::parse("disabled") },
                "enable demo.service of the session (is disabled)",
            ),
            (Step::ReloadManager { unit: unit(false) }, "reload the systemd system manager"),
        ] {
            assert_eq!(super::super::Step::from(step).to_string(), words);
        }
    }
}
