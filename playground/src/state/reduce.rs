//! [`reduce`]: the page after an action. Pure; side effects follow from the model.

use super::action::{Action, Tab};
use super::answers::{answered, worker_lost};
use super::check::Check;
use super::compare::HostMoment;
use super::learn::{keep, learn};
use super::model::{Flight, Model, WorkerState};
use super::previous;
use super::problem::fixed;
use super::program::Program;
use super::shared::Shared;
use super::sim::Sim;
use super::staged::{self, Staged};
use super::time;
use super::view::{Notice, Tone};
use super::why::Why;
use crate::worker::protocol::Request;
use mclive_base::shapes::Edit;

/// The model after an action.
pub fn reduce(mut model: Model, action: Action) -> Model {
    match action {
        Action::Edited { file, text } => model.is_edited |= edited(&mut model, &file, &text),
        Action::Written { file, text } => {
            if edited(&mut model, &file, &text) {
                model.is_edited = true;
                model.pushed += 1;
            }
        }
        Action::Fix(edit) => fix(&mut model, &edit),
        Action::Tab(tab) => tabbed(&mut model, tab),
        Action::Settled(edit) => {
            if edit == model.edit {
                settle(&mut model);
                model.check.calm = model.check.result.clone();
                keep(&mut model);
            }
        }
        Action::Opened(program) => {
            previous::set_by(&mut model, &program);
            open(&mut model, program);
            // The address may hold another program, which a reload would open.
            model.linked = 0;
        }
        Action::Restored { program, what } => previous::restore(&mut model, program, &what),
        Action::GoBack => previous::go_back(&mut model),
        Action::Linked(program) => {
            // A page that opens paused stays paused: its address may contain the reason.
            let held = model.held;
            previous::set_by(&mut model, &program);
            open(&mut model, program);
            model.held = held;
        }
        Action::LinkedRun(trace) => model.queue.push_back(Request::Replay { trace }),
        Action::Format => {
            let file = model.program.shown();
            match model.layout().names(&file.name) {
                true => {
                    let request = Request::Format { file: file.name.to_string(), text: file.text.to_string() };
                    model.queue.push_back(request);
                }
                false => {
                    let text = format!("`{}` is not a program file, so it was not formatted.", file.name);
                    model.notice = Some(Notice { tone: Tone::Bad, text });
                }
            }
        }
        Action::Share => model.n_shares += 1,
        Action::Record { for_link } => {
            let hostname = model.sim.hostname.clone();
            model.queue.push_back(Request::Record { hostname, for_link });
        }
        Action::Offer(offer) => model.offer = offer.map(|offer| offer.checked(&model)),
        Action::Shared(edit) => model.linked = edit,
        Action::WorkerReady => model.worker = WorkerState::Ready,
        Action::WorkerLoads(loads) => {
            model.worker = match (model.worker, loads) {
                (WorkerState::Ready, true) => WorkerState::Loading,
                (WorkerState::Loading, false) => WorkerState::Ready,
                // Told by a worker that was replaced in the meantime.
                (other, _) => other,
            };
        }
        Action::Answered(number, answer) => answered(&mut model, number, answer),
        Action::WorkerLost(number, lost) => worker_lost(&mut model, number, lost),
        Action::Asked(request) => {
            // A recorded run is played when it is opened.
            if let Request::Replay { .. } = request {
                model.held = false;
            }
            model.queue.push_back(request);
        }
        Action::Print(graph, form) => {
            let (hostname, in_force) = (model.sim.hostname.clone(), model.shows_graph_in_force());
            let (files, in_full) = (model.files(), model.in_full);
            model.queue.push_back(Request::Print { files, graph, form, hostname, in_force, in_full });
        }
        Action::Run => run(&mut model),
        Action::Play(playing) => time::play(&mut model, playing),
        Action::TogglePlaying if model.is_stopped() => run(&mut model),
        Action::TogglePlaying => {
            let playing = !model.sim.playing;
            time::play(&mut model, playing);
        }
        Action::Speed(speed) => model.sim.speed = speed,
        Action::Frame(elapsed_ms) => {
            let by_ms = elapsed_ms * u64::from(model.sim.speed);
            time::owe(&mut model, by_ms);
            model.sim.repairs.pass(elapsed_ms);
        }
        Action::RunUntil(goal) => time::run_until(&mut model, goal),
        Action::GoTo(step) => time::go_to(&mut model, step),
        Action::Shift(step, by_ms) => time::change(&mut model, Request::Shift { step, by_ms }),
        Action::TakeBack(step) => time::change(&mut model, Request::TakeBack { step }),
        Action::StopRepeating => time::stop_repeating(&mut model),
        Action::StepBack => time::step_back(&mut model),
        Action::Keep(keep) => model.kept = keep.then(|| Shared::new(HostMoment::of(&model))),
        Action::Rerun => {
            if let Some(files) = model.kept.as_ref().and_then(|kept| kept.program.as_ref()).map(Program::to_request) {
                time::play(&mut model, false);
                let hostname = model.sim.hostname.clone();
                // A repetition takes a while, and only the last one is shown.
                model.queue.retain(|request| !matches!(request, Request::Rerun { .. }));
                model.queue.push_back(Request::Rerun { files, hostname });
            }
        }
        Action::Rehearsed(number, outcome) => staged::rehearsed(&mut model, number, outcome),
        Action::Restart => {
            previous::end_scenario(&mut model);
            model.sim = Sim {
                cards: model.sim.cards,
                playing: model.sim.playing,
                speed: model.sim.speed,
                hostname: model.sim.hostname,
                ..Sim::default()
            };
        }
        Action::Show(view) => model.view = view,
        Action::ShowSection(section) => model.section = section,
        Action::ShowFile(path) => model.host_file = Some(path),
        Action::Look(hostname) => {
            model.sim.hostname.clone_from(&hostname);
            model.sim.log = Shared::default();
            // The predicted resources are for another host now.
            model.check.drawn = 0;
            if model.is_running() {
                model.queue.push_back(Request::Look { hostname });
            }
        }
        Action::Select(selected) => model.selected = selected,
        Action::Reveal(place) => {
            model.program.show(place.file.trim_start_matches('/'));
            model.revealed = Some(place);
            model.n_revealed += 1;
        }
        Action::ShowInFull(in_full) => (model.in_full, model.check.drawn) = (in_full, 0),
        Action::ShowLarge(large) => model.large = large,
        Action::SetTheme(theme) => model.theme = Some(theme),
        Action::Say(notice) => model.notice = notice,
        Action::CloseExplained => model.explained = None,
        Action::ShowKeys(shown) => model.keys_shown = shown,
        Action::Learn(action) => learn(&mut model, action),
        Action::Greeted => model.welcome = false,
    }
    Why::refresh(&mut model);
    model
}

