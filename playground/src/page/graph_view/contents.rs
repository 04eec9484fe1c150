//! The boxes and lines of a graph.

use super::flow::Flow;
use super::lines::Lines;
use super::tile::{Look, Tile, TileProps};
use super::{Face, GraphProps};
use crate::graphs::portions::{TILE, Urgency, bits};
use crate::graphs::sight::reads;
use crate::page::portions::use_portions;
use std::rc::Rc;
use yew::prelude::*;

/// Additional costs of a new box, of a box with texts, and of its texts if they are new. Units: the cost of updating a box
/// without texts.
const MADE: usize = 1;
const READ: usize = 2;
const NEW: usize = 4;

/// The boxes and lines. Separate from the window, so that moving it redraws only what comes into sight.
#[component]
pub(super) fn Contents(props: &GraphProps) -> Html {
    let faces = props.faces.get(..props.shape.drawing.boxes.len()).unwrap_or(&props.faces);
    let (looks, seen) = looks(props, faces.len());
    let tile = |(at, (faces, look)): (usize, (&[Face], &Look))| TileProps {
        shape: props.shape.clone(),
        first: at * TILE,
        faces: Rc::from(faces),
        look: *look,
    };
    let wanted: Vec<TileProps> = faces.chunks(TILE).zip(&looks).enumerate().map(tile).collect();
    let drawn = use_portions(wanted, move |at, before: Option<&TileProps>, wanted: &TileProps| {
        let is_seen = seen.get(at).is_some_and(|seen| *seen > 0);
        weighed(before, wanted, is_seen)
    });
    let tile = |tile: TileProps| {
        let TileProps { shape, first, faces, look } = tile;
        html! { <Tile key={first} {shape} {first} {faces} {look} /> }
    };
    // A list with keys has nothing else in it.
    let tiles: Html = drawn.into_iter().flatten().map(tile).collect();
    html! {
        <>
            <Lines shape={props.shape.clone()} selected={props.selected} around={props.around.clone()} led={props.led.clone()} />
            <g aria-hidden="true"><Flow shape={props.shape.clone()} faces={props.faces.clone()} /></g>
            { tiles }
        </>
    }
}

/// How urgent a tile is, and what it costs.
fn weighed(before: Option<&TileProps>, wanted: &TileProps, is_seen: bool) -> (Urgency, usize) {
    let (was, look) = (before.map(|before| before.look).unwrap_or_default(), wanted.look);
    let urgency = match is_seen {
        _ if (was.selected, was.focusable) != (look.selected, look.focusable) => Urgency::Now,
        true => Urgency::Seen,
        false => Urgency::Unseen,
    };
    let n = wanted.faces.len();
    let made = if before.is_none() { MADE * n } else { 0 };
    let read = READ * look.read.count_ones() as usize + NEW * (look.read & !was.read).count_ones() as usize;
    (urgency, n + made + read)
}

/// The wanted look of each tile, and the bits of its boxes that are in sight.
fn looks(props: &GraphProps, n_boxes: usize) -> (Vec<Look>, Vec<u32>) {
    let boxes = || props.shape.drawing.boxes.iter().take(n_boxes).zip(0..);
    let sight = props.sight.as_ref();
    let in_sight = boxes().filter(|(rect, _)| sight.is_some_and(|sight| sight.holds(rect)));
    let in_sight: Vec<u32> = in_sight.map(|(_, at)| at).collect();
    let read: Vec<u32> = boxes().filter(|(rect, _)| reads(sight, rect, n_boxes)).map(|(_, at)| at).collect();
    let [read, found, around, led] =
        [&read, &*props.found, &*props.around, &*props.led].map(|listed| bits(n_boxes, listed));
    let (selected, focusable) =
        (bits(n_boxes, props.selected.as_slice()), bits(n_boxes, &[props.selected.unwrap_or(0)]));
    let of = |bits: &[u32], tile: usize| bits.get(tile).copied().unwrap_or(0);
    let look = |tile: usize| Look {
        read: of(&read, tile),
        found: of(&found, tile),
        around: of(&around, tile),
        led: of(&led, tile),
        selected: of(&selected, tile),
        focusable: of(&focusable, tile),
    };
    ((0..read.len()).map(look).collect(), bits(n_boxes, &in_sight))
}
