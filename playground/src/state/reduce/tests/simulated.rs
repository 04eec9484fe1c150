//! What the simulated hosts tell: recorded runs, time, repetitions.

use super::opened::picture;
use super::*;
use crate::state::answers::take_simulated;
use crate::state::{MAX_LOG, View};
use crate::worker::protocol::{Parts, ProgramFile};
use mclive_base::shapes::host::Position;

#[test]
fn a_recorded_run_brings_its_program_and_is_not_deployed() {
    let model = answer(send(drawn(send(start()))), Answer::Simulated(Box::default()));
    let model = send(reduce(model, Action::Asked(Request::Replay { trace: vec![] })));
    let simulated = Simulated {
        program: vec![ProgramFile::new("/main.mcl", "$y = 2\n"), ProgramFile::new("/lib/main.mcl", "")],
        ..Simulated::default()
    };
    let model = answer(model, Answer::Simulated(Box::new(simulated)));
    assert_eq!((&**model.text(), model.pushed, model.is_running()), ("$y = 2\n", 1, true));
    assert_eq!(model.program.files().len(), 2);
    let model = drawn(send(model));
    assert_eq!(model.next_request(), None, "the run is not replaced by the program");
    let model = reduce(reduce(model, edit("$y = 3\n")), Action::Settled(3));
    let model = send(drawn(send(model)));
    assert!(matches!(model.flight.unwrap().request, Request::Deploy { fresh: true, .. }));
}

#[test]
fn a_recorded_run_in_another_language_is_replayed_by_its_worker() {
    let model = answer(send(drawn(send(start()))), Answer::Simulated(Box::default()));
    let model = send(reduce(model, Action::Asked(Request::Replay { trace: vec![1] })));
    let program = vec![ProgramFile::new("/main.cf", "a = 1\n")];
    let model = answer(model, Answer::OtherLanguage { program: program.clone() });
    assert_eq!((model.layout(), &**model.text()), (&INMANTA, "a = 1\n"));
    assert_eq!(model.next_request(), None, "the other worker starts");
    let model = send(drawn(send(reduce(model, Action::WorkerReady))));
    assert_eq!(model.flight.as_ref().unwrap().request, Request::Replay { trace: vec![1] });
    let model = answer(model, Answer::Simulated(Box::new(Simulated { program, ..Simulated::default() })));
    assert_eq!((&**model.text(), model.is_running()), ("a = 1\n", true));
    let model = drawn(send(model));
    assert_eq!(model.next_request(), None, "the run is not replaced by the program");
}

#[test]
fn a_page_that_opens_paused_replays_no_run_of_a_link_by_itself() {
    let held = || reduce(Model::new(Program::single(&MCL, "$x = 1\n"), true, None), Action::WorkerReady);
    let model = reduce(held(), Action::LinkedRun(vec![1]));
    assert_eq!((model.held, model.next_request()), (true, None));
    let model = drawn(send(reduce(model, Action::Run)));
    assert_eq!(model.next_request(), Some(Request::Replay { trace: vec![1] }));
    let opened = reduce(held(), Action::Asked(Request::Replay { trace: vec![1] }));
    assert!(!opened.held, "the user opened it");
}

#[test]
fn the_log_is_bounded() {
    let mut model = start();
    let line = mclive_base::shapes::host::LogLine {
        step: 0,
        at_ms: 0,
        tone: mclive_base::shapes::host::Tone::Info,
        resource: None,
        text: String::new(),
        diff: None,
        because: vec![],
    };
    let mut simulated = Simulated::default();
    simulated.snapshot.log = vec![line; MAX_LOG + 10];
    take_simulated(&mut model, simulated);
    assert_eq!(model.sim.log.len(), MAX_LOG);
}

#[test]
fn what_is_not_told_again_stays() {
    let mut model = start();
    let parts = Parts { values: Some(vec![Some("1".into())]), ..Parts::default() };
    take_simulated(&mut model, Simulated { parts, ..Simulated::default() });
    let before = model.clone();
    take_simulated(&mut model, Simulated::default());
    assert_eq!(model.sim.values.to_vec(), [Some("1".to_owned())]);
    // Unchanged data is not drawn again.
    assert!(model.sim.values == before.sim.values && model.sim.states == before.sim.states);
}

#[test]
fn what_is_repaired_is_shown_broken_for_a_moment_while_time_runs() {
    use crate::state::shows::ResourcesShow;
    use mclive_base::protocol::Moment;
    use mclive_base::shapes::host::LogLine;
    let shown = |model: &Model| ResourcesShow::of(model).repaired.map(|repaired| repaired.to_vec());
    let told = |is_log_whole, name: &str| {
        let line = |text: &str| LogLine { resource: Some(name.to_owned()), ..LogLine::at(Moment(0), text) };
        let mut simulated = Simulated { is_log_whole, ..Simulated::default() };
        simulated.snapshot.log = vec![line("updated because `$x` changed"), line("repaired after /srv/kept changed")];
        simulated
    };
    let mut model = running();
    take_simulated(&mut model, told(true, "file[/srv/kept]"));
    assert_eq!(shown(&model), Some(vec![]), "it is in the past");
    take_simulated(&mut model, told(false, "file[/srv/kept]"));
    let mut model = reduce(model, Action::Frame(500));
    assert_eq!(shown(&model), Some(vec!["file[/srv/kept]".to_owned()]));
    assert_eq!(shown(&reduce(model.clone(), Action::TogglePlaying)), None, "it would stay so");
    for name in ["file[/srv/kept]", "file[/srv/other]"] {
        take_simulated(&mut model, told(false, name));
    }
    let model = reduce(model, Action::Frame(500));
    assert_eq!(shown(&model), Some(vec!["file[/srv/other]".to_owned()]), "each has its own time");
    let model = reduce(model, Action::Frame(500));
    assert_eq!(shown(&model), Some(vec![]));
}

