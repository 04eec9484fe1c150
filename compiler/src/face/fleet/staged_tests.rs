//! A saved scenario has the same end in `mclive test`, and a scenario played by `mclive test` is shown on the fleet.

use super::tests::{MANY, deploy};
use super::{Fleet, Ran};
use crate::language::{Mcl, TESTABLE};
use crate::protocol::Moment;
use mclive_base::archive::Archive;
use mclive_base::shapes::host::{FleetAction, Goal, HostAction, Tone};
use mclive_base::shapes::scenario::{CueWhat, Tested};
use mclive_scenario::{Program, read, rehearse, test};

const SHARED: &str = r#"
file "/srv/${hostname}" {
	state => "exists",
	content => "hello from ${hostname}\n",
	Meta:hidden => true,
	Meta:export => ["*"],
}
collect file "/srv/web1" {}
collect file "/srv/web2" {}
exec "fetch" { cmd => "fetch", creates => "/srv/fetched", }
"#;

/// The result of `mclive test` on the archive.
fn tested(archive: &Archive) -> Tested {
    let archive = Archive::parse(&archive.to_bytes().expect("no file looks like two"));
    let (scenarios, files): (Vec<_>, Vec<_>) =
        archive.files.into_iter().partition(|(name, _)| name.ends_with(".scenario"));
    let files = files.into_iter().map(|(name, content)| (format!("/{name}"), content)).collect();
    let (name, text) = &scenarios[0];
    test(name, &Program { files, languages: &TESTABLE }, std::str::from_utf8(text).expect("UTF-8"))
}

#[test]
fn what_was_done_is_saved_and_ends_the_same() {
    let mut fleet = Fleet::new(vec![&Mcl]);
    deploy(&mut fleet, SHARED, &["web1"]);
    fleet.advance(1_234, MANY);
    let alone = fleet.scenario().expect("it is saved");
    let text = String::from_utf8(alone.files.last().expect("a scenario").1.clone()).expect("UTF-8");
    assert!(text.contains("\nexpect now file /srv/web1 holds \"hello from web1\\n\"\n"), "{text}");
    assert!(!text.contains("on web1") && text.contains("\nwait 1234ms\n"), "{text}");
    assert_eq!(tested(&alone).failure, None, "{text}");

    fleet.act_on("web1", &HostAction::Remove { path: "/srv/web1".into() }).expect("it is there");
    fleet.act_on("web1", &HostAction::SetMode { path: "/nowhere".into(), mode: 0o644 }).expect_err("it is not there");
    fleet.run(Goal::Mark, Moment(u64::MAX), MANY);
    fleet.arrange(&FleetAction::Add { host: "web2".into() }).expect("there is room");
    fleet.advance(5_000, MANY);
    fleet.arrange(&FleetAction::Pause { host: "web1".into() }).expect("it is there");
    let text = "it \"was\"\nchanged # by hand\n".to_owned();
    fleet.act_on("web2", &HostAction::Write { path: "/srv/web1".into(), text }).expect("it is a file");
    fleet.act_on("web2", &HostAction::SetMode { path: "/srv".into(), mode: 0o700 }).expect("it is there");
    let other = SHARED.replace("hello", "good-bye");
    deploy(&mut fleet, &other, &["web1", "web2"]);
    fleet.advance(60_000, MANY);
    let half = fleet.step();
    fleet.arrange(&FleetAction::Resume { host: "web1".into() }).expect("it is there");
    fleet.advance(10_000, MANY);
    // Two programs, of which the disconnected host gets the last one.
    fleet.arrange(&FleetAction::Disconnect { host: "web1".into() }).expect("it is there");
    for word in ["welcome", "good-bye"] {
        deploy(&mut fleet, &SHARED.replace("hello", word), &["web1", "web2"]);
        fleet.advance(20_000, MANY);
    }
    fleet.arrange(&FleetAction::Reconnect { host: "web1".into() }).expect("it is there");
    fleet.advance(10_000, MANY);
    let all = fleet.scenario().expect("it is saved");
    let text = String::from_utf8(all.files.last().expect("a scenario").1.clone()).expect("UTF-8");
    assert!(text.contains("on web1 expect now file /srv/web2 holds \"good-bye from web2\\n\""), "{text}");
    assert!(text.contains("on web1 expect now resource exec[fetch] is failed"), "{text}");
    assert!(text.contains("on web1 disconnect\n") && text.contains("on web1 reconnect\n"), "{text}");
    assert!(text.contains("deploy program-2/main.mcl") && !text.contains("/nowhere"), "{text}");
    assert_eq!(tested(&all).failure, None, "{text}");
    // A different end must not pass.
    let mut wrong = all.clone();
    wrong.files.last_mut().expect("a scenario").1 = text.replace("holds \"good-bye", "holds \"hello").into_bytes();
    assert!(tested(&wrong).failed());
    // An earlier moment is saved as it was.
    assert!(fleet.seek(half, MANY));
    let early = fleet.scenario().expect("it is saved");
    assert_eq!(tested(&early).failure, None);
    assert!(early.files.last().expect("a scenario").1.len() < all.files.last().expect("a scenario").1.len());
}

#[test]
fn a_scenario_fails_on_the_line_of_time_where_it_failed() {
    let files = vec![("/main.mcl".to_owned(), SHARED.as_bytes().to_vec())];
    let text = "host web1\nhost web2\nrun\nexpect file /srv/web2\nwait 1m\non web2 remove /srv/web1\n\
                hint \"look there\"\non web2 expect file /srv/web1 holds \"hello from web2\\n\"\nexpect file /never\n";
    let scenario = read(text).expect("it can be read");
    let program = Program { files: files.clone(), languages: &TESTABLE };
    let (tested, cues) = rehearse("one", &program, &scenario);
    let failure = tested.failure.expect("it fails");
    assert_eq!(failure.line, 8);
    assert!(matches!(cues.last().expect("a cue").what, CueWhat::Broke { .. }));
    let files = files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
    let mut fleet = Fleet::stage(vec![&Mcl], files, cues);
    assert_eq!(fleet.run(Goal::Staged, Moment(u64::MAX), MANY), Ran::Reached);
    let marks = fleet.position().marks;
    let last = marks.last().expect("a mark");
    assert_eq!((last.tone, &*last.host), (Tone::Bad, "web2"));
    assert!(last.text.contains("line 8") && last.text.contains("hello from web1"), "{}", last.text);
    let good: Vec<_> = marks.iter().filter(|mark| mark.text == "line 4: expect file /srv/web2").collect();
    assert_eq!(good.len(), 2, "it is about both hosts");
    // Back to the moment, with its world.
    assert!(fleet.seek(good[0].step, MANY));
    let files = fleet.snapshot("web2", None).expect("the host").files;
    assert!(files.iter().any(|file| file.path == "/srv/web1"));
    assert!(fleet.scenario().expect_err("it is one").contains("already"));
    // An action of one's own gives up what was ahead, and the way back stays.
    let action = HostAction::Write { path: "/srv/mine".into(), text: "1".into() };
    fleet.act_on("web1", &action).expect("there is room");
    assert!(fleet.goes_back());
}
