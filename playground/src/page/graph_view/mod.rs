//! A graph as SVG: boxes, lines, and a window onto them that moves by pointer, wheel and keys.
//!
//! In: a [`Drawing`] and a face for each box. The component only displays the graph.

mod contents;
mod find;
mod flow;
mod focus;
mod lines;
mod mini;
mod room;
mod save;
mod tile;
mod window;

use super::browser;
use super::icons::{Icon, icon};
use super::store::Dispatch;
use crate::graphs::layout::Drawing;
use crate::graphs::sight::Sight;
use crate::state::{Action, Shared};
use crate::worker::protocol::Graph;
use contents::Contents;
use find::Find;
use mini::Mini;
use room::use_room;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, PointerEvent, WheelEvent};
use window::{LEGIBLE, Scales, Window, nearest};
use yew::prelude::*;

pub(super) use save::{Pictured, SaveMenu};

/// The content of a box.
#[derive(Clone, PartialEq)]
pub(super) struct Face {
    pub(super) title: AttrValue,
    pub(super) note: AttrValue,
    pub(super) icon: Option<Icon>,
    /// Class and mark of its state.
    pub(super) state: Option<(&'static str, Icon)>,
    /// For screen readers: its name, then its state or value.
    pub(super) label: AttrValue,
    pub(super) name: AttrValue,
    /// How often its value has changed: each change is visible for a moment.
    pub(super) n_changes: u32,
}

/// The part that is constant while the graph is.
pub(super) struct Shape {
    pub(super) drawing: Drawing,
    pub(super) edges: Vec<(u32, u32)>,
    /// Class of each line, in addition to `edge`.
    pub(super) line_classes: Vec<&'static str>,
    /// The number of edges that are not drawn.
    pub(super) n_left_out: usize,
}

/// Faces are compared individually, so that nothing is redrawn for a host whose time merely passes.
#[derive(Properties, PartialEq, Clone)]
pub(super) struct GraphProps {
    pub(super) dispatch: Dispatch,
    pub(super) graph: Graph,
    /// The title inside an exported picture.
    pub(super) title: AttrValue,
    pub(super) label: AttrValue,
    pub(super) shape: Shared<Shape>,
    pub(super) faces: Rc<Vec<Face>>,
    pub(super) selected: Option<u32>,
    /// Whether a function graph shows all vertices; `None`: there is no choice.
    #[prop_or_default]
    pub(super) in_full: Option<bool>,
    pub(super) on_select: Callback<Option<u32>>,
    /// The vertices that are found by a search.
    #[prop_or_default]
    pub(super) found: Rc<Vec<u32>>,
    /// The vertices that led to the selection, or that it is about.
    #[prop_or_default]
    pub(super) led: Rc<Vec<u32>>,
    /// In focus: the selected vertex with what feeds and follows it.
    #[prop_or_default]
    pub(super) around: Rc<Vec<u32>>,
    /// What is in sight; `None`: it has no room yet.
    #[prop_or_default]
    pub(super) sight: Option<Sight>,
    /// Only the drawing, without search, map and menus.
    #[prop_or_default]
    pub(super) is_bare: bool,
    /// Whether its text is large.
    #[prop_or_default]
    pub(super) is_large: bool,
}

/// Pressed pointers, by id, with their last position; and the distance they have moved.
#[derive(Default)]
struct Grip {
    pointers: Vec<(i32, f64, f64)>,
    moved: f64,
}

#[component]
pub(super) fn GraphView(props: &GraphProps) -> Html {
    let place = use_node_ref();
    let window = use_state_eq(|| Window { x: 0.0, y: 0.0, scale: 1.0, fits: true });
    let grip = use_mut_ref(Grip::default);
    let scales = Scales::of(props.is_large);
    let room = use_state_eq(|| None::<(f64, f64)>);
    use_room(&place, &window, &room, &props.shape, &props.faces, props.selected, scales);
    let seen = (*room).or_else(|| size_of(&place)).map(|size| window.seen(size));
    let sight = seen.map(|seen| Sight::around(&seen, window.scale >= LEGIBLE));
    let click = {
        let (on_select, faces) = (props.on_select.clone(), props.faces.clone());
        Callback::from(move |event: MouseEvent| {
            if let Some(at) = vertex_of(&event, &faces) {
                on_select.emit(Some(at));
            }
        })
    };
    let pointers = pointer_callbacks(&window, &grip, &props.on_select, &place);
    let wheel = {
        let (window, place) = (window.clone(), place.clone());
        Callback::from(move |event: WheelEvent| {
            // In a frame, the wheel alone scrolls the page around it.
            let has_key = event.ctrl_key() || event.meta_key() || event.shift_key();
            if browser::is_embedded() && !has_key {
                return;
            }
            event.prevent_default();
            let lines = if event.delta_mode() == WheelEvent::DOM_DELTA_LINE { 16.0 } else { 1.0 };
            let (dx, dy) = (event.delta_x() * lines, event.delta_y() * lines);
            if event.shift_key() {
                window.set(window.pan(-dx - dy, 0.0));
            } else {
                window.set(window.zoom((-dy * 0.0016).exp(), local(&place, event.client_x(), event.client_y())));
            }
        })
    };
    let zoom_by = |by: f64| {
        let (window, place) = (window.clone(), place.clone());
        Callback::from(move |_: MouseEvent| {
            let (w, h) = size_of(&place).unwrap_or((0.0, 0.0));
            window.set(window.zoom(by, (w / 2.0, h / 2.0)));
        })
    };
    let fit = {
        let (window, place, shape) = (window.clone(), place.clone(), props.shape.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(size) = size_of(&place) {
                window.set(Window::all(&shape.drawing, size, scales));
            }
        })
    };
    let is_focused = use_state(|| false);
    let around = use_memo((*is_focused, props.selected, props.shape.clone()), |(is_focused, selected, shape)| {
        selected.filter(|_| *is_focused).map(|at| focus::around(shape, at)).unwrap_or_default()
    });
    let focus = {
        let (window, place, shape) = (window.clone(), place.clone(), props.shape.clone());
        let (is_focused, selected) = (is_focused.clone(), props.selected);
        Callback::from(move |()| {
            is_focused.set(!*is_focused);
            if let (false, Some(at), Some(size)) = (*is_focused, selected, size_of(&place)) {
                window.set(Window::onto(&focus::bounds(&shape, &focus::around(&shape, at)), size, scales));
            }
        })
    };
    let center = {
        let (window, place) = (window.clone(), place.clone());
        Callback::from(move |point| {
            if let Some(size) = size_of(&place) {
                window.set(window.center(point, size));
            }
        })
    };
    let keys = key_callback(props, &window, &place, &focus);
    let sought = use_state(AttrValue::default);
    let field = use_node_ref();
    let found = use_memo(((*sought).clone(), props.faces.clone()), |(sought, faces)| find::matches(sought, faces));
    let on_seek = {
        let sought = sought.clone();
        Callback::from(move |text| sought.set(text))
    };
    let on_step = {
        let (window, place, shape) = (window.clone(), place.clone(), props.shape.clone());
        let on_select = props.on_select.clone();
        Callback::from(move |next: u32| {
            on_select.emit(Some(next));
            if let (Some(size), Some(rect)) = (size_of(&place), shape.drawing.boxes.get(next as usize)) {
                window.set(window.reveal(rect, size));
            }
        })
    };
    let searching = (!sought.is_empty()).then_some("searching");
    let focused = (!around.is_empty()).then_some("focused");
    let transform = format!("translate({:.2} {:.2}) scale({:.4})", window.x, window.y, window.scale);
    let far = (window.scale < LEGIBLE).then_some("far");
    html! {
        <div class="graph" onkeydown={find::opener(&field)}>
            <svg ref={place.clone()} class={classes!("canvas", far, searching, focused)} role="group" aria-label={props.label.clone()} onwheel={wheel} onclick={click} onkeydown={keys}
                onpointerdown={pointers.0} onpointermove={pointers.1} onpointerup={pointers.2.clone()} onpointercancel={pointers.2}>
                <g transform={transform}>
                    <Contents found={found.clone()} {around} {sight} ..props.clone() />
                </g>
            </svg>
            if props.shape.n_left_out > 0 {
                <p class="left-out">{ format!("{} edges shown, {} more hidden", props.shape.edges.len(), props.shape.n_left_out) }</p>
            }
            if !props.is_bare {
                <Find {field} sought={(*sought).clone()} matches={found} selected={props.selected} {on_seek} {on_step} />
                <div class="graph-tools">
                    if let Some(in_full) = props.in_full {
                        <button class="button" aria-pressed={in_full.to_string()} onclick={props.dispatch.on(Action::ShowInFull(!in_full))}
                            title="Show every vertex of the engine under its own name, as `mclive graph` does">{ "All vertices" }</button>
                    }
                    if props.selected.is_some() {
                        <button class="button" aria-pressed={is_focused.to_string()} onclick={focus.reform(|_| ())}
                            title="Highlight everything upstream and downstream of the selected vertex (F)">{ "Focus" }</button>
                    }
                </div>
                <Mini shape={props.shape.clone()} {seen} on_center={center} />
            }
            <div class="zoom">
                <button class="button only-icon" onclick={zoom_by(1.25)} aria-label="Zoom in" title="Zoom in (+)">{ icon(Icon::Plus) }</button>
                <button class="button only-icon" onclick={zoom_by(0.8)} aria-label="Zoom out" title="Zoom out (-)">{ icon(Icon::Minus) }</button>
                <button class="button only-icon" onclick={fit} aria-label="Show the whole graph" title="Show all (0)">{ icon(Icon::Fit) }</button>
            </div>
            if !props.is_bare {
                <SaveMenu dispatch={props.dispatch.clone()} graph={props.graph} title={props.title.clone()}
                    picture={Pictured::Graph(props.shape.clone(), props.faces.clone())} />
            }
        </div>
    }
}

