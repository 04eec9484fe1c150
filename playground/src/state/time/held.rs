//! [`Held`]: an action of the user on its way to another moment.

use super::TimeShows;
use crate::state::action::Action;
use mclive_base::shapes::host::{Mark, Tone};

/// An action of the user that is being dragged to another moment. The page shows that moment while it is dragged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// The step of its mark.
    step: u64,
    from_ms: u64,
    /// The step of the mark where it would be dropped.
    pub to_step: u64,
    /// When that is.
    pub to_ms: u64,
    /// What holds it.
    pub by: Holder,
}

/// What an action is held by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holder {
    /// The pointer, until it is released.
    Pointer,
    /// The keyboard.
    Keys,
}

impl Held {
    /// The user's action at the displayed moment.
    pub fn take(shows: &TimeShows, by: Holder) -> Option<Held> {
        let mark = shows.marks.get(shows.at?).filter(|mark| mark.tone == Tone::Player)?;
        Some(Held { step: mark.step, from_ms: mark.at_ms, to_step: mark.step, to_ms: mark.at_ms, by })
    }

    /// The same action over another mark, and what the page has to do.
    pub fn over(self, mark: &Mark) -> (Held, Option<Action>) {
        let moves = (mark.step != self.to_step).then_some(Action::GoTo(mark.step));
        (Held { to_step: mark.step, to_ms: mark.at_ms, ..self }, moves)
    }

    /// Whether it would be done at another moment.
    pub fn is_elsewhere(&self) -> bool {
        self.to_ms != self.from_ms
    }

    /// It is done at this moment from now on.
    pub fn drop_here(self) -> Option<Action> {
        let ms = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
        match self.is_elsewhere() {
            true => Some(Action::Shift(self.step, ms(self.to_ms) - ms(self.from_ms))),
            false => self.put_back(),
        }
    }

    /// It stays where it was.
    pub fn put_back(self) -> Option<Action> {
        (self.to_step != self.step).then_some(Action::GoTo(self.step))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::shows;
    use super::*;
    use crate::state::Shared;

    #[test]
    fn an_action_that_is_held_shows_where_it_would_go_and_can_be_put_back() {
        let mut shows = shows(&[2, 5, 9], Some(1));
        assert_eq!(Held::take(&shows, Holder::Keys), None, "it is not the user's");
        let of_user =
            |mark: &Mark| Mark { tone: if mark.step == 5 { Tone::Player } else { mark.tone }, ..mark.clone() };
        shows.marks = Shared::new(shows.marks.iter().map(of_user).collect());
        let held = Held::take(&shows, Holder::Keys).expect("it is the user's");
        assert_eq!((held.is_elsewhere(), held.drop_here(), held.put_back()), (false, None, None));
        let next = shows.beside_step(held.to_step, 1).expect("there is one");
        let (held, moves) = held.over(next);
        assert_eq!(moves, Some(Action::GoTo(9)));
        assert_eq!((held.drop_here(), held.put_back()), (Some(Action::Shift(5, 4)), Some(Action::GoTo(5))));
        assert_eq!(held.over(next).1, None, "it is there already");
        let (held, moves) = held.over(shows.marks.front().expect("there is one"));
        assert_eq!((moves, held.drop_here()), (Some(Action::GoTo(2)), Some(Action::Shift(5, -3))));
        // The displayed moment was another one in the meantime.
        let (back, _) = held.over(shows.marks.get(1).expect("there is one"));
        assert_eq!(back.drop_here(), None);
    }
}
