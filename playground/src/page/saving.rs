//! Stores the program of this tab: whenever typing pauses, when another one is opened, and before the page is left.
//!
//! A stored program that this tab neither wrote nor read is moved to the earlier programs before it is overwritten, and so
//! is the previous program when another one is opened.

use super::browser;
use super::memory::{Earlier, put_by};
use super::store::Dispatch;
use crate::state::{Model, Program};
use gloo_events::EventListener;
use std::cell::RefCell;
use yew::prelude::*;

/// What this tab knows about the program stored for the next visit.
#[derive(Default)]
struct Seen {
    program: Option<Earlier>,
    /// The number of the program in this tab.
    opened: u64,
}

/// A storage of the browser.
struct Storage {
    recall: fn(&str) -> Option<String>,
    remember: fn(&str, &str) -> bool,
    forget: fn(&str),
}

const OF_TAB: Storage =
    Storage { recall: browser::recall_in_tab, remember: browser::remember_in_tab, forget: browser::forget_in_tab };
const OF_VISITS: Storage = Storage { recall: browser::recall, remember: browser::remember, forget: browser::forget };

impl Storage {
    /// Stores all values; `false`: there is no room, and the previous values are kept, since a mixture would be a different
    /// program.
    fn store(&self, values: &[(&str, &str)]) -> bool {
        let before: Vec<Option<String>> = values.iter().map(|(name, _)| (self.recall)(name)).collect();
        if values.iter().all(|(name, value)| (self.remember)(name, value)) {
            return true;
        }
        self.clear(values);
        for ((name, _), value) in values.iter().zip(before) {
            if let Some(value) = value {
                (self.remember)(name, &value);
            }
        }
        false
    }

    /// Removes all values.
    fn clear(&self, values: &[(&str, &str)]) {
        values.iter().for_each(|(name, _)| (self.forget)(name));
    }
}

/// The message when a program is not stored.
const NOT_STORED: &str = "the browser's storage is full or disabled, so this program will be lost when the page is closed; share or download it to keep it";

/// A program that the user changed, and that is not stored yet.
struct Unsaved {
    program: Program,
    /// The name of the file that is its displayed scenario; may be empty.
    staged: String,
    /// Its number in this tab.
    opened: u64,
}

/// The programs to store, as of the last rendering.
#[derive(Default)]
struct Pending {
    /// Those that another program took the place of before typing paused, oldest first.
    left: Vec<Unsaved>,
    /// The displayed one.
    shown: Option<Unsaved>,
}

impl Pending {
    /// What is displayed now, if it is to be stored. `is_stored`: it has been.
    fn show(&mut self, own: Option<Unsaved>, is_stored: bool) {
        let before = self.shown.take();
        self.left.extend(before.filter(|left| own.as_ref().is_none_or(|own| own.opened != left.opened)));
        self.shown = own.filter(|_| !is_stored);
    }

    fn take(&mut self) -> Vec<Unsaved> {
        let mut all = std::mem::take(&mut self.left);
        all.extend(self.shown.take());
        all
    }
}

/// Stores a program; `false`: it will not be there at the next visit.
fn save(seen: &RefCell<Seen>, Unsaved { program, staged, opened }: &Unsaved) -> bool {
    let mut seen = seen.borrow_mut();
    let now = Earlier::of(program);
    let kept = Earlier::kept(browser::recall);
    if let Some(kept) = kept.as_ref().filter(|kept| **kept != now)
        && (seen.program.as_ref() != Some(kept) || seen.opened != *opened)
    {
        put_by(kept.clone());
    }
    let (beside, binary) = (browser::to_json(&now.beside), browser::to_json(&now.binary));
    let (beside, binary) = (beside.unwrap_or_default(), binary.unwrap_or_default());
    let values = [
        ("text", now.text.as_str()),
        ("language", now.file.as_str()),
        ("beside", beside.as_str()),
        ("binary", binary.as_str()),
        ("staged", staged.as_str()),
    ];
    let (is_in_tab, is_stored) = (OF_TAB.store(&values), OF_VISITS.store(&values));
    if is_stored && !is_in_tab {
        // The tab's program is older, and a reload would prefer it.
        OF_TAB.clear(&values);
    }
    // The stored program is known now, so the next edit does not move it to the earlier ones again.
    *seen = Seen { program: if is_stored { Some(now) } else { kept }, opened: *opened };
    is_stored
}

/// Stores the program whenever typing pauses, since storing is too slow for each keystroke; when another one is opened; and
/// before the page is left.
#[hook]
pub(super) fn use_saving(model: &Model, dispatch: &Dispatch) {
    let seen = use_memo((), |()| RefCell::new(Seen { program: Earlier::kept(browser::recall), opened: 0 }));
    // A lesson's program is stored with the lesson; an unedited one is available where it came from.
    let own = (model.learn.at.is_none() && model.is_edited).then(|| Unsaved {
        program: model.to_keep(),
        staged: model.staged_to_keep().unwrap_or_default().to_owned(),
        opened: model.opened,
    });
    let now = own.as_ref().map(|own| (own.program.files().to_vec(), own.staged.clone(), own.opened));
    let pending = use_mut_ref(Pending::default);
    let stored = use_mut_ref(|| None);
    // Each rendering notes its program, but does not store it. The effects of a rendering could not note it: they are
    // skipped if the next one comes first.
    pending.borrow_mut().show(own, *stored.borrow() == now);
    let is_unsaved = pending.borrow().shown.is_some();
    let (saved, noted) = (seen.clone(), pending.clone());
    use_effect(move || {
        let left = std::mem::take(&mut noted.borrow_mut().left);
        for unsaved in &left {
            save(&saved, unsaved);
        }
    });
    let (complainer, is_refused) = (dispatch.clone(), use_mut_ref(|| false));
    let (saved, noted) = (seen.clone(), pending.clone());
    let settled = now.filter(|_| model.settled == model.edit);
    use_effect_with((model.settled, settled), move |(_, settled)| {
        let unsaved = settled.as_ref().and_then(|_| noted.borrow_mut().shown.take());
        let Some(unsaved) = unsaved else { return };
        stored.replace(settled.clone());
        let is_stored = save(&saved, &unsaved);
        // It is reported once, and not at every pause in typing.
        if !is_refused.replace(!is_stored) && !is_stored {
            complainer.complain(NOT_STORED);
        }
    });
    // Otherwise nothing listens: a page that is left cannot load the part of its module that it would need for this.
    use_effect_with(is_unsaved, move |is_unsaved| {
        let leaving = is_unsaved.then(|| {
            EventListener::new(&browser::window(), "pagehide", move |_| {
                for unsaved in &pending.borrow_mut().take() {
                    save(&seen, unsaved);
                }
            })
        });
        move || drop(leaving)
    });
}
