//! [`Units`]: the service managers of a simulated host. As with systemd, units are files in the host's tree, and
//! enabling makes links there; running units are kept here.
//!
//! A service's command: a scripted one has its scripted result, `true` and `false` exit immediately, all others keep
//! running.

use crate::gather;
use crate::path;
use crate::subject::SubjectState;
use crate::tree::Stamp;
use crate::vocab::unit::{Active, Enabled, Job, Load, Unit, UnitState};
use crate::vocab::{FileKind, HostError, HostErrorKind};
use crate::world::World;
use std::collections::BTreeMap;

/// Active units, and faults of the managers.
#[derive(Clone, Default)]
pub struct Units {
    live: BTreeMap<Unit, Live>,
    /// How often that may have changed.
    n_changes: u64,
    /// Whether no manager runs.
    pub are_gone: bool,
    /// How long a unit takes to start. Units: milliseconds.
    pub slow: BTreeMap<String, u64>,
}

impl SubjectState for Units {
    fn of_new_host(_: &str) -> Units {
        Units::default()
    }

    fn n_entries(&self) -> usize {
        self.live.len()
    }

    fn n_bytes(&self) -> usize {
        self.live.values().map(|live| live.text.len()).sum()
    }
}

impl Units {
    /// The active units, to change them.
    fn live_mut(&mut self) -> &mut BTreeMap<Unit, Live> {
        self.n_changes += 1;
        &mut self.live
    }
}

/// What the states of all units follow from: while it is equal, so are they.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(super) struct UnitStamp {
    n_changes: u64,
    are_gone: bool,
    folders: Vec<Option<Stamp>>,
}

/// A loaded unit that is not at rest.
#[derive(Clone)]
struct Live {
    active: Active,
    sub: &'static str,
    /// Its file as the manager read it.
    text: String,
    result: &'static str,
    status: i32,
    /// When it will have started. Units: nanoseconds since 1970.
    until_ns: i64,
}

const SYSTEM: [&str; 3] = ["/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system"];
const SESSION: [&str; 3] = ["/root/.config/systemd/user", "/etc/systemd/user", "/usr/lib/systemd/user"];

/// How long a job still takes. Units: milliseconds.
pub(crate) struct Wait(pub(crate) u64);

impl World {
    /// A unit as its manager reports it. Errors: there is no manager.
    pub fn unit(&self, unit: &Unit) -> Result<UnitState, HostError> {
        if self.subjects.unit.are_gone {
            return Err(HostError::new(HostErrorKind::Unavailable, "systemd is not running"));
        }
        let name = unit.checked()?;
        let (live, file) = (self.subjects.unit.live.get(unit), self.unit_file(unit));
        let text = file.as_ref().and_then(|file| self.unit_text(file));
        let is_masked = file.as_ref().is_some_and(|file| self.is_masked(file));
        let load = match (&live, &file, &text) {
            (Some(_), ..) => Load::Loaded,
            (None, Some(_), _) if is_masked => Load::Masked,
            (None, Some(_), Some(text)) if name.ends_with(".service") && value(text, "ExecStart").is_none() => {
                Load::Bad(format!("{name}: the service has no ExecStart= setting"))
            }
            (None, Some(_), _) => Load::Loaded,
            (None, None, _) => Load::NotFound,
        };
        let enabled = match (&text, &file) {
            (_, None) => Enabled::NoFile,
            (_, Some(_)) if is_masked => Enabled::Fixed("masked".into()),
            (_, Some(_)) if !self.enabling_links(unit).is_empty() => Enabled::Enabled,
            (Some(text), _) if targets(text).is_empty() => Enabled::Fixed("static".into()),
            _ => Enabled::Disabled,
        };
        let read = live.map(|live| live.text.as_str()).or(text.as_deref()).unwrap_or_default();
        Ok(UnitState {
            load,
            active: live.map_or(Active::Inactive, |live| live.active),
            sub: live.map_or("dead", |live| live.sub).to_owned(),
            enabled,
            is_stale: live.is_some_and(|live| text.as_ref() != Some(&live.text)),
            file: file.unwrap_or_default(),
            has_job: live.is_some_and(|live| live.active == Active::Activating),
            is_one_shot: is_one_shot(read),
            result: live.map_or("success", |live| live.result).to_owned(),
            status: live.map_or(0, |live| live.status),
            conditions_hold: true,
        })
    }

    /// The present state of everything that [`World::unit`] reads.
    pub(super) fn unit_stamp(&self) -> UnitStamp {
        let folders = SYSTEM.iter().chain(&SESSION).map(|dir| self.tree.stamp(dir));
        let Units { n_changes, are_gone, .. } = self.subjects.unit;
        UnitStamp { n_changes, are_gone, folders: folders.collect() }
    }

