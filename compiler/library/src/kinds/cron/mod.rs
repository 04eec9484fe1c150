//! `cron`: manages a systemd timer unit: its unit file, its enablement and its activation. Resource spec, 9.

mod content;

use crate::kinds::required::{PolicyList, Required};
use content::content;

use crate::kinds::rules::{ensure, known_state, one_of_named};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Claim, Decision, Field, FieldDefault, Kind, KindDecl, Seen, Traits, Want, accounts, units};
use crate::vocab::unit::{self, Active, Enabled, Job, Load, Unit};
use crate::vocab::{Content, Finding, HostErrorKind, Probe, Step, Watch, account, file};

/// The kind `cron`.
pub(crate) struct Cron;

static DECL: KindDecl = KindDecl {
    name: "cron",
    doc: "Manages a systemd timer unit: its unit file, its enablement and its activation.",
    fields: &[
        Field::str("unit", "Unit", "Unit that the timer starts. If empty, systemd uses `NAME.service`."),
        Field::str("state", "State", "`exists` or `absent`.").default(FieldDefault::Str("exists")),
        Field::str("startup", "Startup", "`enabled`, `disabled` or empty.").default(FieldDefault::Str("enabled")),
        Field::bool("session", "Session", "Use the user manager and the user's unit directory.").not_compared(),
        Field::str(
            "trigger",
            "Trigger",
            "`OnCalendar`, `OnActiveSec`, `OnBootSec`, `OnStartupSec`, `OnUnitActiveSec` or `OnUnitInactiveSec`.",
        ),
        Field::str("time", "Time", "Value for the trigger, in systemd syntax."),
        Field::str("accuracysec", "AccuracySec", "Value of `AccuracySec=`; omitted if empty."),
        Field::str("randomizeddelaysec", "RandomizedDelaySec", "Value of `RandomizedDelaySec=`; omitted if empty."),
        Field::bool("persistent", "Persistent", "Write `Persistent=true`."),
        Field::bool("wakesystem", "WakeSystem", "Write `WakeSystem=true`."),
        Field::bool("remainafterelapse", "RemainAfterElapse", "If false, write `RemainAfterElapse=false`.")
            .default(FieldDefault::Bool(true)),
        Field::str(
            "description",
            "Description",
            "Value of `Description=`; if unset, a default description is used. An empty string omits the line.",
        )
        .nullable(),
    ],
    traits: Traits { edgeable: true, refreshable: true, recvable: true, ..Traits::NONE },
    constants: &[],
    policy: &[Required::list(PolicyList::Paths), Required::list(PolicyList::Units)],
};

impl Kind for Cron {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        known_state(&want.text("state"), &["absent", "exists"])?;
        one_of_named("startup", &want.text("startup"), &["enabled", "disabled", ""])?;
        let trigger = want.text("trigger");
        if want.text("state") == "absent" && trigger.is_empty() {
            return Ok(());
        }
        if !trigger.is_empty() {
            one_of_named("trigger", &trigger, TRIGGERS)?;
        }
        let has_time = !want.text("time").is_empty();
        ensure(!(trigger.is_empty() && has_time), "`trigger` is missing: set it to `OnCalendar` for a calendar event")?;
        ensure(has_time, "`trigger` and `time` must both be set")
    }

    /// The unit it triggers, and its own unit file. The location of session units is unknown here.
    fn claims(&self, want: &Want) -> Vec<Claim> {
        let (unit, session) = (want.text("unit"), want.bool("session"));
        let unit = if unit.is_empty() { format!("{}.service", want.name) } else { unit.into_owned() };
        let mut claims = vec![Claim::Cron { unit, session }];
        if !session {
            claims.push(Claim::File(format!("/etc/systemd/system/{}.timer", want.name)));
        }
        claims
    }

    fn puts(&self, want: &Want) -> Vec<String> {
        (want.text("state") == "exists").then(|| path(want)).into_iter().collect()
    }

    fn backend(&self) -> &'static str {
        "a file in `/etc/systemd/system` (with `session`, in `~/.config/systemd/user`) and systemd over D-Bus. If \
         `systemd-analyze` is installed, it validates the time before anything is written."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    /// The timer, the unit it triggers (without which the timer cannot start), its file, and the link that enables it.
    fn watches(&self, want: &Want) -> Vec<Watch> {
        let session = want.bool("session");
        let link = format!("{}/timers.target.wants/{}", folder(want), timer(want));
        let files = [path(want), link].map(|path| match session {
            true => Watch::Account(account::Watch::Home { path }),
            false => Watch::File(file::Watch { path, recursive: false }),
        });
        // The check reports invalid unit names.
        let units = [timer(want), triggered(want)].map(|name| Unit::new(name, session));
        let units = units.into_iter().filter(|unit| unit.checked().is_ok());
        units.map(|unit| unit::Watch { unit }.into()).chain(files).collect()
    }
}