/// Replaces the program, on a new host. The first scenario among its files is displayed.
pub(super) fn open(model: &mut Model, mut program: Program) {
    let staged = program.take_scenario().map(Staged::of);
    open_with(model, program, staged);
}

/// The same with the scenario to display, if any: those among the files stay in tabs.
pub(super) fn open_with(model: &mut Model, program: Program, staged: Option<Staged>) {
    let before = std::mem::replace(&mut model.program, program);
    if before.layout() != model.layout() {
        // Another worker starts; requests to this one no longer matter.
        (model.worker, model.flight, model.check) = (WorkerState::Starting, None, Check::default());
        model.queue.clear();
        model.edit += 1;
    }
    if before.files() != model.program.files() {
        changed(model);
        // The problems, and a crash, are of the program before.
        (model.check.result, model.check.calm, model.check.lost) = (Shared::default(), Shared::default(), None);
    }
    model.removed = None;
    model.is_edited = false;
    model.opened += 1;
    model.opened_at = model.edit;
    model.settled = model.edit;
    model.pushed += 1;
    model.linked = model.edit;
    // The graphs of another program are useless, and its messages are outdated.
    (model.check.functions, model.check.resources, model.check.drawn) = (Shared::default(), Shared::default(), 0);
    // Its scenario would start the hosts of the program before.
    model.queue.retain(|request| !matches!(request, Request::Stage { .. }));
    model.notice = None;
    model.held = false;
    model.selected = None;
    let (speed, hostname) = (model.sim.speed, model.sim.hostname.clone());
    model.sim = Sim { playing: true, speed, hostname, ..Sim::default() };
    let last = model.staged.take().map_or(0, |before| before.number);
    model.staged = staged.map(|staged| Staged { number: last + 1, has_failed: false, ..staged });
}

