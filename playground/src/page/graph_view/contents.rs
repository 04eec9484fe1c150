//! The boxes and lines of a graph.

use super::flow::Flow;
use super::lines::lines;
use super::{Face, GraphProps};
use crate::graphs::layout::Rect;
use crate::page::icons::strokes;
use web_sys::KeyboardEvent;
use yew::prelude::*;

/// The boxes and lines. Separate from the window, so that moving it redraws none of them.
#[component]
pub(super) fn Contents(props: &GraphProps) -> Html {
    let focusable = props.selected.unwrap_or(0);
    html! {
        <>
            <g class="edges" aria-hidden="true">{ lines(props) }</g>
            <g aria-hidden="true"><Flow shape={props.shape.clone()} faces={props.faces.clone()} /></g>
            { for props.faces.iter().zip(&props.shape.drawing.boxes).enumerate().map(|(index, (face, rect))| {
                vertex(props, index as u32, face, rect, index as u32 == focusable)
            }) }
        </>
    }
}

fn vertex(props: &GraphProps, index: u32, face: &Face, rect: &Rect, focusable: bool) -> Html {
    let select = {
        let on_select = props.on_select.clone();
        Callback::from(move |_: MouseEvent| on_select.emit(Some(index)))
    };
    let press = {
        let on_select = props.on_select.clone();
        Callback::from(move |event: KeyboardEvent| {
            // With Ctrl, Enter is a key of the page.
            let is_plain = !event.ctrl_key() && !event.meta_key();
            if is_plain && matches!(event.key().as_str(), "Enter" | " ") {
                event.prevent_default();
                on_select.emit(Some(index));
            }
        })
    };
    let selected = props.selected == Some(index);
    let found = props.found.binary_search(&index).is_ok().then_some("found");
    let around = props.around.binary_search(&index).is_ok().then_some("around");
    let led = props.led.binary_search(&index).is_ok().then_some("led");
    let state = face.state.map_or("", |(class, _)| class);
    let fresh = (face.n_changes > 0).then_some(if face.n_changes.is_multiple_of(2) { "fresh again" } else { "fresh" });
    let text_x = if face.icon.is_some() { 34 } else { 12 };
    let (title_y, note_y) = if face.note.is_empty() { (rect.h / 2.0 + 4.5, 0.0) } else { (18.5, 33.5) };
    html! {
        <g key={index} class={classes!("vertex", state, found, around, led, selected.then_some("selected"))} role="button"
            tabindex={if focusable { "0" } else { "-1" }} data-name={face.label.clone()} aria-pressed={selected.to_string()}
            data-vertex={index.to_string()} transform={format!("translate({:.1} {:.1})", rect.x, rect.y)}
            onclick={select} onkeydown={press}>
            <title>{ &face.label }</title>
            // With another name the animation begins again. Another element would too, but would take a click with it that
            // began on the one before.
            <rect class={fresh} width={rect.w.to_string()} height={rect.h.to_string()} rx="7" />
            if let Some(shape) = face.icon {
                <g class="kind" transform={format!("translate(10 {:.1})", rect.h / 2.0 - 8.0)}>{ strokes(shape) }</g>
            }
            <text class="title" x={text_x.to_string()} y={title_y.to_string()}>{ &face.title }</text>
            if !face.note.is_empty() { <text class="note" x={text_x.to_string()} y={note_y.to_string()}>{ &face.note }</text> }
            if let Some((_, mark)) = face.state {
                <g class="mark" transform={format!("translate({:.1} {:.1})", rect.w - 22.0, rect.h / 2.0 - 7.0)}>
                    <g transform="scale(0.88)">{ strokes(mark) }</g>
                </g>
            }
        </g>
    }
}
