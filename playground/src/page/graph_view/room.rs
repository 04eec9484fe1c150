//! The room of a graph, which changes with the page and with what opens beside the graph: the window follows it, and the
//! selection.

use super::window::{Scales, Window};
use super::{Shape, size_of};
use crate::state::Shared;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

/// A fitted view stays fitted, what is selected comes into sight, also by a link elsewhere in the page, and a selection that
/// is in sight stays in sight. What opens for a selection may still grow when the graph was moved for it already: the host
/// tells its state later.
#[hook]
pub(super) fn use_room(
    place: &NodeRef,
    window: &UseStateHandle<Window>,
    shape: &Shared<Shape>,
    selected: Option<u32>,
    scales: Scales,
) {
    // The scales that the window was last fitted to.
    let fitted = use_mut_ref(|| scales);
    let last = use_mut_ref(|| (selected, shape.clone()));
    // The observer outlives the window that it was made with.
    let shown = use_mut_ref(|| (**window, selected));
    *shown.borrow_mut() = (**window, selected);
    {
        let (place, window, fitted, shown) = (place.clone(), window.clone(), fitted.clone(), shown.clone());
        use_effect_with((shape.clone(), selected, scales, window.fits), move |(shape, selected, scales, _)| {
            let (last_selected, last_shape) = last.replace((*selected, shape.clone()));
            // Without a size, the observer fits it to its scales later.
            let Some(size) = size_of(&place) else { return };
            let is_rescaled = fitted.replace(*scales) != *scales;
            // Another graph may have the same selection elsewhere, which the user did not look at.
            let is_chosen = last_selected != *selected && last_shape == *shape;
            let rect = selected.and_then(|at| shape.drawing.boxes.get(at as usize));
            let moved = if window.fits || is_rescaled {
                // A selection opens the inspector, which takes room.
                let fit = Window::fit(&shape.drawing, size, *scales);
                rect.map_or(fit, |rect| fit.reveal(rect, size))
            } else {
                rect.filter(|rect| is_chosen && !window.holds(rect, size))
                    .map_or(*window, |rect| window.reveal(rect, size))
            };
            if moved != *window {
                // The size may change before this window is drawn.
                shown.borrow_mut().0 = moved;
                window.set(moved);
            }
        });
    }
    let last_size = use_mut_ref(|| None::<(f64, f64)>);
    let (place, setter) = (place.clone(), window.setter());
    use_effect_with((shape.clone(), scales), move |(shape, scales)| {
        let (shape, scales) = (shape.clone(), *scales);
        let element = place.cast::<Element>().and_then(|canvas| canvas.parent_element());
        // What opens together with the graph may take room after the graph was moved.
        if last_size.borrow().is_none() {
            *last_size.borrow_mut() = size_of(&place);
        }
        let resized = Closure::<dyn FnMut()>::new(move || {
            let Some(size) = size_of(&place) else { return };
            let before = last_size.replace(Some(size));
            let (mut window, selected) = *shown.borrow();
            window.fits |= fitted.replace(scales) != scales;
            let rect = selected.and_then(|at| shape.drawing.boxes.get(at as usize));
            let window = window.resized(&shape.drawing, scales, rect, (before, size));
            // The next change of size may come before this window is drawn.
            shown.borrow_mut().0 = window;
            setter.set(window);
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
