//! [`reduce`]: the page after an action. Pure; what must be done outside follows from the model.

use super::action::Action;
use super::answers::{answered, worker_lost};
use super::learn::{keep, learn, put_aside};
use super::model::{Check, Flight, Model, Sim, WorkerState};
use super::shared::Shared;
use crate::worker::protocol::Request;
use mclive_base::layout::Layout;

/// After a pause of the whole browser, at most so much real time is made up for.
const MAX_FRAME_MS: u64 = 1_000;

pub fn reduce(mut model: Model, action: Action) -> Model {
    match action {
        Action::Edited(text) => edited(&mut model, &text),
        Action::Settled(edit) => {
            if edit == model.edit {
                model.settled = edit;
                model.check.calm = model.check.result.clone();
                keep(&mut model);
            }
        }
        Action::Opened(layout, text) => {
            put_aside(&mut model);
            open(&mut model, layout, &text);
        }
        Action::Format => model.queue.push_back(Request::Format { text: model.text.to_string() }),
        Action::Share => model.n_shares += 1,
        Action::Shared(edit) => model.linked = edit,
        Action::WorkerReady => model.worker = WorkerState::Ready,
        Action::Sent(request) => sent(&mut model, request),
        Action::Answered(number, answer) => answered(&mut model, number, answer),
        Action::WorkerLost(number, lost) => worker_lost(&mut model, number, lost),
        Action::Asked(request) => model.queue.push_back(request),
        Action::Run => run(&mut model),
        Action::Play(playing) => (model.sim.playing, model.sim.due_ms) = (playing, 0),
        Action::TogglePlaying if model.held || model.sim.lost.is_some() || model.check.lost.is_some() => {
            run(&mut model)
        }
        Action::TogglePlaying => (model.sim.playing, model.sim.due_ms) = (!model.sim.playing, 0),
        Action::Speed(speed) => model.sim.speed = speed,
        Action::Frame(elapsed_ms) => {
            let most = MAX_FRAME_MS * u64::from(model.sim.speed);
            model.sim.due_ms = (model.sim.due_ms + elapsed_ms * u64::from(model.sim.speed)).min(most);
        }
        Action::Restart => {
            model.sim = Sim {
                playing: model.sim.playing,
                speed: model.sim.speed,
                hostname: model.sim.hostname,
                ..Sim::default()
            };
        }
        Action::Show(view) => model.view = view,
        Action::Look(hostname) => {
            model.sim.hostname.clone_from(&hostname);
            model.sim.log = Shared::default();
            // The foreseen resources are another host's now.
            model.check.drawn = 0;
            if model.is_running() {
                model.queue.push_back(Request::Look { hostname });
            }
        }
        Action::Select(selected) => model.selected = selected,
        Action::Reveal(place) => {
            model.revealed = Some(place);
            model.n_revealed += 1;
        }
        Action::SetTheme(theme) => model.theme = Some(theme),
        Action::Say(notice) => model.notice = notice,
        Action::CloseExplained => model.explained = None,
        Action::ShowKeys(shown) => model.keys_shown = shown,
        Action::Learn(action) => learn(&mut model, action),
        Action::Greeted => model.welcome = false,
    }
    model
}

/// Puts a program in the place of the one that is there, on a host of its own.
pub(super) fn open(model: &mut Model, layout: &'static Layout, text: &str) {
    if std::mem::replace(&mut model.layout, layout) != layout {
        // Another worker comes; what this one was asked is of no interest any more.
        (model.worker, model.flight, model.check) = (WorkerState::Starting, None, Check::default());
        model.queue.clear();
        model.edit += 1;
    }
    edited(model, text);
    model.settled = model.edit;
    model.pushed += 1;
    model.linked = model.edit;
    model.held = false;
    model.selected = None;
    let (speed, hostname) = (model.sim.speed, model.sim.hostname.clone());
    model.sim = Sim { playing: true, speed, hostname, ..Sim::default() };
}

/// Runs what was held, or tries again what was lost.
fn run(model: &mut Model) {
    model.held = false;
    model.settled = model.edit;
    if model.check.lost.take().is_some() {
        model.check.edit = 0;
    }
    if model.sim.lost.take().is_some() {
        (model.sim.edit, model.sim.fresh) = (0, true);
    }
}

pub(super) fn edited(model: &mut Model, text: &str) {
    if *model.text == *text {
        return;
    }
    model.text = text.into();
    model.edit += 1;
    // A new text is a new chance.
    model.sim.lost = None;
}

fn sent(model: &mut Model, request: Request) {
    model.last_number += 1;
    if model.queue.front() == Some(&request) {
        model.queue.pop_front();
    }
    if let Request::Advance { .. } = request {
        model.sim.due_ms = 0;
    }
    model.flight = Some(Flight { number: model.last_number, edit: model.edit, request });
}

#[cfg(test)]
mod tests;
