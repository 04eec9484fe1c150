//! The menu of programs: one's files and links, the examples, and earlier work.

use super::from_link::FromLink;
use super::history;
use super::icons::{Icon, icon};
use super::memory;
use super::menu::Menu;
use super::store::Part;
use crate::examples;
use crate::shown::as_label;
use crate::state::Action;
use yew::prelude::*;

/// The menu, which opens below its button. The ways to open one's own program are first: below the examples, they would
/// be out of sight.
#[component]
pub(super) fn Programs(props: &Part<Option<usize>>) -> Html {
    let open = use_state(|| false);
    let dispatch = &props.dispatch;
    let pick_file = {
        let dispatch = dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.pick_files())
    };
    let pick_folder = {
        let dispatch = dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.pick_folder())
    };
    let asks_link = use_state(|| false);
    let ask_link = {
        let asks_link = asks_link.clone();
        Callback::from(move |_: MouseEvent| asks_link.set(true))
    };
    let end_link = {
        let asks_link = asks_link.clone();
        Callback::from(move |()| asks_link.set(false))
    };
    let current = props.shows;
    let example = |(index, example): (usize, &'static examples::Example)| {
        let dispatch = dispatch.clone();
        let pick = Callback::from(move |_: MouseEvent| dispatch.send(Action::Opened(example.program())));
        html! {
            <li key={example.name}>
                <button class="menu-item" onclick={pick} aria-current={(current == Some(index)).then_some("true")}>
                    <strong>{ example.title }</strong><span>{ example.about }</span>
                </button>
            </li>
        }
    };
    let earlier = if *open { earlier_work(props) } else { Html::default() };
    let title = current.map_or("Examples", |index| examples::ALL[index].title);
    html! {
        <>
            <Menu id="examples" class="programs" label="Programs" title="Open an example or your own program"
                button={html! { <><span>{ title }</span>{ icon(Icon::Caret) }</> }} open={open.clone()}>
                <li class="menu-part menu-own">
                    <ul aria-label="Your own program">
                        { own("Files…", "Open program files, a zip file, a text archive or a recorded run, or drop them on the page", pick_file) }
                        { own("A folder…", "Open a program with its modules and data; nothing is uploaded", pick_folder) }
                        { own("A link…", "Open a shared program, or a file on an allowed server", ask_link) }
                    </ul>
                </li>
                <li class="menu-part menu-examples">
                    <p class="menu-title" id="menu-examples">{ "Examples" }</p>
                    <ul aria-labelledby="menu-examples">{ for examples::ALL.iter().enumerate().map(example) }</ul>
                </li>
                { earlier }
            </Menu>
            if *asks_link { <FromLink dispatch={dispatch.clone()} on_close={end_link} /> }
        </>
    }
}

/// A way to open one's own program.
fn own(title: &str, about: &str, pick: Callback<MouseEvent>) -> Html {
    html! {
        <li>
            <button class="menu-item" onclick={pick}><strong>{ title.to_owned() }</strong><span>{ about.to_owned() }</span></button>
        </li>
    }
}

/// The local history and the previous programs, if there are any.
fn earlier_work(props: &Part<Option<usize>>) -> Html {
    let (versions, earlier) = (history::versions(), memory::earlier());
    if versions.is_empty() && earlier.is_empty() {
        return Html::default();
    }
    let go_back = |(index, version): (usize, history::Version)| {
        let dispatch = props.dispatch.clone();
        let title = version.title();
        let about = as_label(&format!("{}: {}", version.program.about(), version.program.title()));
        let pick = Callback::from(move |_: MouseEvent| {
            let what = format!("the version from {}", version.moment());
            dispatch.send(Action::Restored { program: version.program.program(), what });
        });
        html! {
            <li key={index}>
                <button class="menu-item version" onclick={pick}><strong>{ title }</strong><span>{ about }</span></button>
            </li>
        }
    };
    let restore = |(index, program): (usize, memory::Earlier)| {
        let dispatch = props.dispatch.clone();
        let title = as_label(program.title());
        let about = as_label(&program.about());
        let pick = Callback::from(move |_: MouseEvent| {
            let what = "one of your previous programs".to_owned();
            dispatch.send(Action::Restored { program: program.program(), what });
        });
        html! {
            <li key={index}>
                <button class="menu-item earlier" onclick={pick}><strong>{ title }</strong><span>{ about }</span></button>
            </li>
        }
    };
    html! {
        <li class="menu-part">
            if !versions.is_empty() {
                <p class="menu-title" id="menu-versions">{ "Local history" }</p>
                <ul aria-labelledby="menu-versions">{ for versions.into_iter().enumerate().map(go_back) }</ul>
            }
            if !earlier.is_empty() {
                <p class="menu-title" id="menu-earlier">{ "Your previous programs" }</p>
                <ul aria-labelledby="menu-earlier">{ for earlier.into_iter().enumerate().map(restore) }</ul>
            }
            <Forget />
        </li>
    }
}

/// Deletes earlier work, if it is pressed twice.
#[component]
fn Forget() -> Html {
    let is_asked = use_state(|| false);
    let press = {
        let is_asked = is_asked.clone();
        Callback::from(move |event: MouseEvent| {
            if *is_asked {
                history::forget();
                memory::forget_earlier();
            } else {
                // The menu stays open.
                event.stop_propagation();
                is_asked.set(true);
            }
        })
    };
    let (title, about) = match *is_asked {
        false => ("Delete all…", "Remove the local history and the previous programs from this browser"),
        true => ("Delete everything?", "Press again to delete it. The displayed program is kept."),
    };
    html! {
        <button class="menu-item forget" onclick={press} aria-live="polite"><strong>{ title }</strong><span>{ about }</span></button>
    }
}