    /// How long a unit's transition still takes.
    pub(super) fn unit_wait(&self, unit: &Unit) -> Option<Wait> {
        let live = self.subjects.unit.live.get(unit).filter(|live| live.active == Active::Activating)?;
        let ns = live.until_ns.saturating_sub(self.tree.now_ns);
        (ns > 0).then(|| Wait((ns as u64).div_ceil(1_000_000)))
    }

    /// Completes a transition that is due.
    pub(super) fn arrive(&mut self, unit: &Unit) {
        let is_due = |live: &Live| live.active == Active::Activating && live.until_ns <= self.tree.now_ns;
        if self.subjects.unit.live.get(unit).is_some_and(is_due) {
            // Its state shows the result.
            let _ = self.settle_unit(unit);
        }
    }

    /// Runs a job of a unit by hand, like `systemctl`. `Ok(Some)`: it is in progress; ask again then.
    pub(crate) fn unit_job(&mut self, unit: &Unit, job: Job) -> Result<Option<Wait>, HostError> {
        let state = self.unit(unit)?;
        unit.checked()?;
        let is_up = matches!(state.active, Active::Active | Active::Reloading);
        match (job, state.active) {
            (Job::Start, _) if is_up => return Ok(None),
            (Job::TryRestart | Job::ReloadOrTryRestart, _) if !is_up => return Ok(None),
            (Job::Stop, _) => {
                self.subjects.unit.live_mut().remove(unit);
                return Ok(None);
            }
            (Job::ReloadOrTryRestart, _)
                if self.live_text(unit).is_some_and(|text| value(text, "ExecReload").is_some()) =>
            {
                return Ok(None);
            }
            (Job::Start | Job::Restart | Job::TryRestart | Job::ReloadOrTryRestart, _) => {}
        }
        match state.load {
            Load::Loaded => {}
            Load::NotFound => return Err(failed(format!("Unit {} not found.", unit.name))),
            Load::Masked => return Err(failed(format!("Unit {} is masked.", unit.name))),
            Load::Bad(why) => return Err(failed(why)),
        }
        if state.active != Active::Activating {
            // A manager that has not reloaded a file starts what it has read.
            let read = self.live_text(unit).map(str::to_owned);
            let text = read.or_else(|| self.unit_text(&state.file)).unwrap_or_default();
            let slow = self.subjects.unit.slow.get(&unit.name).copied().unwrap_or(0);
            let until_ns = self.tree.now_ns + slow as i64 * 1_000_000;
            let live = Live { active: Active::Activating, sub: "start", text, result: "success", status: 0, until_ns };
            self.subjects.unit.live_mut().insert(unit.clone(), live);
        }
        let wait = self.unit_wait(unit);
        if wait.is_none() {
            self.settle_unit(unit)?;
        }
        Ok(wait)
    }

    /// A started unit runs, or has ended again.
    fn settle_unit(&mut self, unit: &Unit) -> Result<(), HostError> {
        let Some(live) = self.subjects.unit.live.get(unit) else { return Ok(()) };
        let text = live.text.clone();
        let ended = value(&text, "ExecStart").and_then(|command| self.ends_with(command));
        let is_one_shot = value(&text, "Type") == Some("oneshot");
        let live = self.subjects.unit.live_mut().get_mut(unit).expect("it is there");
        (live.active, live.sub) = match ended {
            None if unit.name.ends_with(".timer") => (Active::Active, "waiting"),
            None => (Active::Active, "running"),
            Some(0) if is_one_shot && remains(&text) => (Active::Active, "exited"),
            Some(0) => {
                self.subjects.unit.live_mut().remove(unit);
                return Ok(());
            }
            Some(status) => {
                (live.result, live.status) = ("exit-code", status);
                (Active::Failed, "failed")
            }
        };
        match ended {
            Some(status) if status != 0 && is_one_shot => {
                Err(failed(format!("the job of {} failed: its command exited with {status}", unit.name)))
            }
            _ => Ok(()),
        }
    }

    /// The exit status of a command that ends immediately; `None`: it keeps running.
    fn ends_with(&mut self, command: &str) -> Option<i32> {
        let argv: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        if let Some(run) = self.commands.start(&argv) {
            return (run.duration_ms == 0).then_some(run.status);
        }
        match argv.first().map(|program| path::name(program)) {
            Some("true") => Some(0),
            Some("false") => Some(1),
            Some(_) | None => None,
        }
    }

    /// Enables or disables a unit by links, as its file specifies.
    pub fn enable_unit(&mut self, unit: &Unit, enable: bool) -> Result<(), HostError> {
        let state = self.unit(unit)?;
        if !enable {
            return self.enabling_links(unit).iter().try_for_each(|link| self.tree.remove(link, false));
        }
        if state.load == Load::NotFound {
            return Err(failed(format!("Unit file {} does not exist.", unit.name)));
        }
        for target in targets(&self.unit_text(&state.file).unwrap_or_default()) {
            let dir = format!("{}/{target}", folders(unit)[0]);
            self.tree.make_dir(&dir, true, None)?;
            self.tree.symlink(&format!("{dir}/{}", unit.name), &state.file)?;
        }
        Ok(())
    }

