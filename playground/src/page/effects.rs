//! Side effects of the model: requests to the worker, the editor's content, the address, the passing of time.

use super::address;
use super::browser;
use super::client::Client;
use super::from_link;
use super::key_labels::is_mac;
use super::store::Dispatch;
use super::stored::{self, Loaded};
use super::versions;
use crate::state::share::{self, Asked};
use crate::state::{
    Action, File, Learning, Look, Model, Offer, Offered, Opened, Pace, Program, Saved, Shared, Task, clipped, problems,
    range_in,
};
use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::{Interval, Timeout};
use mclive_base::files::RECORDED;
use mclive_base::shapes::Place;
use mclive_base::shapes::host::Goal;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, KeyboardEvent};
use yew::platform::spawn_local;
use yew::prelude::*;

/// The interval of a running simulation.
const BEAT_MS: u32 = 100;

/// Keeps the worker busy and the clock running.
#[hook]
pub(super) fn use_worker(model: &Model, dispatch: &Dispatch) -> Client {
    let client = {
        let (dispatch, layout) = (dispatch.clone(), model.layout());
        use_memo((), move |()| Client::new(Rc::new(move |action| dispatch.send(action)), layout))
    };
    let speaker = client.clone();
    use_effect_with(model.layout(), move |layout| speaker.speak(layout));
    let beside = model.lesson().map(|lesson| lesson.files.as_slice()).unwrap_or_default();
    let beside = beside.iter().map(|file| File::new(&file.path[1..], &file.content));
    let files: Vec<File> = model.program.files().iter().cloned().chain(beside).collect();
    let questioner = client.clone();
    use_effect_with((model.edit, model.learn.at.clone(), files.len()), move |_| questioner.take_files(files));
    let pace = use_mut_ref(Pace::default);
    let (sender, asker, timed) = (dispatch.clone(), client.clone(), pace.clone());
    let flight = model.flight.as_ref().map(|flight| (flight.number, flight.request.clone()));
    use_effect_with(flight.as_ref().map(|(number, _)| *number), move |_| {
        let Some((number, request)) = flight else { return };
        let (task, begun_ms) = (Task::of(&request), browser::now_ms());
        spawn_local(async move {
            let answer = asker.ask(request).await;
            if let Some(task) = task {
                timed.borrow_mut().take(task, browser::now_ms() - begun_ms);
            }
            sender.send(match answer {
                Ok(answer) => Action::Answered(number, answer),
                Err(lost) => Action::WorkerLost(Some(number), lost),
            });
        });
    });
    let sender = dispatch.clone();
    use_effect_with(model.edit, move |edit| {
        let edit = *edit;
        let pause = Timeout::new(pace.borrow().pause_ms(), move || sender.send(Action::Settled(edit)));
        move || drop(pause)
    });
    let sender = dispatch.clone();
    use_effect_with(model.is_running() && model.sim.playing, move |runs| {
        let beat = runs.then(|| {
            let mut last = browser::now_ms();
            Interval::new(BEAT_MS, move || {
                let now = browser::now_ms();
                sender.send(Action::Frame((now - last) as u64));
                last = now;
            })
        });
        move || drop(beat)
    });
    (*client).clone()
}

/// Loads what the first view does not need, and keeps the site for use without its server, once the first view is complete:
/// other files would delay those of the view.
#[hook]
pub(super) fn use_offline(model: &Model) {
    use_effect_with(model.has_first_view(), |has_first_view| {
        if *has_first_view {
            browser::keep_site();
        }
    });
}

/// Keeps the editor's text, diagnostics and highlighted range in sync with the model.
#[hook]
pub(super) fn use_editor(model: &Model) {
    let n_renamed = use_mut_ref(|| 0);
    use_effect_with(model.renamed.clone(), move |renamed| {
        for (before, after) in renamed.iter().skip(n_renamed.replace(renamed.len())) {
            browser::editor_rename(before, after);
        }
    });
    let file = model.program.shown().clone();
    let documents = use_mut_ref(|| 0);
    use_effect_with((model.pushed, model.documents, file.name.clone()), move |(_, n_documents, _)| {
        let is_another = documents.replace(*n_documents) != *n_documents;
        browser::editor_file(&file.name, &file.text, is_another);
    });
    let (program, result) = (model.program.clone(), model.check.result.clone());
    let (current, name) = (model.check.edit == model.edit, program.shown().name.clone());
    use_effect_with((model.check.edit, current, name), move |_| {
        if current {
            let list = problems(&program, &result);
            browser::editor_set_problems(&browser::to_object(&list).unwrap_or(JsValue::NULL));
        }
    });
    let range = model.selected_range();
    use_effect_with((model.selected.clone(), range), move |(_, range)| match range {
        Some((from, to)) => browser::editor_show(*from, *to, false),
        None => browser::editor_hide(),
    });
    let (file, chain) = (model.program.shown().clone(), model.why.chain.clone());
    use_effect_with((chain, file.name.clone(), model.check.drawn), move |(chain, _, _)| {
        let line = |place: &Place| {
            let (from, to) = range_in(&file, place)?;
            // Of a construct, the head.
            let head = file.text.get(place.start as usize..place.end as usize)?.lines().next()?.encode_utf16().count();
            Some([u32::try_from(from).ok()?, u32::try_from(to.min(from + head)).ok()?])
        };
        let mut ranges: Vec<[u32; 2]> = chain.places.iter().filter_map(line).collect();
        ranges.sort_unstable();
        // A part of an expression is marked with it.
        ranges.dedup_by(|inner, outer| {
            let overlaps = inner[0] < outer[1];
            outer[1] = if overlaps { outer[1].max(inner[1]) } else { outer[1] };
            overlaps
        });
        browser::editor_trace(ranges.as_flattened());
    });
    // A range is found by walking the text, so only when it is needed.
    let (revealed, file) = (model.revealed.clone(), model.program.shown().clone());
    use_effect_with(model.n_revealed, move |_| {
        if let Some((from, to)) = revealed.and_then(|place| range_in(&file, &place)) {
            browser::editor_show(from, to, true);
        }
    });
}

