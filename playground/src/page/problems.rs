//! The list of problems below the editor.

use super::address;
use super::icons::{Icon, icon};
use super::prose;
use super::store::{Dispatch, Part};
use crate::shown::{as_label, as_lines};
use crate::state::shows::{Checked, ProblemsShows};
use crate::state::{Action, is_error};
use crate::worker::protocol::Request;
use mclive_base::shapes::{Diagnostic, Edit, Place, Severity};
use yew::prelude::*;

/// Further ones are counted, not listed.
const MAX_LISTED: usize = 50;

#[component]
pub(super) fn Problems(props: &Part<ProblemsShows>) -> Html {
    let ProblemsShows { checked, problems: all, names_files } = &props.shows;
    if all.is_empty() {
        let words = match checked {
            Checked::No => html! { <span>{ "Not checked" }</span> },
            Checked::Soon => html! { <span>{ "Checking…" }</span> },
            Checked::Yes => html! { <>{ icon(Icon::Good) }<span>{ "No problems" }</span></> },
        };
        return html! { <div class="problems none" role="status">{ words }</div> };
    }
    let n_errors = all.iter().filter(|one| is_error(one)).count();
    let n_others = all.len() - n_errors;
    let count = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
    let title = match (n_errors, n_others) {
        (0, others) => count(others, "warning"),
        (errors, 0) => count(errors, "error"),
        (errors, others) => format!("{}, {}", count(errors, "error"), count(others, "warning")),
    };
    // The compiler reports them by stage; a reader goes through the text.
    let mut listed: Vec<&Diagnostic> = all.iter().collect();
    listed.sort_by(|one, other| (!is_error(one), place(one)).cmp(&(!is_error(other), place(other))));
    let is_read_only = address::is_read_only();
    let item = |(index, one): (usize, &Diagnostic)| {
        let place = one.primary.as_ref().map(|label| label.place.clone());
        let go = place.clone().map(|place| props.dispatch.on(Action::Reveal(place)));
        let explain = props.dispatch.ask(Request::Explain { code: one.code.clone() });
        let (class, shape, word) = look(one.severity);
        let first_help =
            one.help.first().map(|help| html! { <span class="help">{ prose::line(&as_lines(help)) }</span> });
        html! {
            <li key={index} class={class}>
                <button class="problem" onclick={go}>
                    { icon(shape) }
                    <span class="words">
                        <span class="sr">{ word }</span>
                        { prose::line(&as_lines(&one.message)) }
                        { first_help }
                    </span>
                    if let Some(place) = place { <span class="at">{ at(&place, *names_files) }</span> }
                </button>
                if let Some(edit) = one.edits.first().filter(|_| !is_read_only) {
                    <button class="button" onclick={fix(&props.dispatch, edit)} title={as_label(&edit.title.replace('`', ""))}>{ "Fix" }</button>
                }
                <button class="code" onclick={explain} title={format!("Explain {}", one.code)}>{ &one.code }</button>
            </li>
        }
    };
    html! {
        <div class="problems">
            <div role="status"><h2>{ title }</h2></div>
            <ul tabindex="0" aria-label="Problems">
                { for listed.into_iter().take(MAX_LISTED).enumerate().map(item) }
                if all.len() > MAX_LISTED { <li class="more">{ format!("and {} more", all.len() - MAX_LISTED) }</li> }
            </ul>
        </div>
    }
}

/// Applies a suggested edit. The button disappears with its problem, so the focus goes to the text.
fn fix(dispatch: &Dispatch, edit: &Edit) -> Callback<MouseEvent> {
    let (dispatch, edit) = (dispatch.clone(), edit.clone());
    Callback::from(move |_: MouseEvent| {
        dispatch.send(Action::Fix(edit.clone()));
        dispatch.send(Action::Reveal(Place { end: edit.place.start, ..edit.place.clone() }));
    })
}

fn place(one: &Diagnostic) -> Option<(&str, u32, u32)> {
    one.primary.as_ref().map(|label| (&*label.place.file, label.place.start_line, label.place.start_col))
}

/// `12:3`, with the file if there are several.
fn at(place: &Place, names_file: bool) -> String {
    let at = format!("{}:{}", place.start_line, place.start_col);
    if names_file { format!("{}:{at}", as_label(place.file.trim_start_matches('/'))) } else { at }
}

fn look(severity: Severity) -> (&'static str, Icon, &'static str) {
    match severity {
        Severity::Error => ("bad", Icon::Bad, "error: "),
        Severity::Warning => ("warn", Icon::Warn, "warning: "),
        Severity::Note => ("info", Icon::Dot, "note: "),
        Severity::Bug => ("bad", Icon::Bad, "compiler bug: "),
    }
}
