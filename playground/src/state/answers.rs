//! Effects of the worker's answers, and of its loss.

use super::compare::HostMoment;
use super::model::{Lost, Model, Saved, WorkerState};
use super::offer::Recording;
use super::previous;
use super::program::{File, Program};
use super::reduce::{edited, open_with, settle};
use super::repairs::Repairs;
use super::shared::Shared;
use super::sim::{MAX_LOG, Sim};
use super::staged;
use super::time::{self, take_position};
use super::view::{Notice, Selection, Tone, View};
use crate::worker::protocol::{About, Answer, Drawn, Graph, Parts, ProgramFile, Request, Simulated};
use mclive_base::shapes;

pub(super) fn answered(model: &mut Model, number: u64, answer: Answer) {
    let Some(flight) = model.flight.take_if(|flight| flight.number == number) else { return };
    let is_of_another = flight.edit < model.opened_at;
    match answer {
        Answer::Checked(_)
        | Answer::Drawn(_)
        | Answer::Simulated(_)
        | Answer::Reran(_)
        | Answer::OnTheWay { .. }
        | Answer::OtherLanguage { .. }
            if is_of_another => {}
        Answer::Checked(diagnostics) => take_check(model, flight.edit, diagnostics),
        Answer::Drawn(drawn) => {
            take_drawn(model, flight.edit, *drawn);
            match flight.request {
                Request::Draw { in_full, files, .. } if in_full == model.in_full => {
                    model.check.drawn_files = Shared::new(files);
                }
                // The words were changed in between.
                _ => model.check.drawn = 0,
            }
        }
        // Answers to editor queries and lesson checks do not go through the model.
        Answer::Told(_) | Answer::Judged(_) | Answer::Rehearsed { .. } => {}
        Answer::Saved { text } => model.saved = Some((number, Saved::Scenario(text.into()))),
        Answer::Recorded { trace } => {
            if let Request::Record { for_link, hostname } = flight.request {
                let recording = Recording { hostname, trace: trace.into() };
                model.saved = Some((number, Saved::Recording { recording, for_link }));
            }
        }
        Answer::OtherLanguage { program } => {
            if let Request::Replay { trace } = flight.request {
                replay_elsewhere(model, &program, trace);
            }
        }
        Answer::Printed { text } => {
            if let Request::Print { graph, form, .. } = flight.request {
                let name = format!("{}.{}", graph.name(), form.suffix());
                model.saved = Some((number, Saved::File { name, content: text.into_bytes().into() }));
            }
        }
        Answer::Simulated(simulated) => {
            match &flight.request {
                Request::Deploy { files, .. } => {
                    (model.sim.edit, model.sim.fresh) = (flight.edit, false);
                    model.sim.deployed = Shared::new(files.clone());
                }
                Request::Stage { .. } => begin_stage(model, flight.edit),
                Request::Replay { .. } => begin_replay(model, &simulated.program),
                _ => {}
            }
            time::answered(model, &flight.request, &simulated.position, simulated.snapshot.now_ms);
            take_simulated(model, *simulated);
        }
        Answer::OnTheWay { now_ms, until_ms, position } => {
            time::answered(model, &flight.request, &position, now_ms);
            time::go_on(model, now_ms, until_ms);
            take_position(model, position);
        }
        Answer::Reran(simulated) => {
            // Another moment may have been kept in the meantime.
            let is_of = |kept: &HostMoment| {
                let files = kept.program.as_ref().map(Program::to_request);
                matches!(&flight.request, Request::Rerun { files: run, .. } if files.as_ref() == Some(run))
            };
            if let Some(kept) = model.kept.clone().filter(|kept| is_of(kept)) {
                model.kept = Some(Shared::new(kept.rerun(*simulated)));
            }
        }
        Answer::Formatted { text: Some(text) } => {
            if let Request::Format { file, .. } = &flight.request
                && flight.edit == model.edit
                && edited(model, file, &text)
            {
                settle(model);
                model.pushed += 1;
            }
        }
        Answer::Formatted { text: None } => {
            model.notice = Some(Notice {
                tone: Tone::Bad,
                text: "The program has syntax errors, so it was not formatted.".into(),
            });
        }
        Answer::Explained { code, page } => model.explained = Some((code, page)),
        // Hosts for another program are of no interest any more.
        Answer::Declined { .. } if is_of_another && flight.request.about() == About::NewHosts => {}
        Answer::Declined { why } => {
            (model.sim.errand, model.sim.repetition) = (None, None);
            if let Request::Deploy { .. } = flight.request {
                // Asking again would give the same answer.
                model.sim.edit = flight.edit;
                model.sim.deployed = Shared::default();
            }
            if let Request::Stage { .. } = flight.request {
                staged::failed(model);
            }
            // The loss of hosts with a worker has already been reported.
            if model.sim.edit != 0 || !flight.request.is_of_hosts() {
                model.notice = Some(Notice::refusal(&why));
            }
        }
    }
}

