//! The session answers as the page asks.

use super::drawing::MAX_EDGES;
use super::*;
use crate::worker::protocol::Simulated;
use mclive_base::shapes::host::{HostFile, Phase};
use mclive_compiler::language::{Inmanta, Mcl};
use std::cell::Cell;

fn told(answer: Answer) -> Simulated {
    let Answer::Simulated(simulated) = answer else { panic!("{answer:?}") };
    *simulated
}

/// A session with a clock that advances by a second whenever it is read.
fn slow_session() -> Session {
    thread_local!(static NOW_MS: Cell<f64> = const { Cell::new(0.0) });
    let clock = || {
        NOW_MS.set(NOW_MS.get() + 1_000.0);
        NOW_MS.get()
    };
    Session::new(&[&Mcl], clock)
}

/// A program with more files than a turn of a [`slow_session`] can handle.
fn a_hundred_files() -> ProgramFile {
    let names: Vec<String> = (0..100).map(|n| format!("\"/srv/{n}\"")).collect();
    main_file(&format!("file [{}] {{\n\tstate => \"exists\",\n}}\n", names.join(", ")))
}

#[test]
fn a_host_that_just_goes_on_tells_little() {
    let mut session = Session::new(&[&Mcl], || 0.0);
    let files = vec![main_file("file \"/srv/x\" {\n\tstate => \"exists\",\n\tcontent => \"x\",\n}\n")];
    let deploy = |fresh| Request::Deploy {
        files: files.clone(),
        hosts: vec![],
        hostname: "web1".into(),
        fresh,
        prepare: vec![],
    };
    let first = told(session.answer(deploy(true))).parts;
    assert!(first.resources.is_some() && first.values.is_some() && first.files.is_some());
    let advance = || Request::Advance { by_ms: 5_000 };
    let applied = told(session.answer(advance())).parts;
    assert!(applied.files.is_some_and(|files| files.iter().any(|file| file.path == "/srv/x")));
    assert_eq!(told(session.answer(advance())).parts, Parts::default());
    let action = HostAction::Write { path: "/srv/y".into(), text: String::new() };
    let acted = told(session.answer(Request::Act { action })).parts;
    assert!(acted.files.is_some() && acted.values.is_none());
    // After a restart the page has nothing.
    assert!(told(session.answer(deploy(true))).parts.values.is_some());
}

#[test]
fn what_is_too_long_or_too_dense_is_bounded_and_told() {
    let mut session = Session::new(&[&Mcl], || 0.0);
    let files = vec![main_file(&" ".repeat(MAX_TEXT + 1))];
    let Answer::Checked(said) = session.answer(Request::Check { files: files.clone() }) else {
        panic!("a check is answered by what it found")
    };
    assert!(said.len() == 1 && said[0].message.contains("at most 1048576"), "{said:?}");
    let draw = |files| Request::Draw { files, hostname: "web1".into(), in_full: true };
    assert_eq!(session.answer(draw(files)), Answer::Drawn(Box::default()));

    let list =
        |name: &str| format!("${name} = iter.map(iter.range(80), func($i) {{ fmt.printf(\"/{name}%d\", $i) }})\n");
    let rest = "file $a { state => \"exists\", }\nfile $b { state => \"exists\", }\nFile[$a] -> File[$b]\n";
    let text = format!("import \"iter\"\nimport \"fmt\"\n{}{}{rest}", list("a"), list("b"));
    let files = vec![main_file(&text)];
    let Answer::Checked(said) = session.answer(Request::Check { files: files.clone() }) else { panic!() };
    assert_eq!(said, []);
    let Answer::Drawn(drawn) = session.answer(draw(files)) else { panic!() };
    let resources = drawn.resources.expect("it has resources");
    assert_eq!((resources.graph.edges.len(), resources.n_left_out), (MAX_EDGES, 6_400 - MAX_EDGES));
    assert_eq!(resources.drawing.expect("it is drawn").lines.len(), MAX_EDGES);
}

/// A query of the editor may be about the text before.
#[test]
fn the_graphs_are_those_of_the_program_that_is_asked_for() {
    let mut session = Session::new(&[&Mcl], || 0.0);
    let program = |name: &str| vec![main_file(&format!("print \"{name}\" {{}}\n"))];
    session.answer(Request::Check { files: program("new") });
    let service = editor::Service::Tokens { from: 0, to: 100 };
    let query = editor::Query { file: "/main.mcl".into(), units: editor::Units::default(), service };
    session.answer(Request::Ask { files: program("old"), query });
    let draw = Request::Draw { files: program("new"), hostname: "web1".into(), in_full: false };
    let Answer::Drawn(drawn) = session.answer(draw) else { panic!("not drawn") };
    let resources = drawn.resources.expect("it has resources").graph.vertices;
    assert_eq!(resources.iter().map(|vertex| vertex.id()).collect::<Vec<_>>(), ["print[new]"]);
}

