//! The simulated host: its files, and controls to change them by hand.

use super::compare::Changes;
use super::host_files::Tree;
use super::host_picture;
use super::icons::{Icon, icon};
use super::picture::Pictures;
use super::store::{Dispatch, Part};
use super::views::empty;
use super::world::{self, Holdings};
use crate::shown::as_label;
use crate::state::shows::{FilesShow, HostShows};
use crate::state::{Action, Moments, Section, Selection, Shared};
use crate::worker::protocol::Request;
use mclive_base::shapes::host::{FleetAction, HostAction, HostFile, HostFileKind};
use std::collections::BTreeMap;
use web_sys::{HtmlInputElement, HtmlTextAreaElement, KeyboardEvent};
use yew::prelude::*;

#[component]
pub(super) fn HostView(props: &Part<HostShows>) -> Html {
    let dispatch = &props.dispatch;
    let (hostname, clock_s, files, section, holdings, kept, now) = match &props.shows {
        HostShows::Off => return empty(Icon::Host, "The host is off", "It starts when the program has no errors."),
        HostShows::Recorded => {
            return empty(
                Icon::Host,
                "No files to show",
                "This is a recorded run, which does not include the files of its host.",
            );
        }
        HostShows::Running { hostname, clock_s, files, section, holdings, kept, now, .. } => {
            (hostname, *clock_s, files, *section, holdings, kept, now)
        }
    };
    let FilesShow { all: files, chosen: [chosen, first], managers, selected } = &**files;
    let named = |path: &Option<String>| path.as_ref().and_then(|path| files.iter().find(|file| file.path == *path));
    let shown = named(chosen)
        .or_else(|| named(first).filter(|file| file.kind == HostFileKind::File))
        .or_else(|| files.iter().find(|file| file.kind == HostFileKind::File));
    let choice = |of: Section, words: &str| {
        let pick = dispatch.on::<MouseEvent>(Action::ShowSection(of));
        html! { <button class="button" aria-pressed={(section == of).to_string()} onclick={pick}>{ words.to_owned() }</button> }
    };
    html! {
        <div class="host">
            <div class="host-bar">
                <HostName dispatch={dispatch.clone()} hostname={as_label(hostname)} />
                { clock_face(clock_s) }
                { arrangement(dispatch, &props.shows) }
                <div class="parts" role="group" aria-label="Host view">
                    { choice(Section::Files, "Files") }
                    { choice(Section::World, "Everything else") }
                    { choice(Section::Changes, "Changes") }
                </div>
                { pictures(dispatch, &props.shows) }
            </div>
            if section == Section::World {
                <Holdings dispatch={dispatch.clone()} shows={holdings.clone()} />
            } else if section == Section::Changes {
                <Changes dispatch={dispatch.clone()} kept={kept.clone()} now={(**now).clone()} />
            } else {
            <div class="host-files">
                <div class="tree-side">
                    { new_file(dispatch, files) }
                    <Tree dispatch={dispatch.clone()} files={files.clone()} shown={shown.map(|file| file.path.clone())} />
                </div>
                { shown.map_or_else(
                    || empty(Icon::File, "No file", "The program has not created any files yet."),
                    |file| {
                        let manager = manager(managers, &file.path);
                        let moments = selected.clone().filter(|(id, _)| Some(id) == manager.as_ref()).map(|(_, moments)| moments);
                        html! { <FileView key={file.path.clone()} dispatch={dispatch.clone()} file={file.clone()} {manager} {moments} /> }
                    },
                ) }
            </div>
            }
        </div>
    }
}

/// Saves the host as a picture.
fn pictures(dispatch: &Dispatch, shows: &HostShows) -> Html {
    let HostShows::Running { host, .. } = shows else { return html! {} };
    let name = format!("host-{}", as_label(host));
    let shows = shows.clone();
    let draw = Callback::from(move |()| host_picture::board(&shows));
    html! { <Pictures dispatch={dispatch.clone()} what="host" {name} {draw} /> }
}

#[derive(Properties, PartialEq, Clone)]
struct HostNameProps {
    dispatch: Dispatch,
    hostname: AttrValue,
}

/// It is rendered again only when the name changes, so what is being typed stays while the host changes.
#[component]
fn HostName(props: &HostNameProps) -> Html {
    let HostNameProps { dispatch, hostname } = props;
    let left = {
        let hostname = hostname.clone();
        Callback::from(move |event: FocusEvent| event.target_unchecked_into::<HtmlInputElement>().set_value(&hostname))
    };
    html! {
        <label><span>{ "Host name" }</span><input type="text" value={hostname.clone()} onchange={rename(dispatch)} onblur={left} spellcheck="false" autocomplete="off" /></label>
    }
}

