//! Older versions of the page, which a server keeps below `/v/VERSION/`: links open with their own version, and an
//! older page offers the newest.

use super::store::{Dispatch, Part};
use super::{address, browser};
use crate::shown::as_label;
use crate::state::{Offered, Program, share};
use yew::platform::spawn_local;
use yew::prelude::*;

/// The address of the version that made a link, if this server has it.
pub(super) async fn home_of(fragment: &str) -> Option<String> {
    let version = share::version(fragment).filter(|version| *version != share::VERSION)?;
    // An older page was chosen deliberately.
    if browser::older_version().is_some() {
        return None;
    }
    Some(browser::site_of_version(version).await? + fragment)
}

/// Names this older version, and opens the program in the newest.
#[component]
pub(super) fn Older(props: &Part<Program>) -> Html {
    let version = use_memo((), |()| browser::older_version());
    let Some(version) = &*version else { return html! {} };
    let open = {
        let (dispatch, program) = (props.dispatch.clone(), props.shows.clone());
        Callback::from(move |_: MouseEvent| {
            let (dispatch, program) = (dispatch.clone(), program.clone());
            spawn_local(async move { newest(&dispatch, &program).await });
        })
    };
    html! {
        <aside class="older" aria-label="Version">
            <span>{ format!("This is mclive {}, an older version.", as_label(version)) }</span>
            <button class="button" onclick={open}>{ "Open in the latest version" }</button>
        </aside>
    }
}

async fn newest(dispatch: &Dispatch, program: &Program) {
    match super::effects::fragment_of(&Offered::Program(program.clone())).await {
        Ok(fragment) => {
            // Without its version, which would lead back.
            let fragment = fragment.split("&v=").next().unwrap_or_default();
            // In a frame it stays a frame, which looks the same: no other page can be framed.
            let (page, look) = match browser::is_embedded() {
                true => ("embed/", share::look(&address::known().unwrap_or_default()).suffix()),
                false => ("", String::new()),
            };
            address::leave(&browser::address(&format!("../../{page}{fragment}{look}")));
        }
        Err(why) => dispatch.complain(&why),
    }
}
