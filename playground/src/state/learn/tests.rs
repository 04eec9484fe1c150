//! A learner's path through the lessons.

use super::*;
use crate::course::{Chapter, Hint};
use crate::state::{Action, Tab, reduce};
use mclive_base::layout::{INMANTA, MCL};
use mclive_base::shapes::scenario::Failure;

fn lesson(name: &str) -> Lesson {
    let hint = |line, text: &str| Hint { line, text: text.into() };
    Lesson {
        name: name.into(),
        title: name.into(),
        text: String::new(),
        task: String::new(),
        start: format!("# {name}\n"),
        solution: "# done\n".into(),
        check: "run\n".into(),
        hints: vec![hint(2, "The program has an error."), hint(4, "first"), hint(6, "second")],
        files: vec![],
        host: vec![],
        see: vec![],
    }
}

fn course() -> Shared<Course> {
    let chapter = |lessons: &[&str]| Chapter {
        title: String::new(),
        about: String::new(),
        lessons: lessons.iter().map(|name| lesson(name)).collect(),
    };
    Shared::new(Course { chapters: vec![chapter(&["a/1", "a/2"]), chapter(&["b/1"])] })
}

fn act(model: Model, action: Learning) -> Model {
    reduce(model, Action::Learn(action))
}

/// A page with `$x = 1` in its playground, the first lesson open, and this progress.
fn at_the_first(progress: Progress) -> Model {
    let model = act(Model::new(Program::single(&MCL, "$x = 1\n"), false, None), Learning::Open(String::new()));
    act(model, Learning::Loaded(Ok((course(), progress))))
}

fn at(model: &Model) -> (&str, &str) {
    (model.learn.at.as_deref().unwrap_or_default(), model.text())
}

fn edit(text: &str) -> Action {
    Action::Edited { file: "main.mcl".into(), text: text.into() }
}

#[test]
fn a_lesson_waits_for_the_course_and_leaves_the_playground_aside() {
    let model = act(Model::new(Program::single(&INMANTA, "x = 1\n"), false, None), Learning::Open("a/2".into()));
    assert_eq!((at(&model), model.layout()), (("a/2", "x = 1\n"), &INMANTA));
    let model = act(model, Learning::Loaded(Ok((course(), Progress::default()))));
    assert_eq!((at(&model), model.layout()), (("a/2", "# a/2\n"), &MCL));
    let model = act(model, Learning::Leave);
    assert_eq!((at(&model), model.layout()), (("", "x = 1\n"), &INMANTA));
}

#[test]
fn a_scenario_of_the_playground_comes_back_after_the_lessons() {
    let archive = "-- main.mcl --\n$x = 1\n-- main.scenario --\nrun\n";
    let model = Model::new(Program::single(&MCL, ""), false, None);
    let model = reduce(model, Action::Opened(Program::of_archive(archive).unwrap().unwrap()));
    let model = act(act(model, Learning::Open("a/1".into())), Learning::Loaded(Ok((course(), Progress::default()))));
    assert_eq!(model.staged, None);
    let model = act(model, Learning::Leave);
    assert!(model.staged.is_some());
    assert_eq!(at(&model), ("", "$x = 1\n"));
    // One in a tab is still in its tab, though its name comes first.
    let model = reduce(model, Action::Tab(Tab::Add("a.scenario".into())));
    let model = act(act(model, Learning::Open("a/1".into())), Learning::Leave);
    assert_eq!(model.staged.as_ref().map(|staged| &*staged.name), Some("main.scenario"));
    assert_eq!(&*model.program.shown().name, "a.scenario");
}

#[test]
fn a_course_that_cannot_be_loaded_is_asked_for_again() {
    let model = act(Model::new(Program::single(&MCL, "$x = 1\n"), false, None), Learning::Open("a/1".into()));
    let model = act(model, Learning::Loaded(Err("no network".into())));
    assert_eq!(model.learn.course, Load::Failed("no network".into()));
    let model = act(model, Learning::Open("a/1".into()));
    assert_eq!(model.learn.course, Load::Not);
    assert_eq!(act(model, Learning::Leave).learn.at, None);
}

#[test]
fn each_lesson_keeps_its_program() {
    let model = reduce(at_the_first(Progress::default()), edit("mine\n"));
    let model = act(model, Learning::Turn(true));
    assert_eq!(at(&model), ("a/2", "# a/2\n"));
    let model = act(model, Learning::Turn(false));
    assert_eq!(at(&model), ("a/1", "mine\n"));
    let model = act(act(model, Learning::Reset), Learning::Open("b/1".into()));
    assert!(model.learn.progress.drafts.is_empty(), "what is as at the start is no draft");
    assert_eq!(at(&act(model, Learning::Turn(true))), ("b/1", "# b/1\n"), "nothing is after the last one");
}

