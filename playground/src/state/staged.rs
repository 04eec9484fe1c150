//! A displayed scenario: its program is in the editor, and its events are on the timeline.

use super::model::{Lost, Model, RELOAD};
use super::program::{File, Program};
use super::view::{Notice, Tone};
use crate::worker::protocol::Request;
use mclive_base::shapes::scenario::Tested;
use std::rc::Rc;

/// The displayed scenario.
#[derive(Clone, PartialEq, Debug)]
pub struct Staged {
    /// The name of its section in the archive.
    pub name: Rc<str>,
    /// Its text.
    pub text: Rc<str>,
    /// Incremented each time it is to be played.
    pub number: u64,
    /// Whether it could not be played the last time, so that it has no hosts.
    pub has_failed: bool,
}

impl Staged {
    /// The scenario of a file.
    pub(super) fn of(file: File) -> Staged {
        Staged { name: file.name, text: file.text, number: 1, has_failed: false }
    }
}

impl Model {
    /// The scenario to play, with its number; `None`: there is none, or the page waits for the user.
    pub fn rehearsal(&self) -> Option<(u64, Request)> {
        let staged = self.staged.as_ref().filter(|_| !self.held)?;
        Some((staged.number, Request::Rehearse { files: self.files(), scenario: staged.text.to_string() }))
    }

    /// The program with the displayed scenario, as it is shared: opened together, the scenario is displayed again.
    ///
    /// Errors: why one program cannot hold both, a sentence without a full stop.
    pub fn whole(&self) -> Result<Program, String> {
        self.program.with_scenario(self.staged.as_ref().map(|staged| File::of_text(&staged.name, &staged.text)))
    }

    /// The same as it is kept: without the scenario if one program cannot hold both.
    pub fn to_keep(&self) -> Program {
        self.whole().unwrap_or_else(|_| self.program.clone())
    }

    /// The name of the displayed scenario, if the program that is kept holds it: a tab may have another one of this name.
    pub fn staged_to_keep(&self) -> Option<&str> {
        self.staged.as_ref().filter(|_| self.whole().is_ok()).map(|staged| &*staged.name)
    }

    /// Shows the scenario of this name on the timeline again, as before the page was left.
    pub fn stage(&mut self, name: &str) {
        self.staged = self.program.take_scenario_named(name).map(Staged::of);
    }

    /// Whether nothing runs because the scenario cannot be played.
    fn has_no_stage(&self) -> bool {
        !self.is_running() && self.staged.as_ref().is_some_and(|staged| staged.has_failed)
    }

    /// Whether nothing runs until the user starts it.
    pub fn is_stopped(&self) -> bool {
        self.held || self.check.lost.is_some() || self.sim.lost.is_some() || self.has_no_stage()
    }
}

/// Requests to play it again, with the program in the editor.
pub(super) fn again(model: &mut Model) {
    if let Some(staged) = &mut model.staged {
        staged.number += 1;
        staged.has_failed = false;
    }
}

/// It could not be played.
pub(super) fn failed(model: &mut Model) {
    if let Some(staged) = &mut model.staged {
        staged.has_failed = true;
    }
}

/// The result of playing it: its cues go to the hosts of the page.
pub(super) fn rehearsed(model: &mut Model, number: u64, outcome: Result<(Tested, Vec<u8>), Lost>) {
    let Some(staged) = model.staged.as_ref().filter(|staged| staged.number == number) else { return };
    let (tone, text) = match &outcome {
        Ok((tested, _)) => told(&staged.name, tested),
        Err(Lost::Unloaded { .. }) => {
            (Tone::Bad, format!("The scenario was not played because the compiler could not be loaded. {RELOAD}"))
        }
        Err(Lost::Full) => {
            (Tone::Bad, "The scenario needs too much memory to play here; use `mclive test` instead.".to_owned())
        }
        Err(Lost::Hung { .. }) => {
            (Tone::Bad, "The scenario takes too long to play here; use `mclive test` instead.".to_owned())
        }
        Err(Lost::Broke { .. }) => {
            let text = "The scenario was not played because the compiler crashed. This is a bug in mclive.";
            (Tone::Bad, text.to_owned())
        }
    };
    model.notice = Some(Notice { tone, text });
    if let Ok((tested, cues)) = outcome
        && tested.faults.is_empty()
        && tested.left_out.is_empty()
    {
        model.queue.push_back(Request::Stage { files: model.files(), cues });
    } else {
        failed(model);
    }
}

