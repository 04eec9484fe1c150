//! The overview of a graph that is larger than its window: all boxes, and the visible part, which can be moved.

use super::Shape;
use crate::graphs::layout::Rect;
use crate::state::Shared;
use std::fmt::Write;
use web_sys::{Element, PointerEvent};
use yew::prelude::*;

/// The largest size of the overview. Units: pixels.
const LARGEST: (f32, f32) = (150.0, 110.0);
const SMALLEST: f32 = 14.0;

#[derive(Properties, PartialEq, Clone)]
pub(super) struct MiniProps {
    pub(super) shape: Shared<Shape>,
    /// The visible part; `None`: it has no room.
    pub(super) seen: Option<Rect>,
    /// Show this point of the drawing in the middle.
    pub(super) on_center: Callback<(f64, f64)>,
}

#[component]
pub(super) fn Mini(props: &MiniProps) -> Html {
    let boxes = use_memo(props.shape.clone(), |shape| boxes(shape));
    let own = use_node_ref();
    let drawing = &props.shape.drawing;
    let Some(seen) = props.seen else { return html! {} };
    if seen.x <= 0.0 && seen.y <= 0.0 && seen.x + seen.w >= drawing.width && seen.y + seen.h >= drawing.height {
        return html! {};
    }
    let center = {
        let (own, on_center) = (own.clone(), props.on_center.clone());
        let (width, height) = (f64::from(drawing.width), f64::from(drawing.height));
        Callback::from(move |event: PointerEvent| {
            if event.buttons() == 0 {
                return;
            }
            let Some(element) = own.cast::<Element>() else { return };
            // A drag may leave the overview.
            let _ = element.set_pointer_capture(event.pointer_id());
            let rect = element.get_bounding_client_rect();
            let along = |at: i32, start: f64, size: f64| ((f64::from(at) - start) / size.max(1.0)).clamp(0.0, 1.0);
            let x = along(event.client_x(), rect.x(), rect.width()) * width;
            on_center.emit((x, along(event.client_y(), rect.y(), rect.height()) * height));
        })
    };
    let (width, height) = (drawing.width.max(1.0), drawing.height.max(1.0));
    let scale = (LARGEST.0 / width).min(LARGEST.1 / height);
    let side = |size: f32| (size * scale).max(SMALLEST).to_string();
    html! {
        <svg ref={own} class="mini" aria-hidden="true" viewBox={format!("0 0 {width} {height}")} preserveAspectRatio="none"
            width={side(width)} height={side(height)} onpointerdown={center.clone()} onpointermove={center}>
            <path class="boxes" d={(*boxes).clone()} />
            <rect class="seen" x={seen.x.to_string()} y={seen.y.to_string()} width={seen.w.to_string()} height={seen.h.to_string()} />
        </svg>
    }
}

/// All boxes as one path: browsers are slow with many elements.
fn boxes(shape: &Shape) -> AttrValue {
    let mut path = String::new();
    for rect in &shape.drawing.boxes {
        let _ = write!(path, "M{:.0} {:.0}h{:.0}v{:.0}h-{:.0}z", rect.x, rect.y, rect.w, rect.h, rect.w);
    }
    path.into()
}