/// The timer settings that can trigger a unit.
static TRIGGERS: &[&str] =
    &["OnCalendar", "OnActiveSec", "OnBootSec", "OnStartupSec", "OnUnitActiveSec", "OnUnitInactiveSec"];

/// Longer than any unit file.
const LONGEST: u64 = 1 << 20;

fn timer(want: &Want) -> String {
    format!("{}.timer", want.name)
}

fn triggered(want: &Want) -> String {
    match &*want.text("unit") {
        "" => format!("{}.service", want.name),
        unit => unit.to_owned(),
    }
}

/// The folder of the file: for session units it is in a home directory.
fn folder(want: &Want) -> &'static str {
    if want.bool("session") { "~/.config/systemd/user" } else { "/etc/systemd/system" }
}

fn path(want: &Want) -> String {
    format!("{}/{}", folder(want), timer(want))
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let unit = units::named(timer(want), want.bool("session"))?;
    let (path, _) = accounts::expanded(walk, &path(want))?;
    let steps =
        if want.text("state") == "absent" { absent(walk, &unit, path)? } else { exists(want, walk, &unit, path)? };
    if steps.is_empty() {
        return Ok(Decision::InState(Vec::new()));
    }
    walk.act(steps)?;
    if want.text("state") == "exists" {
        let now = units::look_at_rest(walk, &unit)?;
        if let Some(why) = units::unloadable(&unit, now) {
            return Err(Decision::CannotTell(why));
        }
        if now.active != Active::Active && !ends(want) {
            return Err(Decision::CannotTell(units::not_active(&unit, now)));
        }
    }
    Ok(Decision::Mended(Vec::new()))
}

