//! [`Manager`]: typed requests to a systemd manager. Interface: org.freedesktop.systemd1(5).

use super::starts::SURVIVES;
use crate::network::bus::{self, Connection, Object, OwnedObjectPath, OwnedVariant};
use mclive_base::vocab::unit::{Active, Enabled, Job, Load, UnitState};
use mclive_base::vocab::{HostError, HostErrorKind};
use std::collections::HashMap;
use std::time::Duration;

const SERVICE: &str = "org.freedesktop.systemd1";
pub(super) const PATH: &str = "/org/freedesktop/systemd1";
const INTERFACE: &str = "org.freedesktop.systemd1.Manager";
/// The limit of a short request.
const LIMIT: Duration = Duration::from_secs(25);
/// How long a busy host may take to execute the command of a service.
const EXECUTED: Duration = Duration::from_secs(10);
/// The limit of a request that reads all unit files.
const LONG_LIMIT: Duration = Duration::from_secs(90);

/// The subscribed signals; those of units are sent for each unit.
pub(super) const SIGNALS: [&str; 5] = [
    "type='signal',sender='org.freedesktop.systemd1',interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',path_namespace='/org/freedesktop/systemd1/unit'",
    "type='signal',sender='org.freedesktop.systemd1',interface='org.freedesktop.systemd1.Manager',member='JobRemoved'",
    "type='signal',sender='org.freedesktop.systemd1',interface='org.freedesktop.systemd1.Manager',member='UnitFilesChanged'",
    "type='signal',sender='org.freedesktop.systemd1',interface='org.freedesktop.systemd1.Manager',member='Reloading'",
    "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.freedesktop.systemd1'",
];

/// A unit in a list: the fields that show whether it has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Brief {
    pub(super) path: String,
    pub(super) load: String,
    pub(super) active: String,
    pub(super) enabled: String,
}

/// The current state of a unit.
pub(super) struct Seen {
    pub(super) state: UnitState,
    /// How much longer it must run to survive its start.
    pub(super) unproven: Duration,
}

type Properties = HashMap<String, OwnedVariant>;
/// Name, description, load, active and sub state, followed unit, path, job: number, type and path.
type Listed = (String, String, String, String, String, String, OwnedObjectPath, u32, String, OwnedObjectPath);

pub(super) struct Manager(pub(super) Connection);

impl Manager {
    /// Makes it send signals to this connection.
    pub(super) async fn subscribe(&self) -> Result<(), HostError> {
        match self.ask("Subscribe", &(), LIMIT, "subscribe to systemd").await {
            // A manager that was executed again may remember us.
            Err(error) if error.message.contains("already") => Ok(()),
            other => other.map(|_| ()),
        }
    }

    pub(super) async fn state(&self, name: &str) -> Result<UnitState, HostError> {
        self.look(name).await.map(|seen| seen.state)
    }

    pub(super) async fn look(&self, name: &str) -> Result<Seen, HostError> {
        let what = format!("query {name}");
        let loaded = self.ask("LoadUnit", &name, LIMIT, &what).await?;
        let path: OwnedObjectPath = bus::read(&loaded, &what)?;
        let object = Object { service: SERVICE, path: path.as_str(), interface: "org.freedesktop.DBus.Properties" };
        // With no interface named it is the properties of all.
        let all = bus::call(&self.0, object, "GetAll", &"", LIMIT, &what).await.map_err(absent)?;
        let all: Properties = bus::read(&all, &what)?;
        let mut state = state(name, &all)?;
        // The property is cached; links may have changed since. The request uses the unit's own name: another one is
        // only an alias.
        let own = all.get("Id").and_then(|id| <&str>::try_from(id).ok()).unwrap_or(name);
        if let Some(word) = self.enabled(own).await? {
            state.enabled = Enabled::parse(&word);
        }
        let unproven = unproven(&state, &all);
        Ok(Seen { state, unproven })
    }