fn take_check(model: &mut Model, edit: u64, diagnostics: Vec<shapes::Diagnostic>) {
    let is_first = model.is_unchecked();
    model.check.edit = edit;
    model.check.lost = None;
    model.check.result.set(diagnostics);
    // The first answer replaces "Checking…", even while the user types.
    if is_first || model.settled == edit {
        model.check.calm = model.check.result.clone();
    }
}

fn take_drawn(model: &mut Model, edit: u64, drawn: Drawn) {
    model.check.drawn = edit;
    if !drawn.hosts.is_empty() && !drawn.hosts.contains(&model.sim.hostname) {
        model.sim.hostname.clone_from(&drawn.hosts[0]);
    }
    model.check.hosts.set(drawn.hosts);
    if let Some(picture) = drawn.functions {
        model.check.functions.set(picture);
        model.check.functions_edit = edit;
        model.check.value_of.set(drawn.value_of);
        model.check.reads.set(drawn.reads);
        if let Some(Selection::Function(_)) = model.selected {
            // Vertex numbers are different in another graph.
            model.selected = None;
        }
    }
    if let Some(picture) = drawn.resources {
        model.check.resources.set(picture);
    }
}

/// A recorded run replaces the host, and its program is opened as any other.
fn begin_replay(model: &mut Model, files: &[ProgramFile]) {
    // A run of a program that the editor cannot show is displayed anyway.
    if let Ok(program) = recorded(files)
        && program.layout() == model.layout()
    {
        previous::set_by(model, &program);
        // A scenario among the files would be played instead of the run.
        open_with(model, program, None);
        model.linked = 0;
    }
    model.held = false;
    model.selected = None;
    // The scenario of the program before would take the place of the run.
    previous::end_scenario(model);
    let (speed, hostname) = (model.sim.speed, model.sim.hostname.clone());
    // The next edit starts on a new host.
    model.sim = Sim { edit: model.edit, fresh: true, playing: true, speed, hostname, ..Sim::default() };
}

/// Opens the program of a recorded run in another language; the worker of that language is asked for the run.
fn replay_elsewhere(model: &mut Model, files: &[ProgramFile], trace: Vec<u8>) {
    let Some(program) = recorded(files).ok().filter(|program| program.layout() != model.layout()) else {
        let text = "The editor cannot show the program of this recorded run.".into();
        model.notice = Some(Notice { tone: Tone::Bad, text });
        return;
    };
    previous::set_by(model, &program);
    // A scenario among the files would be played instead of the run.
    open_with(model, program, None);
    model.queue.push_back(Request::Replay { trace });
}

/// The program of a recorded run. Errors: why the editor cannot show it.
fn recorded(files: &[ProgramFile]) -> Result<Program, String> {
    let entry = files.first().map(|file| below(&file.path)).unwrap_or_default();
    Program::new(entry, files.iter().map(|file| File::new(below(&file.path), &file.content)).collect())
}

/// The hosts of a scenario replace the existing ones.
fn begin_stage(model: &mut Model, edit: u64) {
    let (speed, hostname) = (model.sim.speed, model.sim.hostname.clone());
    model.sim = Sim { edit, fresh: true, playing: false, speed, hostname, ..Sim::default() };
}

fn below(path: &str) -> &str {
    path.trim_start_matches('/')
}

pub(super) fn take_simulated(model: &mut Model, simulated: Simulated) {
    let Simulated { mut snapshot, parts, resources, program: _, host, position, is_log_whole, is_earlier_program } =
        simulated;
    if !host.is_empty() {
        model.sim.hostname = host;
    }
    model.sim.is_earlier_program = is_earlier_program;
    take_position(model, position);
    if is_log_whole {
        model.sim.log = Shared::default();
        model.sim.repairs = Repairs::default();
    } else {
        model.sim.repairs.see(&snapshot.log);
    }
    if !snapshot.log.is_empty() {
        let log = model.sim.log.make_mut();
        log.extend(snapshot.log.drain(..));
        log.drain(..log.len().saturating_sub(MAX_LOG));
    }
    model.sim.snapshot = Shared::new(snapshot);
    let Parts { resources: states, values, files, cards, holdings } = parts;
    holdings.into_iter().for_each(|holdings| model.sim.holdings = Shared::new(holdings));
    cards.into_iter().for_each(|cards| model.sim.cards = Shared::new(cards));
    states.into_iter().for_each(|states| model.sim.states = Shared::new(states));
    values.into_iter().for_each(|values| model.sim.values = Shared::new(values));
    files.into_iter().for_each(|files| model.sim.files = Shared::new(files));
    if let Some(picture) = resources {
        // Usually it is as predicted.
        let mut resources = model.check.resources.clone();
        resources.set(picture);
        model.sim.resources = Some(resources);
    }
}

