//! `user` and `group`.

use super::{NOTHING, Run};
use crate::world::Group;

const PROGRAM: &str = r#"
    group "web" { state => "exists", gid => 1500, }
    group "dev" { state => "exists", }
    user "bob" { state => "exists", uid => 1600, group => "web", groups => ["dev"], shell => "/bin/bash", }
"#;

#[test]
fn a_user_comes_after_its_groups_and_is_mended_in_each_part() {
    let mut run = Run::new(PROGRAM);
    let steps = run.steps();
    assert_eq!(
        steps.last().map(String::as_str),
        Some("add user bob: uid 1600, group web, groups dev, shell /bin/bash")
    );
    assert!(steps.contains(&"add group web: gid 1500".to_owned()), "{steps:?}");
    assert!(run.read("/etc/passwd").contains("bob:x:1600:1500::/home/bob:/bin/bash\n"));

    let shell = run.change(|world| world.users.get_mut("bob").unwrap().shell = "/bin/sh".into());
    assert_eq!(shell, ["change user bob: shell /bin/sh → /bin/bash"]);
    let groups = run.change(|world| world.groups.get_mut("dev").unwrap().members.clear());
    assert_eq!(groups, ["change user bob: groups none → dev"]);
    let gone = run.change(|world| drop(world.users.remove("bob")));
    assert_eq!(gone, ["add user bob: uid 1600, group web, groups dev, shell /bin/bash"]);
    let gid = run.change(|world| world.groups.get_mut("dev").unwrap().id = 4000);
    assert_eq!(gid, NOTHING);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn what_is_to_be_gone_goes_and_what_is_not_there_is_well() {
    let program = r#"
        user "alice" { state => "absent", }
        user "nobody" { state => "absent", }
        group "alice" { state => "absent", }
    "#;
    let mut run = Run::new(program);
    assert_eq!(run.steps(), ["remove user alice; its home directory is kept", "remove group alice"]);
    assert!(run.world().users.keys().eq(["root"]) && run.world().groups.keys().eq(["root"]));
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn an_id_of_somebody_else_is_refused() {
    let run = Run::new(r#"user "bob" { state => "exists", uid => 1000, }"#);
    assert_eq!(run.failures(), ["the requested UID is already taken: alice has 1000"]);
    let run = Run::new(r#"group "web" { state => "exists", gid => 1000, }"#);
    assert_eq!(run.failures(), ["the requested GID belongs to another group: alice has 1000"]);
    let run = Run::new(r#"user "bob" { state => "exists", uid => 1000, allowduplicateuid => true, }"#);
    assert_eq!((run.failures(), run.world().users["bob"].id), (vec![], 1000));
}

/// Among duplicates there is no difference between no groups and any.
#[test]
fn a_running_agent_tells_no_groups_from_any() {
    let program = |groups: &str| {
        format!("group \"dev\" {{ state => \"exists\", }}\nuser \"bob\" {{ state => \"exists\", {groups} }}")
    };
    let mut run = Run::new(&program("groups => [\"dev\"],"));
    assert_eq!(run.switches(&program("")), NOTHING);
    assert_eq!(run.switches(&program("groups => [],")), ["change user bob: groups dev → none"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn a_group_that_was_the_primary_one_becomes_one_of_the_others_at_once() {
    let program = |fields: &str| {
        format!("group [\"dev\", \"web\"] {{ state => \"exists\", }}\nuser \"bob\" {{ state => \"exists\", {fields} }}")
    };
    let run = Run::new(&program("group => \"dev\", groups => [],"));
    let mut run = run.becomes(&program("group => \"web\", groups => [\"dev\"],"));
    assert_eq!(run.steps(), ["change user bob: group dev → web, groups none → dev"]);
    let mut run = run.becomes(&program("group => \"dev\", groups => [],"));
    assert_eq!(run.steps(), ["change user bob: group web → dev, groups dev → none"]);
    assert_eq!(run.again().0, NOTHING);
}

/// The host tells the first of them.
#[test]
fn another_group_with_the_number_of_the_primary_one_is_a_name_of_it() {
    let mut run = Run::new(PROGRAM);
    run.steps();
    let alias = run.change(|world| {
        world.groups.insert("all".into(), Group { id: 1500, ..Group::default() });
    });
    assert_eq!(alias, NOTHING);
    let (steps, mut run) = run.again();
    assert_eq!(steps, NOTHING);
    let moved = run.change(|world| world.users.get_mut("bob").unwrap().gid = 1000);
    assert_eq!(moved, ["change user bob: group alice → web"]);
}