/// Opens the program in the address, at the start and when a link is pasted into the same tab; and handles the page's
/// keyboard shortcuts.
#[hook]
pub(super) fn use_address_and_keys(dispatch: &Dispatch) {
    let opener = dispatch.clone();
    use_effect_with((), move |()| {
        open_address(&opener);
        let listener = EventListener::new(&browser::window(), "hashchange", move |_| open_address(&opener));
        move || drop(listener)
    });
    let presser = dispatch.clone();
    use_effect_with((), move |()| {
        let options = EventListenerOptions::enable_prevent_default();
        let listener = EventListener::new_with_options(&browser::window(), "keydown", options, move |event| {
            if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
                pressed(&presser, event);
            }
        });
        move || drop(listener)
    });
}

fn pressed(dispatch: &Dispatch, event: &KeyboardEvent) {
    let command = event.ctrl_key() || event.meta_key();
    // On some systems, AltGr is Ctrl and Alt: what is typed with it is text.
    let alt = event.alt_key() && !command;
    let action = match event.key().as_str() {
        // Caps Lock makes it a capital.
        "s" | "S" if command && !event.shift_key() => Action::Share,
        "Enter" if command && event.shift_key() => Action::Learn(Learning::Check),
        "Enter" if command => Action::TogglePlaying,
        "PageDown" if alt => Action::Learn(Learning::Turn(true)),
        "PageUp" if alt => Action::Learn(Learning::Turn(false)),
        "F1" => Action::ShowKeys(true),
        // By the position of the key: with Alt, some systems produce other letters.
        _ if alt && event.code() == "KeyN" && !is_text(event) => Action::RunUntil(Goal::Mark),
        _ if alt && event.code() == "KeyP" && !is_text(event) => Action::StepBack,
        _ if alt && is_for_format(event) && !address::is_read_only() => Action::Format,
        _ => return,
    };
    event.prevent_default();
    dispatch.send(action);
}

/// Whether Alt and a letter type text: on a Mac, they type another letter, such as `ñ`.
fn is_text(event: &KeyboardEvent) -> bool {
    let element = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    // Events in the editor's shadow root have the editor as their target.
    is_mac() && element.is_some_and(|element| element.matches(".editor, input, textarea").unwrap_or(false))
}

/// Shift+F, by the letter or by the position of the key.
fn is_for_format(event: &KeyboardEvent) -> bool {
    event.shift_key() && (event.code() == "KeyF" || event.key().eq_ignore_ascii_case("f"))
}

fn open_address(dispatch: &Dispatch) {
    let (dispatch, fragment, turn) = (dispatch.clone(), address::read(), Turn::next());
    if share::version(&fragment).is_none_or(|version| version == share::VERSION) {
        return open_fragment(dispatch, &fragment, turn);
    }
    spawn_local(async move {
        match versions::home_of(&fragment).await {
            _ if turn.is_over() => {}
            Some(home) => address::leave(&home),
            None => open_fragment(dispatch, &fragment, turn),
        }
    });
}

thread_local! {
    /// The number of addresses opened so far.
    static N_OPENED: Cell<u64> = const { Cell::new(0) };
}

/// The place of an address among those opened.
#[derive(Clone, Copy)]
struct Turn(u64);

impl Turn {
    fn next() -> Turn {
        let number = N_OPENED.get() + 1;
        N_OPENED.set(number);
        Turn(number)
    }

    /// Whether another address was opened while this one was loading.
    fn is_over(self) -> bool {
        N_OPENED.get() != self.0
    }
}

