//! `augeas`.

use super::{NOTHING, Run};
use crate::World;

const PROGRAM: &str = r#"
    augeas "hosts" {
        file => "/etc/hosts",
        lens => "Hosts.lns",
        sets => [
            struct{path => "1/canonical", value => "web"},
            struct{path => "1/alias", value => "www"},
        ],
    }
"#;

fn node(path: &str, value: &str) -> impl FnOnce(&mut World) {
    let (path, value) = (path.to_owned(), value.to_owned());
    move |world| {
        world.subjects.lens.entry("/etc/hosts".into()).or_default().insert(path, value.clone());
        world.write("/etc/hosts", value).unwrap();
    }
}

#[test]
fn values_are_set_in_one_go_and_kept() {
    let mut run = Run::after(node("1/canonical", "localhost"), PROGRAM);
    assert_eq!(run.steps(), ["set in /etc/hosts: 1/canonical: localhost → web, 1/alias: none → www"]);
    assert_eq!(run.change(node("1/alias", "w")), ["set in /etc/hosts: 1/alias: w → www"]);
    assert_eq!(run.change(node("1/canonical", "w")), ["set in /etc/hosts: 1/canonical: w → web"]);
    let emptied = run.change(|world| {
        world.subjects.lens.entry("/etc/hosts".into()).or_default().clear();
        world.write("/etc/hosts", "").unwrap();
    });
    assert_eq!(emptied, ["set in /etc/hosts: 1/canonical: none → web, 1/alias: none → www"]);
    assert_eq!(run.change(node("2/alias", "x")), NOTHING, "the rest is not ours");
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn a_file_that_cannot_be_read_by_its_lens_is_no_empty_file() {
    let mut run = Run::new(PROGRAM);
    assert!(run.failures()[0].contains("Hosts.lns cannot read /etc/hosts"), "{:?}", run.failures());
    assert_eq!(run.change(node("1/alias", "www")), ["set in /etc/hosts: 1/canonical: none → web"]);
    let lines = PROGRAM.replace("\"www\"", r#""a\nb""#);
    let run = Run::after(node("1/alias", "a"), &lines);
    assert!(run.failures()[0].contains("one-line"), "{:?}", run.failures());
}
