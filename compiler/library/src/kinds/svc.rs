//! `svc`: keeps a systemd service unit running or stopped and enabled or disabled; reloads it when notified. Resource
//! spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::{known_state, one_of_named};
use crate::kinds::walk::Walk;
use crate::kinds::{Claim, Decision, Direction, Field, Kind, KindDecl, Seen, Traits, Want, WantBatch, units};
use crate::vocab::unit::{self, Active, Job, Load, Unit, UnitState};
use crate::vocab::{Step, Watch, account, file};

/// The kind `svc`.
pub(crate) struct Svc;

static DECL: KindDecl = KindDecl {
    name: "svc",
    doc: "Keeps a systemd service running or stopped, and enabled or disabled. Reloads it when notified.",
    fields: &[
        Field::str("state", "State", "`running` or `stopped`; empty leaves it unmanaged."),
        Field::str("startup", "Startup", "`enabled` or `disabled`; empty leaves it unmanaged."),
        Field::bool("session", "Session", "Use the systemd instance of the user instead of the system."),
    ],
    traits: Traits { edgeable: true, groupable: true, refreshable: true, ..Traits::NONE },
    constants: &[],
    policy: &[Required::list(PolicyList::Units)],
};

impl Kind for Svc {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        known_state(&want.text("state"), &["running", "stopped", ""])?;
        one_of_named("startup", &want.text("startup"), &["enabled", "disabled", ""])
    }

    fn claims(&self, want: &Want) -> Vec<Claim> {
        vec![Claim::Svc { name: want.name.to_owned(), session: want.bool("session") }]
    }

    /// Its unit file comes before it, its timer after it. The location of session units is unknown here.
    fn wants(&self, want: &Want) -> Vec<WantBatch> {
        let (unit, session) = (format!("{}.service", want.name), want.bool("session"));
        let file = |dir: &str| (Claim::File(format!("{dir}{unit}")), Direction::Before);
        let files = vec![file("/etc/systemd/system/"), file("/usr/lib/systemd/system/")];
        let timer = vec![(Claim::Cron { unit: unit.clone(), session }, Direction::After)];
        vec![
            WantBatch { claims: if session { Vec::new() } else { files }, first_only: true },
            WantBatch { claims: timer, first_only: false },
        ]
    }

    fn backend(&self) -> &'static str {
        "systemd over D-Bus (package `dbus`; with `session`, also `dbus-user-session`, and the session of the user \
         that runs the agent). Changes are detected through its signals and its files. A service whose type does not \
         report readiness (`simple`, `exec`, `idle`) counts as started after its process has run for 200 ms. With \
         `--once`, a service that exits later still counts as started; otherwise it is started again. Use \
         `Type=notify` if this matters."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, seen, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    /// The manager reports changes of the unit; the files are watched for edits that it is not notified of.
    fn watches(&self, want: &Want) -> Vec<Watch> {
        let (name, session) = (format!("{}.service", want.name), want.bool("session"));
        let folder = if session { "~/.config/systemd/user" } else { "/etc/systemd/system" };
        // The usual places of the link that enables it.
        let enabling: &[&str] = match session {
            true => &["default.target.wants"],
            false => &[
                "multi-user.target.wants",
                "graphical.target.wants",
                "default.target.wants",
                "sysinit.target.wants",
                "network-online.target.wants",
                "getty.target.wants",
            ],
        };
        let links = enabling.iter().map(|target| format!("{folder}/{target}/{name}"));
        let paths: Vec<String> = std::iter::once(format!("{folder}/{name}")).chain(links).collect();
        let files = paths.into_iter().map(|path| match session {
            true => Watch::Account(account::Watch::Home { path }),
            false => Watch::File(file::Watch { path, recursive: false }),
        });
        // The check reports invalid unit names.
        let unit = Unit::new(name, session);
        let files = files.filter(|_| unit.checked().is_ok());
        std::iter::once(unit::Watch { unit: unit.clone() }.into()).chain(files).collect()
    }
}