fn open_fragment(dispatch: Dispatch, fragment: &str, turn: Turn) {
    match share::asked(fragment) {
        Asked::Nothing => dispatch.send(Action::Learn(Learning::Leave)),
        Asked::Lesson(name) => dispatch.send(Action::Learn(Learning::Open(name))),
        Asked::Example(name) => match crate::examples::find(&name) {
            Some(example) => dispatch.send(Action::Linked(example.program())),
            None => dispatch.complain(&format!("no example named `{}`", clipped(&name))),
        },
        Asked::Stored(id) => spawn_local(async move {
            let loaded = stored::open(&id).await;
            if !turn.is_over() {
                dispatch.take_loaded(loaded);
            }
        }),
        Asked::File(address) => spawn_local(async move {
            match from_link::at_address(&address).await {
                _ if turn.is_over() => {}
                Ok(Opened::Program(program)) => dispatch.take_loaded(Ok(Loaded::Program(program))),
                Ok(Opened::Trace(trace)) => dispatch.take_loaded(Ok(Loaded::Recording(trace))),
                Ok(Opened::Zip(bytes)) => {
                    let program = browser::unzip(&bytes).await.and_then(Program::of_files);
                    if !turn.is_over() {
                        dispatch.take_loaded(program.map(Loaded::Program));
                    }
                }
                Ok(progress @ Opened::Progress(_)) => dispatch.open(progress).await,
                Err(why) => dispatch.complain(&why),
            }
        }),
        Asked::Files(packed) => spawn_local(async move {
            let text = browser::unpack_link(&packed).await;
            if !turn.is_over() {
                dispatch.take_loaded(text.and_then(|json| stored::read(&json)));
            }
        }),
        Asked::Program(packed, layout) => spawn_local(async move {
            match browser::unpack_link(&packed).await {
                _ if turn.is_over() => {}
                Ok(text) => dispatch.send(Action::Linked(Program::of_link(layout, &text))),
                Err(why) => dispatch.complain(&why),
            }
        }),
    }
}

impl Dispatch {
    /// Shows the content of a link.
    fn take_loaded(&self, loaded: Result<Loaded, String>) {
        match loaded {
            Ok(Loaded::Program(program)) => self.send(Action::Linked(program)),
            Ok(Loaded::Recording(trace)) => self.send(Action::LinkedRun(trace)),
            Err(why) => self.complain(&why),
        }
    }
}

/// Puts the program into the address and shows its links, each time this is requested. In a frame it opens the program
/// in the playground instead.
#[hook]
pub(super) fn use_share(model: &Model, dispatch: &Dispatch) {
    let (dispatch, whole, edit) = (dispatch.clone(), model.whole(), model.edit);
    // The address of a lesson stays that of the lesson.
    let edit = model.learn.at.is_none().then_some(edit);
    use_effect_with(model.n_shares, move |n_shares| {
        if *n_shares > 0 {
            match whole {
                Ok(program) => spawn_local(offer_links(dispatch, Offered::Program(program), edit)),
                Err(why) => dispatch.complain(&why),
            }
        }
    });
}

/// Delivers saved items: as a file, and a scenario also as a link on the clipboard.
#[hook]
pub(super) fn use_saved(model: &Model, dispatch: &Dispatch) {
    let dispatch = dispatch.clone();
    use_effect_with(model.saved.clone(), move |saved| match saved {
        None => {}
        Some((_, Saved::File { name, content })) => browser::save_bytes(name, content),
        Some((_, Saved::Recording { recording, for_link: false })) => browser::save_bytes(RECORDED, &recording.trace),
        Some((_, Saved::Recording { recording, for_link: true })) => {
            spawn_local(offer_links(dispatch, Offered::Recording(recording.clone()), None));
        }
        Some((_, Saved::Scenario(text))) => {
            browser::save_text("playground.txtar", text);
            if let Some(Ok(program)) = Program::of_archive(text) {
                spawn_local(offer_links(dispatch, Offered::Program(program), None));
            }
        }
    });
}

/// `edit`: the edit that the address will stand for, if it is to show the link.
async fn offer_links(dispatch: Dispatch, what: Offered, edit: Option<u64>) {
    match fragment_of(&what).await {
        Ok(fragment) => {
            if let Some(edit) = edit.filter(|_| !browser::is_embedded()) {
                address::replace(&fragment);
                dispatch.send(Action::Shared(edit));
            }
            let link = browser::address(&fragment);
            if browser::is_embedded() {
                return browser::open_tab(&link);
            }
            let problems = Shared::default();
            dispatch.send(Action::Offer(Some(Offer { link, fragment, what, problems })));
        }
        Err(why) => dispatch.complain(&why),
    }
}

/// The fragment of a program or a recorded run: the text of a single file, otherwise the JSON of all.
pub(super) async fn fragment_of(what: &Offered) -> Result<String, String> {
    if let Offered::Program(program) = what
        && let [only] = program.files()
        && *only.name == *program.layout().main
    {
        return Ok(share::fragment(&browser::pack_link(&only.text).await?, &only.text, program.layout()));
    }
    let json = stored::json_of(what, Look::default())?;
    Ok(share::fragment_of_files(&browser::pack_link(&json).await?))
}
