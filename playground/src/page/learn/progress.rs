//! The learner's progress in the browser's storage. All tabs store it in the same place, so each adds the lessons that it
//! has completed, and adopts those of the others.

use super::super::browser;
use super::super::store::Dispatch;
use crate::course::Course;
use crate::state::{Action, Learning, Load, Model, Progress};
use std::cell::RefCell;
use std::collections::BTreeSet;
use yew::prelude::*;

/// The completed lessons.
const DONE: &str = "learn.done";
/// The last open lesson.
const LAST: &str = "learn.last";
/// The prefix of the name under which the program of a lesson is stored.
const DRAFT: &str = "lesson.";

/// The message when the progress is not stored.
const NOT_STORED: &str = "the browser's storage is full or disabled, so your progress will be lost when the page is closed; export it to keep it";

/// What this tab knows about the stored progress.
#[derive(Default)]
struct Known {
    done: BTreeSet<String>,
    /// How often this tab had replaced all progress by then.
    n_replaced: u64,
}

/// Keeps the storage and the progress of the model in sync, also with other tabs.
#[hook]
pub(super) fn use_progress(model: &Model, dispatch: &Dispatch) {
    let ready = matches!(model.learn.course, Load::Ready(_));
    let known = use_mut_ref(Known::default);
    let (sender, watched) = (dispatch.clone(), known.clone());
    use_effect_with(ready, move |ready| {
        let watcher = ready.then(|| {
            browser::watch_storage(move |name| {
                if let Some(learning) = elsewhere(name, &watched) {
                    sender.send(Action::Learn(learning));
                }
            })
        });
        move || drop(watcher)
    });
    let n_replaced = model.learn.n_replaced;
    use_effect_with((model.learn.progress.clone(), ready), move |(progress, ready)| {
        if *ready {
            keep_done(&known, &progress.done, n_replaced);
        }
    });
    // Only when this tab opens a lesson: progress that another tab has stored does not make this one the last.
    use_effect_with((model.learn.progress.last.clone(), n_replaced, ready), |(last, _, ready)| {
        if *ready {
            browser::remember(LAST, last);
        }
    });
    // The program of the open lesson, at each pause in typing; and all programs, if they come from a file.
    // A program that has not been changed here may have been changed in another tab.
    let draft = model.lesson().filter(|_| !model.is_untouched()).map(|lesson| {
        let text = model.learn.mine.clone().unwrap_or_else(|| model.text().clone());
        let is_start = *lesson.start == *text;
        (lesson.name.clone(), (!is_start).then_some(text))
    });
    let (complainer, is_refused) = (dispatch.clone(), use_mut_ref(|| false));
    use_effect_with((model.settled, draft), move |(_, draft)| {
        if let Some((name, text)) = draft {
            let is_stored = keep_draft(name, text.as_deref());
            // It is reported once, and not at every keystroke.
            if !is_refused.replace(!is_stored) && !is_stored {
                complainer.complain(NOT_STORED);
            }
        }
    });
    let (course, progress) = (model.learn.course.clone(), model.learn.progress.clone());
    use_effect_with((n_replaced, ready), move |(n_replaced, _)| {
        if let (Load::Ready(course), true) = (course, *n_replaced > 0) {
            for lesson in course.lessons() {
                keep_draft(&lesson.name, progress.drafts.get(&lesson.name).map(String::as_str));
            }
        }
    });
}

/// Stores the program of a lesson, or removes it; `false`: it is not stored.
fn keep_draft(lesson: &str, text: Option<&str>) -> bool {
    let name = format!("{DRAFT}{lesson}");
    match text {
        Some(text) => browser::remember(&name, text),
        None => {
            browser::forget(&name);
            true
        }
    }
}

/// Adds the lessons completed in this tab to the stored ones, or replaces these if all progress was replaced.
fn keep_done(known: &RefCell<Known>, done: &BTreeSet<String>, n_replaced: u64) {
    let mut known = known.borrow_mut();
    let mut all = done.clone();
    if known.n_replaced == n_replaced {
        all = done.difference(&known.done).cloned().chain(stored_done()).collect();
    }
    browser::remember(DONE, &all.into_iter().collect::<Vec<_>>().join(" "));
    // Lessons that did not fit into a full storage are added the next time.
    *known = Known { done: stored_done(), n_replaced };
}

fn stored_done() -> BTreeSet<String> {
    let done = browser::recall(DONE).unwrap_or_default();
    done.split(' ').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// What another tab has stored under this name, if it belongs to the progress.
fn elsewhere(name: &str, known: &RefCell<Known>) -> Option<Learning> {
    if name == DONE {
        let done = stored_done();
        let before = std::mem::replace(&mut known.borrow_mut().done, done.clone());
        let deleted = before.difference(&done).cloned().collect();
        return Some(Learning::CompletedElsewhere { done, deleted });
    }
    let lesson = name.strip_prefix(DRAFT)?.to_owned();
    Some(Learning::WrittenElsewhere { lesson, text: browser::recall(name) })
}

/// The stored progress.
pub(super) fn recalled(course: &Course) -> Progress {
    let known = |name: &String| course.find(name).is_some();
    let drafts = course.lessons().filter_map(|lesson| {
        let text = browser::recall(&format!("{DRAFT}{}", lesson.name))?;
        Some((lesson.name.clone(), text))
    });
    Progress {
        done: stored_done().into_iter().filter(known).collect(),
        last: browser::recall(LAST).unwrap_or_default(),
        drafts: drafts.collect(),
    }
}