#[test]
fn a_new_host_is_prepared_before_its_program_runs() {
    let mut session = Session::new(&[&Mcl], || 0.0);
    let files = vec![main_file("exec \"x\" {\n\tcmd => \"fetch\",\n}\n")];
    let write = HostAction::Write { path: "/etc/old".into(), text: "as it was".into() };
    let (line, prints) = ("fetch".into(), "fetched".into());
    let prepare = vec![write, HostAction::Command { line, prints, status: 0, takes_ms: 0 }];
    session.answer(Request::Deploy { files, hosts: vec![], hostname: "web1".into(), fresh: true, prepare });
    session.answer(Request::Advance { by_ms: 1_000 });
    let seen = told(session.answer(Request::Look { hostname: "web1".into() }));
    assert!(seen.parts.files.is_some_and(|files| files.iter().any(|file| file.text == "as it was")));
    assert!(seen.parts.resources.is_some_and(|all| all[0].phase == Phase::Changed || all[0].phase == Phase::InState));
}

#[test]
fn what_was_done_is_saved_and_shown_again_as_a_scenario() {
    let mut session = Session::new(&[&Mcl], || 0.0);
    assert!(matches!(session.answer(Request::Save), Answer::Declined { .. }));
    let files = vec![main_file("file \"/srv/x\" {\n\tstate => \"exists\",\n\tcontent => \"x\",\n}\n")];
    let hosts = vec!["web1".to_owned(), "web2".to_owned()];
    let hostname = "web1".to_owned();
    session.answer(Request::Deploy { files: files.clone(), hosts, hostname, fresh: true, prepare: vec![] });
    session.answer(Request::Advance { by_ms: 1_000 });
    session.answer(Request::Act { action: HostAction::Remove { path: "/srv/x".into() } });
    session.answer(Request::Advance { by_ms: 1_000 });
    let Answer::Saved { text } = session.answer(Request::Save) else { panic!("it is saved") };
    assert!(text.contains("\non web1 remove /srv/x\n") && text.contains("\nwait 1s\n"), "{text}");

    let scenario = mclive_base::scenario::read("run\nwait 1m\nremove /srv/x\n").expect("it can be read");
    let cues: Vec<Cue> = (0..)
        .zip(&scenario.steps)
        .filter_map(|(number, step)| match &step.what {
            mclive_base::scenario::What::Do(event) => Some(Cue {
                at: Moment::default().plus_ms(number * 30_000),
                line: step.line,
                text: step.text.clone(),
                host: None,
                what: mclive_base::shapes::scenario::CueWhat::Happens(event.clone()),
            }),
            _ => None,
        })
        .collect();
    let shown = told(session.answer(Request::Stage { files, cues: Cue::pack(&cues) }));
    assert_eq!((shown.host.as_str(), shown.snapshot.now_ms), ("host1", 60_000));
    let marks = shown.position.marks;
    assert!(
        marks.iter().any(|mark| mark.text == "run") && marks.iter().any(|mark| mark.text == "remove /srv/x"),
        "{marks:?}"
    );
    assert!(matches!(session.answer(Request::Stage { files: vec![], cues: vec![255; 9] }), Answer::Declined { .. }));
}

#[test]
fn all_hosts_of_a_model_are_simulated() {
    let mut session = Session::new(&[&Inmanta], || 0.0);
    let text = include_str!("../../../examples/hosts.cf");
    let files = vec![ProgramFile::new("/main.cf", text)];
    let Answer::Checked(said) = session.answer(Request::Check { files: files.clone() }) else { panic!("not checked") };
    assert!(said.is_empty(), "{said:?}");
    let draw = Request::Draw { files: files.clone(), hostname: "web1".into(), in_full: true };
    let Answer::Drawn(drawn) = session.answer(draw) else { panic!("not drawn") };
    assert_eq!(drawn.hosts, ["db1", "web1", "web2"]);
    assert!(drawn.functions.is_some_and(|model| model.graph.vertices.len() > 3));
    assert!(drawn.resources.is_some_and(|resources| !resources.graph.vertices.is_empty()));
    let deployed =
        session.answer(Request::Deploy { files, hosts: vec![], hostname: "web1".into(), fresh: true, prepare: vec![] });
    assert!(told(deployed).snapshot.hostname == "web1");
    session.answer(Request::Advance { by_ms: 5_000 });
    for host in ["web1", "web2", "db1"] {
        let seen = told(session.answer(Request::Look { hostname: host.into() }));
        let files = seen.parts.files.expect("a host that is new to the page is told whole");
        let is_there = files.iter().any(|file| file.path.starts_with("/srv/") && file.text.contains(host));
        assert!(is_there && seen.snapshot.converged, "{host}: {files:?}");
    }
}