fn told(name: &str, tested: &Tested) -> (Tone, String) {
    if let Some(fault) = tested.faults.first() {
        return (Tone::Bad, format!("{name}, line {}: {}", fault.line, fault.why));
    }
    if !tested.left_out.is_empty() {
        return (Tone::Bad, format!("{name} cannot be played here: {}", tested.left_out));
    }
    match &tested.failure {
        Some(failure) => {
            let hint = if failure.hint.is_empty() { String::new() } else { format!(" {}", failure.hint) };
            (Tone::Bad, format!("{name} failed at line {}: {}: {}.{hint}", failure.line, failure.step, failure.why))
        }
        None => (Tone::Good, format!("{name} passed. Each step is marked on the timeline.")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::Flight;
    use super::super::shows::StoppedShows;
    use super::super::{Action, Tab, reduce};
    use super::*;
    use mclive_base::layout;
    use mclive_base::shapes::scenario::Failure;

    const ARCHIVE: &str =
        "-- main.mcl --\nfile \"/a\" {}\n-- files/a --\nx\n-- main.scenario --\nrun\nexpect file /a\n";

    #[test]
    fn a_scenario_is_opened_beside_its_program_and_played_again_after_an_edit() {
        let model = Model::new(Program::single(&layout::MCL, ""), false, None);
        let model = reduce(model, Action::Opened(Program::of_archive(ARCHIVE).unwrap().unwrap()));
        assert_eq!(&**model.text(), "file \"/a\" {}\n");
        assert_eq!(model.files().iter().map(|file| &*file.path).collect::<Vec<_>>(), ["/main.mcl", "/files/a"]);
        assert_eq!(
            model.staged.as_ref().map(|staged| (&*staged.text, staged.number)),
            Some(("run\nexpect file /a\n", 1))
        );
        let failure =
            Failure { line: 2, step: "expect file /a".into(), why: "/a is not there".into(), ..Failure::default() };
        let tested = Tested { failure: Some(failure), ..Tested::default() };
        let late = reduce(model.clone(), Action::Rehearsed(7, Ok((tested.clone(), vec![1]))));
        assert!(late.queue.is_empty(), "it is about another text");
        let crashed = reduce(model.clone(), Action::Rehearsed(1, Err(Lost::Broke { text: "unreachable".into() })));
        assert!(crashed.notice.is_some_and(|notice| notice.text.contains("the compiler crashed")));
        let model = reduce(model, Action::Rehearsed(1, Ok((tested, vec![1]))));
        assert_eq!(model.queue.back(), Some(&Request::Stage { files: model.files(), cues: vec![1] }));
        assert!(
            model.notice.as_ref().is_some_and(|notice| notice.text.contains("line 2: expect file /a: /a is not there"))
        );
        let model = reduce(
            model,
            Action::Edited { file: "main.mcl".into(), text: "file \"/a\" { state => \"exists\", }\n".into() },
        );
        let edit = model.edit;
        let model = reduce(model, Action::Settled(edit));
        assert_eq!(model.staged.as_ref().map(|staged| staged.number), Some(2));
        let model = reduce(model, Action::Opened(Program::single(&layout::MCL, "# another\n")));
        assert_eq!(model.staged, None);
        let model = reduce(model, Action::Opened(Program::of_archive(ARCHIVE).unwrap().unwrap()));
        assert!(model.staged.is_some());
        let model = reduce(model, Action::Restart);
        assert_eq!(model.staged, None, "who starts over goes on without it");
        let model = reduce(model, Action::GoBack);
        assert_eq!(model.staged.as_ref().map(|staged| &*staged.name), Some("main.scenario"), "it is one step away");
    }

    #[test]
    fn a_scenario_is_played_again_when_the_page_changes_its_program() {
        use crate::worker::protocol::Answer;
        let number = |model: &Model| model.staged.as_ref().map(|staged| staged.number);
        let model = Model::new(Program::single(&layout::MCL, ""), false, None);
        let model = reduce(model, Action::Opened(Program::of_archive(ARCHIVE).unwrap().unwrap()));
        let model = reduce(model, Action::Tab(Tab::Remove(1)));
        assert_eq!((number(&model), model.settled), (Some(2), model.edit));
        let edit = model.edit;
        let mut model = reduce(model, Action::Settled(edit));
        assert_eq!(number(&model), Some(2), "once");
        let (file, text) = ("main.mcl".into(), model.text().to_string());
        model.flight = Some(Flight { number: 7, edit, request: Request::Format { file, text } });
        let text = Some("file \"/a\" {\n}\n".into());
        let model = reduce(model, Action::Answered(7, Answer::Formatted { text }));
        assert_eq!(number(&model), Some(3));
    }

    #[test]
    fn a_program_is_shared_and_kept_with_its_scenario() {
        let blank = || Model::new(Program::single(&layout::MCL, ""), false, None);
        let model = reduce(blank(), Action::Opened(Program::of_archive(ARCHIVE).unwrap().unwrap()));
        let whole = model.whole().unwrap();
        assert_eq!((whole.files().len(), &model.to_keep()), (3, &whole));
        assert_eq!(model.staged_to_keep(), Some("main.scenario"));
        let linked = reduce(blank(), Action::Linked(whole.clone()));
        let mut reloaded = Model::new(whole, false, None);
        reloaded.stage("");
        assert_eq!((&reloaded.staged, reloaded.program.files().len()), (&None, 3), "it is in a tab");
        reloaded.stage("main.scenario");
        for again in [linked, reloaded] {
            assert_eq!((&again.program, &again.staged), (&model.program, &model.staged));
        }
        let alone = reduce(model.clone(), Action::Restart);
        assert_eq!(alone.whole(), Ok(alone.program));
        let taken = reduce(model, Action::Tab(Tab::Add("main.scenario".into())));
        assert!(taken.whole().unwrap_err().contains("duplicate"));
        assert_eq!((taken.to_keep(), taken.staged_to_keep()), (taken.program.clone(), None), "this one is in a tab");
    }

    #[test]
    fn a_link_displays_the_scenario_that_was_displayed_among_others() {
        let blank = || Model::new(Program::single(&layout::MCL, ""), false, None);
        let model = reduce(blank(), Action::Opened(Program::of_archive(ARCHIVE).unwrap().unwrap()));
        assert_eq!(model.whole().unwrap().displays(), None, "it is the only one");
        let model = reduce(model, Action::Tab(Tab::Add("a.scenario".into())));
        // A link has the files by name.
        let linked = |model: &Model| {
            let whole = model.whole().unwrap();
            let mut read = Program::new(whole.entry(), whole.files().to_vec()).unwrap();
            read.set_displays(whole.displays());
            reduce(blank(), Action::Linked(read))
        };
        let read = linked(&model);
        assert_eq!(read.staged.as_ref().map(|staged| &*staged.name), Some("main.scenario"));
        assert_eq!((read.program.files().len(), read.program.displays()), (3, None));
        let read = linked(&reduce(model, Action::Restart));
        assert_eq!((read.staged, read.program.files().len()), (None, 3), "none was displayed");
    }

    #[test]
    fn a_recorded_run_takes_the_place_of_a_scenario() {
        use crate::worker::protocol::Answer;
        let model = Model::new(Program::single(&layout::MCL, ""), false, None);
        let mut model = reduce(model, Action::Opened(Program::of_archive(ARCHIVE).unwrap().unwrap()));
        model.flight = Some(Flight { number: 7, edit: model.edit, request: Request::Replay { trace: vec![1] } });
        let mut model = reduce(model, Action::Answered(7, Answer::Simulated(Box::default())));
        assert_eq!(model.staged, None);
        // Messages about the scenario are too late.
        model.queue.clear();
        let model = reduce(model, Action::Rehearsed(1, Ok((Tested::default(), vec![1]))));
        assert!(model.queue.is_empty());
    }

    #[test]
    fn a_scenario_whose_hosts_are_lost_is_played_again() {
        let number = |model: &Model| model.staged.as_ref().map(|staged| staged.number);
        let hung = || Lost::Hung { seconds: 20 };
        let model = Model::new(Program::single(&layout::MCL, ""), false, None);
        let mut model = reduce(model, Action::Opened(Program::of_archive(ARCHIVE).unwrap().unwrap()));
        model.sim.edit = model.edit;
        let lost = reduce(model.clone(), Action::WorkerLost(None, hung()));
        assert_eq!(number(&lost), Some(2));
        assert_eq!(number(&reduce(lost, Action::WorkerLost(None, hung()))), Some(2), "it has no hosts to lose");
        // If its own run may be to blame, it waits for a word.
        model.flight = Some(Flight { number: 1, edit: model.edit, request: Request::Advance { by_ms: 100 } });
        let stopped = reduce(model, Action::WorkerLost(Some(1), hung()));
        assert_eq!(number(&stopped), Some(1));
        let reported = StoppedShows::of(&stopped).crashed.expect("it can be reported");
        assert!(reported.has_scenario(), "the report has what was run");
        assert_eq!(number(&reduce(stopped, Action::Run)), Some(2));
    }

    #[test]
    fn a_scenario_is_staged_with_its_own_program() {
        let model = Model::new(Program::single(&layout::MCL, ""), false, None);
        let mut model = reduce(model, Action::Opened(Program::of_archive(ARCHIVE).unwrap().unwrap()));
        // The program before still runs, and then crashes.
        model.flight = Some(Flight { number: 1, edit: model.edit - 1, request: Request::Advance { by_ms: 100 } });
        let model = reduce(model, Action::Rehearsed(1, Ok((Tested::default(), vec![1]))));
        assert!(matches!(model.queue.back(), Some(Request::Stage { .. })));
        let crash = Lost::Broke { text: "unreachable".into() };
        let lost = reduce(model.clone(), Action::WorkerLost(Some(1), crash));
        assert_eq!((lost.queue.len(), lost.staged.map(|staged| staged.number)), (0, Some(2)), "it is played again");
        let model = reduce(model, Action::Opened(Program::single(&layout::MCL, "# another\n")));
        assert!(model.queue.is_empty());
    }

    #[test]
    fn a_scenario_that_cannot_be_played_is_stopped_and_played_again_on_a_word() {
        use super::super::shows::{Health, TransportShows};
        let number = |model: &Model| model.staged.as_ref().map(|staged| staged.number);
        let model = Model::new(Program::single(&layout::MCL, ""), false, None);
        let model = reduce(model, Action::Opened(Program::of_archive(ARCHIVE).unwrap().unwrap()));
        assert_eq!(Health::of(&model), Health::Starting);
        let refused = Tested { left_out: "it needs a network".into(), ..Tested::default() };
        for outcome in [Ok((refused, vec![])), Err(Lost::Unloaded { text: "the server returned 404".into() })] {
            let model = reduce(model.clone(), Action::Rehearsed(1, outcome));
            assert_eq!((Health::of(&model), number(&model)), (Health::Stopped, Some(1)));
            assert!(!TransportShows::of(&model).playing);
            for word in [Action::Run, Action::TogglePlaying] {
                let model = reduce(model.clone(), word);
                assert_eq!((Health::of(&model), number(&model)), (Health::Starting, Some(2)));
                assert!(model.sim.playing);
            }
        }
    }

    #[test]
    fn a_page_that_opens_paused_plays_its_scenario_on_a_word_alone() {
        let number = |model: &Model| model.rehearsal().map(|(number, _)| number);
        let model = Model::new(Program::single(&layout::MCL, ""), true, None);
        let model = reduce(model, Action::Linked(Program::of_archive(ARCHIVE).unwrap().unwrap()));
        assert!(model.staged.is_some() && model.held);
        assert_eq!(number(&model), None);
        let model = reduce(model, Action::Edited { file: "main.mcl".into(), text: "file \"/b\" {}\n".into() });
        let edit = model.edit;
        let model = reduce(model, Action::Settled(edit));
        assert_eq!((number(&model), model.held), (None, true));
        let model = reduce(model, Action::Run);
        assert!(number(&model).is_some());
    }
}