fn rename(dispatch: &Dispatch) -> Callback<Event> {
    let dispatch = dispatch.clone();
    Callback::from(move |event: Event| {
        let name = event.target_unchecked_into::<HtmlInputElement>().value();
        let hostname = name.trim().to_owned();
        if !hostname.is_empty() {
            dispatch.send(Action::Asked(Request::Act { action: HostAction::Rename { hostname } }));
        }
    })
}

/// An input for a path: Enter makes an empty file there, or a directory if it ends in a slash. What exists is shown.
fn new_file(dispatch: &Dispatch, files: &Shared<Vec<HostFile>>) -> Html {
    let (dispatch, files) = (dispatch.clone(), files.clone());
    let keys = Callback::from(move |event: KeyboardEvent| {
        if event.key() != "Enter" {
            return;
        }
        let field: HtmlInputElement = event.target_unchecked_into();
        let text = field.value();
        let path = text.trim().trim_end_matches('/');
        if !path.starts_with('/') {
            return dispatch.complain("the path of a new file must begin with `/`");
        }
        let known = files.iter().find(|file| file.path.trim_end_matches('/') == path);
        if known.is_none() {
            let path = path.to_owned();
            let action = match text.trim().ends_with('/') {
                true => HostAction::MakeDir { path },
                false => HostAction::Write { path, text: String::new() },
            };
            dispatch.send(Action::Asked(Request::Act { action }));
        }
        dispatch.send(Action::ShowFile(known.map_or(path, |file| file.path.as_str()).to_owned()));
        field.set_value("");
    });
    html! {
        <input class="new-file" type="text" onkeydown={keys} placeholder="New file" aria-label="New file" spellcheck="false" autocomplete="off"
            autocapitalize="off" title="Create a file at this path, or a directory if the path ends with a slash (Enter)" />
    }
}

/// The clock of the host. A small screen shows the time of day only.
fn clock_face(seconds: i64) -> Html {
    let text = clock(seconds);
    let (date, time) = text.split_once(' ').unwrap_or(("", text.as_str()));
    html! {
        <span class="clock">{ icon(Icon::Clock) }<span><span class="date">{ format!("{date} ") }</span>{ time.to_owned() }</span></span>
    }
}

/// Seconds since 1970 as a date, in UTC.
pub(super) fn clock(seconds: i64) -> String {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Howard Hinnant's days-to-civil, for the Gregorian calendar.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC", rest / 3600, rest / 60 % 60, rest % 60)
}

#[derive(Properties, PartialEq)]
struct FileProps {
    dispatch: Dispatch,
    file: HostFile,
    /// The resource that manages it.
    manager: Option<String>,
    /// What happened to that resource, if it is selected.
    moments: Option<Shared<Moments>>,
}

/// A directory may be described with a final slash.
fn manager(managers: &BTreeMap<String, String>, path: &str) -> Option<String> {
    managers.get(path).or_else(|| managers.get(&format!("{path}/"))).cloned()
}

/// Actions on the fleet from the selected host.
fn arrangement(dispatch: &Dispatch, shows: &HostShows) -> Html {
    let HostShows::Running { host, is_paused, is_disconnected, next_host, has_others, .. } = shows else {
        return html! {};
    };
    // A small screen shows the icons only.
    let button = |shape: Icon, words: &str, title: &str, action: FleetAction| {
        let act = dispatch.ask(Request::Arrange { action });
        html! { <button class="button" title={title.to_owned()} onclick={act}>{ icon(shape) }<span>{ words.to_owned() }</span></button> }
    };
    let host = || host.clone();
    html! {
        <div class="arrange" role="group" aria-label="The fleet">
            if *is_paused {
                { button(Icon::Play, "Resume", "Resume this host", FleetAction::Resume { host: host() }) }
            } else {
                { button(Icon::Pause, "Pause host", "Freeze this host and disconnect it from the others", FleetAction::Pause { host: host() }) }
            }
            if *is_disconnected {
                { button(Icon::Link, "Reconnect", "Connect this host to the shared store again", FleetAction::Reconnect { host: host() }) }
            } else if *has_others {
                { button(Icon::Unlink, "Disconnect", "Disconnect this host from the shared store; it keeps running", FleetAction::Disconnect { host: host() }) }
            }
            if *has_others && next_host.is_some() {
                { button(Icon::Minus, "Remove host", "Remove this host", FleetAction::Remove { host: host() }) }
            }
            if let Some(name) = next_host {
                { button(Icon::Plus, "Add host", "Add a host that runs the same program", FleetAction::Add { host: name.clone() }) }
            }
        </div>
    }
}

