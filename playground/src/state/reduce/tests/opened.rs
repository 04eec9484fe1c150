//! Another program is opened: results of the previous one are not shown for it.

use super::*;
use crate::state::shows::{Checked, FilesShows, NoGraph, ProblemsShows, ResourcesShow};

fn listed(model: &Model) -> (Checked, usize) {
    let shows = ProblemsShows::of(model);
    (shows.checked, shows.problems.len())
}

fn other() -> Action {
    Action::Opened(Program::single(&MCL, "$y = 1\n"))
}

#[test]
fn problems_are_those_of_the_program_that_is_open() {
    assert_eq!(listed(&start()), (Checked::Soon, 0));
    let model = answer(send(start()), bad());
    assert_eq!(listed(&model), (Checked::Yes, 1));
    let same = reduce(model.clone(), Action::Opened(model.program.clone()));
    assert_eq!(listed(&same), (Checked::Yes, 1), "it is not checked again");
    let typed = send(reduce(model.clone(), edit("$x = 2\n")));
    assert_eq!(listed(&typed), (Checked::Yes, 1), "the list is calm while the user types");
    let model = reduce(model, other());
    assert_eq!((listed(&model), FilesShows::of(&model).tabs[0].n_errors), ((Checked::Soon, 0), 0));
    // The first answer is shown at once, also while the user types.
    let model = answer(send(reduce(model, edit("$y =\n"))), bad());
    assert!(model.settled < model.edit);
    assert_eq!(listed(&model), (Checked::Yes, 1));
}

#[test]
fn a_program_that_is_not_checked_is_not_said_to_be_without_problems() {
    let held = reduce(Model::new(Program::single(&MCL, "$x = 1\n"), true, None), Action::WorkerReady);
    assert_eq!(listed(&held), (Checked::No, 0));
    let edited = reduce(held, edit("$x = 2\n"));
    assert_eq!(listed(&edited), (Checked::Soon, 0), "an edited text is checked");
    let model = send(start());
    let number = model.flight.as_ref().unwrap().number;
    let model = reduce(model, Action::WorkerLost(Some(number), Lost::Hung { seconds: 20 }));
    assert_eq!(listed(&model), (Checked::No, 0));
    assert_eq!(listed(&reduce(model.clone(), Action::Run)), (Checked::Soon, 0));
    assert_eq!(listed(&reduce(model, other())), (Checked::Soon, 0));
}

#[test]
fn a_crash_is_blamed_on_the_program_that_was_open_then() {
    let crash = || Lost::Broke { text: "unreachable".into() };
    for model in [send(start()), send(drawn(send(start()))), send(reduce(running(), Action::Frame(100)))] {
        let number = model.flight.as_ref().unwrap().number;
        let model = reduce(reduce(model, other()), Action::WorkerLost(Some(number), crash()));
        assert_eq!(StoppedShows::of(&model).lost, None);
        let model = drawn(send(reduce(model, Action::WorkerReady)));
        assert!(matches!(model.next_request(), Some(Request::Deploy { fresh: true, .. })));
    }
}

#[test]
fn a_graph_is_said_to_be_empty_when_it_was_drawn() {
    let otherwise = |model: &Model| ResourcesShow::of(model).otherwise;
    let model = send(start());
    assert_eq!(otherwise(&model), Some(NoGraph::Compiling));
    let model = answer(model, good());
    assert_eq!(otherwise(&model), Some(NoGraph::Compiling));
    let model = answer(send(model), Answer::Drawn(Box::default()));
    assert_eq!(otherwise(&model), Some(NoGraph::Empty));
    let model = reduce(model, other());
    assert_eq!(otherwise(&model), Some(NoGraph::Compiling));
    assert_eq!(otherwise(&answer(send(model), bad())), Some(NoGraph::Errors));
}

/// A graph of one resource.
pub(super) fn picture(name: &str) -> Picture<shapes::ResourceGraph> {
    let vertex = shapes::ResourceVertex {
        kind: "print".into(),
        name: name.into(),
        fields: vec![],
        meta: vec![],
        grouped: vec![],
        place: None,
    };
    let graph = shapes::ResourceGraph { version: 1, vertices: vec![vertex], edges: vec![] };
    Picture { graph, ..Picture::default() }
}

/// A large graph is not rendered again with each key after which the program has errors, or has none again.
#[test]
fn a_graph_is_shown_as_before_while_errors_come_and_go() {
    let resources = Some(picture("x"));
    let model = send(answer(send(start()), good()));
    let model = answer(model, Answer::Drawn(Box::new(Drawn { resources, ..Drawn::default() })));
    let before = ResourcesShow::of(&model);
    assert_eq!(before.otherwise, None);
    let model = answer(send(reduce(model, edit("$x = (\n"))), bad());
    assert_eq!((model.check.n_errors(), ResourcesShow::of(&model)), (1, before.clone()));
    let model = answer(send(reduce(model, edit("$x = 1\n"))), good());
    assert_eq!((model.check.n_errors(), ResourcesShow::of(&model)), (0, before));
}