#[test]
fn a_recorded_run_in_another_language_is_for_another_worker() {
    let mut models = Session::new(&[&Inmanta], || 0.0);
    let files = vec![ProgramFile::new("/main.cf", include_str!("../../../examples/hosts.cf"))];
    let hostname = "web1".to_owned();
    told(models.answer(Request::Deploy {
        files: files.clone(),
        hosts: vec![],
        hostname: hostname.clone(),
        fresh: true,
        prepare: vec![],
    }));
    models.answer(Request::Advance { by_ms: 5_000 });
    let recorded = models.answer(Request::Record { hostname, for_link: false });
    let Answer::Recorded { trace } = recorded else { panic!("{recorded:?}") };
    let mut mcl = Session::new(&[&Mcl], || 0.0);
    assert_eq!(mcl.answer(Request::Replay { trace: trace.clone() }), Answer::OtherLanguage { program: files.clone() });
    assert_eq!(told(models.answer(Request::Replay { trace })).program, files);
}

#[test]
fn a_simulation_that_does_not_get_there_in_its_turn_says_so_and_goes_on() {
    let mut session = slow_session();
    let deploy = Request::Deploy {
        files: vec![a_hundred_files()],
        hosts: vec![],
        hostname: "web1".into(),
        fresh: true,
        prepare: vec![],
    };
    told(session.answer(deploy));
    let mut turn = |request| {
        let answer = told(session.answer(request));
        (answer.position.is_on_the_way, answer.snapshot.converged)
    };
    assert_eq!(turn(Request::Advance { by_ms: 100 }), (true, false));
    let mut n_turns = 0;
    while turn(Request::Run { goal: Goal::Converged, until_ms: 60_000 }) != (false, true) {
        n_turns += 1;
        assert!(n_turns < 100, "it does not get there");
    }
    assert!(n_turns > 2);
}

#[test]
fn another_program_runs_over_the_same_events_without_changing_what_is_shown() {
    let mut session = Session::new(&[&Mcl], || 0.0);
    let program = |name: &str| vec![main_file(&format!("file \"/srv/{name}\" {{\n\tstate => \"exists\",\n}}\n"))];
    let hostname = "web1".to_owned();
    let deploy =
        |files| Request::Deploy { files, hosts: vec![], hostname: hostname.clone(), fresh: true, prepare: vec![] };
    told(session.answer(deploy(program("shown"))));
    session.answer(Request::Advance { by_ms: 2_000 });
    session.answer(Request::Act { action: HostAction::Write { path: "/srv/mine".into(), text: "by hand".into() } });
    session.answer(Request::Advance { by_ms: 2_000 });
    let rerun = |files| Request::Rerun { files, hostname: hostname.clone() };
    let answer = session.answer(rerun(program("other")));
    let Answer::Reran(other) = answer else { panic!("{answer:?}") };
    let paths = |parts: &Parts| -> Vec<String> {
        let files = parts.files.iter().flatten().map(|file| file.path.clone());
        files.filter(|path| path.starts_with("/srv/") && *path != "/srv/").collect()
    };
    assert_eq!(paths(&other.parts), ["/srv/mine", "/srv/other"]);
    assert_eq!(other.resources.map(|picture| picture.graph.vertices[0].id()), Some("file[/srv/other]".to_owned()));
    assert_eq!((other.host.as_str(), other.snapshot.now_ms), ("web1", 4_000));
    let shown = told(session.answer(Request::Look { hostname: hostname.clone() }));
    assert_eq!(paths(&shown.parts), ["/srv/mine", "/srv/shown"]);
    let model = vec![ProgramFile::new("/main.cf", "")];
    assert!(matches!(session.answer(rerun(model)), Answer::Declined { .. }));
}