fn size_of(place: &NodeRef) -> Option<(f64, f64)> {
    let rect = place.cast::<Element>()?.get_bounding_client_rect();
    (rect.width() > 0.0 && rect.height() > 0.0).then(|| (rect.width(), rect.height()))
}

/// A position in the browser's window relative to the drawing's element.
fn local(place: &NodeRef, x: i32, y: i32) -> (f64, f64) {
    let rect = place.cast::<Element>().map(|element| element.get_bounding_client_rect());
    rect.map_or((0.0, 0.0), |rect| (f64::from(x) - rect.x(), f64::from(y) - rect.y()))
}

/// The vertex of an event; `None` if there is none, or if it belongs to the previous graph, while a large one is being replaced.
fn vertex_of(event: &Event, faces: &[Face]) -> Option<u32> {
    let element = event.target()?.dyn_into::<Element>().ok()?.closest(".vertex").ok()??;
    let at: u32 = element.get_attribute("data-vertex")?.parse().ok()?;
    let (label, face) = (element.get_attribute("data-name")?, faces.get(at as usize)?);
    label.starts_with(face.name.as_str()).then_some(at)
}

type PointerCallbacks = (Callback<PointerEvent>, Callback<PointerEvent>, Callback<PointerEvent>);

/// Down, move, up: one pointer pans, two zoom; a press without movement clears the selection.
fn pointer_callbacks(
    window: &UseStateHandle<Window>,
    grip: &Rc<std::cell::RefCell<Grip>>,
    on_select: &Callback<Option<u32>>,
    place: &NodeRef,
) -> PointerCallbacks {
    let down = {
        let grip = grip.clone();
        Callback::from(move |event: PointerEvent| {
            let mut grip = grip.borrow_mut();
            if grip.pointers.is_empty() {
                grip.moved = 0.0;
            }
            grip.pointers.push((event.pointer_id(), f64::from(event.client_x()), f64::from(event.client_y())));
        })
    };
    let moves = {
        let (grip, window, place) = (grip.clone(), window.clone(), place.clone());
        Callback::from(move |event: PointerEvent| {
            let mut grip = grip.borrow_mut();
            let Some(at) = grip.pointers.iter().position(|pointer| pointer.0 == event.pointer_id()) else { return };
            let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
            let (_, old_x, old_y) = grip.pointers[at];
            grip.moved += (x - old_x).abs() + (y - old_y).abs();
            if grip.moved > 4.0
                && let Some(element) = place.cast::<Element>()
            {
                // Only a real drag captures the pointer, so that a click still reaches its box.
                let _ = element.set_pointer_capture(event.pointer_id());
            }
            match grip.pointers.iter().find(|pointer| pointer.0 != event.pointer_id()) {
                None => window.set(window.pan(x - old_x, y - old_y)),
                Some((_, other_x, other_y)) => {
                    let apart = |x: f64, y: f64| (x - other_x).hypot(y - other_y).max(1.0);
                    let middle = local(&place, ((x + other_x) / 2.0) as i32, ((y + other_y) / 2.0) as i32);
                    window.set(window.zoom(apart(x, y) / apart(old_x, old_y), middle));
                }
            }
            grip.pointers[at] = (event.pointer_id(), x, y);
        })
    };
    let up = {
        let (grip, on_select) = (grip.clone(), on_select.clone());
        Callback::from(move |event: PointerEvent| {
            let mut grip = grip.borrow_mut();
            let n_pressed = grip.pointers.len();
            grip.pointers.retain(|pointer| pointer.0 != event.pointer_id());
            if grip.pointers.len() == n_pressed {
                // It was pressed elsewhere, for example to select a text.
                return;
            }
            let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            let on_vertex = target.is_some_and(|target| target.closest(".vertex").ok().flatten().is_some());
            if grip.moved <= 4.0 && !on_vertex {
                on_select.emit(None);
            }
        })
    };
    (down, moves, up)
}

