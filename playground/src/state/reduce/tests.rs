//! Sequences of actions, and the resulting page.

mod files;
mod opened;
mod retyped;
mod simulated;

use super::*;
use crate::state::shows::{Health, StoppedShows};
use crate::state::{Lost, Saved};
use crate::worker::protocol::{Answer, Drawn, Form, Graph, Picture, Simulated};
use mclive_base::layout::{INMANTA, MCL};
use mclive_base::shapes;
use mclive_base::shapes::host::Snapshot;

fn start() -> Model {
    reduce(Model::new(Program::single(&MCL, "$x = 1\n"), false, None), Action::WorkerReady)
}

fn send(model: Model) -> Model {
    assert!(model.next_request().is_some(), "something is to be sent");
    sent(model)
}

fn answer(model: Model, answer: Answer) -> Model {
    let number = model.flight.as_ref().expect("something is under way").number;
    reduce(model, Action::Answered(number, answer))
}

fn good() -> Answer {
    Answer::Checked(vec![])
}

/// A page whose program is checked and drawn.
fn drawn(model: Model) -> Model {
    let model = send(answer(model, good()));
    let picture = || Some(Picture::default());
    answer(model, Answer::Drawn(Box::new(Drawn { functions: picture(), ..Drawn::default() })))
}

fn bad() -> Answer {
    let diagnostic = shapes::Diagnostic {
        code: "E0301".into(),
        severity: shapes::Severity::Error,
        stage: String::new(),
        message: String::new(),
        primary: None,
        secondary: vec![],
        notes: vec![],
        help: vec![],
        edits: vec![],
    };
    Answer::Checked(vec![diagnostic])
}

fn edit(text: &str) -> Action {
    Action::Edited { file: "main.mcl".into(), text: text.into() }
}

#[test]
fn a_good_program_is_checked_then_deployed_then_plays() {
    let model = send(start());
    assert_eq!(model.next_request(), None, "one request at a time");
    let model = send(drawn(model));
    assert!(matches!(model.flight.as_ref().unwrap().request, Request::Deploy { fresh: true, .. }));
    let model = answer(model, Answer::Simulated(Box::default()));
    assert_eq!(model.next_request(), None, "no time has passed");
    let model = reduce(reduce(model, Action::Speed(10)), Action::Frame(100));
    assert_eq!(model.next_request(), Some(Request::Advance { by_ms: 1000 }));
}

#[test]
fn an_answer_about_the_program_before_is_dropped() {
    let picture = || Some(Picture { n_left_out: 1, ..Picture::default() });
    let model = answer(send(start()), good());
    let model = reduce(send(model), Action::Opened(Program::single(&MCL, "$y = (\n")));
    let model = answer(model, Answer::Drawn(Box::new(Drawn { functions: picture(), ..Drawn::default() })));
    assert_eq!(model.check.functions.n_left_out, 0);
    assert!(matches!(model.next_request(), Some(Request::Check { .. })));
    let model = send(drawn(send(reduce(start(), Action::Opened(Program::single(&MCL, "$z = 1\n"))))));
    let model = reduce(model, Action::Opened(Program::single(&MCL, "$y = (\n")));
    let model = answer(model, Answer::Simulated(Box::default()));
    assert_eq!(model.sim.edit, 0);
}

#[test]
fn another_language_is_another_worker() {
    let model = send(start());
    let number = model.flight.as_ref().unwrap().number;
    let model = reduce(model, Action::Opened(Program::single(&INMANTA, "a = 1\n")));
    assert_eq!((model.next_request(), model.worker), (None, WorkerState::Starting));
    let late = Lost::Broke { text: "the language was changed".into() };
    let model = reduce(reduce(model, Action::WorkerLost(Some(number), late)), Action::WorkerReady);
    let Some(Request::Check { files }) = model.next_request() else { panic!("nothing is checked") };
    assert_eq!(files[0].path, "/main.cf");
    assert!(model.check.lost.is_none());
}