fn walk<'a>(want: &Want, seen: &Seen, walk: &mut Walk<'a>) -> Result<Decision, Decision> {
    let unit = units::named(format!("{}.service", want.name), want.bool("session"))?;
    let (state, startup) = (want.text("state"), want.text("startup"));
    let refuse = |why: String| Err(Decision::CannotTell(why));
    let look = |walk: &mut Walk<'a>| match &*state {
        // Only at rest is it clear whether it runs.
        "running" => units::look_at_rest(walk, &unit),
        _ => units::look(walk, &unit, false),
    };
    let reload = || Step::Unit(unit::Step::ReloadManager { unit: unit.clone() });
    let mut now = look(walk)?;
    // Another file has replaced an unreadable one, or an empty one, which masks its unit.
    let is_another = matches!(now.load, Load::Bad(_) | Load::Masked) && now.is_stale && seen.apply;
    if is_another {
        walk.act(vec![reload()])?;
        now = look(walk)?;
    }
    if now.load == Load::NotFound {
        return refuse(format!("failed to find svc: {}", unit.name));
    }
    if let Some(why) = units::unloadable(&unit, now) {
        return refuse(why);
    }
    let starts = state == "running" && now.active != Active::Active;
    if starts && now.load == Load::Masked {
        return refuse(format!("{} is masked and cannot run: run `systemctl unmask {}` first", unit.name, unit.name));
    }
    if state == "running" && now.is_one_shot {
        return refuse(format!(
            "{} is a oneshot service without RemainAfterExit=yes: it stops running as soon as its command ends",
            unit.name
        ));
    }
    let stops = state == "stopped" && !matches!(now.active, Active::Inactive | Active::Failed);
    let is_tried = units::is_tried(&startup, &now.enabled);
    let mut steps: Vec<Step> = units::startup(&unit, &startup, &now.enabled)?.into_iter().collect();
    // Enabling makes the manager reload its files anyway.
    let reads_anew = now.is_stale && steps.is_empty();
    if starts {
        steps.extend(reads_anew.then(reload));
        steps.push(units::job(&unit, Job::Start, now.active));
    } else if stops {
        steps.push(units::job(&unit, Job::Stop, now.active));
    } else if seen.refresh && matches!(now.active, Active::Active | Active::Reloading) {
        steps.extend(reads_anew.then(reload));
        // A service that reloads would keep using its old file.
        let refresh = if now.is_stale { Job::TryRestart } else { Job::ReloadOrTryRestart };
        steps.push(units::job(&unit, refresh, now.active));
    }
    if steps.is_empty() {
        return Ok(if is_another { Decision::Mended(Vec::new()) } else { Decision::InState(Vec::new()) });
    }
    walk.act(steps)?;
    if is_tried {
        units::is_enabled(&unit, units::look(walk, &unit, false)?)?;
    }
    if starts {
        is_up(&unit, units::look_at_rest(walk, &unit)?)?;
    }
    Ok(Decision::Mended(Vec::new()))
}

