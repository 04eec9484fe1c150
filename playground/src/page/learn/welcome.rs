//! The greeting of a first visit: an introduction, a host to break, and the link to the first lesson.

use super::super::icons::{Icon, icon};
use super::super::store::Part;
use crate::state::{Action, View, WelcomeShows};
use crate::worker::protocol::Request;
use mclive_base::shapes::host::HostAction;
use yew::prelude::*;

#[component]
pub(in super::super) fn Welcome(props: &Part<Option<WelcomeShows>>) -> Html {
    let Part { dispatch, shows } = props;
    let Some(shows) = shows else { return html! {} };
    let break_it = {
        let (dispatch, file) = (dispatch.clone(), shows.file.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(path) = file.clone() {
                dispatch.send(Action::Asked(Request::Act { action: HostAction::Remove { path } }));
                dispatch.send(Action::Show(View::Log));
            }
        })
    };
    let what = match shows.is_model {
        true => "A model describes the desired state of its hosts.",
        false => "An MCL program describes the desired state of a host at every moment.",
    };
    let file = shows.file.as_deref().unwrap_or("a file");
    html! {
        <section class="welcome" aria-label="Welcome">
            <p>
                <strong>{ what }</strong>
                if shows.is_first {
                    { " The graph shows the resulting resources of a simulated host. Change 10 to 4 in the program, and it stays awake; delete a file, and it is repaired." }
                } else {
                    { " The graph shows the resulting resources. The host next to it is simulated: break something and watch it being repaired." }
                }
            </p>
            <div class="choices">
                <button class="button" onclick={break_it} disabled={shows.file.is_none()}>
                    { if shows.broken { format!("Delete {file} again") } else { format!("Delete {file}") } }
                </button>
                <a class="button primary" href="#learn"><span>{ "Start lesson 1 (two minutes)" }</span>{ icon(Icon::Forward) }</a>
                <button class="button only-icon plain" onclick={dispatch.on(Action::Greeted)} aria-label="Close the welcome message">{ icon(Icon::Close) }</button>
            </div>
        </section>
    }
}