#[test]
fn a_model_is_looked_at_host_by_host() {
    let model = answer(send(start()), good());
    let hosts = vec!["a".to_owned(), "b".to_owned()];
    let model = answer(send(model), Answer::Drawn(Box::new(Drawn { hosts, ..Drawn::default() })));
    assert_eq!(model.sim.hostname, "a");
    let model = answer(send(model), Answer::Simulated(Box::default()));
    let model = reduce(model, Action::Look("b".into()));
    let files = model.files();
    assert_eq!(model.next_request(), Some(Request::Draw { files, hostname: "b".into(), in_full: false }));
    assert!(model.queue.contains(&Request::Look { hostname: "b".into() }));
}

#[test]
fn a_bad_program_does_not_reach_the_host() {
    let model = answer(send(start()), bad());
    let model = answer(send(model), Answer::Drawn(Box::default()));
    assert_eq!(model.next_request(), None);
}

#[test]
fn squiggles_are_quick_and_the_rest_waits_for_a_pause() {
    let model = drawn(send(start()));
    let model = answer(send(model), Answer::Simulated(Box::default()));
    let model = reduce(model, edit("$x = 2\n"));
    assert!(matches!(model.next_request(), Some(Request::Check { .. })));
    let model = answer(send(model), bad());
    assert_eq!((model.check.result.len(), model.check.calm.len()), (1, 0));
    assert_eq!(model.next_request(), None);
    let edit = model.edit;
    let model = reduce(model, Action::Settled(edit - 1));
    assert_eq!(model.next_request(), None, "an older pause does not count");
    let model = reduce(model, Action::Settled(edit));
    assert_eq!(
        (model.next_request(), model.check.calm.len()),
        (Some(Request::Draw { files: model.files(), hostname: "web1".into(), in_full: false }), 1)
    );
}

#[test]
fn the_host_waits_while_somebody_types() {
    let model = answer(send(drawn(send(start()))), Answer::Simulated(Box::default()));
    let model = reduce(reduce(model, edit("$x =\n")), Action::Frame(100));
    let model = answer(send(model), bad());
    assert_eq!(model.next_request(), None);
    let edit = model.edit;
    let model = send(reduce(model, Action::Settled(edit)));
    let model = answer(model, Answer::Drawn(Box::default()));
    assert_eq!(model.next_request(), Some(Request::Advance { by_ms: 100 }), "no time is lost");
}

#[test]
fn stale_answers_are_dropped() {
    let model = send(start());
    let after = reduce(model.clone(), Action::Answered(77, bad()));
    assert_eq!(after, model);
}

#[test]
fn a_hung_check_is_not_tried_again_by_itself() {
    let model = send(start());
    let number = model.flight.as_ref().unwrap().number;
    let model = reduce(model, Action::WorkerLost(Some(number), Lost::Hung { seconds: 5 }));
    let model = reduce(model, Action::WorkerReady);
    assert_eq!(model.next_request(), None);
    assert!(StoppedShows::of(&model).crashed.is_some(), "it can be reported");
    let edited = reduce(model.clone(), edit("$x = 3\n"));
    let edit = edited.edit;
    assert!(reduce(edited, Action::Settled(edit)).next_request().is_some());
    assert!(reduce(model, Action::Run).next_request().is_some());
}

#[test]
fn a_program_that_needs_too_much_memory_is_no_crash() {
    let model = send(start());
    let number = model.flight.as_ref().unwrap().number;
    let model = reduce(reduce(model, Action::WorkerLost(Some(number), Lost::Full)), Action::WorkerReady);
    let StoppedShows { lost, crashed, .. } = StoppedShows::of(&model);
    assert_eq!((model.next_request(), lost, crashed), (None, Some(Lost::Full), None));
    assert!(reduce(model, Action::Run).next_request().is_some());
    // The editor's question was too much for the hosts beside it.
    let model = reduce(running(), Action::WorkerLost(None, Lost::Full));
    assert!(model.notice.is_some_and(|notice| notice.text.starts_with("Memory ran out")));
}

