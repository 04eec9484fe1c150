//! Programs by link: a dialog for a pasted link, and files fetched from the servers that the operator allows. The
//! browser fetches, under the page's own policy, which has the list.

use super::browser;
use super::dialog::{self, use_modal};
use super::store::Dispatch;
use crate::shown::as_label;
use crate::state::pasted::{Pasted, Sources, name};
use crate::state::{Opened, opened};
use web_sys::{HtmlInputElement, SubmitEvent};
use yew::platform::spawn_local;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct FromLinkProps {
    pub(super) dispatch: Dispatch,
    pub(super) on_close: Callback<()>,
}

#[component]
pub(super) fn FromLink(props: &FromLinkProps) -> Html {
    let FromLinkProps { dispatch, on_close } = props;
    let (dialog, field) = (use_modal(true), use_node_ref());
    let why = use_state(String::new);
    let is_busy = use_state(|| false);
    let open = {
        let (dispatch, on_close, field) = (dispatch.clone(), on_close.clone(), field.clone());
        let (why, is_busy) = (why.clone(), is_busy.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let link = field.cast::<HtmlInputElement>().map(|field| field.value()).unwrap_or_default();
            let origins = browser::origins();
            let site = browser::address("");
            match (Sources { site: &site, origins: &origins }).read(&link) {
                Ok(Pasted::Fragment(fragment)) => {
                    on_close.emit(());
                    let _ = browser::window().location().set_hash(&fragment);
                }
                Ok(Pasted::File(address)) => {
                    // Messages about another link do not apply to this one.
                    why.set(String::new());
                    is_busy.set(true);
                    let (dispatch, on_close) = (dispatch.clone(), on_close.clone());
                    let (why, is_busy) = (why.clone(), is_busy.clone());
                    spawn_local(async move {
                        match fetched(&address).await {
                            Ok(opened) => {
                                on_close.emit(());
                                dispatch.open(opened).await;
                            }
                            Err(fault) => {
                                is_busy.set(false);
                                why.set(fault);
                            }
                        }
                    });
                }
                Err(fault) => why.set(fault),
            }
        })
    };
    let close = dialog::close(&dialog);
    html! {
        <dialog ref={dialog} class="explained from-link" aria-labelledby="from-link-title" onclose={on_close.reform(|_: Event| ())}>
            // The dialog is in the page's header, which is the only one.
            <div class="head">
                <h2 id="from-link-title">{ "Open a link" }</h2>
                <button class="button only-icon plain" onclick={close} aria-label="Close">{ super::icons::icon(super::icons::Icon::Close) }</button>
            </div>
            <form class="prose" onsubmit={open}>
                <p>{ about(&browser::origins()) }</p>
                <div class="copied">
                    // The dialog opens with the focus here.
                    <input ref={field} type="text" inputmode="url" autocomplete="off" spellcheck="false" autofocus=true
                        aria-label="Link" aria-invalid={(!why.is_empty()).to_string()} aria-describedby="from-link-why" placeholder="https://…" />
                    <button class="button primary" disabled={*is_busy}>{ if *is_busy { "Fetching…" } else { "Open" } }</button>
                </div>
                <p id="from-link-why" role="alert">{ if why.is_empty() { String::new() } else { format!("Cannot open the link: {}.", as_label(&why)) } }</p>
            </form>
        </dialog>
    }
}

fn about(origins: &[String]) -> String {
    let hosts: Vec<&str> = origins.iter().map(|origin| origin.trim_start_matches("https://")).collect();
    match &hosts[..] {
        [] => "Enter a link to a program in this playground, or a link that contains the program itself.".into(),
        hosts => format!(
            "Enter a link to a program in this playground, or the address of a file on {}: a program, a zip file, a text \
             archive or a recorded run. Your browser downloads it.",
            hosts.join(" or ")
        ),
    }
}

/// The content of a file on another server. Errors: a sentence without a full stop.
async fn fetched(address: &str) -> Result<Opened, String> {
    let bytes = browser::fetch_file(address).await?;
    match opened(name(address), bytes)? {
        // It would replace the learner's own progress.
        Opened::Progress(_) => {
            Err("this file contains lesson progress; download it, then import it in the lessons".into())
        }
        opened => Ok(opened),
    }
}

/// The file on another server that is named in the page's address. Errors: a sentence without a full stop.
pub(super) async fn at_address(address: &str) -> Result<Opened, String> {
    let origins = browser::origins();
    let site = browser::address("");
    let address = browser::decoded(address);
    match (Sources { site: &site, origins: &origins }).file(&address) {
        Ok(address) => fetched(&address).await,
        Err(why) => Err(why),
    }
}
