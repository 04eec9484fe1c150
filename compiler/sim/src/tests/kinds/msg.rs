//! `msg`: once per destination, and again after a change, a notification or a boot.

use super::{NOTHING, Run};

const PROGRAM: &str = r#"
    msg "m" { body => "hello", priority => "Notice", journal => true, syslog => true, fields => {"code" => "7"}, }
"#;

#[test]
fn a_message_is_sent_once_to_each() {
    let mut run = Run::new(PROGRAM);
    let said: Vec<String> = run.steps().into_iter().filter(|step| step != "store sent").collect();
    let expect = ["write to the journal (Notice): hello", "write to the syslog (Notice): hello", "print Body: hello"];
    assert_eq!(said, expect);
    assert_eq!(run.world().subjects.message.journal, ["Notice: hello CODE=7"]);
    assert_eq!(run.world().subjects.message.syslog, ["Notice: hello"]);
    let (steps, run) = run.again();
    assert_eq!(steps, NOTHING);
    let mut run = run.becomes(&PROGRAM.replace("hello", "bye"));
    assert_eq!((run.steps().len(), run.world().subjects.message.journal.len()), (6, 2));
}

#[test]
fn only_who_has_not_heard_of_it_hears_it() {
    let mut run = Run::new(&PROGRAM.replace("syslog => true,", ""));
    run.steps();
    let mut run = run.becomes(PROGRAM);
    assert_eq!(run.steps(), ["write to the syslog (Notice): hello", "store sent"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn a_boot_and_a_notification_arm_it_again() {
    let mut run = Run::new(PROGRAM);
    run.change(|world| world.subjects.machine.n_boots += 1);
    let (steps, _) = run.again();
    assert_eq!(steps.len(), 6, "{steps:?}");
    let program = |text: &str| {
        format!("file \"/srv/a\" {{ state => \"exists\", content => \"{text}\", Notify => Msg[\"m\"], }}\n{PROGRAM}")
    };
    let run = Run::new(&program("a")).becomes(&program("b"));
    assert_eq!(run.world().subjects.message.journal.len(), 2);
}
