//! Answers come in order and end at the first failure.

use super::talk::Talk;
use crate::vocab::{Finding, HostErrorKind, Outcome, Probe, file, state};

pub(super) fn answers_come_in_the_order_of_the_questions(talk: &mut Talk) {
    talk.apply(vec![talk.write("a", "1"), talk.write("b", "2")]);
    let read = |name: &str| Probe::File(file::Probe::Read { path: talk.below(name), limit: 10 });
    let probes =
        vec![read("b"), read("none"), read("a"), file::Probe::List { path: talk.dir.clone(), recursive: false }.into()];
    let found = talk.probe(probes);
    assert_eq!(found[0], Finding::File(file::Finding::Bytes(b"2".to_vec())));
    assert!(matches!(&found[1], Finding::Failed(error) if error.kind == HostErrorKind::NotFound), "{:?}", found[1]);
    assert_eq!(found[2], Finding::File(file::Finding::Bytes(b"1".to_vec())));
    let Finding::File(file::Finding::Entries(entries)) = &found[3] else { panic!("{:?}", found[3]) };
    assert!(entries.iter().map(|(name, _)| name.as_str()).eq(["a", "b"]), "sorted by name: {entries:?}");
    assert_eq!(found.len(), 4);
}

pub(super) fn the_first_step_that_fails_ends_its_list(talk: &mut Talk) {
    let keep = state::Step::Write { name: "kept".into(), content: b"x".to_vec() };
    let outcomes = talk.apply(vec![keep.into(), talk.write("none/a", "x"), talk.write("c", "x")]);
    assert!(matches!(&outcomes[..], [Outcome::Done, Outcome::Failed(error)] if error.kind == HostErrorKind::NotFound));
    let probes = vec![
        file::Probe::Stat { path: talk.below("c"), follow: true }.into(),
        state::Probe::Read { name: "kept".into() }.into(),
    ];
    let expect = [Finding::File(file::Finding::Stat(None)), Finding::State(state::Finding::Bytes(b"x".to_vec()))];
    assert_eq!(talk.probe(probes), expect);
}