/// Arrows go to the nearest vertex in that direction; Enter and Space select the one with the focus; plus, minus and 0 zoom;
/// F focuses; Escape clears the selection.
fn key_callback(
    props: &GraphProps,
    window: &UseStateHandle<Window>,
    place: &NodeRef,
    focus: &Callback<()>,
) -> Callback<KeyboardEvent> {
    let (shape, selected, on_select) = (props.shape.clone(), props.selected, props.on_select.clone());
    let scales = Scales::of(props.is_large);
    let (window, place, focus, faces) = (window.clone(), place.clone(), focus.clone(), props.faces.clone());
    Callback::from(move |event: KeyboardEvent| {
        // Ctrl+Enter belongs to the page.
        let is_plain = !event.ctrl_key() && !event.meta_key();
        if is_plain
            && matches!(event.key().as_str(), "Enter" | " ")
            && let Some(at) = vertex_of(&event, &faces)
        {
            event.prevent_default();
            return on_select.emit(Some(at));
        }
        // With these the browser itself zooms, and goes back.
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let size = size_of(&place).unwrap_or((0.0, 0.0));
        let middle = (size.0 / 2.0, size.1 / 2.0);
        let way = match event.key().as_str() {
            "ArrowLeft" => (-1.0, 0.0),
            "ArrowRight" => (1.0, 0.0),
            "ArrowUp" => (0.0, -1.0),
            "ArrowDown" => (0.0, 1.0),
            "+" | "=" => return window.set(window.zoom(1.25, middle)),
            "-" => return window.set(window.zoom(0.8, middle)),
            "0" => return window.set(Window::all(&shape.drawing, size, scales)),
            "Escape" => return on_select.emit(None),
            "f" | "F" if selected.is_some() => return focus.emit(()),
            _ => return,
        };
        event.prevent_default();
        if event.shift_key() {
            return window.set(window.pan(-60.0 * f64::from(way.0), -60.0 * f64::from(way.1)));
        }
        let Some(next) = nearest(&shape.drawing, selected, way) else { return };
        on_select.emit(Some(next));
        window.set(window.reveal(&shape.drawing.boxes[next as usize], size));
        if let Some(element) = place.cast::<Element>()
            && let Ok(Some(target)) = element.query_selector(&format!("[data-vertex=\"{next}\"]"))
            && let Ok(target) = target.dyn_into::<web_sys::SvgElement>()
        {
            let _ = target.focus();
        }
    })
}