/// Whether the timer ends some day and is then gone. A recurring one is inactive only if it was stopped.
fn ends(want: &Want) -> bool {
    let trigger = want.text("trigger");
    let comes_again = match &*trigger {
        "OnCalendar" => {
            let time = want.text("time");
            let date = |word: &str| {
                let mut parts = word.splitn(3, '-');
                let mut number = || {
                    parts.next().is_some_and(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
                };
                number() && number() && number()
            };
            time.contains(['*', '/', ','])
                || time.contains("..")
                || !time.starts_with('@') && !time.split_whitespace().any(date)
        }
        "OnUnitActiveSec" | "OnUnitInactiveSec" => true,
        _ => false,
    };
    !want.bool("remainafterelapse") && !comes_again
}

/// Steps for the file, the loaded unit, its start at boot and its state: each can drift separately.
fn exists(want: &Want, walk: &mut Walk, unit: &Unit, path: String) -> Result<Vec<Step>, Decision> {
    let content = content(want)?;
    let now = units::look_at_rest(walk, unit)?;
    let is_masked = now.load == Load::Masked;
    // An empty file masks its timer as well.
    if is_masked && !is_file(walk, &path)? {
        let why = format!("{} is masked: run `systemctl unmask {}` first", unit.name, unit.name);
        return Err(Decision::CannotTell(why));
    }
    let mut steps = Vec::new();
    let is_new = held(walk, &path)? != Some(content.as_bytes());
    if is_new {
        starts_unit(want)?;
        takes_times(want, walk)?;
        let dir = path.rsplit_once('/').map_or("/", |(dir, _)| dir).to_owned();
        if unit.session && !is_dir(walk, &dir)? {
            steps.push(Step::File(file::Step::MakeDir { path: dir, parents: true, mode: None }));
        }
        let content = Content::Bytes(content.into_bytes());
        steps.push(Step::File(file::Step::Write { path, content, attributes: file::Attributes::default() }));
    }
    if is_new || now.is_stale || now.load != Load::Loaded {
        steps.push(Step::Unit(unit::Step::ReloadManager { unit: unit.clone() }));
    }
    steps.extend(match (&*want.text("startup"), &now.enabled) {
        // The file to be written determines what to enable.
        ("enabled", Enabled::Fixed(_)) if is_new || is_masked => {
            let now = now.enabled.clone();
            Some(Step::Unit(unit::Step::Enable { unit: unit.clone(), enable: true, now }))
        }
        (wanted, enabled) => units::startup(unit, wanted, enabled)?,
    });
    let is_right = now.active == Active::Active || ends(want) && now.active == Active::Inactive;
    if is_new || now.is_stale || !is_right {
        // A restart makes timers relative to their start count again.
        let job = if now.active == Active::Active { Job::Restart } else { Job::Start };
        steps.push(units::job(unit, job, now.active));
    }
    Ok(steps)
}

/// Stops it, disables it and removes its file, in this order, so that neither links nor a timer without a file remain.
fn absent(walk: &mut Walk, unit: &Unit, path: String) -> Result<Vec<Step>, Decision> {
    let now = units::look(walk, unit, false)?;
    let link = format!("{}/timers.target.wants/{}", path.rsplit_once('/').map_or("", |(dir, _)| dir), unit.name);
    let (has_file, has_link) = (is_there(walk, &path)?, is_there(walk, &link)?);
    if !has_file && now.load != Load::NotFound && !now.file.is_empty() && now.file != path {
        let why = format!("{} is provided by {}, which this resource must not remove", unit.name, now.file);
        return Err(Decision::CannotTell(why));
    }
    let mut steps = Vec::new();
    if !matches!(now.active, Active::Inactive | Active::Failed) {
        steps.push(units::job(unit, Job::Stop, now.active));
    }
    steps.extend(units::startup(unit, "disabled", &now.enabled)?);
    let remove = |path: String| Step::File(file::Step::Remove { path, recursive: false });
    // A unit without a file, or with an empty one, cannot be disabled: remove its link.
    if has_link && matches!(now.enabled, Enabled::NoFile | Enabled::Fixed(_)) {
        steps.push(remove(link));
    }
    if has_file {
        steps.push(remove(path));
    }
    if has_file || now.load != Load::NotFound {
        steps.push(Step::Unit(unit::Step::ReloadManager { unit: unit.clone() }));
    }
    Ok(steps)
}

/// A manager ignores the name of a unit that it does not understand, and the timer would start another one.
fn starts_unit(want: &Want) -> Result<(), Decision> {
    let name = want.text("unit");
    // Specifiers such as `%i` stand for parts of a name.
    if name.is_empty() || unit::is_valid(&name.replace('%', "")) {
        return Ok(());
    }
    let why = format!("the timer cannot start `{name}`, which is not a unit name such as `backup.service`");
    Err(Decision::CannotTell(why))
}

/// Validates the times with systemd before anything is written: a manager would leave the timer unloaded, or ignore
/// the accuracy and the delay.
fn takes_times(want: &Want, walk: &mut Walk) -> Result<(), Decision> {
    let trigger = want.text("trigger");
    let fields = [(&*trigger, "time"), ("AccuracySec", "accuracysec"), ("RandomizedDelaySec", "randomizeddelaysec")];
    let times = fields.into_iter().map(|(name, field)| (name.to_owned(), want.text(field).into_owned()));
    let times = times.filter(|(_, time)| !time.is_empty());
    let probes = times.map(|(trigger, time)| Probe::from(unit::Probe::Time { trigger, time })).collect();
    for found in walk.look(probes)? {
        match found {
            Finding::Unit(unit::Finding::Time(None)) => {}
            Finding::Unit(unit::Finding::Time(Some(why))) => return Err(Decision::CannotTell(why.clone())),
            other => return Err(cannot_tell(other)),
        }
    }
    Ok(())
}

/// The content of a file; `None`: it does not exist.
fn held<'a>(walk: &mut Walk<'a>, path: &str) -> Result<Option<&'a [u8]>, Decision> {
    let look = Probe::File(file::Probe::Read { path: path.to_owned(), limit: LONGEST });
    match &walk.look(vec![look])?[0] {
        Finding::File(file::Finding::Bytes(bytes)) => Ok(Some(bytes)),
        Finding::Failed(error) if error.kind == HostErrorKind::NotFound => Ok(None),
        other => Err(cannot_tell(other)),
    }
}

