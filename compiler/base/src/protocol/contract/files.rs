//! Files: which events a watch of a path delivers, and how a file is reported.

use super::talk::{Talk, kind};
use crate::vocab::{Datum, Finding, HostErrorKind, Outcome, Step, file};

pub(super) fn a_watch_of_a_path_hears_the_path_and_its_entries(talk: &mut Talk) {
    let make = |name: &str| {
        let path = talk.below(name);
        Step::File(file::Step::MakeDir { path, parents: false, mode: None })
    };
    let (d, deep) = (make("d"), make("d/deep"));
    let itself = talk.watch(vec![talk.path("d/x")]);
    let dir = talk.watch(vec![talk.path("d")]);
    let tree = talk.watch(vec![file::Watch { path: talk.below("d/"), recursive: true }.into()]);
    talk.apply(vec![d]);
    talk.fires(dir);
    talk.fires(tree);
    talk.quiet();
    talk.heard.clear();
    talk.apply(vec![talk.write("d/x", "1")]);
    [itself, dir, tree].into_iter().for_each(|ticket| talk.fires(ticket));
    talk.apply(vec![talk.write("d/y", "1"), deep]);
    talk.is_silent(itself);
    [dir, tree].into_iter().for_each(|ticket| talk.fires(ticket));
    talk.apply(vec![talk.write("d/deep/z", "1")]);
    talk.is_silent(dir);
    talk.fires(tree);
    talk.apply(vec![talk.remove("d")]);
    [itself, dir, tree].into_iter().for_each(|ticket| talk.fires(ticket));
}

pub(super) fn a_file_is_told_from_nothing_to_nothing(talk: &mut Talk) {
    let (content, first) = talk.subscribe(file::Fact::Content { path: talk.below("f") });
    assert_eq!(kind(first), Some(HostErrorKind::NotFound));
    talk.apply(vec![talk.write("f", "1")]);
    assert_eq!(talk.value(content), Ok(Datum::text("1")));
    talk.apply(vec![talk.write("f", "1"), talk.write("g", "2")]);
    talk.is_silent(content);
    talk.apply(vec![talk.remove("f")]);
    assert_eq!(kind(talk.value(content)), Some(HostErrorKind::NotFound));
}

pub(super) fn an_edit_changes_what_is_there_now(talk: &mut Talk) {
    let edit = |edit| file::Step::Edit { path: talk.below("e"), edit, mode: Some(0o600) };
    let lines = |text: &str| vec![text.to_owned()];
    let steps = [crate::vocab::Edit::Add(lines("a")), crate::vocab::Edit::Add(lines("b"))];
    let steps = steps.into_iter().chain([crate::vocab::Edit::Remove(lines("a"))]).map(|change| edit(change).into());
    let steps: Vec<Step> = steps.collect();
    assert_eq!(talk.apply(steps), [Outcome::Done, Outcome::Done, Outcome::Done]);
    let probes = vec![
        file::Probe::Read { path: talk.below("e"), limit: 10 }.into(),
        file::Probe::Stat { path: talk.below("e"), follow: true }.into(),
    ];
    let found = talk.probe(probes);
    assert_eq!(found[0], Finding::File(file::Finding::Bytes(b"b\n".to_vec())));
    assert!(matches!(&found[1], Finding::File(file::Finding::Stat(Some(stat))) if stat.mode == 0o600));
}
