//! Values on their way: for a moment, the edges that leave the vertices whose values have just changed.

use super::{Face, Shape};
use crate::graphs::curve::add_curve;
use crate::state::Shared;
use std::rc::Rc;
use yew::prelude::*;

/// With more edges at once, the whole graph would flicker, and browsers are slow with moving dashes.
const MOST: usize = 200;

#[derive(Properties, PartialEq, Clone)]
pub(super) struct FlowProps {
    pub(super) shape: Shared<Shape>,
    pub(super) faces: Rc<Vec<Face>>,
}

/// One path over these edges.
#[component]
pub(super) fn Flow(props: &FlowProps) -> Html {
    let before = use_mut_ref(|| (props.shape.clone(), Vec::<u32>::new()));
    let flow = use_memo((props.shape.clone(), props.faces.clone()), |(shape, faces)| {
        let (last, counts) = &mut *before.borrow_mut();
        if last != shape {
            (*last, *counts) = (shape.clone(), Vec::new());
        }
        let now: Vec<u32> = faces.iter().map(|face| face.n_changes).collect();
        let lines = fresh(shape, counts, &now);
        let n_changes = now.iter().fold(0_u32, |sum, n| sum.wrapping_add(*n));
        *counts = now;
        (n_changes, lines)
    });
    let (n_changes, lines) = &*flow;
    if lines.is_empty() {
        return html! {};
    }
    // With another key it is another element, whose animation begins.
    html! { <path key={*n_changes} class="flow" d={lines.clone()} /> }
}

/// The lines that leave vertices with more changes than before, as a path; empty if there are none, or too many.
fn fresh(shape: &Shape, before: &[u32], now: &[u32]) -> String {
    let is_fresh = |at: u32| {
        let at = at as usize;
        before.get(at).zip(now.get(at)).is_some_and(|(before, now)| now > before)
    };
    let edges = shape.edges.iter().zip(&shape.drawing.lines).filter(|((from, _), _)| is_fresh(*from));
    let (mut lines, mut heads) = (String::new(), String::new());
    for (n, (_, line)) in edges.enumerate() {
        if n == MOST {
            return String::new();
        }
        add_curve(line, &mut lines, &mut heads);
    }
    lines
}
