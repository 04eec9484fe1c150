//! `firewalld`.

use super::{NOTHING, Run};
use crate::vocab::firewall::Rule;
use crate::{Firewall, World};

const PROGRAM: &str = r#"firewalld "web" { services => ["https"], ports => ["8080/tcp", "53/UDP"], }"#;

fn set(entry: Rule, open: bool) -> impl FnOnce(&mut World) {
    move |world| world.subjects.firewall.set("public", entry, open).unwrap()
}

#[test]
fn what_is_wanted_is_opened_and_kept_open() {
    let mut run = Run::new(PROGRAM);
    let all = [
        "open service https in zone public (is closed)",
        "open port 8080/tcp in zone public (is closed)",
        "open port 53/udp in zone public (is closed)",
    ];
    assert_eq!(run.steps(), all);
    assert_eq!(run.change(set(Firewall::port("8080/tcp"), false)), [all[1]]);
    assert_eq!(run.change(set(Rule::Service("https".into()), false)), [all[0]]);
    assert_eq!(run.change(set(Firewall::port("9/tcp"), true)), NOTHING, "the rest is not ours");
    assert_eq!(run.change(|world| world.subjects.firewall.reload()), all, "what runs is lost when it is loaded anew");
    let other = run.change(|world| world.subjects.firewall.default_zone = "internal".into());
    assert_eq!(other[0], "open service https in zone internal (is closed)");
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn what_is_not_wanted_is_closed() {
    let program =
        r#"firewalld "no" { zone => "public", state => "absent", services => ["ssh", "none"], ports => ["80/tcp"], }"#;
    let mut run = Run::after(set(Firewall::port("80/tcp"), true), program);
    let ssh = "close service ssh in zone public (is open)";
    assert_eq!(run.steps(), [ssh, "close port 80/tcp in zone public (is open)"]);
    assert_eq!(run.change(|world| world.subjects.firewall.reload()), [ssh]);
    run.change(set(Firewall::port("70-90/tcp"), true));
    let run = run.becomes(program);
    let why = "80/tcp is open in zone public as part of 70-90/tcp: close the range first with `firewall-cmd \
               --zone=public --remove-port=70-90/tcp`";
    assert!(run.failures()[0].contains(why), "{:?}", run.failures());
}

#[test]
fn a_range_covers_its_ports() {
    let mut run = Run::after(set(Firewall::port("8000-8100/tcp"), true), r#"firewalld "p" { ports => ["8080/tcp"], }"#);
    assert_eq!(run.steps(), NOTHING);
}

#[test]
fn a_firewall_that_is_gone_is_no_open_door() {
    let mut run = Run::after(|world| world.subjects.firewall.is_gone = true, PROGRAM);
    assert!(run.failures()[0].contains("install the package `firewalld`"), "{:?}", run.failures());
    assert_eq!(run.change(|world| world.subjects.firewall.is_gone = false).len(), 3, "it comes to life by itself");
    let unknown = Run::new(r#"firewalld "x" { zone => "nowhere", ports => ["1/tcp"], }"#);
    assert!(unknown.failures()[0].contains("no zone `nowhere`"));
    let unknown = Run::new(r#"firewalld "x" { services => ["gopher"], }"#);
    assert!(unknown.failures()[0].contains("no service `gopher`"));
    let large = Run::new(r#"firewalld "x" { ports => ["65536/tcp"], }"#);
    assert!(large.failures()[0].contains("up to 65535"));
}
