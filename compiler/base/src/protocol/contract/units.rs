//! Units of systemd.

use super::talk::Talk;
use crate::protocol::{Input, Ticket};
use crate::vocab::unit::{self, Active, Enabled, Job, Load, Unit};
use crate::vocab::{Content, Finding, HostErrorKind, Outcome, Step, file};

const UNIT: &str = "mclive-contract.service";
const UNIT_FILE: &str = "/etc/systemd/system/mclive-contract.service";

fn the_unit() -> Unit {
    Unit::new(UNIT, false)
}

fn unit_file(command: &str) -> Step {
    let text = format!("[Service]\nExecStart={command}\n\n[Install]\nWantedBy=multi-user.target\n");
    let (content, attributes) = (Content::Bytes(text.into_bytes()), file::Attributes::default());
    file::Step::Write { path: UNIT_FILE.into(), content, attributes }.into()
}

fn reload() -> Step {
    unit::Step::ReloadManager { unit: the_unit() }.into()
}

fn enable(enable: bool, now: Enabled) -> Step {
    unit::Step::Enable { unit: the_unit(), enable, now }.into()
}

fn job(job: Job, now: Active) -> Step {
    unit::Step::Job { unit: the_unit(), job, now }.into()
}

#[track_caller]
fn unit_state(talk: &mut Talk, settled: bool) -> unit::UnitState {
    let found = talk.probe(vec![unit::Probe::State { unit: the_unit(), settled }.into()]);
    match &found[..] {
        [Finding::Unit(unit::Finding::State(state))] => state.clone(),
        other => panic!("{other:?}"),
    }
}

/// Waits for the next change of a watch. Silence is not checked: a manager reports more than necessary.
#[track_caller]
fn unit_fires(talk: &mut Talk, ticket: Ticket) {
    talk.hear("a change of the unit", |input| {
        matches!(input, Input::Fired(of, Some(_)) if *of == ticket).then_some(())
    });
    talk.heard.clear();
}

pub(super) fn a_unit_is_told_from_nothing_to_nothing(talk: &mut Talk) {
    let watch = talk.watch(vec![unit::Watch { unit: the_unit() }.into()]);
    let nothing = unit_state(talk, false);
    assert_eq!((nothing.load, nothing.active, nothing.enabled), (Load::NotFound, Active::Inactive, Enabled::NoFile));

    let steps = vec![
        unit_file("/bin/sleep 1000"),
        reload(),
        enable(true, Enabled::Disabled),
        job(Job::Start, Active::Inactive),
    ];
    assert_eq!(talk.apply(steps), vec![Outcome::Done; 4]);
    unit_fires(talk, watch);
    let up = unit_state(talk, true);
    assert_eq!((&up.load, up.active, &up.enabled), (&Load::Loaded, Active::Active, &Enabled::Enabled));
    assert_eq!((up.file.as_str(), up.is_stale, up.has_job, up.is_one_shot), (UNIT_FILE, false, false, false));

    assert_eq!(talk.apply(vec![unit_file("/bin/sleep 1001")]), [Outcome::Done]);
    assert!(unit_state(talk, false).is_stale, "its file is another one than it was started with");
    assert_eq!(talk.apply(vec![reload(), job(Job::TryRestart, Active::Active)]), vec![Outcome::Done; 2]);
    assert!(!unit_state(talk, true).is_stale);

    assert_eq!(talk.apply(vec![job(Job::Stop, Active::Active)]), [Outcome::Done]);
    unit_fires(talk, watch);
    assert_eq!(unit_state(talk, true).active, Active::Inactive);
    assert_eq!(talk.apply(vec![job(Job::TryRestart, Active::Inactive)]), [Outcome::Done]);
    assert_eq!(unit_state(talk, true).active, Active::Inactive, "only what is active is tried");

    assert_eq!(talk.apply(vec![enable(false, Enabled::Enabled)]), [Outcome::Done]);
    unit_fires(talk, watch);
    assert_eq!(unit_state(talk, false).enabled, Enabled::Disabled);
    let gone = file::Step::Remove { path: UNIT_FILE.into(), recursive: false };
    assert_eq!(talk.apply(vec![gone.into(), reload()]), vec![Outcome::Done; 2]);
    unit_fires(talk, watch);
    assert_eq!(unit_state(talk, false).load, Load::NotFound);
}

pub(super) fn what_cannot_start_is_a_failure(talk: &mut Talk) {
    let outcomes = talk.apply(vec![job(Job::Start, Active::Inactive), reload()]);
    assert!(matches!(&outcomes[..], [Outcome::Failed(_)]), "there is no such unit: {outcomes:?}");
    let time = |time: &str| unit::Probe::Time { trigger: "OnCalendar".into(), time: time.into() };
    let found = talk.probe(vec![time("*-*-* 04:00").into(), time("every full moon").into()]);
    assert!(
        matches!(&found[..], [Finding::Unit(unit::Finding::Time(None)), Finding::Unit(unit::Finding::Time(Some(_)))]),
        "{found:?}"
    );
    let path = Unit::new("/tmp/evil.service", false);
    let found = talk.probe(vec![unit::Probe::State { unit: path.clone(), settled: false }.into()]);
    assert!(matches!(&found[..], [Finding::Failed(error)] if error.kind == HostErrorKind::Refused), "{found:?}");
    let outcomes = talk.apply(vec![unit::Step::Enable { unit: path, enable: true, now: Enabled::Disabled }.into()]);
    assert!(matches!(&outcomes[..], [Outcome::Failed(error)] if error.kind == HostErrorKind::Refused), "{outcomes:?}");
}
