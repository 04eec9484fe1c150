//! Sharing: the links to a program, in a dialog. It says which data goes where before anything is sent.

use super::browser;
use super::icons::{Icon, icon};
use super::qr::qr;
use super::store::{Dispatch, Part};
use crate::state::{Action, Notice, Offer, Program, Tone};
use web_sys::HtmlDialogElement;
use yew::platform::spawn_local;
use yew::prelude::*;

/// Some chats cut off longer links. Units: characters.
const LONG: usize = 1_900;

/// The state of the short link.
#[derive(Clone, PartialEq)]
enum Short {
    /// The page is asking the server whether it stores programs.
    Asking,
    /// It does not.
    Unavailable,
    Possible,
    Sending,
    Made(String),
    Failed(String),
}

#[component]
pub(super) fn Links(props: &Part<Option<Offer>>) -> Html {
    match &props.shows {
        Some(offer) => html! { <Shown ..Part { dispatch: props.dispatch.clone(), shows: offer.clone() } /> },
        None => html! {},
    }
}

#[component]
fn Shown(props: &Part<Offer>) -> Html {
    let Part { dispatch, shows: offer } = props;
    let dialog = use_node_ref();
    let short = use_state(|| Short::Asking);
    {
        let (dialog, short) = (dialog.clone(), short.clone());
        use_effect_with((), move |()| {
            if let Some(dialog) = dialog.cast::<HtmlDialogElement>().filter(|dialog| !dialog.open()) {
                let _ = dialog.show_modal();
            }
            spawn_local(async move {
                short.set(if browser::server_shares().await { Short::Possible } else { Short::Unavailable });
            });
        });
    }
    let make = {
        let (short, offer) = (short.clone(), offer.clone());
        Callback::from(move |_: MouseEvent| {
            let (short, offer) = (short.clone(), offer.clone());
            short.set(Short::Sending);
            spawn_local(async move {
                short.set(match browser::store_program(&offer.program).await {
                    Ok(link) => Short::Made(link),
                    Err(why) => Short::Failed(why),
                });
            });
        })
    };
    let host = browser::window().location().host().unwrap_or_default();
    let made = match &*short {
        Short::Made(link) => Some(link),
        Short::Asking | Short::Unavailable | Short::Possible | Short::Sending | Short::Failed(_) => None,
    };
    let best = made.unwrap_or(&offer.link);
    let markdown = format!("[{} program]({best})", offer.program.layout().title);
    let embed = format!(
        "<iframe src=\"{}\" title=\"mclive playground\" width=\"100%\" height=\"420\" loading=\"lazy\"></iframe>",
        made.map_or_else(
            || browser::address(&format!("embed/{}", offer.fragment)),
            |link| link.replacen("/s/", "/embed/", 1)
        ),
    );
    let cut = if offer.link.len() > LONG { " Some chat programs truncate links this long." } else { "" };
    html! {
        <dialog ref={dialog} class="explained links" aria-labelledby="links-title" onclose={dispatch.on(Action::Offer(None))}>
            <header>
                <h2 id="links-title">{ "Share" }</h2>
                <button class="button only-icon plain" onclick={dispatch.on(Action::Offer(None))} aria-label="Close">{ icon(Icon::Close) }</button>
            </header>
            <div class="prose">
                <h3>{ format!("Long link ({} characters)", offer.link.len()) }</h3>
                <p>{ format!("Contains the whole program: nothing is uploaded or stored.{cut}") }</p>
                { copied(dispatch, "long link", &offer.link) }
                <h3>{ made.map_or_else(|| "Short link".to_owned(), |link| format!("Short link ({} characters)", link.len())) }</h3>
                {
                    match &*short {
                        Short::Asking => html! { <p role="status">{ "Contacting the server…" }</p> },
                        Short::Unavailable => html! { <p>{ format!("{host} does not store programs. Use the long link.") }</p> },
                        Short::Possible | Short::Sending => html! {
                            <>
                                <p>{ format!("Uploads the program to {host}, where it is stored permanently. Anyone with the link can read it.") }</p>
                                <button class="button primary" disabled={*short == Short::Sending} onclick={make}>
                                    { "Create a short link" }
                                </button>
                            </>
                        },
                        Short::Made(link) => copied(dispatch, "short link", link),
                        Short::Failed(why) => html! { <p role="alert">{ format!("Could not create a short link: {why}.") }</p> },
                    }
                }
                <h3>{ "Download" }</h3>
                { downloads(dispatch, &offer.program) }
                <h3>{ "QR code" }</h3>
                { qr(best) }
                <h3>{ "Markdown" }</h3>
                { copied(dispatch, "Markdown", &markdown) }
                <h3>{ "Embed in a page" }</h3>
                { copied(dispatch, "embed snippet", &embed) }
            </div>
        </dialog>
    }
}

/// A text, and a button that copies it to the clipboard.
fn copied(dispatch: &Dispatch, what: &'static str, text: &str) -> Html {
    let copy = {
        let (dispatch, text) = (dispatch.clone(), text.to_owned());
        Callback::from(move |_: MouseEvent| {
            let (dispatch, text) = (dispatch.clone(), text.clone());
            spawn_local(async move {
                match browser::copy_text(&text).await {
                    true => {
                        let text = format!("Copied the {what}.");
                        dispatch.send(Action::Say(Some(Notice { tone: Tone::Good, text })));
                    }
                    false => dispatch.complain("the browser does not allow copying; select the text instead"),
                }
            });
        })
    };
    html! {
        <div class="copied">
            <input type="text" readonly=true value={text.to_owned()} aria-label={what} />
            <button class="button" onclick={copy} aria-label={format!("Copy the {what}")}>{ "Copy" }</button>
        </div>
    }
}

/// The program as downloads: all in one text, in a zip, or a single file.
fn downloads(dispatch: &Dispatch, program: &Program) -> Html {
    let save = |run: fn(&Program) -> Result<(), String>| {
        let (dispatch, program) = (dispatch.clone(), program.clone());
        Callback::from(move |_: MouseEvent| {
            if let Err(why) = run(&program) {
                dispatch.complain(&why);
            }
        })
    };
    let archive = save(|program| {
        browser::save_text("program.txtar", &program.to_archive()?);
        Ok(())
    });
    let zip = save(|program| {
        browser::save_zip("program.zip", program.files());
        Ok(())
    });
    let only = save(|program| {
        let file = &program.files()[0];
        browser::save_text(&file.name, &file.text);
        Ok(())
    });
    html! {
        <div class="downloads">
            if let [file] = program.files() {
                <button class="button" onclick={only}>{ file.name.to_string() }</button>
            } else {
                <button class="button" onclick={archive} title="All files in one text file, which can be opened or pasted here">{ "Text archive" }</button>
            }
            <button class="button" onclick={zip}>{ "Zip" }</button>
        </div>
    }
}
