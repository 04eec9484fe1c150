//! A few boxes of a graph, which are drawn together.

use super::{Face, Shape};
use crate::graphs::layout::Rect;
use crate::graphs::portions::has;
use crate::page::icons::strokes;
use crate::state::Shared;
use std::rc::Rc;
use yew::prelude::*;

/// The looks of a tile's boxes, in addition to their faces: a bit for each box.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Look {
    /// Those with texts and icons.
    pub(super) read: u32,
    pub(super) found: u32,
    pub(super) around: u32,
    pub(super) led: u32,
    pub(super) selected: u32,
    /// The one that Tab leads to.
    pub(super) focusable: u32,
}

#[derive(Properties, PartialEq, Clone)]
pub(super) struct TileProps {
    pub(super) shape: Shared<Shape>,
    /// Its first box.
    pub(super) first: usize,
    pub(super) faces: Rc<[Face]>,
    pub(super) look: Look,
}

#[component]
pub(super) fn Tile(props: &TileProps) -> Html {
    let boxes = props.shape.drawing.boxes.iter().enumerate().skip(props.first);
    boxes.zip(props.faces.iter()).map(|((index, rect), face)| vertex(&props.look, index, face, rect)).collect()
}

/// A vertex. Its events are handled by the graph ([`super::GraphView`]), since listeners of each vertex would take time.
///
/// It has a position instead of a transform: browsers paint each element with a transform separately.
fn vertex(look: &Look, index: usize, face: &Face, rect: &Rect) -> Html {
    let is = |bits: u32| has(bits, index);
    let class = classes!(
        "vertex",
        face.state.map_or("", |(class, _)| class),
        is(look.found).then_some("found"),
        is(look.around).then_some("around"),
        is(look.led).then_some("led"),
        is(look.selected).then_some("selected"),
        (!is(look.read)).then_some("plain"),
    );
    let fresh = (face.n_changes > 0).then_some(if face.n_changes.is_multiple_of(2) { "fresh again" } else { "fresh" });
    html! {
        <g key={index} {class} role="button" tabindex={if is(look.focusable) { "0" } else { "-1" }} data-name={face.label.clone()}
            aria-pressed={is(look.selected).to_string()} data-vertex={index.to_string()}>
            <title>{ &face.label }</title>
            // A different name restarts the animation. A new element would too, but would lose a click that
            // began on the one before.
            <rect class={fresh} x={number(rect.x)} y={number(rect.y)} width={rect.w.to_string()} height={rect.h.to_string()} rx="7" />
            if is(look.read) { { texts(face, rect) } }
        </g>
    }
}

/// What can be read in a box, and its icons.
fn texts(face: &Face, rect: &Rect) -> Html {
    let x = rect.x + if face.icon.is_some() { 34.0 } else { 12.0 };
    let (title_y, note_y) = if face.note.is_empty() { (rect.h / 2.0 + 4.5, 0.0) } else { (18.5, 33.5) };
    let middle = rect.y + rect.h / 2.0;
    html! {
        <>
            if let Some(shape) = face.icon {
                <g class="kind" transform={format!("translate({:.1} {:.1})", rect.x + 10.0, middle - 8.0)}>{ strokes(shape) }</g>
            }
            <text class="title" x={number(x)} y={number(rect.y + title_y)}>{ &face.title }</text>
            if !face.note.is_empty() { <text class="note" x={number(x)} y={number(rect.y + note_y)}>{ &face.note }</text> }
            if let Some((_, mark)) = face.state {
                <g class="mark" transform={format!("translate({:.1} {:.1}) scale(0.88)", rect.x + rect.w - 22.0, middle - 7.0)}>
                    { strokes(mark) }
                </g>
            }
        </>
    }
}

fn number(of: f32) -> String {
    format!("{of:.1}")
}
