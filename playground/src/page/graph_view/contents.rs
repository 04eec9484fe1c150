//! The boxes and lines of a graph.

use super::flow::Flow;
use super::lines::Lines;
use super::tile::{Look, Tile, TileProps};
use super::{Face, GraphProps};
use crate::graphs::portions::{Stale, TILE, Urgency, bits, portion};
use crate::graphs::sight::reads;
use crate::page::frame::Frame;
use std::rc::Rc;
use yew::prelude::*;

/// What a box without its texts costs to be made, and a box with texts to be changed and to get them, in addition. Units: the cost
/// of a box without its texts that changes.
const MADE: usize = 1;
const READ: usize = 2;
const NEW: usize = 4;

/// The boxes and lines. Separate from the window, so that moving it redraws only what comes into sight.
#[component]
pub(super) fn Contents(props: &GraphProps) -> Html {
    let update = use_force_update();
    let drawn = use_mut_ref(Drawn::default);
    let tiles = {
        let mut drawn = drawn.borrow_mut();
        drawn.refresh(props);
        drawn.tiles.clone()
    };
    use_effect(move || {
        let mut now = drawn.borrow_mut();
        if !now.is_behind || now.is_asked {
            return;
        }
        let drawn = Rc::downgrade(&drawn);
        now.frame = Frame::next(move || {
            let Some(drawn) = drawn.upgrade() else { return };
            {
                let mut drawn = drawn.borrow_mut();
                (drawn.is_asked, drawn.is_spent) = (false, false);
            }
            update.force_update();
        });
        let is_asked = now.frame.is_some();
        now.is_asked = is_asked;
        now.is_spent &= is_asked;
    });
    let tile = |tile: TileProps| {
        let TileProps { shape, first, faces, look } = tile;
        html! { <Tile key={first} {shape} {first} {faces} {look} /> }
    };
    // A list with keys has nothing else in it.
    let tiles: Html = tiles.into_iter().flatten().map(tile).collect();
    html! {
        <>
            <Lines shape={props.shape.clone()} selected={props.selected} around={props.around.clone()} led={props.led.clone()} />
            <g aria-hidden="true"><Flow shape={props.shape.clone()} faces={props.faces.clone()} /></g>
            { tiles }
        </>
    }
}

/// What is drawn.
#[derive(Default)]
struct Drawn {
    /// In order; `None`: it is not there yet.
    tiles: Vec<Option<TileProps>>,
    /// The tile whose turn is next.
    next: usize,
    /// Whether some tiles are not as they should be.
    is_behind: bool,
    /// Whether the next frame has had its portion.
    is_spent: bool,
    /// Whether the next frame is waited for.
    is_asked: bool,
    frame: Option<Frame>,
}

impl Drawn {
    /// Draws what has changed, or a portion of it.
    fn refresh(&mut self, props: &GraphProps) {
        let faces = props.faces.get(..props.shape.drawing.boxes.len()).unwrap_or(&props.faces);
        let (looks, seen) = looks(props, faces.len());
        let n_tiles = looks.len();
        self.tiles.resize(n_tiles, None);
        let stale = |(tile, (faces, look)): (usize, (&[Face], &Look))| {
            let before = self.tiles.get(tile)?.as_ref();
            let is_drawn = |before: &TileProps| {
                before.shape == props.shape && before.look == *look && before.faces.iter().eq(faces)
            };
            if before.is_some_and(is_drawn) {
                return None;
            }
            let was = before.map(|before| before.look).unwrap_or_default();
            let urgency = match seen.get(tile) {
                _ if (was.selected, was.focusable) != (look.selected, look.focusable) => Urgency::Now,
                Some(seen) if *seen > 0 => Urgency::Seen,
                _ => Urgency::Unseen,
            };
            let made = if before.is_none() { MADE * faces.len() } else { 0 };
            let read = READ * look.read.count_ones() as usize + NEW * (look.read & !was.read).count_ones() as usize;
            let turn = (tile + n_tiles - self.next.min(n_tiles)) % n_tiles;
            Some(Stale { urgency, turn, tile, cost: faces.len() + made + read })
        };
        let stale: Vec<Stale> = faces.chunks(TILE).zip(&looks).enumerate().filter_map(stale).collect();
        let n_stale = stale.len();
        let chosen = portion(stale, self.is_spent);
        self.is_behind = chosen.len() < n_stale;
        self.is_spent |= self.is_behind;
        self.next = chosen.last().map_or(self.next, |last| last + 1);
        for at in chosen {
            let own = faces.chunks(TILE).nth(at).zip(looks.get(at));
            if let Some((tile, (faces, look))) = self.tiles.get_mut(at).zip(own) {
                *tile = Some(TileProps {
                    shape: props.shape.clone(),
                    first: at * TILE,
                    faces: Rc::from(faces),
                    look: *look,
                });
            }
        }
    }
}

/// For each tile how it should look, and the bits of its boxes that are in sight.
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