#[test]
fn a_worker_lost_in_a_run_waits_for_a_word() {
    let model = drawn(send(start()));
    let model = send(model);
    let number = model.flight.as_ref().unwrap().number;
    let model = reduce(model, Action::WorkerLost(Some(number), Lost::Broke { text: "unreachable".into() }));
    let model = reduce(model, Action::WorkerReady);
    assert_eq!(model.next_request(), None);
    let model = reduce(model, Action::Run);
    assert!(matches!(model.next_request(), Some(Request::Deploy { fresh: true, .. })));
}

#[test]
fn a_held_page_runs_nothing() {
    let model = reduce(Model::new(Program::single(&MCL, "$x = 1\n"), true, None), Action::WorkerReady);
    assert_eq!(model.next_request(), None);
    assert!(reduce(model, Action::Run).next_request().is_some());
}

#[test]
fn a_late_format_leaves_newer_text_alone() {
    let model = answer(send(start()), good());
    let model = reduce(model, Action::Asked(Request::Format { file: "main.mcl".into(), text: "$x = 1\n".into() }));
    let model = send(model);
    let model = reduce(model, edit("$x = 1\n$y = 2\n"));
    let model = answer(model, Answer::Formatted { text: Some("$x = 1\n".into()) });
    assert_eq!(&**model.text(), "$x = 1\n$y = 2\n");
}

/// A model whose program runs on the simulated host.
fn running() -> Model {
    answer(send(drawn(send(start()))), Answer::Simulated(Box::default()))
}

#[test]
fn a_request_is_about_the_program_at_the_time_it_is_sent() {
    // The graphs are to be drawn, and before that request leaves, the program is edited.
    let model = answer(send(reduce(start(), Action::Settled(1))), Answer::Checked(vec![]));
    assert!(matches!(model.next_request(), Some(Request::Draw { .. })));
    let model = send(reduce(model, edit("$y = 2\n")));
    let flight = model.flight.as_ref().expect("the new program is checked");
    assert!(matches!(flight.request, Request::Check { .. }) && flight.edit == model.edit);
    assert_eq!(sent(model.clone()), model);
}

#[test]
fn keys_ask_for_what_the_buttons_do() {
    let model = reduce(running(), Action::TogglePlaying);
    assert!(!model.sim.playing);
    let model = reduce(reduce(model, Action::Format), Action::Share);
    assert_eq!(
        (model.queue.front().cloned(), model.n_shares),
        (Some(Request::Format { file: "main.mcl".into(), text: "$x = 1\n".into() }), 1)
    );
    let held = reduce(Model::new(Program::single(&MCL, ""), true, None), Action::TogglePlaying);
    assert!(!held.held, "what waits for a word runs");
}

#[test]
fn a_question_that_hangs_is_not_blamed_on_what_waits_behind_it() {
    let model = send(reduce(running(), edit("$x = 2\n")));
    let model = reduce(model, Action::WorkerLost(None, Lost::Hung { seconds: 6 }));
    assert!(model.flight.is_some() && model.check.lost.is_none());
    assert!(model.notice.is_some_and(|notice| notice.text.contains("were reset")));
}

#[test]
fn what_waits_behind_a_request_that_is_lost_is_told_of() {
    let lose = |in_flight: Action, waiting: &[Action]| {
        let model = send(reduce(running(), in_flight));
        let number = model.flight.as_ref().unwrap().number;
        let model = waiting.iter().cloned().fold(model, reduce);
        let model = reduce(model, Action::WorkerLost(Some(number), Lost::Hung { seconds: 20 }));
        assert!(model.queue.is_empty());
        model.notice.map(|notice| notice.text).unwrap_or_default()
    };
    let check = || edit("$x = 2\n");
    let save = || Action::Asked(Request::Save);
    let look = || Action::Asked(Request::Look { hostname: "web2".into() });
    let replay = || Action::LinkedRun(vec![1]);
    for (in_flight, waiting, wanted) in [
        (check(), vec![look()], ""),
        (check(), vec![save()], "The compiler was restarted, and your last request was not completed. Try again."),
        (check(), vec![replay()], "The compiler was restarted, and your last request was not completed. Try again."),
        (save(), vec![look()], "The compiler was restarted, and your last request was not completed. Try again."),
        (
            save(),
            vec![save(), look()],
            "The compiler was restarted, and your last 2 requests were not completed. Try again.",
        ),
    ] {
        assert_eq!(lose(in_flight, &waiting), wanted);
    }
}

