//! An action of the user at another moment, or without it.

use super::Fleet;
use super::tests::{CLOCK, MANY, deploy, fleet, look, text};
use crate::protocol::Moment;
use mclive_base::shapes::host::{HostAction, Mark};

#[test]
fn an_action_at_another_moment_has_its_own_consequences() {
    let mut fleet = fleet(CLOCK, &["web1"]);
    fleet.advance(4_000, MANY);
    fleet.act_on("web1", &HostAction::Write { path: "/srv/mine".into(), text: "1".into() }).expect("there is room");
    fleet.advance(2_000, MANY);
    fleet.act_on("web1", &HostAction::Remove { path: "/srv/mine".into() }).expect("it is there");
    fleet.advance(4_000, MANY);
    let marks = fleet.position().marks;
    let mark = |text: &str, marks: &[Mark]| {
        let found = marks.iter().find(|mark| mark.text.contains(text)).unwrap_or_else(|| panic!("{marks:?}"));
        (found.step, found.at_ms)
    };
    let (removed, at_ms) = mark("removed /srv/mine", &marks);
    assert_eq!(at_ms, 6_000);
    // Later: in between it is still there.
    fleet.shift(removed, 3_000).expect("it is the user's own");
    assert!(fleet.repeat(MANY));
    assert_eq!(fleet.now(), Moment::default().plus_ms(9_000));
    let position = fleet.position();
    let (removed, at_ms) = mark("removed /srv/mine", &position.marks);
    assert!(position.kept.is_some_and(|kept| kept < removed) && position.end > position.step, "{position:?}");
    assert_eq!((at_ms, removed), (9_000, position.step));
    // What comes after it is reported as well.
    assert!(position.marks.iter().any(|mark| mark.step > removed), "{position:?}");
    // Before it is written there is nothing to remove.
    fleet.shift(removed, -8_000).expect("again");
    assert!(fleet.repeat(MANY));
    let end = fleet.position().end;
    assert!(fleet.seek(end, MANY));
    assert_eq!(text(&mut fleet, "web1", "/srv/mine").as_deref(), Some("1"));
    let written = fleet.position();
    assert!(fleet.shift(1, 1_000).unwrap_err().contains("your own actions"), "{written:?}");
}

#[test]
fn an_action_that_is_taken_back_never_happened() {
    let mut fleet = fleet(CLOCK, &["web1"]);
    fleet.advance(4_000, MANY);
    fleet.act_on("web1", &HostAction::Write { path: "/srv/mine".into(), text: "1".into() }).expect("there is room");
    fleet.advance(2_000, MANY);
    fleet.act_on("web1", &HostAction::Write { path: "/srv/other".into(), text: "2".into() }).expect("there is room");
    fleet.advance(4_000, MANY);
    let latest = fleet.now();
    let marks = fleet.position().marks;
    let written = marks.iter().find(|mark| mark.text.contains("/srv/mine")).expect("it has a mark").step;
    // Shown is the moment of the action; afterwards it is the latest one.
    assert!(fleet.seek(written, MANY));
    fleet.take_back(written).expect("it is the user's own");
    assert!(fleet.repeat(MANY));
    assert_eq!(fleet.now(), latest);
    assert_eq!(text(&mut fleet, "web1", "/srv/mine"), None);
    assert_eq!(text(&mut fleet, "web1", "/srv/other").as_deref(), Some("2"));
    let position = fleet.position();
    assert!(position.kept.is_some_and(|kept| kept < written), "{position:?}");
    assert!(!position.marks.iter().any(|mark| mark.text.contains("/srv/mine")), "{position:?}");
    assert!(position.marks.iter().any(|mark| mark.text.contains("/srv/other")), "{position:?}");
    assert!(fleet.take_back(1).unwrap_err().contains("your own actions"));
}

