//! Common parts of `svc` and `cron`: looking at systemd units, and their error messages.

use super::kind::Decision;
use super::walk::{Walk, cannot_tell};
use crate::vocab::unit::{Active, Enabled, Finding as Seen, Job, Load, Probe, Step, Unit, UnitState};
use crate::vocab::{Finding, Probe as AnyProbe, Step as AnyStep};

/// A unit of this name; an error if the name is invalid.
pub(super) fn named(name: String, session: bool) -> Result<Unit, Decision> {
    let unit = Unit::new(name, session);
    unit.checked().map_err(|error| Decision::CannotTell(error.message))?;
    Ok(unit)
}

/// A unit as it is now; with `settled`, after its transition.
pub(super) fn look<'a>(walk: &mut Walk<'a>, unit: &Unit, settled: bool) -> Result<&'a UnitState, Decision> {
    let probe = AnyProbe::Unit(Probe::State { unit: unit.clone(), settled });
    match &walk.look(vec![probe])?[0] {
        Finding::Unit(Seen::State(state)) => Ok(state),
        other => Err(cannot_tell(other)),
    }
}

/// A unit after any transition.
pub(super) fn look_at_rest<'a>(walk: &mut Walk<'a>, unit: &Unit) -> Result<&'a UnitState, Decision> {
    let now = look(walk, unit, false)?;
    if now.has_job || now.active.is_passing() { look(walk, unit, true) } else { Ok(now) }
}

pub(super) fn job(unit: &Unit, job: Job, now: Active) -> AnyStep {
    AnyStep::Unit(Step::Job { unit: unit.clone(), job, now })
}

/// The step that enables or disables it; `None`: nothing to do.
///
/// A unit without anything to enable counts as disabled, and can never be enabled. `indirect` may mean either: other units
/// are enabled in its place, or it is not enabled itself but another instance or another name of it is. So it is tried.
pub(super) fn startup(unit: &Unit, wanted: &str, now: &Enabled) -> Result<Option<AnyStep>, Decision> {
    let enable = match (wanted, now) {
        ("enabled", Enabled::Enabled) | ("disabled", Enabled::Disabled | Enabled::Linked | Enabled::Fixed(_)) => {
            return Ok(None);
        }
        ("enabled", Enabled::Fixed(word)) if word == INDIRECT => true,
        ("enabled", Enabled::Fixed(word)) => {
            let why = match word.as_str() {
                "masked" | "masked-runtime" => format!("it is masked: run `systemctl unmask {}` first", unit.name),
                "generated" => format!(
                    "it is generated from another file; leave out `startup`, and run `systemctl enable {}` if that file \
                     is a script in `/etc/init.d`",
                    unit.name
                ),
                "transient" => "it was created at runtime and has no unit file".to_owned(),
                word => format!("its unit file has no [Install] section ({word})"),
            };
            return Err(Decision::CannotTell(format!("{} cannot be enabled: {why}", unit.name)));
        }
        ("disabled", Enabled::NoFile) => return Ok(None),
        ("enabled", Enabled::Runtime | Enabled::Disabled | Enabled::Linked | Enabled::NoFile) => true,
        ("disabled", Enabled::Enabled | Enabled::Runtime) => false,
        _ => return Ok(None),
    };
    Ok(Some(AnyStep::Unit(Step::Enable { unit: unit.clone(), enable, now: now.clone() })))
}

/// The word for a unit that only others enable, or that is only enabled by another name.
const INDIRECT: &str = "indirect";

/// Whether only another look can tell if enabling it has worked.
pub(super) fn is_tried(wanted: &str, now: &Enabled) -> bool {
    // A linked file may have nothing to enable.
    let may_fail = match now {
        Enabled::Linked => true,
        Enabled::Fixed(word) => word == INDIRECT,
        Enabled::Enabled | Enabled::Runtime | Enabled::Disabled | Enabled::NoFile => false,
    };
    wanted == "enabled" && may_fail
}

/// After the attempt. Errors: it is still not enabled itself.
pub(super) fn is_enabled(unit: &Unit, now: &UnitState) -> Result<(), Decision> {
    let why = match &now.enabled {
        Enabled::Enabled => return Ok(()),
        Enabled::Linked => "has no [Install] section",
        Enabled::Runtime | Enabled::Disabled | Enabled::Fixed(_) | Enabled::NoFile => "only enables other units",
    };
    let (name, word) = (&unit.name, now.enabled.word());
    Err(Decision::CannotTell(format!("{name} cannot be enabled: its unit file {why} ({word})")))
}

/// Why a started unit is not active.
pub(super) fn not_active(unit: &Unit, now: &UnitState) -> String {
    let name = &unit.name;
    let why = match (now.active, now.result.as_str()) {
        _ if !now.conditions_hold => "a condition in its unit file is not met".to_owned(),
        (Active::Activating | Active::Deactivating | Active::Reloading | Active::Maintenance, _) => {
            format!("it is still {} ({})", now.active.word(), now.sub)
        }
        (_, "exit-code") => format!("its process exited with status {}", now.status),
        (_, "signal" | "core-dump") => format!("its process was killed by signal {}", now.status),
        (_, "success" | "") => "it ended immediately, or a condition in its unit file is not met".to_owned(),
        (_, "start-limit-hit") => "it was started too often in a short time".to_owned(),
        (_, result) => format!("it failed ({result})"),
    };
    let journal = if unit.session { "journalctl --user" } else { "journalctl" };
    format!("{name} was started but is not active: {why}; for details, see `{journal} -u {name}`")
}

/// Why a unit cannot be managed, if so: it has no file, or an unreadable one.
pub(super) fn unloadable(unit: &Unit, now: &UnitState) -> Option<String> {
    match &now.load {
        Load::Loaded | Load::Masked => None,
        Load::NotFound => Some(format!("cannot find {}", unit.name)),
        Load::Bad(why) => Some(format!("{} cannot be loaded: {why}", unit.name)),
    }
}
