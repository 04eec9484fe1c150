//! What resources leave behind on a host: passwords and messages.

use super::{act, set, start};
use crate::SimHost;

/// The name and the first field of each thing of a subject.
fn things(host: &SimHost, subject: &str) -> Vec<[String; 2]> {
    let own = host.world().holdings().into_iter().filter(|holding| holding.subject == subject);
    own.flat_map(|holding| holding.things).map(|thing| [thing.fields[0].value.clone(), thing.name]).collect()
}

#[test]
fn a_password_that_is_deleted_by_hand_is_made_anew_and_never_shown() {
    let mut sim = start(
        r#"
password "p" { saved => true, }
file "/secret" { state => "exists", mode => "u=rw", }
Password["p"].password -> File["/secret"].content
"#,
    );
    let read =
        |host: &SimHost| String::from_utf8_lossy(host.world().read("/secret").expect("it is there")).into_owned();
    let before = read(&sim.host);
    let stored = [["yes".to_owned(), "p".to_owned()]];
    assert_eq!(things(&sim.host, "Password"), stored);
    sim.change(|world| world.alter("Password", "p", &act("delete"))).expect("it is there");
    assert!(things(&sim.host, "Password").is_empty());
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
    assert_eq!(things(&sim.host, "Password"), stored);
    let after = read(&sim.host);
    assert_ne!(after, before);
    let shown = format!("{:?}", sim.host.world().holdings());
    assert!(!shown.contains(&before) && !shown.contains(&after), "{shown}");
    for (thing, how) in [("p", act("show")), ("p", set("stored", "no")), ("q", act("delete"))] {
        assert!(sim.change(|world| world.alter("Password", thing, &how)).is_err(), "{thing} {how:?}");
    }
    assert_eq!(things(&sim.host, "Password"), stored);
}

#[test]
fn the_last_message_at_each_destination_is_shown() {
    let sim = start("");
    assert!(things(&sim.host, "Message").is_empty());
    let sim = start("msg \"m\" {\n\tbody => \"hello\",\n\tpriority => \"Notice\",\n\tjournal => true,\n}\n");
    assert_eq!(things(&sim.host, "Message"), [["Notice: hello".to_owned(), "journal".to_owned()]]);
}