#[test]
fn a_part_of_the_compiler_that_does_not_come_is_not_blamed_on_the_program() {
    let unloaded = || Lost::Unloaded { text: "the server returned 404".into() };
    let explain = || Request::Explain { code: "E0301".into() };
    let model = send(reduce(running(), Action::Asked(explain())));
    let number = model.flight.as_ref().unwrap().number;
    let model = reduce(model, Action::WorkerLost(Some(number), unloaded()));
    assert!(model.notice.as_ref().is_some_and(|notice| notice.text.contains("were reset")));
    assert_eq!(StoppedShows::of(&model).lost, None);
    assert_eq!(model.next_request(), None, "there is no compiler");
    // Another failure has no hosts to lose.
    let model = reduce(reduce(model, Action::Say(None)), Action::WorkerLost(None, unloaded()));
    assert_eq!(model.notice, None);
    let model = reduce(model, Action::WorkerReady);
    assert_eq!(model.next_request(), Some(explain()));
    let model = answer(send(model), Answer::Explained { code: "E0301".into(), page: "x".into() });
    assert!(matches!(model.next_request(), Some(Request::Deploy { fresh: true, .. })));
    // What was meant for the hosts that are gone is not done to the next ones.
    let look = Request::Look { hostname: "web1".into() };
    let model = send(reduce(running(), Action::Asked(look)));
    let number = model.flight.as_ref().unwrap().number;
    let model = reduce(reduce(model, Action::WorkerLost(Some(number), unloaded())), Action::WorkerReady);
    assert!(matches!(model.next_request(), Some(Request::Deploy { fresh: true, .. })));
}

#[test]
fn what_is_to_be_saved_when_a_part_of_the_compiler_does_not_come_is_asked_for_again_or_told_of() {
    let unloaded = || Lost::Unloaded { text: "the server returned 404".into() };
    let lose = |model: Model| {
        let model = send(model);
        let number = model.flight.as_ref().unwrap().number;
        let model = reduce(model, Action::WorkerLost(Some(number), unloaded()));
        reduce(model, Action::WorkerReady)
    };
    let says_so = |model: &Model| {
        model.notice.as_ref().is_some_and(|notice| notice.text.contains("your last request was not completed"))
    };
    // The graph is that of the text.
    let model = lose(reduce(running(), Action::Print(Graph::Functions, Form::Dot)));
    assert!(matches!(model.next_request(), Some(Request::Print { .. })) && !says_so(&model));
    // The graph was that of a host, which is gone.
    let simulated = Simulated { resources: Some(Picture::default()), ..Simulated::default() };
    let mut model = answer(send(reduce(running(), Action::Frame(100))), Answer::Simulated(Box::new(simulated)));
    model.sim.snapshot = Shared::new(Snapshot { generation: 1, ..Snapshot::default() });
    for action in [Action::Print(Graph::Resources, Form::Dot), Action::Asked(Request::Save)] {
        let model = lose(reduce(model.clone(), action));
        assert!(model.queue.is_empty() && says_so(&model));
        assert!(matches!(model.next_request(), Some(Request::Deploy { fresh: true, .. })));
    }
}