#[test]
fn a_beat_renders_the_clock_alone() {
    use crate::state::shows::{HeaderShows, Health, ProblemsShows, RecordedShows, StageShows, TransportShows};
    let shown = |model: &Model| {
        (
            (HeaderShows::of(model), ProblemsShows::of(model), RecordedShows::of(model), StoppedShows::of(model)),
            (TransportShows::of(model), Health::of(model)),
        )
    };
    for view in [View::Code, View::Resources, View::Functions, View::Log] {
        let before = reduce(running(), Action::Show(view));
        let beat = send(reduce(before.clone(), Action::Frame(100)));
        assert!(shown(&beat) == shown(&before) && StageShows::of(&beat) == StageShows::of(&before), "{view:?}");
        let mut simulated = Simulated::default();
        simulated.snapshot.now_ms = 100;
        let after = answer(beat, Answer::Simulated(Box::new(simulated)));
        assert_eq!(after.sim.snapshot.now_ms, 100);
        assert!(shown(&after) == shown(&before) && StageShows::of(&after) == StageShows::of(&before), "{view:?}");
    }
}

#[test]
fn time_that_the_simulation_did_not_reach_is_still_due() {
    let model = send(reduce(running(), Action::Frame(100)));
    let mut simulated = Simulated::default();
    simulated.snapshot.now_ms = model.sim.snapshot.now_ms + 40;
    simulated.position.is_on_the_way = true;
    let paused = answer(reduce(model.clone(), Action::TogglePlaying), Answer::Simulated(Box::new(simulated.clone())));
    assert_eq!((paused.sim.due_ms, paused.next_request()), (0, None));
    let model = answer(model, Answer::Simulated(Box::new(simulated)));
    assert_eq!(model.next_request(), Some(Request::Advance { by_ms: 60 }));
}

#[test]
fn a_repetition_waits_once_and_is_about_the_program_that_is_open() {
    let is_rerun = |model: &Model| model.kept.as_ref().map(|kept| kept.is_rerun);
    let reran = || Answer::Reran(Box::new(Simulated { host: "web1".into(), ..Simulated::default() }));
    let model = reduce(running(), Action::Keep(true));
    let model = reduce(reduce(model, Action::Rerun), Action::Rerun);
    assert_eq!((model.queue.len(), model.sim.playing), (1, false));
    let model = send(model);
    assert_eq!(is_rerun(&answer(model.clone(), reran())), Some(true));
    let other = reduce(model, Action::Opened(Program::single(&MCL, "$y = 2\n")));
    assert_eq!(is_rerun(&answer(other, reran())), Some(false), "those hosts are gone");
}

#[test]
fn an_action_is_moved_or_undone_once_and_the_next_one_as_the_page_shows_it_then() {
    let model = reduce(reduce(running(), Action::TakeBack(5)), Action::TakeBack(5));
    assert_eq!(model.queue, [Request::TakeBack { step: 5 }]);
    let model = reduce(send(model), Action::Shift(5, 1_000));
    assert!(model.queue.is_empty(), "another action may be there by then");
    let model = answer(model, Answer::Simulated(Box::default()));
    let model = reduce(model, Action::Shift(7, 1_000));
    assert_eq!(model.queue, [Request::Shift { step: 7, by_ms: 1_000 }]);
}

#[test]
fn the_host_that_is_looked_at_during_a_repetition_stays_and_the_page_shows_only_progress() {
    let on_the_way = || Answer::OnTheWay {
        now_ms: 7,
        until_ms: Some(9),
        position: Position { is_on_the_way: true, ..Position::default() },
    };
    let before = send(reduce(running(), Action::TakeBack(5)));
    let model = send(answer(before.clone(), on_the_way()));
    assert_eq!(model.flight.as_ref().map(|flight| &flight.request), Some(&Request::Repeat));
    // What the page shows of the hosts is not drawn again.
    assert!(model.sim.states == before.sim.states && model.sim.log == before.sim.log);
    assert_eq!(model.sim.snapshot.now_ms, 7);
    let model = answer(reduce(model, Action::Look("web2".into())), on_the_way());
    assert_eq!(model.sim.hostname, "web2");
    // Its predicted resources are drawn first.
    let drawn = Answer::Drawn(Box::new(Drawn { functions: Some(Picture::default()), ..Drawn::default() }));
    let model = send(answer(send(model), drawn));
    assert_eq!(
        model.flight.as_ref().map(|flight| flight.request.clone()),
        Some(Request::Look { hostname: "web2".into() })
    );
    let seen = Simulated { host: "web2".into(), ..Simulated::default() };
    let model = answer(model, Answer::Simulated(Box::new(seen)));
    assert_eq!((model.sim.hostname.as_str(), model.next_request()), ("web2", Some(Request::Repeat)));
}

#[test]
fn a_graph_in_effect_that_is_as_predicted_is_the_same_to_the_page() {
    let drawn = Drawn { resources: Some(picture("x")), ..Drawn::default() };
    let model = answer(send(answer(send(start()), good())), Answer::Drawn(Box::new(drawn)));
    let (model, predicted) = (send(model.clone()), model.check.resources);
    for (name, is_same) in [("x", true), ("y", false)] {
        let mut simulated = Simulated { resources: Some(picture(name)), ..Simulated::default() };
        simulated.snapshot.generation = 1;
        let model = answer(model.clone(), Answer::Simulated(Box::new(simulated)));
        assert!(model.shows_graph_in_force());
        assert_eq!(
            (*model.resources() == predicted, model.resources().graph.vertices[0].has_id("print[x]")),
            (is_same, is_same)
        );
    }
}
