//! The program that was displayed before another one was opened. One step returns to it, and another one returns from
//! there.

use super::learn::put_aside;
use super::model::Model;
use super::program::Program;
use super::reduce::{open, open_with};
use super::shared::Shared;
use super::staged::Staged;
use super::view::{Notice, Tone};
use crate::examples;

/// A program that was displayed, and its displayed scenario.
#[derive(Clone, PartialEq, Debug)]
pub struct Previous {
    program: Program,
    staged: Option<Staged>,
}

impl Previous {
    /// What is displayed; in a lesson, what was displayed before it.
    fn of(model: &Model) -> Previous {
        let aside = model.learn.aside.as_ref().filter(|_| model.learn.at.is_some());
        let (program, staged) = aside.cloned().unwrap_or_else(|| (model.program.clone(), model.staged.clone()));
        Previous { program, staged }
    }

    /// Whether a way back to it is worth a button: the examples are in the menu.
    fn is_work(&self) -> bool {
        !self.program.is_blank() && !examples::ALL.iter().any(|example| example.is(&self.program))
    }
}

/// Another program is about to be opened: the displayed one stays one step away. Leaves the lesson as it is.
pub(super) fn set_by(model: &mut Model, next: &Program) {
    let displayed = Previous::of(model);
    if displayed.staged.is_some() || displayed.is_work() && displayed.program.files() != next.files() {
        model.previous = Some(Shared::new(displayed));
    }
    put_aside(model);
}

/// The program continues without its displayed scenario, which stays one step away.
pub(super) fn end_scenario(model: &mut Model) {
    if model.staged.is_some() {
        model.previous = Some(Shared::new(Previous::of(model)));
        model.staged = None;
    }
}

/// Opens earlier work of the user. `what`: its name in the message.
pub(super) fn restore(model: &mut Model, program: Program, what: &str) {
    let displayed = Previous::of(model);
    put_aside(model);
    open(model, program);
    restored(model, displayed, what);
}

/// Returns to the previous program.
pub(super) fn go_back(model: &mut Model) {
    let Some(previous) = model.previous.take() else { return };
    let displayed = Previous::of(model);
    put_aside(model);
    open_with(model, previous.program.clone(), previous.staged.clone());
    restored(model, displayed, "the previous program");
}

fn restored(model: &mut Model, before: Previous, what: &str) {
    model.previous = Some(Shared::new(before));
    // It is stored again as the program of this tab, and an address with another program would take its place.
    (model.is_edited, model.linked) = (true, 0);
    model.notice = Some(Notice { tone: Tone::Good, text: format!("Restored {what}.") });
}

#[cfg(test)]
mod tests {
    use super::super::learn::Learning;
    use super::super::model::Flight;
    use super::super::shows::FilesShows;
    use super::super::{Action, reduce};
    use super::*;
    use crate::worker::protocol::{Answer, ProgramFile, Request, Simulated};
    use mclive_base::layout::MCL;

    const WORK: &str = "print \"my own work\" {}\n";

    fn program(text: &str) -> Program {
        Program::single(&MCL, text)
    }

    /// A page with an edited program.
    fn edited() -> Model {
        let model = Model::new(program("$x = 1\n"), false, None);
        reduce(model, Action::Edited { file: "main.mcl".into(), text: WORK.into() })
    }

    fn text(model: &Model) -> &str {
        model.text()
    }

    #[test]
    fn what_is_opened_leaves_the_work_before_it_one_step_away() {
        let other = || program("print \"other\" {}\n");
        for action in [Action::Opened(other()), Action::Linked(other())] {
            let model = reduce(edited(), action);
            assert_eq!((text(&model), model.is_edited), ("print \"other\" {}\n", false));
            assert!(FilesShows::of(&model).has_previous);
            let model = reduce(model, Action::GoBack);
            assert_eq!((text(&model), model.is_edited, model.linked == model.edit), (WORK, true, false));
            assert!(model.notice.as_ref().is_some_and(|notice| notice.text == "Restored the previous program."));
            assert_eq!(text(&reduce(model, Action::GoBack)), "print \"other\" {}\n");
        }
    }

    #[test]
    fn the_way_back_passes_over_examples() {
        let model = reduce(Model::new(examples::ALL[0].program(), false, None), Action::Linked(program(WORK)));
        assert_eq!(model.previous, None, "an example is in the menu");
        let model = examples::ALL.iter().fold(model, |model, example| reduce(model, Action::Opened(example.program())));
        assert_eq!(text(&reduce(model, Action::GoBack)), WORK);
        let same = reduce(edited(), Action::Linked(program(WORK)));
        assert_eq!(same.previous, None, "it is the same program");
    }

    #[test]
    fn what_is_restored_says_so_and_is_undone() {
        let what = "the version from 2026-03-01 09:05".to_owned();
        let model = reduce(edited(), Action::Restored { program: program("$x = 2\n"), what });
        assert_eq!((text(&model), model.is_edited, model.linked == model.edit), ("$x = 2\n", true, false));
        let said = model.notice.as_ref().map(|notice| &*notice.text);
        assert_eq!(said, Some("Restored the version from 2026-03-01 09:05."));
        assert_eq!(text(&reduce(model, Action::GoBack)), WORK);
    }

    #[test]
    fn a_lesson_is_left_for_the_program_before_it() {
        let mut model = reduce(edited(), Action::Learn(Learning::Open("a".into())));
        model.learn.aside = Some((model.program.clone(), None));
        model.program = program("# the lesson's\n");
        let model = reduce(model, Action::Opened(program("$x = 2\n")));
        assert_eq!(text(&reduce(model, Action::GoBack)), WORK);
    }

    #[test]
    fn a_recorded_run_opens_beside_the_work_before_it() {
        let mut model = edited();
        let opened = model.opened;
        model.flight = Some(Flight { number: 7, edit: model.edit, request: Request::Replay { trace: vec![1] } });
        let recorded = vec![ProgramFile::new("/main.mcl", "$y = 2\n"), ProgramFile::new("/a.scenario", "run\n")];
        let simulated = Simulated { program: recorded, ..Simulated::default() };
        let model = reduce(model, Action::Answered(7, Answer::Simulated(Box::new(simulated))));
        assert_eq!((text(&model), &model.staged, model.program.files().len()), ("$y = 2\n", &None, 2));
        assert!(!model.is_edited && model.opened > opened, "it would be stored in place of the work");
        assert_eq!(text(&reduce(model, Action::GoBack)), WORK);
    }
}
