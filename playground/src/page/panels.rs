//! Overlays and banners: a message, a code's page, a stopped run.

use super::dialog::{self, use_modal};
use super::icons::{Icon, icon};
use super::store::{Dispatch, Part};
use super::{browser, memory, prose};
use crate::prose::blocks;
use crate::shown::{as_label, as_lines};
use crate::state::shows::{RecordedShows, StoppedShows};
use crate::state::{Action, Lost, Notice, Program, RELOAD, Tone};
use gloo_timers::callback::Timeout;
use yew::platform::spawn_local;
use yew::prelude::*;

impl Dispatch {
    pub(super) fn complain(&self, why: &str) {
        self.send(Action::Say(Some(Notice::refusal(why))));
    }
}

/// A message at the foot of the page. Success messages disappear.
#[component]
pub(super) fn NoticeBar(props: &Part<Option<Notice>>) -> Html {
    let notice = props.shows.clone();
    let dispatch = props.dispatch.clone();
    use_effect_with(notice.clone(), move |notice| {
        let passes = notice.as_ref().is_some_and(|notice| notice.tone == Tone::Good);
        let timer = passes.then(|| Timeout::new(5_000, move || dispatch.send(Action::Say(None))));
        move || drop(timer)
    });
    html! {
        <div class="notices" role="status" aria-live="polite">
            if let Some(notice) = notice {
                <div class={if notice.tone == Tone::Good { "notice good" } else { "notice bad" }}>
                    { icon(if notice.tone == Tone::Good { Icon::Good } else { Icon::Bad }) }
                    <span>{ as_lines(&notice.text) }</span>
                    <button class="button only-icon plain" aria-label="Close the message" onclick={props.dispatch.on(Action::Say(None))}>
                        { icon(Icon::Close) }
                    </button>
                </div>
            }
        </div>
    }
}

/// Why nothing runs, if the reason is not an error of the program.
#[component]
pub(super) fn Stopped(props: &Part<StoppedShows>) -> Html {
    let (title, text) = match &props.shows.lost {
        _ if props.shows.held => (
            "Paused".to_owned(),
            "The page was closed while this program was running, so it was not started automatically.".to_owned(),
        ),
        Some(Lost::Hung { seconds }) => (
            "Stopped".to_owned(),
            format!(
                "The compiler did not respond within {seconds} seconds and was stopped. Your program is safe; change it or try again."
            ),
        ),
        Some(Lost::Broke { text }) => {
            ("The compiler crashed".to_owned(), format!("This is a bug in mclive. Your program is safe. Error: {text}"))
        }
        Some(Lost::Full) => (
            "Out of memory".to_owned(),
            "The program needs more memory than this page may use, so it was stopped. Your program is safe; change it or try again."
                .to_owned(),
        ),
        Some(Lost::Unloaded { text }) => (
            "Stopped".to_owned(),
            format!("The compiler could not be loaded: {text}. {RELOAD}"),
        ),
        None => return html! {},
    };
    html! {
        <div class="stopped" role="alert">
            { icon(Icon::Warn) }
            <p><strong>{ title }</strong>{ " " }{ as_lines(&text) }</p>
            if let Some(program) = &props.shows.crashed {
                <button class="button" onclick={copy_report(&props.dispatch, &text_of(&props.shows.lost), program)}
                    title="Copy the error and the program for a bug report">
                    { "Copy report" }
                </button>
            }
            <button class="button primary" onclick={props.dispatch.on(Action::Run)}>{ icon(Icon::Play) }<span>{ "Run" }</span></button>
        </div>
    }
}

fn text_of(lost: &Option<Lost>) -> String {
    match lost {
        Some(Lost::Broke { text } | Lost::Unloaded { text }) => text.clone(),
        Some(Lost::Hung { seconds }) => format!("no response within {seconds} seconds"),
        Some(Lost::Full) => "out of memory".to_owned(),
        None => String::new(),
    }
}

fn copy_report(dispatch: &Dispatch, what: &str, program: &Program) -> Callback<MouseEvent> {
    let (dispatch, what, program) = (dispatch.clone(), what.to_owned(), program.clone());
    Callback::from(move |_: MouseEvent| {
        let (dispatch, report) = (dispatch.clone(), memory::report(&what, &program));
        spawn_local(async move {
            match browser::copy_text(&report).await {
                true => dispatch.send(Action::Say(Some(Notice { tone: Tone::Good, text: "Report copied.".into() }))),
                false => {
                    browser::save_text("mclive-report.txt", &report);
                    dispatch.complain("the browser does not allow copying, so the report was downloaded");
                }
            }
        });
    })
}

/// Says that a recorded run is shown, with its progress.
#[component]
pub(super) fn Recorded(props: &Part<Option<RecordedShows>>) -> Html {
    let Some(recorded) = &props.shows else { return html! {} };
    let far = if recorded.done == recorded.all { "all".to_owned() } else { format!("{} of", recorded.done) };
    let run_here = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |_: MouseEvent| {
            dispatch.send(Action::Restart);
            dispatch.send(Action::Play(true));
        })
    };
    html! {
        <div class="recorded">
            { icon(Icon::Clock) }
            <p>
                <strong>{ format!("Recorded run of {}", as_label(&recorded.hostname)) }</strong>
                { format!(": {far} {} inputs", recorded.all) }
            </p>
            <button class="button" onclick={run_here} title="Run the program on the simulated host instead">
                { "Run it here" }
            </button>
        </div>
    }
}

/// The page of a code, as an overlay.
#[component]
pub(super) fn Explained(props: &Part<Option<(String, String)>>) -> Html {
    let dialog = use_modal(props.shows.is_some());
    let Some((code, page)) = props.shows.clone() else { return html! {} };
    let close = dialog::close(&dialog);
    html! {
        <dialog ref={dialog} class="explained" aria-labelledby="explained-title" onclose={props.dispatch.on(Action::CloseExplained)}>
            <header>
                <h2 id="explained-title">{ code }</h2>
                <button class="button only-icon plain" onclick={close} aria-label="Close">{ icon(Icon::Close) }</button>
            </header>
            <div class="prose">{ prose::page(&blocks(&page)) }</div>
        </dialog>
    }
}
