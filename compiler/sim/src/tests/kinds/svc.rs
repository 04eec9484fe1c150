//! `svc`: units that run, fail, restart and are slow.

use super::{NOTHING, Run};
use crate::World;
use crate::vocab::unit::{Active, Enabled, Job, Load, Unit};

const FILE: &str = "/etc/systemd/system/demo.service";
const UNIT: &str = "[Service]\nExecStart=/usr/bin/demo\n\n[Install]\nWantedBy=multi-user.target\n";
const PROGRAM: &str = r#"svc "demo" { state => "running", startup => "enabled", }"#;

fn demo() -> Unit {
    Unit::new("demo.service", false)
}

fn with(text: &str) -> impl FnOnce(&mut World) {
    let text = text.to_owned();
    move |world| world.write(FILE, text).unwrap()
}

fn active(run: &Run) -> Active {
    run.world().unit(&demo()).unwrap().active
}

#[test]
fn a_service_is_started_and_enabled_and_kept_so() {
    let mut run = Run::after(with(UNIT), PROGRAM);
    assert_eq!(run.steps(), ["enable demo.service (is disabled)", "start demo.service (is inactive)"]);
    let now = run.world().unit(&demo()).unwrap();
    assert_eq!((now.active, now.enabled, now.sub.as_str()), (Active::Active, Enabled::Enabled, "running"));

    let stopped = run.change(|world| _ = world.unit_job(&demo(), Job::Stop).unwrap());
    assert_eq!(stopped, ["start demo.service (is inactive)"]);
    let killed = run.change(|world| world.kill_unit("demo.service"));
    assert_eq!(killed, ["start demo.service (is failed)"]);
    let disabled = run.change(|world| world.enable_unit(&demo(), false).unwrap());
    assert_eq!(disabled, ["enable demo.service (is disabled)"]);
    let link = "/etc/systemd/system/multi-user.target.wants/demo.service";
    assert_eq!(run.change(|world| world.remove(link).unwrap()), ["enable demo.service (is disabled)"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn a_unit_file_behind_a_link_is_seen_to_change() {
    let before = |world: &mut World| {
        world.make_dir("/opt").unwrap();
        world.write("/opt/demo", "[Unit]\n").unwrap();
        world.symlink(FILE, "/opt/demo").unwrap();
    };
    let mut run = Run::after(before, PROGRAM);
    assert_eq!(run.steps(), NOTHING, "it has no command");
    let mended = run.change(|world| world.write("/opt/demo", UNIT).unwrap());
    assert_eq!(mended, ["enable demo.service (is disabled)", "start demo.service (is inactive)"]);
}

#[test]
fn a_link_that_enables_counts_wherever_it_is() {
    let mut run = Run::after(with(UNIT), PROGRAM);
    run.steps();
    let moved = run.change(|world| {
        world.enable_unit(&demo(), false).unwrap();
        world.make_dir("/etc/systemd/system/other.target.requires").unwrap();
        world.symlink("/etc/systemd/system/other.target.requires/demo.service", FILE).unwrap();
    });
    assert_eq!(moved, NOTHING);
    // Not a link, and not in such a directory.
    let lost = run.change(|world| {
        world.remove("/etc/systemd/system/other.target.requires").unwrap();
        world.make_dir("/etc/systemd/system/other.target.wants").unwrap();
        world.write("/etc/systemd/system/other.target.wants/demo.service", UNIT).unwrap();
        world.make_dir("/etc/systemd/system/other").unwrap();
        world.symlink("/etc/systemd/system/other/demo.service", FILE).unwrap();
    });
    assert_eq!(lost, ["enable demo.service (is disabled)"]);
}

#[test]
fn what_its_manager_restarts_by_itself_is_left_alone() {
    for when in ["always", "on-failure", "on-abnormal", "on-abort"] {
        let mut run = Run::after(with(&UNIT.replace("[Install]", &format!("Restart={when}\n[Install]"))), PROGRAM);
        assert_eq!(run.change(|world| world.kill_unit("demo.service")), NOTHING, "{when}");
        assert_eq!(active(&run), Active::Active, "{when}");
    }
    for when in ["no", "on-success", "on-watchdog"] {
        let mut run = Run::after(with(&UNIT.replace("[Install]", &format!("Restart={when}\n[Install]"))), PROGRAM);
        let killed = run.change(|world| world.kill_unit("demo.service"));
        assert_eq!(killed, ["start demo.service (is failed)"], "{when}");
    }
}

#[test]
fn what_does_not_run_cannot_be_killed() {
    let before = |world: &mut World| {
        world.write(FILE, UNIT).unwrap();
        world.unit_job(&demo(), Job::Start).unwrap();
        world.unit_job(&demo(), Job::Stop).unwrap();
    };
    let mut run = Run::after(before, r#"svc "demo" { state => "stopped", }"#);
    run.change(|world| world.kill_unit("demo.service"));
    assert_eq!(active(&run), Active::Inactive);
}

#[test]
fn a_service_is_stopped_and_disabled() {
    let program = r#"svc "demo" { state => "stopped", startup => "disabled", }"#;
    let before = |world: &mut World| {
        world.write(FILE, UNIT).unwrap();
        world.enable_unit(&demo(), true).unwrap();
        world.unit_job(&demo(), Job::Start).unwrap();
    };
    let mut run = Run::after(before, program);
    assert_eq!(run.steps(), ["disable demo.service (is enabled)", "stop demo.service (is active)"]);
    let started = run.change(|world| _ = world.unit_job(&demo(), Job::Start).unwrap());
    assert_eq!(started, ["stop demo.service (is active)"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn its_file_comes_first_and_a_change_of_it_restarts() {
    let program = |exec: &str| {
        format!(
            "file \"{FILE}\" {{ state => \"exists\", content => \"[Service]\\nExecStart={exec}\\nExecReload=/bin/true\\n\", \
             Notify => Svc[\"demo\"], }}\nsvc \"demo\" {{ state => \"running\", }}"
        )
    };
    let mut run = Run::new(&program("/usr/bin/one"));
    assert!(run.steps().contains(&"start demo.service (is inactive)".to_owned()));
    let mut run = run.becomes(&program("/usr/bin/two"));
    let expect = ["reload the systemd system manager", "restart demo.service (is active)"];
    assert!(run.steps().ends_with(&expect.map(String::from)));
    assert!(!run.world().unit(&demo()).unwrap().is_stale);
}

#[test]
fn a_notification_alone_reloads() {
    let unit = UNIT.replace("[Install]", "ExecReload=/bin/true\n[Install]");
    let program = |text: &str| {
        format!(
            "file \"/srv/conf\" {{ state => \"exists\", content => \"{text}\", Notify => Svc[\"demo\"], }}\n{PROGRAM}"
        )
    };
    let mut run = Run::after(with(&unit), &program("a")).becomes(&program("b"));
    assert!(run.steps().contains(&"reload demo.service (is active)".to_owned()));
}

#[test]
fn one_that_is_not_there_comes_to_life_with_its_file() {
    let mut run = Run::new(PROGRAM);
    assert_eq!(run.failures(), ["failed to find svc: demo.service"]);
    let steps = run.change(with(UNIT));
    assert_eq!(steps, ["enable demo.service (is disabled)", "start demo.service (is inactive)"]);
}

#[test]
fn without_a_manager_nothing_is_said_to_be_well() {
    let gone = |world: &mut World| {
        world.write(FILE, UNIT).unwrap();
        world.subjects.unit.are_gone = true;
    };
    let mut run = Run::after(gone, PROGRAM);
    assert_eq!((run.failures(), run.steps().is_empty()), (vec!["systemd is not running".to_owned()], true));
    let steps = run.change(|world| world.subjects.unit.are_gone = false);
    assert_eq!(steps, ["enable demo.service (is disabled)", "start demo.service (is inactive)"]);
}

#[test]
fn a_start_that_fails_is_repeated_as_retry_says_and_no_more() {
    for (meta, n_starts) in [("", 1), ("Meta:retry => 2, Meta:delay => 100,", 3)] {
        let program = format!("svc \"demo\" {{ state => \"running\", {meta} }}");
        let mut run = Run::after(with("[Service]\nExecStart=/bin/false\n"), &program);
        let starts = run.steps().into_iter().filter(|step| step.starts_with("start ")).count();
        // Going from inactive to failed is an event, and one more reason.
        assert!((n_starts..=n_starts + 1).contains(&starts), "{starts} starts with `{meta}`");
    }
}

#[test]
fn what_ends_at_once_has_failed() {
    let run = Run::after(with("[Service]\nExecStart=/bin/false\n"), r#"svc "demo" { state => "running", }"#);
    let why = "demo.service was started but is not active: its process exited with status 1; for details, \
               see `journalctl -u demo.service`";
    assert_eq!(run.failures().first().map(String::as_str), Some(why));
    let once = "[Service]\nType=oneshot\nExecStart=/bin/true\n";
    let run = Run::after(with(once), r#"svc "demo" { state => "running", }"#);
    assert!(run.failures()[0].contains("oneshot"), "{:?}", run.failures());
    let remains = format!("{once}RemainAfterExit=yes\n");
    let run = Run::after(with(&remains), r#"svc "demo" { state => "running", }"#);
    assert_eq!((run.failures(), active(&run)), (vec![], Active::Active));
}

#[test]
fn masked_and_broken_ones_say_so() {
    let masked = |world: &mut World| world.symlink(FILE, "/dev/null").unwrap();
    let mut run = Run::after(masked, PROGRAM);
    assert!(run.failures()[0].contains("systemctl unmask demo.service"), "{:?}", run.failures());
    let unmasked = |world: &mut World| {
        world.remove(FILE).unwrap();
        with(UNIT)(world);
    };
    assert_eq!(run.change(unmasked).len(), 2);
    let run = Run::after(with("[Service]\n"), PROGRAM);
    assert!(run.failures()[0].contains("cannot be loaded"), "{:?}", run.failures());
    assert!(matches!(run.world().unit(&demo()).unwrap().load, Load::Bad(_)));
}

#[test]
fn one_that_takes_long_to_start_is_waited_for() {
    let slow = |world: &mut World| {
        world.write(FILE, UNIT).unwrap();
        world.subjects.unit.slow.insert("demo.service".into(), 3_000);
    };
    let mut run = Run::after(slow, PROGRAM);
    assert_eq!((run.failures(), active(&run)), (vec![], Active::Active));
    assert_eq!(run.steps(), ["enable demo.service (is disabled)", "start demo.service (is inactive)"]);

    let begun = |world: &mut World| {
        slow(world);
        world.enable_unit(&demo(), true).unwrap();
        assert!(world.unit_job(&demo(), Job::Start).unwrap().is_some(), "it is on its way");
    };
    let mut run = Run::after(begun, PROGRAM);
    assert_eq!((run.steps(), active(&run)), (vec![], Active::Active));
}

#[test]
fn the_session_has_units_of_its_own() {
    let file = "/root/.config/systemd/user/demo.service";
    let before = |world: &mut World| {
        world.make_dir("/root/.config/systemd/user").unwrap();
        world.write(file, UNIT.replace("multi-user", "default")).unwrap();
    };
    let mut run = Run::after(before, r#"svc "demo" { state => "running", startup => "enabled", session => true, }"#);
    let expect =
        ["enable demo.service of the session (is disabled)", "start demo.service of the session (is inactive)"];
    assert_eq!(run.steps(), expect);
    assert_eq!(run.world().unit(&demo()).unwrap().load, Load::NotFound);
    assert_eq!(run.again().0, NOTHING);
}
