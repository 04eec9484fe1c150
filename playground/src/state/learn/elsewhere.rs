//! The learner's progress in another tab, which stores it in the same place.

use super::Load;
use crate::state::Model;
use std::collections::BTreeSet;

/// Lessons were completed in another tab, or it has started over. Those completed only here stay completed.
pub(super) fn completed(model: &mut Model, done: &BTreeSet<String>, deleted: &BTreeSet<String>) {
    let Load::Ready(course) = &model.learn.course else { return };
    let known = done.iter().filter(|name| course.find(name).is_some());
    let own = model.learn.progress.done.iter().filter(|name| !deleted.contains(*name));
    let all: BTreeSet<String> = own.chain(known).cloned().collect();
    if all != model.learn.progress.done {
        model.learn.progress.make_mut().done = all;
    }
}

/// The program of a lesson was stored in another tab, or deleted. The text of the lesson that is open here is kept.
pub(super) fn written(model: &mut Model, lesson: String, text: Option<String>) {
    let is_typed = model.learn.at.as_deref() == Some(lesson.as_str()) && !model.is_untouched();
    let learn = &mut model.learn;
    if is_typed || learn.progress.drafts.get(&lesson) == text.as_ref() {
        return;
    }
    let drafts = &mut learn.progress.make_mut().drafts;
    match text {
        Some(text) => drop(drafts.insert(lesson, text)),
        None => drop(drafts.remove(&lesson)),
    }
}