fn is_there(walk: &mut Walk, path: &str) -> Result<bool, Decision> {
    stat(walk, path).map(|stat| stat.is_some())
}

fn is_dir(walk: &mut Walk, path: &str) -> Result<bool, Decision> {
    stat(walk, path).map(|stat| stat.is_some_and(|stat| stat.kind == file::FileKind::Dir))
}

fn is_file(walk: &mut Walk, path: &str) -> Result<bool, Decision> {
    stat(walk, path).map(|stat| stat.is_some_and(|stat| stat.kind == file::FileKind::File))
}

fn stat<'a>(walk: &mut Walk<'a>, path: &str) -> Result<Option<&'a file::FileStat>, Decision> {
    let look = Probe::File(file::Probe::Stat { path: path.to_owned(), follow: false });
    match &walk.look(vec![look])?[0] {
        Finding::File(file::Finding::Stat(stat)) => Ok(stat.as_ref()),
        other => Err(cannot_tell(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::check::Draft;

    #[test]
    fn a_timer_that_comes_again_never_ends() {
        let is_over = |trigger: &str, time: &str| {
            let draft = Draft::new("cron", "x").text("trigger", trigger).text("time", time);
            ends(&draft.set("remainafterelapse", false.into()).want())
        };
        for time in ["daily", "Mon..Fri 10:00", "*-*-01 04:00", "2026-*-01", "10:00", "Sat,Sun 08:00", "2026-01-01/2"] {
            assert!(!is_over("OnCalendar", time), "{time}");
        }
        assert!(is_over("OnCalendar", "2026-11-23 10:00:00") && is_over("OnCalendar", "@1800000000"));
        assert!(is_over("OnBootSec", "10min") && !is_over("OnUnitActiveSec", "1h"));
    }

    #[test]
    fn an_empty_file_masks_its_timer_and_is_filled_again() {
        let masked = unit::UnitState {
            load: Load::Masked,
            active: Active::Inactive,
            sub: "dead".into(),
            enabled: Enabled::Fixed("masked".into()),
            file: "/etc/systemd/system/backup.timer".into(),
            is_stale: false,
            has_job: false,
            is_one_shot: false,
            result: "success".into(),
            status: 0,
            conditions_hold: true,
        };
        let told = |kind: file::FileKind| {
            let (mode, size, target) = (0o644, 0, None);
            let stat = file::FileStat { kind, mode, uid: 0, gid: 0, size, mtime_ns: 0, device: 1, inode: 1, target };
            let findings = [
                Finding::Unit(unit::Finding::State(masked.clone())),
                Finding::File(file::Finding::Stat(Some(stat))),
                Finding::File(file::Finding::Bytes(Vec::new())),
                Finding::Unit(unit::Finding::Time(None)),
            ];
            let draft = Draft::new("cron", "backup").text("trigger", "OnCalendar").text("time", "daily");
            match draft.kind.decide(&draft.want(), &Seen { findings: &findings, ..Seen::first() }) {
                Decision::Drifted(steps) => steps.iter().map(Step::to_string).collect::<Vec<_>>().join("; "),
                Decision::CannotTell(why) => why,
                other => format!("{other:?}"),
            }
        };
        let steps = "write /etc/systemd/system/backup.timer (103 bytes); reload the systemd system manager; \
                     enable backup.timer (is masked); start backup.timer (is inactive)";
        assert_eq!(told(file::FileKind::File), steps);
        let refused = "backup.timer is masked: run `systemctl unmask backup.timer` first";
        assert_eq!(told(file::FileKind::Symlink), refused);
    }
}
