//! Simulation controls: play, pause, step, speed, restart; the clock; and the host's health.

use super::icons::{Icon, icon};
use super::key_labels::labels;
use super::store::Part;
use crate::shown::as_lines;
use crate::state::Action;
use crate::state::shows::{Health, TransportShows};
use mclive_base::shapes::host::Goal;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

const SPEEDS: [u32; 5] = [1, 5, 30, 120, 600];

#[component]
pub(super) fn Transport(props: &Part<TransportShows>) -> Html {
    let Part { dispatch, shows } = props;
    let speed = {
        let dispatch = dispatch.clone();
        Callback::from(move |event: Event| {
            if let Ok(speed) = event.target_unchecked_into::<HtmlSelectElement>().value().parse() {
                dispatch.send(Action::Speed(speed));
            }
        })
    };
    let (play_icon, play_words) = if shows.playing { (Icon::Pause, "Pause") } else { (Icon::Play, "Play") };
    html! {
        <>
            <button class="button only-icon primary" onclick={dispatch.on(Action::TogglePlaying)} aria-label={play_words} title={format!("{play_words} ({})", labels("Mod+Enter"))}>{ icon(play_icon) }</button>
            <button class="button only-icon" onclick={dispatch.on(Action::RunUntil(Goal::Mark))} disabled={!shows.running} aria-label="Step to the next event" title={format!("Step to the next event ({})", labels("Alt+N"))}>{ icon(Icon::Step) }</button>
            <button class="button only-icon" onclick={dispatch.on(Action::Restart)} aria-label="Start over with an empty host" title="Start over with an empty host">{ icon(Icon::Restart) }</button>
            <label class="speed"><span class="sr">{ "Speed" }</span>
                <select onchange={speed}>
                    { for SPEEDS.iter().map(|speed| html! { <option value={speed.to_string()} selected={shows.speed == *speed}>{ format!("{speed}×") }</option> }) }
                </select>
            </label>
        </>
    }
}

#[derive(Properties, PartialEq, Clone)]
pub(super) struct ClockProps {
    pub(super) now_ms: u64,
}

/// The simulated time, which changes with each frame.
#[component]
pub(super) fn Clock(props: &ClockProps) -> Html {
    html! { <time class="now" title="Simulated time since the start">{ stamp(props.now_ms) }</time> }
}

/// `01:02:03.4`.
pub(super) fn stamp(ms: u64) -> String {
    let seconds = ms / 1000;
    format!("{:02}:{:02}:{:02}.{}", seconds / 3600, seconds / 60 % 60, seconds % 60, ms % 1000 / 100)
}

#[derive(Properties, PartialEq, Clone)]
pub(super) struct StatusProps {
    pub(super) health: Health,
}

/// The health of the host as a word, a colour and an icon.
#[component]
pub(super) fn Status(props: &StatusProps) -> Html {
    let (class, shape, words) = match &props.health {
        Health::Paused => ("warn", Icon::Pause, "Paused".to_owned()),
        Health::Loading => ("waiting", Icon::Dots, "Loading the compiler".to_owned()),
        Health::Stopped => ("bad", Icon::Bad, "Stopped".to_owned()),
        Health::Errors => ("bad", Icon::Bad, "Program has errors".to_owned()),
        Health::Starting => ("waiting", Icon::Dots, "Starting".to_owned()),
        Health::Ended(why) => ("bad", Icon::Bad, as_lines(why)),
        Health::Failed(n_failed) => ("bad", Icon::Bad, format!("{n_failed} failed")),
        Health::Converged => ("good", Icon::Good, "Converged".to_owned()),
        Health::UpToDate => ("good", Icon::Good, "Up to date".to_owned()),
        Health::Working => ("working", Icon::Busy, "Working".to_owned()),
    };
    html! { <p class={classes!("status", class)} role="status" title={words.clone()}>{ icon(shape) }<span>{ words }</span></p> }
}