    /// Whether a unit is started at boot according to its files; `None` if it has no file.
    async fn enabled(&self, name: &str) -> Result<Option<String>, HostError> {
        const WHAT: &str = "read a unit file";
        match self.ask("GetUnitFileState", &name, LIMIT, WHAT).await {
            Ok(word) => bus::read(&word, WHAT).map(Some),
            Err(error) if matches!(error.kind, HostErrorKind::TimedOut | HostErrorKind::Unavailable) => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// The brief state of units. All names are valid.
    pub(super) async fn list(&self, names: &[&str]) -> Result<Vec<Brief>, HostError> {
        let listed = self.ask("ListUnitsByNames", &names, LIMIT, "list units").await?;
        let listed: Vec<Listed> = bus::read(&listed, "list units")?;
        if listed.len() != names.len() {
            return Err(HostError::new(HostErrorKind::Other, "systemd returned different units than requested"));
        }
        let mut briefs = Vec::with_capacity(names.len());
        for (name, (_, _, load, active, _, _, path, ..)) in names.iter().zip(listed) {
            let enabled = self.enabled(name).await?.unwrap_or_default();
            briefs.push(Brief { path: path.as_str().to_owned(), load, active, enabled });
        }
        Ok(briefs)
    }

    /// Creates or removes the links of a unit, permanently and until the next boot.
    pub(super) async fn enable(&self, name: &str, enable: bool, now: &Enabled) -> Result<(), HostError> {
        let names = [name];
        if enable {
            // Permanently; a link with another target is replaced.
            let what = format!("enable {name}");
            return self.ask("EnableUnitFiles", &(&names[..], false, true), LONG_LIMIT, &what).await.map(|_| ());
        }
        let what = format!("disable {name}");
        if *now == Enabled::Runtime {
            self.ask("DisableUnitFiles", &(&names[..], true), LONG_LIMIT, &what).await?;
        }
        self.ask("DisableUnitFiles", &(&names[..], false), LONG_LIMIT, &what).await.map(|_| ())
    }

    /// Reloads all files.
    pub(super) async fn reload(&self) -> Result<(), HostError> {
        self.ask("Reload", &(), LONG_LIMIT, "reload systemd's unit files").await.map(|_| ())
    }

    /// Lets one that failed or was started too often be started again.
    pub(super) async fn reset_failed(&self, name: &str) -> Result<(), HostError> {
        match self.ask("ResetFailedUnit", &name, LIMIT, &format!("reset {name}")).await {
            // One that is not loaded has no counters.
            Err(error) if error.kind == HostErrorKind::NotFound => Ok(()),
            reset => reset.map(|_| ()),
        }
    }

    /// Starts a job that fails on a conflict with another job; returns its path.
    pub(super) async fn begin(&self, name: &str, job: Job) -> Result<String, HostError> {
        let method = match job {
            Job::Start => "StartUnit",
            Job::Stop => "StopUnit",
            Job::Restart => "RestartUnit",
            Job::TryRestart => "TryRestartUnit",
            Job::ReloadOrTryRestart => "ReloadOrTryRestartUnit",
        };
        let what = format!("{} {name}", job.word());
        let begun = self.ask(method, &(name, "fail"), LIMIT, &what).await?;
        let path: OwnedObjectPath = bus::read(&begun, &what)?;
        Ok(path.as_str().to_owned())
    }

    async fn ask<B: serde::Serialize + zbus::DynamicType>(
        &self,
        method: &str,
        body: &B,
        limit: Duration,
        what: &str,
    ) -> Result<bus::Message, HostError> {
        let object = Object { service: SERVICE, path: PATH, interface: INTERFACE };
        bus::call(&self.0, object, method, body, limit, what).await.map_err(absent)
    }
}

/// The manager's name has no owner on the bus: it is not there, or not yet again.
fn absent(error: HostError) -> HostError {
    let is_absent = error.kind == HostErrorKind::NotFound && error.message.contains(SERVICE);
    if is_absent { HostError { kind: HostErrorKind::Unavailable, ..error } } else { error }
}

/// The path of a unit's object: letters and digits are unchanged, every other byte is written in hexadecimal.
pub(super) fn path_of(name: &str) -> String {
    let letter = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("_{byte:02x}"),
    };
    format!("{PATH}/unit/{}", name.bytes().map(letter).collect::<String>())
}

fn state(name: &str, all: &Properties) -> Result<UnitState, HostError> {
    let text = |property: &str| all.get(property).and_then(|value| <&str>::try_from(value).ok()).unwrap_or_default();
    let flag = |property: &str| all.get(property).and_then(|value| bool::try_from(value).ok());
    let number = |property: &str| all.get(property).and_then(|value| i32::try_from(value).ok()).unwrap_or_default();
    let part = |property: &str, at: usize| {
        let parts = all.get(property).and_then(|value| value.downcast_ref::<zbus::Structure>().ok());
        parts.and_then(|parts| parts.fields().get(at).and_then(|part| part.try_clone().ok()))
    };
    let load = match text("LoadState") {
        "loaded" | "merged" | "stub" => Load::Loaded,
        "not-found" => Load::NotFound,
        "masked" => Load::Masked,
        word => {
            let why = part("LoadError", 1).and_then(|why| String::try_from(why).ok()).filter(|why| !why.is_empty());
            Load::Bad(why.unwrap_or_else(|| word.to_owned()))
        }
    };
    let word = text("ActiveState");
    let active = Active::parse(word).ok_or_else(|| {
        HostError::new(HostErrorKind::Other, format!("systemd reports {name} as `{word}`, an unknown state"))
    })?;
    let has_job = part("Job", 0).and_then(|id| u32::try_from(id).ok()).is_some_and(|id| id != 0);
    // A condition that was never checked has not failed.
    let was_asked = all.get("ConditionTimestamp").and_then(|at| u64::try_from(at).ok()).is_some_and(|at| at > 0);
    Ok(UnitState {
        load,
        active,
        sub: text("SubState").to_owned(),
        enabled: Enabled::parse(text("UnitFileState")),
        file: text("FragmentPath").to_owned(),
        is_stale: flag("NeedDaemonReload").unwrap_or(false),
        has_job,
        is_one_shot: text("Type") == "oneshot" && flag("RemainAfterExit") == Some(false),
        result: text("Result").to_owned(),
        status: number("ExecMainStatus"),
        conditions_hold: flag("ConditionResult").unwrap_or(true) || !was_asked,
    })
}

/// How much longer a running service must run to survive its start. Types that report their readiness have survived it,
/// unless systemd restarts them repeatedly.
fn unproven(state: &UnitState, all: &Properties) -> Duration {
    let number = |property: &str| all.get(property).and_then(|value| u64::try_from(value).ok());
    let says_nothing = all.get("Type").and_then(|value| <&str>::try_from(value).ok());
    let says_nothing = says_nothing.is_some_and(|kind| matches!(kind, "simple" | "exec" | "idle"));
    let restarts = all.get("NRestarts").and_then(|value| u32::try_from(value).ok()).is_some_and(|n| n > 0);
    let runs = state.active == Active::Active && state.sub == "running";
    if !runs || !(says_nothing || restarts) {
        return Duration::ZERO;
    }
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let now_us = u64::try_from(now.tv_sec).unwrap_or_default() * 1_000_000 + now.tv_nsec.unsigned_abs() / 1000;
    let since_us = number("ActiveEnterTimestampMonotonic").unwrap_or_default();
    let up = Duration::from_micros(now_us.saturating_sub(since_us));
    let pid = all.get("MainPID").and_then(|value| u32::try_from(value).ok()).filter(|pid| *pid != 0);
    if up < EXECUTED && pid.is_some_and(is_still_systemd) {
        return SURVIVES;
    }
    SURVIVES.saturating_sub(up)
}

/// A simple service is active before its command is executed: until then its process is called `(command)`.
fn is_still_systemd(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.starts_with('('))
}

#[cfg(test)]
mod tests {
    use super::path_of;

    #[test]
    fn the_path_of_a_unit() {
        assert_eq!(path_of("a-b.service"), "/org/freedesktop/systemd1/unit/a_2db_2eservice");
        assert_eq!(path_of("x@1.timer"), "/org/freedesktop/systemd1/unit/x_401_2etimer");
    }
}
