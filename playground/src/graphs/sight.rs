//! [`Sight`]: the part of a drawing that is in sight, with a margin. Browsers are slow with many elements, and slowest with
//! texts, so boxes out of sight have none.

use super::layout::Rect;

/// A drawing with at most this many boxes always has all of its texts.
const FEW: usize = 150;

/// The part of a drawing that is in sight, or will be after a small move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sight {
    area: Rect,
    /// Whether it is zoomed in enough to read titles.
    is_near: bool,
}

impl Sight {
    /// The visible part with a margin of at least half its size on each side, so that small moves change nothing.
    pub fn around(seen: &Rect, is_near: bool) -> Sight {
        let (x, w) = steps(seen.x, seen.w);
        let (y, h) = steps(seen.y, seen.h);
        Sight { area: Rect { x, y, w, h }, is_near }
    }

    /// Whether a box is at least partially in it.
    pub fn holds(&self, rect: &Rect) -> bool {
        let Rect { x, y, w, h } = self.area;
        x <= rect.x + rect.w && rect.x <= x + w && y <= rect.y + rect.h && rect.y <= y + h
    }
}

/// Whether a box of a drawing with this number of boxes has its texts. `sight` is `None` while the drawing has no size.
pub fn reads(sight: Option<&Sight>, rect: &Rect, n_boxes: usize) -> bool {
    n_boxes <= FEW || sight.is_some_and(|sight| sight.is_near && sight.holds(rect))
}

/// The start and size of whole steps around a range, each half as large as the range.
fn steps(start: f32, size: f32) -> (f32, f32) {
    let step = (size / 2.0).max(1.0);
    let first = (start / step).floor() - 1.0;
    let last = ((start + size) / step).ceil() + 1.0;
    (first * step, (last - first) * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f32, y: f32) -> Rect {
        Rect { x, y, w: 100.0, h: 40.0 }
    }

    #[test]
    fn there_is_room_around_what_is_seen() {
        let sight = Sight::around(&Rect { x: 1_000.0, y: 0.0, w: 400.0, h: 300.0 }, true);
        assert!(sight.holds(&at(1_000.0, 0.0)) && sight.holds(&at(1_580.0, 400.0)) && sight.holds(&at(720.0, -100.0)));
        assert!(!sight.holds(&at(1_700.0, 0.0)) && !sight.holds(&at(1_100.0, 600.0)) && !sight.holds(&at(0.0, 0.0)));
    }

    #[test]
    fn a_small_move_changes_nothing_and_a_large_one_does() {
        let seen = |x: f32| Rect { x, y: 10.0, w: 400.0, h: 300.0 };
        let changes = (0..800).filter(|x| {
            let sight = |x: i32| Sight::around(&seen(x as f32), true);
            sight(*x) != sight(x + 1)
        });
        // At each step, its first part and its last.
        assert!((4..=8).contains(&changes.count()));
    }

    #[test]
    fn only_readable_texts_are_drawn() {
        let seen = Rect { x: 0.0, y: 0.0, w: 400.0, h: 300.0 };
        let reads = |is_near, x, n| reads(Some(&Sight::around(&seen, is_near)), &at(x, 0.0), n);
        assert!(reads(true, 0.0, 1_000) && !reads(false, 0.0, 1_000) && !reads(true, 5_000.0, 1_000));
        assert!(reads(false, 5_000.0, FEW), "a small drawing is whole");
    }
}
