//! Pictures of views as files, in the colours of the page: SVG and PNG.

use super::browser;
use super::icons::{Icon, icon};
use super::store::Dispatch;
use crate::graphs::board::Board;
use crate::state::{Action, Notice, Tone};
use yew::platform::spawn_local;
use yew::prelude::*;

/// A picture.
pub(super) struct Drawn {
    pub(super) svg: String,
    /// Units: pixels at scale 1.
    pub(super) size: (f32, f32),
}

impl Drawn {
    /// The picture of a board, in the colours of the page.
    pub(super) fn of(board: &Board) -> Drawn {
        Drawn { svg: board.to_svg(&colours()), size: board.size() }
    }
}

/// The colours of the page, by their names in its style sheet.
pub(super) fn colours() -> impl Fn(&str) -> String {
    let style = browser::root_style();
    move |name: &str| {
        let value = style.as_ref().and_then(|style| style.get_property_value(&format!("--{name}")).ok());
        value.unwrap_or_default().trim().to_owned()
    }
}

pub(super) fn save_png(dispatch: &Dispatch, name: String, drawn: Drawn) {
    let dispatch = dispatch.clone();
    spawn_local(async move {
        match browser::save_picture(&name, &drawn.svg, drawn.size).await {
            Ok(scale) if scale < 1.0 => {
                let percent = (scale * 100.0).max(1.0) as u32;
                let text = format!(
                    "The picture is large, so this PNG is scaled down to {percent} %. Save it as SVG to keep every detail."
                );
                dispatch.send(Action::Say(Some(Notice { tone: Tone::Good, text })));
            }
            Ok(_) => {}
            Err(why) => dispatch.complain(&why),
        }
    });
}

#[derive(Properties, PartialEq, Clone)]
pub(super) struct PicturesProps {
    pub(super) dispatch: Dispatch,
    /// What is drawn, such as `host`.
    pub(super) what: &'static str,
    /// The name of the file, without its extension.
    pub(super) name: AttrValue,
    pub(super) draw: Callback<(), Board>,
}

/// Buttons that save a view as a picture.
#[component]
pub(super) fn Pictures(props: &PicturesProps) -> Html {
    let what = props.what;
    let button = |suffix: &'static str, give: fn(&Dispatch, String, Drawn)| {
        let props = props.clone();
        let save = Callback::from(move |_: MouseEvent| {
            let drawn = Drawn::of(&props.draw.emit(()));
            give(&props.dispatch, format!("{}.{suffix}", props.name), drawn);
        });
        let form = suffix.to_uppercase();
        html! {
            <button class="button" onclick={save} aria-label={format!("Save the {what} as {form}")} title={format!("Save the {what} as a picture ({form})")}>
                { form.clone() }
            </button>
        }
    };
    html! {
        <span class="pictures" role="group" aria-label={format!("Save the {what} as a picture")}>
            { icon(Icon::Save) }
            { button("svg", |_, name, drawn| browser::save_text(&name, &drawn.svg)) }
            { button("png", save_png) }
        </span>
    }
}
