//! The learner's progress in the browser's storage. All tabs store it in the same place, so each adds the lessons that it
//! has completed, and adopts those of the others. A program that another tab has stored for a lesson is moved to the
//! earlier programs before it is overwritten.

use super::super::browser;
use super::super::memory::{Earlier, put_by};
use super::super::store::Dispatch;
use crate::course::Course;
use crate::state::{Action, Learning, Load, Model, Program, Progress};
use mclive_base::layout;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use yew::prelude::*;

/// The completed lessons.
const DONE: &str = "learn.done";
/// The last open lesson.
const LAST: &str = "learn.last";
/// The prefix of the name under which the program of a lesson is stored.
const DRAFT: &str = "lesson.";

/// The message when the progress is not stored.
const NOT_STORED: &str = "the browser's storage is full or disabled, so your progress will be lost when the page is closed; export it to keep it";

/// The message when two tabs change the program of a lesson.
const ELSEWHERE: &str = "another tab has changed the program of this lesson; its version is in the Examples menu, under “Your previous programs”";

/// What this tab knows about the stored progress.
#[derive(Default)]
struct Known {
    done: BTreeSet<String>,
    /// How often this tab had replaced all progress by then.
    n_replaced: u64,
    /// The programs of lessons as this tab has opened or stored them last; `None`: the initial one.
    drafts: BTreeMap<String, Option<String>>,
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
    let keeper = known.clone();
    use_effect_with((model.learn.progress.clone(), ready), move |(progress, ready)| {
        if *ready {
            keep_done(&keeper, &progress.done, n_replaced);
        }
    });
    // Only when this tab opens a lesson: progress that another tab has stored does not make this one the last.
    use_effect_with((model.learn.progress.last.clone(), n_replaced, ready), |(last, _, ready)| {
        if *ready {
            browser::remember(LAST, last);
        }
    });
    let opened = model.lesson().filter(|_| model.is_untouched()).map(|lesson| {
        let text = model.text();
        (lesson.name.clone(), (*lesson.start != **text).then(|| text.to_string()))
    });
    let reader = known.clone();
    use_effect_with(opened, move |opened| {
        if let Some((name, text)) = opened {
            reader.borrow_mut().drafts.insert(name.clone(), text.clone());
        }
    });
    // The program of the open lesson, whenever it changes, and again at a pause in typing if there was no room for it; and
    // all programs, if they come from a file.
    // A program that has not been changed here may have been changed in another tab.
    let draft = model.lesson().filter(|_| !model.is_untouched()).map(|lesson| {
        let text = model.learn.mine.clone().unwrap_or_else(|| model.text().clone());
        let is_start = *lesson.start == *text;
        (lesson.name.clone(), (!is_start).then_some(text))
    });
    let (complainer, is_refused) = (dispatch.clone(), use_mut_ref(|| false));
    use_effect_with((model.settled, draft), move |(_, draft)| {
        let Some((name, text)) = draft else { return };
        // It is stored already when typing pauses, and another tab may have stored its own in the meantime.
        if known.borrow().drafts.get(name).is_some_and(|last| last.as_deref() == text.as_deref()) {
            return;
        }
        let other = of_other_tab(&known, name, text.as_deref());
        let put_by_other = |text: &String| put_by(Earlier::of(&Program::single(&layout::MCL, text)));
        // Without room for both, the stored one stays.
        let is_stored = other.as_ref().is_none_or(put_by_other) && keep_draft(name, text.as_deref());
        if is_stored {
            known.borrow_mut().drafts.insert(name.clone(), text.as_deref().map(str::to_owned));
        }
        // It is reported once, and not at every keystroke.
        if !is_refused.replace(!is_stored) && !is_stored {
            complainer.complain(NOT_STORED);
        } else if is_stored && other.is_some() {
            complainer.complain(ELSEWHERE);
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

/// The stored program of a lesson, if another tab has stored it and this one has not read it. `text`: the program here.
fn of_other_tab(known: &RefCell<Known>, lesson: &str, text: Option<&str>) -> Option<String> {
    let stored = browser::recall(&format!("{DRAFT}{lesson}"));
    let is_known = stored.as_deref() == text || known.borrow().drafts.get(lesson) == Some(&stored);
    stored.filter(|_| !is_known)
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
    (known.done, known.n_replaced) = (stored_done(), n_replaced);
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
