//! The room of a graph, which changes with the page and with what opens beside the graph: the window follows it, and the
//! selection.

use super::window::{Scales, Window};
use super::{Face, Shape, size_of};
use crate::state::Shared;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

/// What is drawn, or about to be: the observer outlives the window that it was made with.
struct Shown {
    window: Window,
    shape: Shared<Shape>,
    selected: Option<u32>,
    /// Title and note of the selection.
    name: Option<(AttrValue, AttrValue)>,
    /// Whether the selection was chosen, but has not been brought into sight yet.
    is_owed: bool,
}

impl Shown {
    /// Takes what a render draws. Yew may render several times before it runs the effects, so a choice is noticed here.
    fn draw(
        &mut self,
        window: Window,
        shape: &Shared<Shape>,
        selected: Option<u32>,
        name: Option<(AttrValue, AttrValue)>,
    ) {
        let is_chosen = if self.shape == *shape {
            self.selected != selected
        } else {
            // Another graph may have the same selection elsewhere, which the user did not look at.
            self.name.is_some() && self.name != name
        };
        let is_owed = selected.is_some() && (self.is_owed || is_chosen);
        *self = Shown { window, shape: shape.clone(), selected, name, is_owed };
    }
}

/// A fitted view stays fitted, what is selected comes into sight, also by a link elsewhere in the page, and a selection that
/// is in sight stays in sight. What opens for a selection may still grow when the graph was moved for it already: the host
/// tells its state later. `room` becomes its size.
#[hook]
pub(super) fn use_room(
    place: &NodeRef,
    window: &UseStateHandle<Window>,
    room: &UseStateHandle<Option<(f64, f64)>>,
    shape: &Shared<Shape>,
    faces: &[Face],
    selected: Option<u32>,
    scales: Scales,
) {
    // The scales that the window was last fitted to.
    let fitted = use_mut_ref(|| scales);
    // The size of the room that the window was last moved for, or that the observer saw since.
    let last_size = use_mut_ref(|| None::<(f64, f64)>);
    let name = selected.and_then(|at| faces.get(at as usize)).map(|face| (face.title.clone(), face.note.clone()));
    let shown =
        use_mut_ref(|| Shown { window: **window, shape: shape.clone(), selected, name: name.clone(), is_owed: false });
    shown.borrow_mut().draw(**window, shape, selected, name);
    {
        let (place, window, fitted, shown) = (place.clone(), window.clone(), fitted.clone(), shown.clone());
        let last_size = last_size.clone();
        use_effect_with((shape.clone(), selected, scales, window.fits), move |(shape, selected, scales, _)| {
            // Without a size, the observer does all of this later.
            let Some(size) = size_of(&place) else { return };
            let is_rescaled = fitted.replace(*scales) != *scales;
            let is_owed = std::mem::take(&mut shown.borrow_mut().is_owed);
            let is_fitted = window.fits || is_rescaled;
            let rect = selected.and_then(|at| shape.drawing.boxes.get(at as usize));
            let moved = if is_fitted {
                // A selection opens the inspector, which takes room.
                let fit = Window::fit(&shape.drawing, size, *scales);
                rect.map_or(fit, |rect| fit.reveal(rect, size))
            } else {
                rect.filter(|rect| is_owed && !window.holds(rect, size))
                    .map_or(*window, |rect| window.reveal(rect, size))
            };
            if is_fitted || is_owed {
                // What opens with the selection may change the room before the observer has seen this size.
                *last_size.borrow_mut() = Some(size);
            }
            if moved != *window {
                // The size may change before this window is drawn.
                shown.borrow_mut().window = moved;
                window.set(moved);
            }
        });
    }
    let (place, setter, room) = (place.clone(), window.setter(), room.setter());
    // A new observer tells the size of the next frame, even if it is the last one that its predecessor saw: the effect above
    // may have seen another one in between.
    use_effect_with((shape.clone(), selected, scales), move |(_, _, scales)| {
        let scales = *scales;
        let element = place.cast::<Element>().and_then(|canvas| canvas.parent_element());
        let resized = Closure::<dyn FnMut()>::new(move || {
            let Some(size) = size_of(&place) else { return };
            room.set(Some(size));
            let before = last_size.replace(Some(size));
            let mut shown = shown.borrow_mut();
            let mut window = shown.window;
            window.fits |= fitted.replace(scales) != scales;
            let rect = shown.selected.and_then(|at| shown.shape.drawing.boxes.get(at as usize));
            let owed = rect.filter(|rect| shown.is_owed && !window.fits && !window.holds(rect, size));
            let moved = match owed {
                Some(rect) => window.reveal(rect, size),
                None => window.resized(&shown.shape.drawing, scales, rect, (before, size)),
            };
            shown.is_owed = false;
            // What the user has moved in the meantime is not drawn yet.
            if moved != shown.window {
                // The next change of size may come before this window is drawn.
                shown.window = moved;
                setter.set(moved);
            }
        });
        let observer = ResizeObserver::new(resized.as_ref().unchecked_ref()).ok();
        if let (Some(observer), Some(element)) = (&observer, &element) {
            observer.observe(element);
        }
        move || {
            if let Some(observer) = &observer {
                observer.disconnect();
            }
            drop(resized);
        }
    });
}
