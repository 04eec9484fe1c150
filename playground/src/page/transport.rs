//! The simulation's clock: play, pause, step, speed, start over; and how the host does.

use super::icons::{Icon, icon};
use super::store::{Page, PageProps};
use crate::state::Action;
use crate::worker::protocol::Request;
use mclive_base::shapes::host::Phase;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

const SPEEDS: [u32; 5] = [1, 5, 30, 120, 600];

/// How far one step looks ahead. Units: milliseconds.
const STEP_MS: u64 = 3_600_000;

impl Page {
    pub(super) fn toggle_playing(&self) {
        let model = self.model();
        if model.held || model.sim.lost.is_some() || model.check.lost.is_some() {
            self.send(Action::Run);
        } else {
            self.send(Action::Play(!model.sim.playing));
        }
    }
}

#[component]
pub(super) fn Transport(props: &PageProps) -> Html {
    let page = &props.page;
    let sim = &page.model().sim;
    let toggle = {
        let page = page.clone();
        Callback::from(move |_: MouseEvent| page.toggle_playing())
    };
    let step = {
        let page = page.clone();
        Callback::from(move |_: MouseEvent| {
            page.send(Action::Play(false));
            page.send(Action::Asked(Request::Advance { by_ms: STEP_MS, to_next: true }));
        })
    };
    let speed = {
        let page = page.clone();
        Callback::from(move |event: Event| {
            if let Ok(speed) = event.target_unchecked_into::<HtmlSelectElement>().value().parse() {
                page.send(Action::Speed(speed));
            }
        })
    };
    let (play_icon, play_words) = if sim.playing { (Icon::Pause, "Pause") } else { (Icon::Play, "Play") };
    html! {
        <div class="transport" role="group" aria-label="Simulated time">
            <button class="button only-icon primary" onclick={toggle} aria-label={play_words} title={format!("{play_words} (Ctrl+Enter)")}>{ icon(play_icon) }</button>
            <button class="button only-icon" onclick={step} disabled={!page.model().is_running()} aria-label="Step to the next event" title="Step to the next event">{ icon(Icon::Step) }</button>
            <button class="button only-icon" onclick={page.on(Action::Restart)} aria-label="Start over with an empty host" title="Start over with an empty host">{ icon(Icon::Restart) }</button>
            <label class="speed"><span class="sr">{ "Speed" }</span>
                <select onchange={speed}>
                    { for SPEEDS.iter().map(|speed| html! { <option value={speed.to_string()} selected={sim.speed == *speed}>{ format!("{speed}×") }</option> }) }
                </select>
            </label>
            <time class="now" title="Simulated time since the start">{ stamp(sim.snapshot.now_ms) }</time>
            <div class="space"></div>
            { status(page) }
        </div>
    }
}

/// `01:02:03.4`.
pub(super) fn stamp(ms: u64) -> String {
    let seconds = ms / 1000;
    format!("{:02}:{:02}:{:02}.{}", seconds / 3600, seconds / 60 % 60, seconds % 60, ms % 1000 / 100)
}

/// How the whole host does, in a word, a colour and an icon.
fn status(page: &Page) -> Html {
    let model = page.model();
    let n_failed = model.sim.states.iter().filter(|state| state.phase == Phase::Failed).count();
    let (class, shape, words) = if model.held {
        ("warn", Icon::Pause, "Paused".to_owned())
    } else if model.check.lost.is_some() || model.sim.lost.is_some() {
        ("bad", Icon::Bad, "Stopped".to_owned())
    } else if model.check.n_errors() > 0 && model.check.edit == model.edit {
        ("bad", Icon::Bad, "Program has errors".to_owned())
    } else if !model.is_running() {
        ("waiting", Icon::Dots, "Starting".to_owned())
    } else if let Some(why) = &model.sim.snapshot.stopped {
        ("bad", Icon::Bad, why.clone())
    } else if n_failed > 0 {
        ("bad", Icon::Bad, format!("{n_failed} failed"))
    } else if model.sim.snapshot.converged {
        ("good", Icon::Good, "Converged".to_owned())
    } else if model.sim.states.iter().all(|state| matches!(state.phase, Phase::InState | Phase::Changed)) {
        // Values that change all the time never let it be quiet, and yet all is well.
        ("good", Icon::Good, "As described".to_owned())
    } else {
        ("working", Icon::Busy, "Working".to_owned())
    };
    html! { <p class={classes!("status", class)} role="status" title={words.clone()}>{ icon(shape) }<span>{ words }</span></p> }
}
