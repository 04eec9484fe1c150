//! [`use_portions`]: a long list in parts, of which only a few are updated before each frame. [`use_rows`]: one whose rows
//! are only drawn that way.

use super::frame::Frame;
use crate::graphs::portions::{Stale, Urgency, portion};
use std::rc::Rc;
use yew::prelude::*;

/// What is drawn.
struct Drawn<T> {
    /// In order; `None`: it has not been drawn yet.
    parts: Vec<Option<T>>,
    /// The part whose turn is next.
    next: usize,
    /// Whether some parts are out of date.
    is_behind: bool,
    /// Whether the portion of the next frame is used up.
    is_spent: bool,
    /// Whether a call before the next frame is pending.
    is_asked: bool,
    frame: Option<Frame>,
}

/// The parts to draw now. Some of them may be out of date or missing: they are updated before the next frames. `weigh` returns
/// the urgency and the cost of a part, from its number, its drawn state if there is one, and its wanted state.
#[hook]
pub(super) fn use_portions<T, F>(wanted: Vec<T>, weigh: F) -> Vec<Option<T>>
where
    T: Clone + PartialEq + 'static,
    F: Fn(usize, Option<&T>, &T) -> (Urgency, usize),
{
    let update = use_force_update();
    let drawn = use_mut_ref(Drawn::<T>::new);
    let parts = {
        let mut drawn = drawn.borrow_mut();
        drawn.refresh(wanted, weigh);
        drawn.parts.clone()
    };
    use_effect(move || {
        let mut now = drawn.borrow_mut();
        if !now.is_behind || now.is_asked {
            return;
        }
        let drawn = Rc::downgrade(&drawn);
        now.frame = Frame::next(move || {
            let Some(drawn) = drawn.upgrade() else { return };
            drawn.borrow_mut().begin();
            update.force_update();
        });
        let is_asked = now.frame.is_some();
        now.is_asked = is_asked;
        now.is_spent &= is_asked;
    });
    parts
}

/// The number of rows that are drawn together.
const ROWS: usize = 25;

/// The number of rows of a long list to draw now, from its start: before each frame there are more. `cost`: that of a row.
#[hook]
pub(super) fn use_rows(n_rows: usize, cost: usize) -> usize {
    let chunks: Vec<usize> = (0..n_rows.div_ceil(ROWS)).collect();
    let drawn = use_portions(chunks, move |_, before: Option<&usize>, _: &usize| {
        (Urgency::Seen, if before.is_none() { ROWS * cost } else { 0 })
    });
    drawn.iter().take_while(|chunk| chunk.is_some()).count() * ROWS
}

impl<T: Clone + PartialEq> Drawn<T> {
    fn new() -> Drawn<T> {
        Drawn { parts: Vec::new(), next: 0, is_behind: false, is_spent: false, is_asked: false, frame: None }
    }

    /// A frame begins.
    fn begin(&mut self) {
        (self.is_asked, self.is_spent) = (false, false);
    }

    /// Draws what has changed, or a portion of it.
    fn refresh(&mut self, wanted: Vec<T>, weigh: impl Fn(usize, Option<&T>, &T) -> (Urgency, usize)) {
        let n = wanted.len();
        self.parts.resize(n, None);
        let next = self.next.min(n);
        let stale = |(tile, (before, wanted)): (usize, (&Option<T>, &T))| {
            let before = before.as_ref();
            if before == Some(wanted) {
                return None;
            }
            let (urgency, cost) = weigh(tile, before, wanted);
            Some(Stale { urgency, turn: (tile + n - next) % n, tile, cost })
        };
        let stale: Vec<Stale> = self.parts.iter().zip(&wanted).enumerate().filter_map(stale).collect();
        let n_stale = stale.len();
        let chosen = portion(stale, self.is_spent);
        self.is_behind = chosen.len() < n_stale;
        self.is_spent |= self.is_behind;
        self.next = chosen.last().map_or(next, |last| last + 1);
        let mut wanted: Vec<Option<T>> = wanted.into_iter().map(Some).collect();
        for at in chosen {
            if let Some((part, wanted)) = self.parts.get_mut(at).zip(wanted.get_mut(at)) {
                *part = wanted.take();
            }
        }
    }
}
