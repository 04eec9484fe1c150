//! `nspawn`.

use super::{NOTHING, Run};
use crate::World;

const PROGRAM: &str = r#"nspawn "db" { state => "running", }"#;
const START: &str = "start the machine db (is stopped)";

fn ready(world: &mut World) {
    world.subjects.guest.images.insert("db".into());
    world.tree.make_dir("/run/systemd/system", true, None).unwrap();
}

#[test]
fn a_machine_is_kept_running_and_stopped() {
    let mut run = Run::after(ready, PROGRAM);
    assert_eq!(run.steps(), [START]);
    assert_eq!(run.change(|world| world.subjects.guest.up.clear()), [START]);
    let closing = run.change(|world| _ = world.subjects.guest.up.insert("db".into(), "closing".into()));
    assert_eq!(closing, ["start the machine db (is closing)"]);
    let program = PROGRAM.replace("running", "stopped");
    let mut run = run.becomes(&program);
    assert_eq!(run.steps(), ["stop the machine db (is running)"]);
    let stray = run.change(|world| {
        world.subjects.guest.strays.insert("db".into());
        world.subjects.guest.up.insert("db".into(), "running".into());
    });
    assert_eq!(stray, ["stop the machine db (is running)", "terminate the machine db (is running)"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn a_machine_without_an_image_waits_for_it() {
    let gone = |world: &mut World| {
        ready(world);
        world.subjects.guest.images.clear();
    };
    let mut run = Run::after(gone, PROGRAM);
    assert!(run.failures()[0].contains("no machine nor image named 'db'"), "{:?}", run.failures());
    assert_eq!(run.change(ready), [START]);
    let none = Run::after(gone, r#"nspawn "other" { state => "stopped", }"#);
    assert!(none.failures().is_empty());
    let mut run = Run::after(
        |world| {
            ready(world);
            world.subjects.guest.are_gone = true;
        },
        PROGRAM,
    );
    assert!(run.failures()[0].contains("install the package `systemd-container`"), "{:?}", run.failures());
    assert_eq!(run.change(|world| world.subjects.guest.are_gone = false), [START]);
}