#[test]
fn a_repetition_in_slices_ends_as_one_at_once() {
    let run = |max_steps: usize| {
        let mut fleet = fleet(CLOCK, &["web1"]);
        fleet.advance(4_000, MANY);
        fleet.act_on("web1", &HostAction::Write { path: "/srv/mine".into(), text: "1".into() }).expect("there is room");
        let mark = fleet.step();
        fleet.advance(10_000, MANY);
        fleet.shift(mark, 5_000).expect("it is the user's own");
        let mut n_calls = 1;
        while !fleet.repeat(max_steps) {
            n_calls += 1;
            assert!(n_calls < 10_000, "it does not get there");
        }
        assert_eq!(text(&mut fleet, "web1", "/srv/mine").as_deref(), Some("1"));
        let moved = (fleet.now(), fleet.step(), fleet.position().end);
        fleet.take_back(fleet.step()).expect("it is the user's own");
        while !fleet.repeat(max_steps) {}
        assert_eq!(text(&mut fleet, "web1", "/srv/mine"), None);
        (n_calls, (moved, fleet.now(), fleet.step()))
    };
    let (at_once, sliced) = (run(MANY), run(3));
    assert_eq!(at_once.0, 1);
    assert!(sliced.0 > 2, "{} calls", sliced.0);
    assert_eq!(sliced.1, at_once.1);
}

#[test]
fn a_repetition_that_is_stopped_leaves_the_fleet_as_it_was() {
    let mut fleet = fleet(CLOCK, &["web1"]);
    assert!(!fleet.stop_repeating());
    fleet.advance(4_000, MANY);
    let write = HostAction::Write { path: "/srv/mine".into(), text: "1".into() };
    fleet.act_on("web1", &write).expect("there is room");
    let mark = fleet.step();
    fleet.advance(60_000, MANY);
    let end = fleet.step();
    let latest = look(&mut fleet, "web1");
    // The moment of the action is shown, with everything that followed ahead.
    assert!(fleet.seek(mark, MANY));
    let then = look(&mut fleet, "web1");
    let told = fleet.position();
    let begins: [fn(&mut Fleet, u64) -> Result<(), String>; 2] =
        [|fleet, mark| fleet.shift(mark, 20_000), Fleet::take_back];
    for begin in begins {
        begin(&mut fleet, mark).expect("it is the user's own");
        // Far enough that there are copies of the other course.
        assert!(!fleet.repeat(40));
        fleet.position();
        assert!(fleet.stop_repeating() && !fleet.stop_repeating());
        assert_eq!(look(&mut fleet, "web1"), then);
        // The page keeps the marks itself: none is void, and none is new.
        let position = fleet.position();
        assert_eq!((position.step, position.end, position.kept, position.marks.len()), (mark, told.end, None, 0));
        assert!(fleet.seek(end, MANY));
        let again = look(&mut fleet, "web1");
        assert_eq!((&again.files, &again.values, &again.log), (&latest.files, &latest.values, &latest.log));
        assert!(fleet.seek(mark, MANY));
    }
    // The action can still be moved, to the end.
    fleet.shift(mark, 20_000).expect("it is the user's own");
    assert!(fleet.repeat(MANY) && !fleet.stop_repeating());
    assert_eq!(fleet.now(), Moment::default().plus_ms(24_000));
}

#[test]
fn a_repetition_pauses_only_where_there_is_a_host() {
    let mut fleet = fleet(CLOCK, &["web1"]);
    fleet.advance(2_000, MANY);
    fleet.act_on("web1", &HostAction::Write { path: "/srv/mine".into(), text: "1".into() }).expect("there is room");
    let mark = fleet.step();
    fleet.advance(2_000, MANY);
    deploy(&mut fleet, CLOCK, &["web2"]);
    fleet.advance(2_000, MANY);
    fleet.shift(mark, 1_000).expect("it is the user's own");
    let mut n_calls = 0;
    while !fleet.repeat(1) {
        assert!(!fleet.cards().is_empty(), "after {n_calls} calls");
        n_calls += 1;
        assert!(n_calls < 10_000, "it does not get there");
    }
    assert_eq!(text(&mut fleet, "web1", "/srv/mine").as_deref(), Some("1"));
}

#[test]
fn an_action_during_a_repetition_is_the_end_of_it() {
    let mut fleet = fleet(CLOCK, &["web1"]);
    fleet.advance(4_000, MANY);
    let write = |text: &str| HostAction::Write { path: "/srv/mine".into(), text: text.into() };
    fleet.act_on("web1", &write("1")).expect("there is room");
    let mark = fleet.step();
    fleet.advance(10_000, MANY);
    fleet.shift(mark, -1_000).expect("it is the user's own");
    assert!(!fleet.repeat(1));
    fleet.act_on("web1", &write("2")).expect("there is room");
    let here = (fleet.now(), fleet.step());
    assert!(fleet.repeat(1));
    assert_eq!((fleet.now(), fleet.step()), here);
}