/// One file: its attributes, and its content to read and to change.
#[component]
fn FileView(props: &FileProps) -> Html {
    let file = &props.file;
    // The text being typed; until it is written, changes of the host do not affect it.
    let draft = use_state(|| None::<String>);
    let act = |action: HostAction| props.dispatch.ask(Request::Act { action });
    let typed = {
        let draft = draft.clone();
        Callback::from(move |event: InputEvent| {
            draft.set(Some(event.target_unchecked_into::<HtmlTextAreaElement>().value()))
        })
    };
    let write = {
        let (draft, dispatch, path) = (draft.clone(), props.dispatch.clone(), file.path.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(text) = (*draft).clone() {
                dispatch.send(Action::Asked(Request::Act { action: HostAction::Write { path: path.clone(), text } }));
                draft.set(None);
            }
        })
    };
    let drop_draft = {
        let draft = draft.clone();
        Callback::from(move |_: MouseEvent| draft.set(None))
    };
    let path = file.path.clone();
    let partial = partial(file);
    html! {
        <div class="file">
            <header>
                <h2>{ as_label(&file.path) }</h2>
                <p>{ format!("{} · {} bytes", mode_text(file), file.size) }</p>
                <p class="rights">
                    <Attribute dispatch={props.dispatch.clone()} path={file.path.clone()} name="mode" label="Mode" value={format!("{:04o}", file.mode)} />
                    <Attribute dispatch={props.dispatch.clone()} path={file.path.clone()} name="owner" label="Owner"
                        value={as_label(&format!("{}:{}", file.owner, file.group))} />
                </p>
                if let Some(id) = &props.manager {
                    <p class="managed">{ "Managed by " }
                        <button class="link" title="Show what led to this" aria-pressed={props.moments.is_some().to_string()}
                            onclick={props.dispatch.on(Action::Select(Some(Selection::Resource(id.clone()))))}>{ as_label(id) }</button>
                    </p>
                    if let Some(moments) = &props.moments { { super::log::last(&props.dispatch, moments) } }
                }
            </header>
            {
                match file.kind {
                    HostFileKind::File => html! {
                        <>
                            if let Some(words) = &partial { <p class="partial">{ words.clone() }</p> }
                            // What is typed into a part would replace all of it.
                            <textarea value={(*draft).clone().unwrap_or_else(|| file.text.clone())} oninput={typed} spellcheck="false"
                                readonly={partial.is_some()} aria-label={format!("Content of {}", as_label(&file.path))} />
                        </>
                    },
                    HostFileKind::Dir => html! { <p class="none">{ "A directory." }</p> },
                    HostFileKind::Link => html! { <p>{ "A link to " }<code>{ as_label(&file.text) }</code></p> },
                }
            }
            <div class="break" role="group" aria-label="Break it">
                if draft.is_some() {
                    <button class="button primary" onclick={write}>{ "Save file" }</button>
                    <button class="button" onclick={drop_draft}>{ "Cancel" }</button>
                } else {
                    <span>{ "Break it:" }</span>
                    if file.kind == HostFileKind::File {
                        <button class="button danger" onclick={act(HostAction::Write { path: path.clone(), text: "someone was here\n".into() })}>{ "change it" }</button>
                    }
                    <button class="button danger" onclick={act(HostAction::Remove { path: path.clone() })}>{ "delete it" }</button>
                    <button class="button danger" onclick={act(HostAction::SetMode { path, mode: 0 })}>{ "chmod 0" }</button>
                }
            </div>
        </div>
    }
}

/// The note on a file whose content is not, or not completely, displayed.
fn partial(file: &HostFile) -> Option<String> {
    match file.text.len() as u64 {
        n if n >= file.size => None,
        0 => Some("The content is not text.".to_owned()),
        n => {
            Some(format!("The first {n} bytes; {} more are not shown, so the content cannot be edited.", file.size - n))
        }
    }
}

#[derive(Properties, PartialEq, Clone)]
struct AttributeProps {
    dispatch: Dispatch,
    path: AttrValue,
    /// Its name in the vocabulary.
    name: &'static str,
    label: &'static str,
    value: AttrValue,
}

/// An editable attribute of a file. It is rendered again only when its value changes, so what is being typed stays while
/// the content of the file changes. A text that was refused stays to be corrected, until another field is chosen.
#[component]
fn Attribute(props: &AttributeProps) -> Html {
    let AttributeProps { dispatch, path, name, label, value } = props;
    let changed = world::changed(dispatch, "File", path, name);
    let left = {
        let value = value.clone();
        Callback::from(move |event: FocusEvent| event.target_unchecked_into::<HtmlInputElement>().set_value(&value))
    };
    html! {
        <label>{ *label }<input type="text" value={value.clone()} onchange={changed} onblur={left} spellcheck="false" autocomplete="off" /></label>
    }
}

/// `-rw-r--r--`.
pub(super) fn mode_text(file: &HostFile) -> String {
    let kind = match file.kind {
        HostFileKind::File => '-',
        HostFileKind::Dir => 'd',
        HostFileKind::Link => 'l',
    };
    let bits = (0..9).map(|bit| if file.mode >> (8 - bit) & 1 == 1 { ['r', 'w', 'x'][bit % 3] } else { '-' });
    std::iter::once(kind).chain(bits).collect()
}
