//! `Meta:reverse`: what was there comes back when a resource leaves, and only then.

use crate::Run;
use mclive_compiler::sim::World;

const EMPTY: &str = r#"print "nothing" { msg => "to do", }"#;

fn check(prepare: fn(&mut World), fields: &str, managed: &str, undone: &str) {
    let program = format!("file \"/t/f\" {{ {fields}, Meta:reverse => true, }}");
    let mut run = Run::new(prepare, &program);
    assert_eq!(run.tree("/t"), managed, "{fields}");
    // Another start finds the same record, and keeps it.
    run = Run::on(run.stop(), &program, Default::default());
    assert_eq!(run.tree("/t"), managed, "{fields}");
    run.deploy(EMPTY, Default::default());
    assert_eq!(run.tree("/t"), undone, "{fields}: {}", run.failure());
    // It has done its work: from then on the file is no one's.
    run.deploy(r#"print "other" {}"#, Default::default());
    run.change(|world| {
        world.remove("/t/f").unwrap();
        world.write("/t/f", "mine").unwrap();
    });
    let host = run.stop();
    let after = Run::on(host, EMPTY, Default::default());
    assert_eq!(after.tree("/t"), "f=mine", "{fields}");
}

#[test]
fn files_come_back_as_they_were() {
    let old = |world: &mut World| world.write("/t/f", "old").unwrap();
    let none = |_: &mut World| {};
    check(none, r#"state => "exists", content => "new", mode => "0600""#, "f=new", "");
    check(old, r#"state => "exists", content => "new", mode => "0600""#, "f=new", "f=old");
    check(old, r#"content => "new""#, "f=new", "f=old");
    check(old, r#"state => "absent""#, "", "f=old");
    check(none, r#"state => "absent""#, "", "");
    let link = |world: &mut World| world.symlink("/t/f", "y").unwrap();
    check(link, r#"state => "absent""#, "", "f->y");
}

#[test]
fn the_mode_comes_back_too() {
    let prepare = |world: &mut World| {
        world.write("/t/f", "old").unwrap();
        world.chmod("/t/f", 0o640).unwrap();
    };
    let program = r#"file "/t/f" { content => "new", mode => "0600", Meta:reverse => true, }"#;
    let mut run = Run::new(prepare, program);
    assert_eq!(run.mode("/t/f"), 0o600);
    run.deploy(EMPTY, Default::default());
    assert_eq!((run.mode("/t/f"), run.read("/t/f").as_str()), (0o640, "old"));
}

#[test]
fn a_directory_cannot_be_undone() {
    let run = Run::new(|_| {}, r#"file "/t/d/" { state => "exists", Meta:reverse => true, }"#);
    assert_eq!(run.failure(), "directories cannot be reversed yet");
    assert_eq!(run.tree("/t"), "");
}
