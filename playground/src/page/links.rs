//! Sharing: the links to a program or a recorded run, in a dialog. It says which data goes where before anything is sent.

use super::browser;
use super::dialog::{self, use_modal};
use super::icons::{Icon, icon};
use super::picture::Pictures;
use super::qr::qr;
use super::store::{Dispatch, Part};
use super::stored;
use crate::graphs::code;
use crate::shown::as_label;
use crate::state::{Action, Look, Notice, Offer, Offered, Program, Recording, Shared, Theme, Tone, file_of};
use mclive_base::files::RECORDED;
use mclive_base::shapes::Diagnostic;
use mclive_base::short;
use web_sys::{HtmlElement, HtmlInputElement, HtmlSelectElement};
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
    /// It did not answer in time.
    Silent,
    Possible,
    Sending,
    Made(String),
    Failed(String),
}

#[component]
pub(super) fn Links(props: &Part<Option<Offer>>) -> Html {
    match &props.shows {
        // Another offer is another dialog, which knows nothing of the links of the one before.
        Some(offer) => {
            html! { <Shown key={offer.fragment.clone()} ..Part { dispatch: props.dispatch.clone(), shows: offer.clone() } /> }
        }
        None => html! {},
    }
}

#[component]
fn Shown(props: &Part<Offer>) -> Html {
    let Part { dispatch, shows: offer } = props;
    let dialog = use_modal(true);
    let short = use_state(|| Short::Asking);
    let look = use_state(Look::default);
    {
        let short = short.clone();
        use_effect_with((), move |()| {
            spawn_local(async move {
                short.set(match browser::server_shares().await {
                    Some(true) => Short::Possible,
                    Some(false) => Short::Unavailable,
                    None => Short::Silent,
                });
            });
        });
    }
    let make = {
        let (short, offer, look) = (short.clone(), offer.clone(), *look);
        Callback::from(move |_: MouseEvent| {
            let (short, offer) = (short.clone(), offer.clone());
            short.set(Short::Sending);
            spawn_local(async move {
                short.set(match stored::save(&offer.what, look).await {
                    Ok(link) => Short::Made(link),
                    Err(why) => Short::Failed(why),
                });
            });
        })
    };
    let choose = {
        let (short, look) = (short.clone(), look.clone());
        Callback::from(move |chosen: Look| {
            look.set(chosen);
            // The look is stored with the program: another one needs another link.
            if matches!(*short, Short::Made(_) | Short::Failed(_)) {
                short.set(Short::Possible);
            }
        })
    };
    let (field, again) = (use_node_ref(), use_node_ref());
    {
        let (field, again) = (field.clone(), again.clone());
        let came = (matches!(*short, Short::Made(_)), matches!(*short, Short::Failed(_)));
        use_effect_with(came, move |(is_made, has_failed)| {
            // The button that had the focus was removed or disabled. If the user has moved the focus since then, it stays there.
            if !browser::focus_is_idle() {
                return;
            }
            if let Some(field) = field.cast::<HtmlInputElement>().filter(|_| *is_made) {
                let _ = field.focus();
                field.select();
            }
            if let Some(again) = again.cast::<HtmlElement>().filter(|_| *has_failed) {
                let _ = again.focus();
            }
        });
    }
    let host = browser::window().location().host().unwrap_or_default();
    let made = match &*short {
        Short::Made(link) => Some(link),
        Short::Asking | Short::Unavailable | Short::Silent | Short::Possible | Short::Sending | Short::Failed(_) => {
            None
        }
    };
    let best = made.unwrap_or(&offer.link);
    let title = offer.what.title();
    let markdown = format!("[{title}]({best})");
    let embed = format!(
        "<iframe src=\"{}\" title=\"mclive playground\" width=\"100%\" height=\"420\" loading=\"lazy\"></iframe>",
        made.map_or_else(
            || browser::address(&format!("embed/{}{}", offer.fragment, look.suffix())).replace('&', "&amp;"),
            |link| short::embed(link)
        ),
    );
    let cut = if offer.link.len() > LONG { " Some chat programs truncate links this long." } else { "" };
    let whole = match &offer.what {
        Offered::Program(program) if program.has_scenario() => "the whole program with its scenario",
        Offered::Program(_) => "the whole program",
        Offered::Recording(_) => "the whole run with its program",
    };
    let close = dialog::close(&dialog);
    html! {
        <dialog ref={dialog} class="explained links" aria-labelledby="links-title" onclose={dispatch.on(Action::Offer(None))}>
            <header>
                <h2 id="links-title">{ "Share" }</h2>
                <button class="button only-icon plain" onclick={close} aria-label="Close">{ icon(Icon::Close) }</button>
            </header>
            <div class="prose">
                if let Offered::Recording(_) = offer.what { <p>{ title }</p> }
                <h3>{ format!("Long link ({} characters)", offer.link.len()) }</h3>
                <p>{ format!("Contains {whole}: nothing is uploaded or stored.{cut}") }</p>
                { copied(dispatch, "long link", &offer.link) }
                <h3>{ made.map_or_else(|| "Short link".to_owned(), |link| format!("Short link ({} characters)", link.len())) }</h3>
                {
                    match &*short {
                        Short::Asking => html! { <p role="status">{ "Contacting the server…" }</p> },
                        Short::Unavailable => html! { <p>{ format!("{host} does not store programs. Use the long link.") }</p> },
                        Short::Silent => html! { <p role="alert">{ format!("{host} did not answer in time. Use the long link.") }</p> },
                        Short::Possible | Short::Sending => html! {
                            <>
                                <p>{ format!("Uploads {whole} to {host}, where it is stored permanently. Anyone with the link can read it.") }</p>
                                <button class="button primary" disabled={*short == Short::Sending} onclick={make}>
                                    { "Create a short link" }
                                </button>
                            </>
                        },
                        Short::Made(link) => copied_from(field, dispatch, "short link", link),
                        Short::Failed(why) => html! {
                            <>
                                <p role="alert">{ format!("Could not create a short link: {}.", as_label(why)) }</p>
                                <button ref={again} class="button" onclick={make}>{ "Try again" }</button>
                            </>
                        },
                    }
                }
                <h3>{ "Download" }</h3>
                {
                    match &offer.what {
                        Offered::Program(program) => html! {
                            <>
                                { downloads(dispatch, program) }
                                { picture(dispatch, program, &offer.problems) }
                            </>
                        },
                        Offered::Recording(recording) => download(recording),
                    }
                }
                if let Offered::Program(_) = offer.what {
                    <h3>{ "Recorded run" }</h3>
                    <p>
                        { "The run of the displayed host so far, with its program. It opens here and with " }
                        <code>{ "mclive replay" }</code>{ "." }
                    </p>
                    <div class="downloads">
                        <button class="button" onclick={dispatch.on(Action::Record { for_link: false })}>{ "Download the run" }</button>
                        <button class="button" onclick={dispatch.on(Action::Record { for_link: true })}>{ "Share the run" }</button>
                    </div>
                }
                <h3>{ "QR code" }</h3>
                { qr(best) }
                <h3>{ "Markdown" }</h3>
                { copied(dispatch, "Markdown", &markdown) }
                <h3>{ "Embed in a page" }</h3>
                { looks(*look, *short == Short::Sending, &choose) }
                { copied(dispatch, "embed snippet", &embed) }
            </div>
        </dialog>
    }
}