    /// Makes a manager reload all files.
    pub fn reload_units(&mut self, session: bool) -> Result<(), HostError> {
        if self.subjects.unit.are_gone {
            return Err(HostError::new(HostErrorKind::Unavailable, "systemd is not running"));
        }
        let live: Vec<Unit> = self.subjects.unit.live.keys().filter(|unit| unit.session == session).cloned().collect();
        for unit in live {
            let text = self.unit_file(&unit).and_then(|file| self.unit_text(&file));
            if let (Some(live), Some(text)) = (self.subjects.unit.live_mut().get_mut(&unit), text) {
                live.text = text;
            }
        }
        Ok(())
    }

    /// The system units that have a file or run.
    pub(super) fn unit_names(&self) -> Vec<String> {
        let of_files = SYSTEM.iter().flat_map(|dir| self.tree.list(dir, false).unwrap_or_default());
        let is_unit = |name: &String| [".service", ".timer", ".socket"].iter().any(|suffix| name.ends_with(suffix));
        let of_files = of_files.map(|(name, _)| name).filter(|name| is_unit(name) && !name.contains('@'));
        let live = self.subjects.unit.live.keys().filter(|unit| !unit.session).map(|unit| unit.name.clone());
        gather::set(of_files.chain(live)).into_iter().collect()
    }

    /// Kills the processes of a running service with SIGKILL; its manager restarts it if its file requires that.
    pub fn kill_unit(&mut self, name: &str) {
        let unit = Unit::new(name, false);
        let Some(live) = self.subjects.unit.live_mut().get_mut(&unit) else { return };
        // What does not run has no processes.
        let runs = matches!(live.active, Active::Active | Active::Reloading | Active::Activating);
        let restarts = ["always", "on-failure", "on-abnormal", "on-abort"];
        if runs && !value(&live.text, "Restart").is_some_and(|when| restarts.contains(&when)) {
            (live.active, live.sub, live.result, live.status) = (Active::Failed, "failed", "signal", 9);
        }
    }

    fn live_text(&self, unit: &Unit) -> Option<&str> {
        self.subjects.unit.live.get(unit).map(|live| live.text.as_str())
    }

    /// The file of a unit, or of its template.
    fn unit_file(&self, unit: &Unit) -> Option<String> {
        let template = unit.name.split_once('@').zip(unit.name.rsplit_once('.'));
        let template = template.map(|((stem, _), (_, suffix))| format!("{stem}@.{suffix}"));
        let names = [Some(unit.name.clone()), template].into_iter().flatten();
        let files = names.flat_map(|name| folders(unit).map(|dir| format!("{dir}/{name}")));
        let is_there = |file: &String| matches!(self.tree.stat(file, false), Ok(Some(_)));
        files.into_iter().find(is_there)
    }

    fn unit_text(&self, file: &str) -> Option<String> {
        self.tree.read(file).ok().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    fn is_masked(&self, file: &str) -> bool {
        self.tree.stat(file, false).ok().flatten().is_some_and(|stat| stat.target.as_deref() == Some("/dev/null"))
    }

    fn is_link(&self, path: &str) -> bool {
        matches!(self.tree.stat(path, false), Ok(Some(stat)) if stat.kind == FileKind::Symlink)
    }

    fn enabling_links(&self, unit: &Unit) -> Vec<String> {
        let dir = folders(unit)[0];
        let Ok(real) = self.tree.resolve(dir, true) else { return Vec::new() };
        let enables = |target: &&str| target.ends_with(".wants") || target.ends_with(".requires");
        let targets = self.tree.folders_in(&real).filter(enables);
        let links = targets.map(|target| format!("{dir}/{target}/{}", unit.name));
        links.filter(|link| self.is_link(link)).collect()
    }
}

/// The folders of unit files, in order of precedence.
fn folders(unit: &Unit) -> [&'static str; 3] {
    if unit.session { SESSION } else { SYSTEM }
}

/// The last value of a setting.
fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut found = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    found.next_back().map(str::trim).filter(|value| !value.is_empty())
}

/// The folders in which enabling makes links.
fn targets(text: &str) -> Vec<String> {
    let of = |name, suffix: &'static str| {
        let words = value(text, name).unwrap_or_default().split_whitespace();
        words.map(move |target| format!("{target}.{suffix}")).collect::<Vec<_>>()
    };
    [of("WantedBy", "wants"), of("RequiredBy", "requires")].concat()
}

fn is_one_shot(text: &str) -> bool {
    value(text, "Type") == Some("oneshot") && !remains(text)
}

/// Whether it stays active after its command has ended.
fn remains(text: &str) -> bool {
    matches!(value(text, "RemainAfterExit"), Some("yes" | "true" | "1" | "on"))
}

fn failed(message: String) -> HostError {
    HostError::new(HostErrorKind::Other, message)
}