#[test]
fn another_document_has_an_undo_of_its_own_and_a_reset_can_be_undone() {
    let model = at_the_first(Progress::default());
    let (documents, pushed) = (model.documents, model.pushed);
    let model = act(reduce(model, edit("mine\n")), Learning::Reset);
    assert_eq!((model.documents, model.pushed), (documents, pushed + 1));
    assert_eq!(act(model, Learning::Turn(true)).documents, documents + 1);
}

#[test]
fn a_check_is_asked_for_and_its_answer_counts_once() {
    let model = act(at_the_first(Progress::default()), Learning::Check);
    let Verdict::Checking(request) = &model.learn.verdict else { panic!("{:?}", model.learn.verdict) };
    assert!(matches!(&**request, Request::Judge { files, .. } if files[0].content == b"# a/1\n"));
    let failure = Failure { line: 5, hint: "first".into(), why: "nothing is there".into(), ..Failure::default() };
    let missed = || Ok(Tested { failure: Some(failure.clone()), ..Tested::default() });
    let again = act(model.clone(), Learning::Check);
    let late = act(again, Learning::Judged(1, missed()));
    assert!(matches!(late.learn.verdict, Verdict::Checking(_)), "the first check's answer is of no interest any more");
    let model = act(model, Learning::Judged(1, missed()));
    let Verdict::Missed(miss) = &model.learn.verdict else { panic!("{:?}", model.learn.verdict) };
    assert_eq!((&*miss.hint, miss.n_good, miss.n_parts), ("first", 1, 3));
    let model =
        act(act(model, Learning::Check), Learning::Judged(2, Ok(Tested { virtual_ms: 7, ..Tested::default() })));
    assert_eq!(model.learn.verdict, Verdict::Passed { virtual_ms: 7 });
    assert!(model.learn.progress.done.contains("a/1"));
    let lost = Lost::Hung { seconds: 6 };
    let model = act(act(model, Learning::Check), Learning::Judged(3, Err(lost.clone())));
    assert_eq!(model.learn.verdict, Verdict::Lost(lost));
}

#[test]
fn a_check_that_was_not_played_does_not_count() {
    let model = act(at_the_first(Progress::default()), Learning::Check);
    let left_out = "only on a real host: it needs a kernel".to_owned();
    let model = act(model, Learning::Judged(1, Ok(Tested { left_out: left_out.clone(), ..Tested::default() })));
    assert_eq!(model.learn.verdict, Verdict::LeftOut(left_out.into()));
    assert!(model.learn.progress.done.is_empty());
}

#[test]
fn a_check_counts_for_the_lesson_that_it_was_asked_in() {
    let model = act(act(at_the_first(Progress::default()), Learning::Check), Learning::Turn(true));
    let model = act(model, Learning::Judged(1, Ok(Tested::default())));
    assert!(model.learn.progress.done.is_empty());
    assert_eq!(model.learn.verdict, Verdict::None);
}

#[test]
fn hints_come_one_by_one_and_end() {
    let mut model = at_the_first(Progress::default());
    for wanted in [1, 2, 2] {
        model = act(model, Learning::Hint);
        assert_eq!(model.learn.n_hints, wanted);
    }
    assert_eq!(act(model, Learning::Turn(true)).learn.n_hints, 0);
}

#[test]
fn the_solution_is_shown_and_the_learners_program_comes_back() {
    let model = reduce(at_the_first(Progress::default()), edit("mine\n"));
    let model = act(model, Learning::Solution);
    assert_eq!(at(&model), ("a/1", "# done\n"));
    let kept = act(model.clone(), Learning::Leave);
    assert_eq!(kept.learn.progress.drafts["a/1"], "mine\n", "a solution is not stored as a draft");
    assert_eq!(at(&act(model, Learning::Solution)), ("a/1", "mine\n"));
}

#[test]
fn the_lesson_to_go_on_with_is_the_first_that_is_not_done() {
    let progress = |last: &str, done: &[&str]| Progress {
        done: done.iter().map(|name| (*name).to_owned()).collect(),
        last: last.into(),
        drafts: BTreeMap::new(),
    };
    for (last, done, wanted) in [
        ("", &[][..], "a/1"),
        ("a/2", &[], "a/2"),
        ("a/1", &["a/1"], "a/2"),
        ("b/1", &["b/1"], "a/1"),
        ("gone", &["a/1"], "a/2"),
        ("", &["a/1", "a/2", "b/1"], "a/1"),
    ] {
        assert_eq!(at(&at_the_first(progress(last, done))).0, wanted, "{last} {done:?}");
    }
}

#[test]
fn an_unknown_lesson_is_reported_and_another_opened() {
    let model = act(at_the_first(Progress::default()), Learning::Open("<b>x</b>".into()));
    assert!(model.notice.is_some_and(|notice| notice.text.contains("<b>x</b>")));
    assert_eq!(model.learn.at.as_deref(), Some("a/1"));
}

