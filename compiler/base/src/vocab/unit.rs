//! Units of systemd: services, timers and whatever else its managers start and stop.

use super::subject::never;
use super::{Change, HostError, HostErrorKind, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Fact }

/// A unit of a manager, by its whole name: `nginx.service`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Unit {
    pub name: String,
    /// Of the manager of whoever runs the agent, not of the system's.
    pub session: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `State`. With `settled`, one that is on its way to somewhere is waited for: for a job as long as it takes,
    /// else for a while.
    State { unit: Unit, settled: bool },
    /// → `Time`: whether systemd understands what sets off a timer, such as `OnCalendar` at `*-*-* 04:00`.
    Time { trigger: String, time: String },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    State(UnitState),
    /// What is wrong with it; `None`: nothing, or nobody here can tell before the manager does.
    Time(Option<String>),
}

/// A unit as its manager has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UnitState {
    pub load: Load,
    pub active: Active,
    /// The word for people: `running`, `dead`, `auto-restart`.
    pub sub: String,
    pub enabled: Enabled,
    /// Its file; empty when there is none.
    pub file: String,
    /// Its file has changed since the manager read it, or could not read it.
    pub is_stale: bool,
    /// A job waits or runs, or it has only just come up and may be over again at once.
    pub has_job: bool,
    /// A service that is over when its command is: it can never be active for long.
    pub is_one_shot: bool,
    /// How it ended last: `success`, `exit-code`, `start-limit-hit`.
    pub result: String,
    /// The status with which its main process ended.
    pub status: i32,
    /// Its conditions held when it was to start last, or it was not to start yet.
    pub conditions_hold: bool,
}

/// What became of its file when the manager read it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Load {
    Loaded,
    NotFound,
    /// Nothing may start it.
    Masked,
    /// What is wrong with the file.
    Bad(String),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Active {
    Active,
    Reloading,
    Inactive,
    Failed,
    Activating,
    Deactivating,
    Maintenance,
}

/// Whether it is started at boot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Enabled {
    Enabled,
    /// Until the next boot.
    Runtime,
    Disabled,
    /// Its file is elsewhere and a link leads there; it is not enabled.
    Linked,
    /// It has nothing to enable or disable: `static`, `indirect`, `generated`, `masked`.
    Fixed(String),
    /// It has no file.
    NoFile,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Enables or disables it for every boot; the manager then reads its files anew.
    Enable { unit: Unit, enable: bool, now: Enabled },
    /// Does a job and waits for its end. A start is good when its process has survived it. What failed by itself, and not
    /// with its last start, begins with a clean slate.
    Job { unit: Unit, job: Job, now: Active },
    /// Lets the manager of a unit read all files anew.
    ReloadManager { unit: Unit },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Job {
    Start,
    Stop,
    /// Starts it as well.
    Restart,
    /// Leaves it alone unless it is active.
    TryRestart,
    /// Restarts it where it cannot reload; leaves it alone unless it is active.
    ReloadOrTryRestart,
}

/// Its state, its file and whether it is enabled, and the coming and going of its manager.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    pub unit: Unit,
}

impl Unit {
    pub fn new(name: impl Into<String>, session: bool) -> Unit {
        Unit { name: name.into(), session }
    }

    /// The name, if it is one of a unit: nothing that a manager would take for a path or a pattern.
    pub fn checked(&self) -> Result<&str, HostError> {
        if is_valid(&self.name) {
            return Ok(&self.name);
        }
        let rule = "up to 255 letters, digits and `:-_.@\\`";
        Err(HostError::new(HostErrorKind::Refused, format!("`{}` is not the name of a unit: {rule}", self.name)))
    }

    /// `demo.service`, `demo.service of the session`.
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.session { f.write_str(" of the session") } else { Ok(()) }
    }
}

/// Whether it is the name of a unit, as systemd has them.
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

    /// Whether it is on its way to somewhere else.
    pub fn is_passing(self) -> bool {
        match self {
            Active::Reloading | Active::Activating | Active::Deactivating | Active::Maintenance => true,
            Active::Active | Active::Inactive | Active::Failed => false,
        }
    }
}

impl Enabled {
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

    /// What does not survive its start, or does not reload, would hardly do so the next moment: each is an attempt of its own.
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
