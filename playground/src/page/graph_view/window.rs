//! [`Window`]: the visible part of a drawing, and its movement.

use crate::graphs::layout::{Drawing, Rect};

/// The window: the position and scale of the drawing on the screen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Window {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) scale: f64,
    /// It was not moved, so it follows the drawing.
    pub(super) fits: bool,
}

const MIN_SCALE: f64 = 0.08;
/// Below this scale a title would be less than five pixels high: boxes show only their state, since browsers are slow
/// with text, readable or not.
pub(super) const LEGIBLE: f64 = 0.4;
const MAX_SCALE: f64 = 3.0;
/// The room left and right of a drawing. Units: pixels.
const SIDE: f64 = 28.0;
/// The room above and below it, for the buttons at both edges of the graph: they cover nothing that is shown by itself.
/// Units: pixels.
const EDGE: f64 = 52.0;

/// Moves of a fitted view that are smaller come from rounding, and would end that it is fitted. Units: pixels.
const LEAST_MOVE: f64 = 0.5;

/// The scales at which a drawing is shown before it is zoomed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Scales {
    least: f64,
    most: f64,
}

impl Scales {
    /// All of the drawing is shown, at most at its own size.
    const USUAL: Scales = Scales { least: MIN_SCALE, most: 1.0 };
    /// Titles can be read from afar: if there is too little room for all of the drawing, a part of it is shown.
    const LARGE: Scales = Scales { least: 1.4, most: 1.6 };

    pub(super) fn of(is_large: bool) -> Scales {
        if is_large { Scales::LARGE } else { Scales::USUAL }
    }
}

impl Window {
    /// What is shown by itself.
    pub(super) fn fit(drawing: &Drawing, size: (f64, f64), scales: Scales) -> Window {
        Window { fits: true, ..Window::within(&whole(drawing), size, scales) }
    }

    /// Shows all of the drawing, however small its titles become.
    pub(super) fn all(drawing: &Drawing, size: (f64, f64), scales: Scales) -> Window {
        let window = Window::onto(&whole(drawing), size, scales);
        // By itself it would show less, so it no longer follows the drawing.
        Window { fits: window.scale >= scales.least, ..window }
    }

    /// Shows all of a part of the drawing.
    pub(super) fn onto(part: &Rect, size: (f64, f64), scales: Scales) -> Window {
        Window::within(part, size, Scales { least: MIN_SCALE, ..scales })
    }

    fn within(part: &Rect, (width, height): (f64, f64), scales: Scales) -> Window {
        let (w, h) = (f64::from(part.w).max(1.0), f64::from(part.h).max(1.0));
        let edge = edge(height);
        let scale = ((width - 2.0 * SIDE) / w).min((height - 2.0 * edge) / h).clamp(scales.least, scales.most);
        Window {
            x: (width - w * scale) / 2.0 - f64::from(part.x) * scale,
            y: ((height - h * scale) / 2.0).max(edge) - f64::from(part.y) * scale,
            scale,
            fits: false,
        }
    }

    /// Moves a point of the drawing to the middle.
    pub(super) fn center(self, (x, y): (f64, f64), (width, height): (f64, f64)) -> Window {
        Window { x: width / 2.0 - x * self.scale, y: height / 2.0 - y * self.scale, fits: false, ..self }
    }

    /// The visible part of the drawing.
    pub(super) fn seen(self, (width, height): (f64, f64)) -> Rect {
        let units = |pixels: f64| (pixels / self.scale) as f32;
        Rect { x: units(-self.x), y: units(-self.y), w: units(width), h: units(height) }
    }

    /// Zooms around a fixed point of the screen.
    pub(super) fn zoom(self, by: f64, (px, py): (f64, f64)) -> Window {
        let scale = (self.scale * by).clamp(MIN_SCALE, MAX_SCALE);
        let by = scale / self.scale;
        Window { x: px - (px - self.x) * by, y: py - (py - self.y) * by, scale, fits: false }
    }

    pub(super) fn pan(self, dx: f64, dy: f64) -> Window {
        Window { x: self.x + dx, y: self.y + dy, fits: false, ..self }
    }

    /// Moves as little as necessary to make a box visible.
    pub(super) fn reveal(self, rect: &Rect, (width, height): (f64, f64)) -> Window {
        let side = |at: f64, size: f64, room: f64, margin: f64| {
            if at < margin {
                margin - at
            } else if at + size > room - margin {
                (room - margin - at - size).max(margin - at)
            } else {
                0.0
            }
        };
        let (x, y) = (self.x + f64::from(rect.x) * self.scale, self.y + f64::from(rect.y) * self.scale);
        let dx = side(x, f64::from(rect.w) * self.scale, width, 16.0);
        let dy = side(y, f64::from(rect.h) * self.scale, height, edge(height));
        if dx.abs() < LEAST_MOVE && dy.abs() < LEAST_MOVE { self } else { self.pan(dx, dy) }
    }

    /// The window after its room has changed; `selected` is the box of the selection.
    pub(super) fn resized(
        self,
        drawing: &Drawing,
        scales: Scales,
        selected: Option<&Rect>,
        (before, size): (Option<(f64, f64)>, (f64, f64)),
    ) -> Window {
        if self.fits {
            let fit = Window::fit(drawing, size, scales);
            return selected.map_or(fit, |rect| fit.reveal(rect, size));
        }
        // Where the user looks at something else, the selection does not come back.
        let was_in_sight = |rect: &&Rect| before.is_some_and(|before| before != size && self.shows(rect, before));
        selected.filter(was_in_sight).map_or(self, |rect| self.reveal(rect, size))
    }

    /// Whether all of a box is visible.
    pub(super) fn holds(self, rect: &Rect, size: (f64, f64)) -> bool {
        let seen = self.seen(size);
        let is_across = seen.x <= rect.x && rect.x + rect.w <= seen.x + seen.w;
        is_across && seen.y <= rect.y && rect.y + rect.h <= seen.y + seen.h
    }

    /// Whether the middle of a box is visible.
    fn shows(self, rect: &Rect, size: (f64, f64)) -> bool {
        let (seen, (x, y)) = (self.seen(size), rect.center());
        (seen.x..=seen.x + seen.w).contains(&x) && (seen.y..=seen.y + seen.h).contains(&y)
    }
}

/// The room above and below a drawing; where a graph is low, the drawing matters more.
fn edge(height: f64) -> f64 {
    EDGE.min(height / 3.0)
}

fn whole(drawing: &Drawing) -> Rect {
    Rect { x: 0.0, y: 0.0, w: drawing.width, h: drawing.height }
}

/// The nearest box in a direction; sideways distance counts double.
pub(super) fn nearest(drawing: &Drawing, from: Option<u32>, (dx, dy): (f32, f32)) -> Option<u32> {
    let Some(from) = from.and_then(|from| drawing.boxes.get(from as usize)) else {
        return (!drawing.boxes.is_empty()).then_some(0);
    };
    let (x, y) = from.center();
    let score = |rect: &Rect| {
        let (ox, oy) = rect.center();
        let (along, aside) = ((ox - x) * dx + (oy - y) * dy, ((ox - x) * dy).abs() + ((oy - y) * dx).abs());
        (along > 1.0).then_some(along + 2.0 * aside)
    };
    let scored = drawing.boxes.iter().enumerate().filter_map(|(index, rect)| Some((score(rect)?, index)));
    scored.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, index)| index as u32)
}
