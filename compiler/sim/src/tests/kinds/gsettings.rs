//! `gsettings`.

use super::{NOTHING, Run};
use crate::World;
use crate::vocab::desktop::DATABASE;

/// A host with a key in a user's settings.
pub(super) fn key(user: &str, key: &str, value: &str) -> impl FnOnce(&mut World) {
    let of = (user.to_owned(), "org.x".to_owned(), key.to_owned());
    let (value, home) = (value.to_owned(), if user.is_empty() { "/root" } else { "/home/alice" });
    move |world| {
        world.write("/usr/bin/gsettings", "").unwrap();
        world.tree.make_dir(&format!("{home}/.config/dconf"), true, None).unwrap();
        world.write(&format!("{home}/{DATABASE}"), value.clone()).unwrap();
        world.subjects.desktop.insert(of, value);
    }
}

#[test]
fn a_setting_is_kept_in_whatever_spelling() {
    let program = r#"gsettings "org.x clock" { type => "str", value => "12h", user => "alice", }"#;
    let mut run = Run::after(key("alice", "clock", "'24h'"), program);
    let set = "set org.x clock of alice: '24h' → '12h'";
    assert_eq!(run.steps(), [set]);
    assert_eq!(run.change(key("alice", "clock", "'24h'")), [set]);
    assert_eq!(run.change(key("alice", "clock", "\"12h\"")), NOTHING);
    assert_eq!(run.again().0, NOTHING);
    for (kind, value, is, now) in [
        ("int", "300", "uint32 300", NOTHING.to_vec()),
        ("bool", "true", "false", vec!["set org.x k: false → true"]),
        ("custom", r#""['a','b']""#, "['a', 'b']", NOTHING.to_vec()),
        ("custom", r#""[]""#, "@as []", NOTHING.to_vec()),
    ] {
        let program =
            format!(r#"gsettings "s" {{ schema => "org.x", key => "k", type => "{kind}", value => {value}, }}"#);
        assert_eq!(Run::after(key("", "k", is), &program).steps(), now, "{kind}");
    }
}

#[test]
fn a_key_that_nobody_knows_is_reported() {
    let program = r#"gsettings "org.x nothing" { type => "bool", value => true, }"#;
    let run = Run::after(key("", "k", "1"), program);
    assert!(run.failures()[0].contains("No such key “nothing”"), "{:?}", run.failures());
}