/// A successful job has only started a process, which may have exited already.
fn is_up(unit: &Unit, now: &UnitState) -> Result<(), Decision> {
    if now.active == Active::Active { Ok(()) } else { Err(Decision::CannotTell(units::not_active(unit, now))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::check::Draft;
    use crate::vocab::unit::Enabled;
    use crate::vocab::{Finding, Outcome};

    fn demo() -> UnitState {
        UnitState {
            load: Load::Loaded,
            active: Active::Inactive,
            sub: "dead".into(),
            enabled: Enabled::Disabled,
            file: "/etc/systemd/system/demo.service".into(),
            is_stale: false,
            has_job: false,
            is_one_shot: false,
            result: "success".into(),
            status: 0,
            conditions_hold: true,
        }
    }

    fn svc(state: &str, startup: &str) -> Draft {
        Draft::new("svc", "demo").text("state", state).text("startup", startup)
    }

    /// The steps for a unit in this state, in words; or why there are none.
    fn check(draft: Draft, now: UnitState, refresh: bool, expect: &str) {
        let findings = [Finding::Unit(unit::Finding::State(now))];
        let seen = Seen { findings: &findings, refresh, ..Seen::first() };
        let words = match draft.kind.decide(&draft.want(), &seen) {
            Decision::InState(_) => String::new(),
            Decision::Drifted(steps) => steps.iter().map(Step::to_string).collect::<Vec<_>>().join("; "),
            Decision::CannotTell(why) => why,
            other => format!("{other:?}"),
        };
        assert_eq!(words, expect);
    }

    #[test]
    fn startup_comes_before_the_state() {
        check(svc("", ""), demo(), false, "");
        check(
            svc("running", "enabled"),
            demo(),
            false,
            "enable demo.service (is disabled); start demo.service (is inactive)",
        );
        let up = || UnitState { active: Active::Active, enabled: Enabled::Enabled, ..demo() };
        check(svc("running", "enabled"), up(), false, "");
        check(
            svc("stopped", "disabled"),
            up(),
            false,
            "disable demo.service (is enabled); stop demo.service (is active)",
        );
        check(svc("stopped", ""), UnitState { active: Active::Failed, ..demo() }, false, "");
    }

    #[test]
    fn a_notification_reloads_what_runs_and_was_not_just_started() {
        let up = || UnitState { active: Active::Active, ..demo() };
        check(svc("", ""), up(), true, "reload demo.service (is active)");
        check(svc("", ""), demo(), true, "");
        check(svc("running", ""), demo(), true, "start demo.service (is inactive)");
        let stale = UnitState { is_stale: true, ..up() };
        let expect = "reload the systemd system manager; restart demo.service (is active)";
        check(svc("running", ""), stale.clone(), true, expect);
        check(svc("running", ""), stale, false, "");
    }

    #[test]
    fn what_cannot_be_says_why() {
        check(
            svc("running", ""),
            UnitState { load: Load::NotFound, ..demo() },
            false,
            "failed to find svc: demo.service",
        );
        let masked = || UnitState { load: Load::Masked, enabled: Enabled::Fixed("masked".into()), ..demo() };
        check(
            svc("running", ""),
            masked(),
            false,
            "demo.service is masked and cannot run: run `systemctl unmask demo.service` first",
        );
        check(svc("stopped", "disabled"), masked(), false, "");
        check(
            svc("running", "enabled"),
            UnitState { is_stale: true, ..masked() },
            false,
            "reload the systemd system manager",
        );
        check(
            svc("", "enabled"),
            UnitState { enabled: Enabled::Fixed("static".into()), ..demo() },
            false,
            "demo.service cannot be enabled: its unit file has no [Install] section (static)",
        );
        check(
            svc("", "enabled"),
            UnitState { enabled: Enabled::Fixed("generated".into()), ..demo() },
            false,
            "demo.service cannot be enabled: it is generated from another file; leave out `startup`, and run \
             `systemctl enable demo.service` if that file is a script in `/etc/init.d`",
        );
        let indirect = || UnitState { enabled: Enabled::Fixed("indirect".into()), ..demo() };
        check(svc("", "enabled"), indirect(), false, "enable demo.service (is indirect)");
        check(svc("", "disabled"), indirect(), false, "");
        check(
            svc("running", ""),
            UnitState { is_one_shot: true, ..demo() },
            false,
            "demo.service is a oneshot service without RemainAfterExit=yes: it stops running as soon as its command ends",
        );
        check(
            svc("running", ""),
            UnitState { load: Load::Bad("no ExecStart".into()), ..demo() },
            false,
            "demo.service cannot be loaded: no ExecStart",
        );
        check(
            svc("running", ""),
            UnitState { load: Load::Bad("no ExecStart".into()), is_stale: true, ..demo() },
            false,
            "reload the systemd system manager",
        );
        let slash = Draft::new("svc", "/tmp/evil").text("startup", "enabled");
        check(
            slash,
            demo(),
            false,
            "`/tmp/evil.service` is not a valid unit name: up to 255 letters, digits and `:-_.@\\`",
        );
    }

    /// The decision after the attempt to enable a unit in this state.
    fn after_enabling(before: &str, after: &str) -> Decision {
        let state =
            |word: &str| Finding::Unit(unit::Finding::State(UnitState { enabled: Enabled::parse(word), ..demo() }));
        let (findings, outcomes) = ([state(before), state(after)], [Outcome::Done]);
        let draft = svc("", "enabled");
        draft.kind.decide(&draft.want(), &Seen { findings: &findings, outcomes: &outcomes, ..Seen::first() })
    }

    #[test]
    fn another_instance_of_a_template_is_enabled_and_what_enables_others_is_reported() {
        assert_eq!(after_enabling("indirect", "enabled"), Decision::Mended(Vec::new()));
        let why = "demo.service cannot be enabled: its unit file only enables other units (indirect)";
        assert_eq!(after_enabling("indirect", "indirect"), Decision::CannotTell(why.into()));
    }

    #[test]
    fn a_linked_file_without_anything_to_enable_is_reported() {
        assert_eq!(after_enabling("linked", "enabled"), Decision::Mended(Vec::new()));
        let why = "demo.service cannot be enabled: its unit file has no [Install] section (linked)";
        assert_eq!(after_enabling("linked", "linked"), Decision::CannotTell(why.into()));
    }

    #[test]
    fn one_that_is_on_its_way_is_waited_for() {
        let passing = UnitState { active: Active::Activating, has_job: true, ..demo() };
        let findings = [Finding::Unit(unit::Finding::State(passing))];
        let draft = svc("running", "");
        let decision = draft.kind.decide(&draft.want(), &Seen { findings: &findings, ..Seen::first() });
        let unit = Unit::new("demo.service", false);
        assert_eq!(decision, Decision::LookFurther(vec![unit::Probe::State { unit, settled: true }.into()]));
    }
}