#[test]
fn a_check_that_lacks_a_part_of_the_compiler_is_done_when_it_is_there() {
    let model = send(start());
    let number = model.flight.as_ref().unwrap().number;
    let lost = Lost::Unloaded { text: "it did not arrive within 90 seconds".into() };
    let model = reduce(reduce(model, Action::WorkerLost(Some(number), lost)), Action::WorkerReady);
    assert!(matches!(model.next_request(), Some(Request::Check { .. })));
}

#[test]
fn while_a_part_of_the_compiler_is_loaded_nothing_else_is_asked() {
    let model = reduce(reduce(running(), Action::Frame(100)), Action::WorkerLoads(true));
    assert_eq!((Health::of(&model), model.next_request()), (Health::Loading, None));
    let model = reduce(model, Action::WorkerLoads(false));
    assert_eq!(model.next_request(), Some(Request::Advance { by_ms: 100 }));
    let model = reduce(model, Action::WorkerLost(None, Lost::Hung { seconds: 20 }));
    let late = [true, false].into_iter().fold(model, |model, loads| reduce(model, Action::WorkerLoads(loads)));
    assert_eq!(late.worker, WorkerState::Starting, "the worker that told so is gone");
}

#[test]
fn the_first_view_is_complete_when_the_program_runs_or_is_not_going_to() {
    let checked = drawn(send(start()));
    let deployed = send(checked.clone());
    assert_eq!([start(), checked, deployed.clone()].map(|model| model.has_first_view()), [false; 3]);
    assert!(answer(deployed, Answer::Simulated(Box::default())).has_first_view());
    let faulty = answer(send(answer(send(start()), bad())), Answer::Drawn(Box::default()));
    assert!(faulty.has_first_view());
    let held = Model::new(Program::single(&MCL, "$x = 1\n"), true, None);
    assert!(!held.has_first_view(), "the compiler is loading");
    assert!(reduce(held, Action::WorkerReady).has_first_view());
}

#[test]
fn a_graph_that_is_shown_is_given_out_under_its_name() {
    let model = reduce(running(), Action::Print(Graph::Resources, Form::Dot));
    let hostname = model.sim.hostname.clone();
    let (files, graph, form) = (model.files(), Graph::Resources, Form::Dot);
    let request = Request::Print { files, graph, form, hostname, in_force: false, in_full: false };
    assert_eq!(model.next_request(), Some(request), "there is no graph yet");
    let model = answer(send(model), Answer::Printed { text: "digraph {}\n".into() });
    let saved = Saved::File { name: "resources.dot".into(), content: b"digraph {}\n"[..].into() };
    assert_eq!(model.saved, Some((model.last_number, saved)));
    let simulated = Simulated { resources: Some(Picture::default()), ..Simulated::default() };
    let mut model = answer(send(reduce(model, Action::Frame(100))), Answer::Simulated(Box::new(simulated)));
    model.sim.snapshot = Shared::new(Snapshot { generation: 1, ..Snapshot::default() });
    let model = reduce(model, Action::Print(Graph::Functions, Form::Json));
    assert!(matches!(model.next_request(), Some(Request::Print { in_force: true, in_full: false, .. })));
}

#[test]
fn the_function_graph_is_drawn_in_the_words_chosen_last() {
    let model = send(reduce(running(), Action::ShowInFull(true)));
    assert!(matches!(model.flight.as_ref().unwrap().request, Request::Draw { in_full: true, .. }));
    // This answer is late.
    let model = answer(reduce(model, Action::ShowInFull(false)), Answer::Drawn(Box::default()));
    assert!(matches!(model.next_request(), Some(Request::Draw { in_full: false, .. })));
    let model = answer(send(model), Answer::Drawn(Box::default()));
    assert!(!matches!(model.next_request(), Some(Request::Draw { .. })));
    let model = reduce(model, Action::ShowInFull(true));
    let model = answer(send(model), Answer::Drawn(Box::default()));
    let model = reduce(model, Action::Print(Graph::Functions, Form::Dot));
    assert!(model.queue.iter().any(|request| matches!(request, Request::Print { in_full: true, .. })));
}