/// How the program is shown where it is embedded. While it is being stored, that is settled.
fn looks(look: Look, is_settled: bool, choose: &Callback<Look>) -> Html {
    let theme = {
        let choose = choose.clone();
        Callback::from(move |event: Event| {
            let field: HtmlSelectElement = event.target_unchecked_into();
            let theme = [Theme::Light, Theme::Dark].into_iter().find(|theme| theme.name() == field.value());
            choose.emit(Look { theme, ..look });
        })
    };
    let read_only = {
        let choose = choose.clone();
        Callback::from(move |event: Event| {
            let field: HtmlInputElement = event.target_unchecked_into();
            choose.emit(Look { read_only: field.checked(), ..look });
        })
    };
    let option = |value: &'static str, label: &'static str, theme| {
        html! { <option {value} selected={look.theme == theme}>{ label }</option> }
    };
    html! {
        <div class="downloads">
            <label>{ "Theme " }
                <select onchange={theme} disabled={is_settled}>
                    { option("", "as on the reader's system", None) }
                    { option("light", "light", Some(Theme::Light)) }
                    { option("dark", "dark", Some(Theme::Dark)) }
                </select>
            </label>
            <label><input type="checkbox" checked={look.read_only} onchange={read_only} disabled={is_settled} />{ " Read-only" }</label>
        </div>
    }
}

/// A recorded run as a download.
fn download(recording: &Recording) -> Html {
    let trace = recording.trace.clone();
    let save = Callback::from(move |_: MouseEvent| browser::save_bytes(RECORDED, &trace));
    html! { <div class="downloads"><button class="button" onclick={save}>{ RECORDED }</button></div> }
}

/// A text, and a button that copies it to the clipboard.
fn copied(dispatch: &Dispatch, what: &'static str, text: &str) -> Html {
    copied_from(NodeRef::default(), dispatch, what, text)
}

/// The same in a field that can be referred to.
fn copied_from(field: NodeRef, dispatch: &Dispatch, what: &'static str, text: &str) -> Html {
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
            <input ref={field} type="text" readonly=true value={text.to_owned()} aria-label={what} />
            <button class="button" onclick={copy} aria-label={format!("Copy the {what}")}>{ "Copy" }</button>
        </div>
    }
}

/// The displayed file as a picture.
fn picture(dispatch: &Dispatch, program: &Program, problems: &Shared<Vec<Diagnostic>>) -> Html {
    let (program, problems) = (program.clone(), problems.clone());
    if program.shown().binary.is_some() {
        return html! {};
    }
    let name = program.shown().name.to_string();
    let draw = Callback::from(move |()| {
        let file = program.shown();
        let own: Vec<&Diagnostic> =
            problems.iter().filter(|one| file_of(&program, one) == program.shown_index()).collect();
        let (text, n_more) = code::head(&file.text);
        code::board(&file.name, &browser::coloured_file(&file.name, text), n_more, &own)
    });
    html! { <div class="downloads"><Pictures dispatch={dispatch.clone()} what="displayed file" {name} {draw} /></div> }
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
                <button class="button" onclick={only}>{ as_label(&file.name) }</button>
            } else {
                <button class="button" onclick={archive} title="All files in one text file, which can be opened or pasted here">{ "Text archive" }</button>
            }
            <button class="button" onclick={zip}>{ "Zip" }</button>
        </div>
    }
}