#[test]
fn a_repetition_that_takes_too_long_is_declined_before_the_page_gives_up() {
    thread_local!(static NOW_MS: Cell<f64> = const { Cell::new(0.0) });
    let mut session = Session::new(&[&Mcl], || NOW_MS.replace(NOW_MS.get() + 10_000.0));
    let (files, hostname) = (vec![main_file("print \"a\" {}\n")], "web1".to_owned());
    let deploy = Request::Deploy {
        files: files.clone(),
        hosts: vec![],
        hostname: hostname.clone(),
        fresh: true,
        prepare: vec![],
    };
    told(session.answer(deploy));
    let answer = session.answer(Request::Rerun { files, hostname });
    assert!(matches!(&answer, Answer::Declined { why } if why.contains("too long")), "{answer:?}");
}

#[test]
fn what_follows_from_a_moved_action_is_repeated_in_turns() {
    let mut session = slow_session();
    let text = "import \"datetime\"\nimport \"fmt\"\n$now = datetime.now()\n\
                file \"/srv/clock\" {\n\tstate => \"exists\",\n\tcontent => fmt.printf(\"%d\", $now),\n}\n";
    let (files, hostname) = (vec![main_file(text)], "web1".to_owned());
    // The number of turns, and of those that tell everything; the step that is reached; whether the file is there.
    let mut to_the_end = |first: Request, then: Request| {
        let (mut n_turns, mut n_whole, mut has_mine) = (0, 0, false);
        let mut request = first;
        loop {
            n_turns += 1;
            assert!(n_turns < 1_000, "it does not get there");
            let answer = session.answer(request);
            request = then.clone();
            if let Answer::OnTheWay { .. } = answer {
                continue;
            }
            let answer = told(answer);
            n_whole += u32::from(answer.is_log_whole);
            if let Some(files) = answer.parts.files {
                has_mine = files.iter().any(|file| file.path == "/srv/mine");
            }
            if !answer.position.is_on_the_way {
                return ((n_turns, n_whole), answer.position.step, has_mine);
            }
        }
    };
    let deploy = Request::Deploy { files, hosts: vec![], hostname, fresh: true, prepare: vec![] };
    to_the_end(deploy.clone(), deploy);
    let run = Request::Run { goal: Goal::Failure, until_ms: 400_000 };
    to_the_end(run.clone(), run);
    let act = Request::Act { action: HostAction::Write { path: "/srv/mine".into(), text: "by hand".into() } };
    let (_, mark, _) = to_the_end(act.clone(), act);
    let (turns, moved, has_mine) = to_the_end(Request::Shift { step: mark, by_ms: -350_000 }, Request::Repeat);
    assert!(turns.0 > 2 && turns.1 == 1 && moved < mark && has_mine, "{turns:?} turns, {moved} of {mark}");
    let (turns, end, has_mine) = to_the_end(Request::TakeBack { step: moved }, Request::Repeat);
    assert!(turns.0 > 2 && turns.1 == 1 && end > moved && !has_mine, "{turns:?} turns, {end} after {moved}");
}

#[test]
fn a_repetition_is_stopped_and_shows_the_host_that_was_looked_at_meanwhile() {
    let mut session = slow_session();
    let text = "import \"datetime\"\nimport \"fmt\"\n$now = datetime.now()\n\
                file \"/srv/clock\" {\n\tstate => \"exists\",\n\tcontent => fmt.printf(\"%d\", $now),\n}\n";
    let hosts = vec!["web1".to_owned(), "web2".to_owned()];
    let (files, hostname) = (vec![main_file(text)], "web1".to_owned());
    told(session.answer(Request::Deploy { files, hosts, hostname, fresh: true, prepare: vec![] }));
    let run_to = |session: &mut Session, until_ms| loop {
        let answer = told(session.answer(Request::Run { goal: Goal::Failure, until_ms }));
        if !answer.position.is_on_the_way {
            return answer.position.step;
        }
    };
    run_to(&mut session, 1_000);
    let action = HostAction::Write { path: "/srv/mine".into(), text: "by hand".into() };
    let mark = told(session.answer(Request::Act { action })).position.step;
    let end = run_to(&mut session, 300_000);
    let is_on_the_way = |answer: &Answer| match answer {
        Answer::OnTheWay { position, until_ms, .. } => {
            position.is_on_the_way && until_ms.is_some_and(|ms| ms > 290_000)
        }
        answer => panic!("{answer:?}"),
    };
    assert!(is_on_the_way(&session.answer(Request::TakeBack { step: mark })));
    let look = |session: &mut Session, host: &str| told(session.answer(Request::Look { hostname: host.into() }));
    assert_eq!(look(&mut session, "web2").host, "web2");
    assert!(is_on_the_way(&session.answer(Request::Repeat)));
    let stopped = told(session.answer(Request::StopRepeating));
    assert_eq!((stopped.host.as_str(), stopped.position.step, stopped.is_log_whole), ("web2", end, true));
    let files = look(&mut session, "web1").parts.files.expect("a host that is looked at is told whole");
    assert!(files.iter().any(|file| file.path == "/srv/mine"), "{files:?}");
}