/// Runs a held program, or retries after a loss.
fn run(model: &mut Model) {
    model.held = false;
    model.settled = model.edit;
    if !model.is_running() {
        // A deploy does not start the hosts of a scenario.
        staged::again(model);
    }
    if model.check.lost.take().is_some() {
        model.check.edit = 0;
    }
    if model.sim.lost.take().is_some() {
        (model.sim.edit, model.sim.fresh) = (0, true);
    }
}

/// Sets the text of a file; `false`: it is unchanged, or there is no such file.
pub(super) fn edited(model: &mut Model, file: &str, text: &str) -> bool {
    let is_other = model.program.write(file, text);
    if is_other {
        changed(model);
    }
    is_other
}

/// Applies a suggested edit to the text that it was found in: the list shows problems of a moment ago.
fn fix(model: &mut Model, edit: &Edit) {
    let found = Some(&model.check.result).filter(|_| model.check.edit == model.edit);
    let Some((file, text)) = found.and_then(|found| fixed(&model.program, found, edit)) else { return };
    if edited(model, &file, &text) {
        model.program.show(&file);
        model.is_edited = true;
        model.pushed += 1;
    }
}

/// The program has changed.
fn changed(model: &mut Model) {
    model.edit += 1;
    // A new text deserves a new attempt.
    model.sim.lost = None;
}

/// The program is as it is going to be: it is drawn and deployed, or its scenario is played with it.
pub(super) fn settle(model: &mut Model) {
    if model.settled != model.edit {
        staged::again(model);
    }
    model.settled = model.edit;
    recognise(model);
}

/// A program that is again as it was drawn, or as it runs, is not drawn or deployed another time: what was typed has been
/// taken back.
fn recognise(model: &mut Model) {
    let files = model.files();
    let check = &mut model.check;
    if check.drawn != 0 && *check.drawn_files == files {
        if check.functions_edit == check.drawn {
            check.functions_edit = model.edit;
        }
        check.drawn = model.edit;
    }
    let sim = &mut model.sim;
    // One that has ended begins again.
    let runs = sim.edit != 0 && !sim.fresh && !sim.is_earlier_program && sim.snapshot.stopped.is_none();
    if runs && *sim.deployed == files {
        // Errors that were typed in between have left the function graph as it was.
        if check.functions_edit == sim.edit {
            check.functions_edit = model.edit;
        }
        sim.edit = model.edit;
    }
}

fn tabbed(model: &mut Model, tab: Tab) {
    let done = match tab {
        Tab::Show(name) => {
            model.program.show(&name);
            return;
        }
        Tab::Add(name) => model.program.add(&name),
        Tab::Rename(at, name) => {
            let before = model.program.files().get(at).map(|file| file.name.clone());
            let done = model.program.rename(at, &name);
            if let (Some(before), Ok(())) = (before, &done) {
                model.renamed.push((before, name.into()));
            }
            done
        }
        Tab::Remove(at) => match model.program.remove(at) {
            Some(file) => {
                model.removed = Some((at, file));
                Ok(())
            }
            None => Err("this is the main file, so it cannot be deleted".into()),
        },
        Tab::PutBack => match model.removed.take() {
            Some((at, file)) if !model.program.put_back(at, file.clone()) => {
                let why = format!("a file named `{}` exists now, or the program is too large", file.name);
                model.removed = Some((at, file));
                Err(why)
            }
            Some(_) | None => Ok(()),
        },
    };
    match done {
        Ok(()) => {
            changed(model);
            model.is_edited = true;
            settle(model);
        }
        Err(why) => model.notice = Some(Notice { tone: Tone::Bad, text: format!("Not possible: {why}.") }),
    }
}

/// The model with its next request in progress, if the worker is idle and there is one.
pub fn sent(mut model: Model) -> Model {
    let Some(request) = model.next_request() else { return model };
    model.last_number += 1;
    if let Some(at) = model.queue.iter().position(|queued| *queued == request) {
        model.queue.remove(at);
    }
    if let Request::Advance { .. } = request {
        model.sim.due_ms = 0;
    }
    model.flight = Some(Flight { number: model.last_number, edit: model.edit, request });
    model
}

#[cfg(test)]
mod tests;
