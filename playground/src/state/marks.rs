//! [`Marks`]: what happened in a run, for the timeline.

use mclive_base::shapes::host::Mark;
use std::collections::VecDeque;
use std::rc::Rc;

/// The marks of a run, oldest first. Copies share them: there may be thousands, and new ones are added to a copy, since the
/// page still shows the marks before.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Marks(VecDeque<Rc<Mark>>);

impl Marks {
    /// The number of marks.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One of them.
    pub fn get(&self, at: usize) -> Option<&Mark> {
        self.0.get(at).map(Rc::as_ref)
    }

    /// The oldest one.
    pub fn front(&self) -> Option<&Mark> {
        self.0.front().map(Rc::as_ref)
    }

    /// The latest one.
    pub fn back(&self) -> Option<&Mark> {
        self.0.back().map(Rc::as_ref)
    }

    /// All of them.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Mark> {
        self.0.iter().map(Rc::as_ref)
    }

    /// The number of marks at the beginning for which this is true; it must be false for all later ones.
    pub fn partition_point(&self, is_true: impl Fn(&Mark) -> bool) -> usize {
        self.0.partition_point(|mark| is_true(mark))
    }

    /// Keeps only this number of marks at the beginning.
    pub(super) fn truncate(&mut self, n: usize) {
        self.0.truncate(n);
    }

    /// Adds later marks, and keeps only this number at the end.
    pub(super) fn add(&mut self, marks: Vec<Mark>, most: usize) {
        self.0.extend(marks.into_iter().map(Rc::new));
        self.0.drain(..self.0.len().saturating_sub(most));
    }
}

impl FromIterator<Mark> for Marks {
    fn from_iter<I: IntoIterator<Item = Mark>>(marks: I) -> Marks {
        Marks(marks.into_iter().map(Rc::new).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::shapes::host::Tone;

    fn mark(step: u64) -> Mark {
        Mark { step, at_ms: step, tone: Tone::Info, host: "web1".into(), text: String::new(), resource: None }
    }

    #[test]
    fn a_copy_shares_its_marks_and_grows_alone() {
        let before: Marks = [1, 2, 3].map(mark).into_iter().collect();
        let mut after = before.clone();
        after.add(vec![mark(4), mark(5)], 4);
        let steps = |marks: &Marks| marks.iter().map(|mark| mark.step).collect::<Vec<_>>();
        assert_eq!((steps(&before), steps(&after)), (vec![1, 2, 3], vec![2, 3, 4, 5]));
        let shared = |at: usize, other: usize| std::ptr::eq(before.get(at).unwrap(), after.get(other).unwrap());
        assert!(shared(1, 0) && shared(2, 1));
        after.truncate(1);
        assert_eq!((after.front(), after.back(), after.get(1)), (Some(&mark(2)), Some(&mark(2)), None));
        assert_eq!(before.partition_point(|mark| mark.step < 3), 2);
    }
}