#[test]
fn on_the_way_to_a_moment_only_progress_is_reported() {
    let mut session = slow_session();
    let (files, hostname) = (vec![a_hundred_files()], "web1".to_owned());
    // A large host is seldom copied, so the way to a moment is long.
    let prepare = vec![HostAction::Write { path: "/srv/large".into(), text: "x".repeat(3_000_000) }];
    told(session.answer(Request::Deploy { files, hosts: vec![], hostname, fresh: true, prepare }));
    let first = session.fleet.step();
    let run = || Request::Run { goal: Goal::Converged, until_ms: 60_000 };
    while told(session.answer(run())).position.is_on_the_way {}
    let last = session.fleet.step();
    let seek = |session: &mut Session, step| {
        let mut n_on_the_way = 0;
        loop {
            match session.answer(Request::Seek { step }) {
                Answer::OnTheWay { .. } => n_on_the_way += 1,
                answer => return (told(answer), n_on_the_way),
            }
        }
    };
    assert_eq!(seek(&mut session, first).0.position.step, first);
    let (there, n_on_the_way) = seek(&mut session, last);
    assert!(n_on_the_way > 0, "{last} steps");
    assert_eq!((there.position.step, there.is_log_whole), (last, true));
    assert!(there.parts.files.is_some_and(|files| files.iter().any(|file| file.path == "/srv/99")));
    assert!(there.resources.is_some());
}

#[test]
fn of_long_texts_the_page_gets_the_start_and_their_size() {
    const LONG: usize = 100_000;
    let mut session = Session::new(&[&Mcl], || 0.0);
    let text = "x".repeat(LONG);
    let program = format!("file \"/srv/x\" {{\n\tstate => \"exists\",\n\tcontent => \"{text}\",\n}}\n");
    let files = vec![main_file(&program)];
    let draw = Request::Draw { files: files.clone(), hostname: "web1".into(), in_full: true };
    let Answer::Drawn(drawn) = session.answer(draw) else { panic!("not drawn") };
    let resources = drawn.resources.expect("it has resources").graph.vertices;
    let content = resources[0].fields.iter().find(|field| field.name == "content").expect("it has a content");
    assert!(content.value.len() <= 16 << 10 && content.value.contains("... (100002 bytes in all, checksum "));
    let deploy = Request::Deploy { files, hosts: vec![], hostname: "web1".into(), fresh: true, prepare: vec![] };
    let (first, applied) =
        (told(session.answer(deploy)).parts, told(session.answer(Request::Advance { by_ms: 5_000 })).parts);
    let mut values = [first.values, applied.values].into_iter().flatten().flatten().flatten();
    assert!(values.any(|value| value.contains("... (100002 bytes in all, checksum ")));
    let written = |files: Option<Vec<HostFile>>| {
        let files = files.expect("a file was written");
        files.into_iter().find(|file| file.path == "/srv/x").expect("it exists")
    };
    let file = written(applied.files);
    assert_eq!((file.size, &*file.text), (LONG as u64, &*"x".repeat(16 << 10)));
    // Only the last character differs.
    let other = program.replace("x\",", "y\",");
    let files = vec![main_file(&other)];
    let deploy = Request::Deploy { files, hosts: vec![], hostname: "web1".into(), fresh: false, prepare: vec![] };
    let (first, applied) =
        (told(session.answer(deploy)).parts, told(session.answer(Request::Advance { by_ms: 5_000 })).parts);
    assert!(first.values.or(applied.values).is_some(), "the value differs");
    let now = written(applied.files.or(first.files));
    assert_eq!((now.size, &now.text), (file.size, &file.text));
    assert_ne!(now.checksum, file.checksum);
}