#[test]
fn another_program_leaves_the_lesson_and_keeps_its_program() {
    let model = reduce(at_the_first(Progress::default()), edit("mine\n"));
    let model = reduce(model, Action::Opened(Program::single(&MCL, "$y = 2\n")));
    assert_eq!(at(&model), ("", "$y = 2\n"));
    assert_eq!(model.learn.progress.drafts["a/1"], "mine\n");
    assert_eq!(at(&act(model, Learning::Leave)), ("", "$y = 2\n"), "the playground is where it is");
}

#[test]
fn a_page_that_is_held_runs_no_lesson_by_itself() {
    let model = act(Model::new(Program::single(&MCL, ""), true, None), Learning::Open("a/1".into()));
    let model = act(model, Learning::Loaded(Ok((course(), Progress::default()))));
    assert!(model.held);
    assert!(!act(model, Learning::Turn(true)).held);
}

#[test]
fn a_progress_from_a_file_takes_the_place_of_the_one_here() {
    let model = reduce(at_the_first(Progress::default()), edit("mine\n"));
    let drafts = BTreeMap::from([("b/1".to_owned(), "theirs\n".to_owned())]);
    let progress = Progress { last: "b/1".into(), drafts, ..Progress::default() };
    let model = act(model, Learning::Replace(progress));
    assert_eq!((at(&model), model.learn.n_replaced), (("a/1", "# a/1\n"), 1));
    assert_eq!(at(&act(model, Learning::Open("b/1".into()))), ("b/1", "theirs\n"));
}

#[test]
fn progress_from_a_file_opened_before_the_lessons_shows_them() {
    let model = Model::new(Program::single(&MCL, "$x = 1\n"), false, None);
    let theirs = Progress { done: names(&["a/1"]), last: "a/1".into(), ..Progress::default() };
    let model = act(model, Learning::Replace(theirs.clone()));
    assert_eq!((&model.learn.course, at(&model)), (&Load::Not, ("", "$x = 1\n")));
    let stored = Progress { last: "b/1".into(), ..Progress::default() };
    let model = act(model, Learning::Loaded(Ok((course(), stored))));
    assert_eq!(at(&model), ("a/2", "# a/2\n"));
    assert_eq!(model.learn.progress.done, theirs.done);
    assert_eq!(at(&act(model, Learning::Leave)), ("", "$x = 1\n"));
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn progress_from_another_tab_is_merged() {
    let model = at_the_first(Progress { done: names(&["a/1"]), ..Progress::default() });
    let told = |model, done: &[&str], deleted: &[&str]| {
        act(model, Learning::CompletedElsewhere { done: names(done), deleted: names(deleted) })
    };
    let model = told(model, &["b/1", "of/another-edition"], &[]);
    assert_eq!(model.learn.progress.done, names(&["a/1", "b/1"]));
    let before = model.learn.progress.clone();
    let model = told(model, &["b/1"], &[]);
    assert!(model.learn.progress == before, "nothing is drawn again");
    assert_eq!(told(model, &[], &["b/1"]).learn.progress.done, names(&["a/1"]));
}

#[test]
fn a_program_from_another_tab_is_that_of_its_lesson_unless_it_is_open() {
    let model = reduce(at_the_first(Progress::default()), edit("mine\n"));
    let told = |model, lesson: &str, text: Option<&str>| {
        act(model, Learning::WrittenElsewhere { lesson: lesson.into(), text: text.map(str::to_owned) })
    };
    let model = told(told(model, "a/1", Some("theirs\n")), "a/2", Some("theirs\n"));
    assert_eq!(at(&model), ("a/1", "mine\n"));
    let model = act(model, Learning::Turn(true));
    assert_eq!(at(&model), ("a/2", "theirs\n"));
    let model = told(act(model, Learning::Turn(false)), "a/2", None);
    assert_eq!(at(&model), ("a/1", "mine\n"));
    let model = act(model, Learning::Turn(true));
    assert_eq!(at(&model), ("a/2", "# a/2\n"));
    // A program that was only opened here does not replace one that was written there.
    let model = told(model, "a/2", Some("theirs\n"));
    assert_eq!(at(&model), ("a/2", "# a/2\n"));
    let model = act(act(model, Learning::Turn(false)), Learning::Turn(true));
    assert_eq!(at(&model), ("a/2", "theirs\n"));
}

#[test]
fn the_greeting_is_about_the_language_of_the_program() {
    let greeted = |layout, text: &str| {
        let model = Model { welcome: true, ..Model::new(Program::single(layout, text), false, None) };
        WelcomeShows::of(&model).map(|shows| (shows.is_model, shows.is_first))
    };
    assert_eq!(greeted(&INMANTA, "a = 1\n"), Some((true, false)));
    assert_eq!(greeted(&MCL, crate::examples::ALL[0].text), Some((false, true)));
}
