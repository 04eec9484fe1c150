//! `hostname`.

use super::{NOTHING, Run};

#[test]
fn each_of_the_three_names_is_set_and_kept() {
    let mut run = Run::new(r#"hostname "web1" { pretty_hostname => "Bob's box", }"#);
    assert_eq!(
        run.steps(),
        [
            "set pretty host name: none → Bob's box",
            "set static host name: host1 → web1",
            "set transient host name: host1 → web1"
        ]
    );
    assert_eq!((run.read("/etc/hostname").as_str(), run.world().hostname.as_str()), ("web1\n", "web1"));
    assert_eq!(run.read("/etc/machine-info"), "PRETTY_HOSTNAME=\"Bob's box\"\n");
    assert_eq!(run.change(|world| world.hostname = "x".into()), ["set transient host name: x → web1"]);
    assert_eq!(run.change(|world| world.remove("/etc/hostname").unwrap()), ["set static host name: none → web1"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn what_is_empty_is_left_alone_and_what_is_no_name_is_refused() {
    let mut run = Run::new(r#"hostname "web1" { static_hostname => "", pretty_hostname => "", }"#);
    assert_eq!(run.steps(), ["set transient host name: host1 → web1"]);
    let run = Run::new(r#"hostname "no name" {}"#);
    assert_eq!(
        run.failures(),
        ["`no name` is not a valid host name: up to 64 letters, digits, dots, dashes and underscores"]
    );
}