pub(super) fn worker_lost(model: &mut Model, number: Option<u64>, lost: Lost) {
    model.worker = WorkerState::Starting;
    model.sim.repetition = None;
    let Some(flight) = model.flight.take_if(|flight| Some(flight.number) == number) else {
        // It was lost between two requests, or by one of the editor, and the hosts with it.
        match lost {
            Lost::Hung { .. } => say_restarted(model, "A request from the editor timed out"),
            Lost::Unloaded { .. } => say_restarted(model, NOT_LOADED),
            Lost::Full => say_restarted(model, "Memory ran out"),
            Lost::Broke { .. } => {}
        }
        start_over(model);
        return;
    };
    if let Lost::Unloaded { .. } = lost {
        say_restarted(model, NOT_LOADED);
        // The request is not to blame, so it is sent again; not if it was about the hosts that are gone.
        model.queue.push_front(flight.request);
        if model.queue.iter().any(|request| request.about() == About::Wish && !is_independent(request)) {
            let text = format!(
                "{NOT_LOADED}, so the compiler was restarted, and your last request was not completed. Try again."
            );
            model.notice = Some(Notice { tone: Tone::Bad, text });
        }
        model.queue.retain(is_independent);
        model.sim.errand = None;
        start_over(model);
        return;
    }
    // The simulated host lived in the worker.
    model.sim.fresh = true;
    match flight.request.about() {
        // The program before is to blame, and another one is open now. Its scenario, which is dropped from the queue, is
        // played again.
        About::Text | About::NewHosts | About::Hosts if flight.edit < model.opened_at => {
            if model.queue.iter().any(|request| matches!(request, Request::Stage { .. })) {
                staged::again(model);
            }
            model.sim.edit = 0;
        }
        About::Text => {
            model.check.edit = flight.edit;
            model.check.lost = Some(lost);
            model.sim.edit = 0;
        }
        About::NewHosts | About::Hosts => {
            model.sim.edit = 0;
            model.sim.lost = Some(lost);
        }
        About::Wish => start_over(model),
    }
    drop_queue(model, flight.request.about() == About::Wish);
    if model.view == View::Code {
        model.view = View::Resources;
    }
}

/// Drops what waited for the worker that was lost, and says so if the user waits for it; with `lost_one`, also for the
/// request that was being answered.
fn drop_queue(model: &mut Model, lost_one: bool) {
    let is_wish = |request: &Request| request.about() == About::Wish || matches!(request, Request::Replay { .. });
    let n_wishes = model.queue.drain(..).filter(is_wish).count() + usize::from(lost_one);
    let what = match n_wishes {
        0 => return,
        1 => "your last request was not completed".to_owned(),
        n => format!("your last {n} requests were not completed"),
    };
    let text = format!("The compiler was restarted, and {what}. Try again.");
    model.notice = Some(Notice { tone: Tone::Bad, text });
}

/// The hosts were lost with the worker, and are reset.
fn start_over(model: &mut Model) {
    if model.is_running() {
        // A deploy does not start the hosts of a scenario (`Model::next_request`).
        staged::again(model);
    }
    (model.sim.edit, model.sim.fresh) = (0, true);
}

/// Why a part of the compiler was reloaded.
const NOT_LOADED: &str = "A part of the compiler could not be loaded";

/// Says why the hosts were reset, if there are any.
fn say_restarted(model: &mut Model, why: &str) {
    if model.is_running() {
        let text = format!("{why}, so the compiler was restarted, and the hosts were reset.");
        model.notice = Some(Notice { tone: Tone::Bad, text });
    }
}

/// Whether a request of the user has the same answer with other hosts.
fn is_independent(request: &Request) -> bool {
    match request {
        // Resources in effect are those of a host.
        Request::Print { graph, in_force, .. } => !in_force || *graph != Graph::Resources,
        request => matches!(
            request,
            Request::Format { .. } | Request::Explain { .. } | Request::Replay { .. } | Request::Stage { .. }
        ),
    }
}
