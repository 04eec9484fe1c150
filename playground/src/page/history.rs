//! Local history: versions of the tab's own program over its edits, kept in the browser.

use super::browser;
use super::memory::Earlier;
use crate::state::history::{Change, wait_ms};
use crate::state::room::bound;
use crate::state::{Model, Program};
use gloo_timers::callback::Timeout;
use js_sys::Date;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use wasm_bindgen::JsValue;
use yew::prelude::*;

/// A version of a program.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Version {
    /// When it was kept, by the visitor's clock. Units: milliseconds since 1970.
    at_ms: f64,
    /// What had changed since the version before.
    change: Change,
    pub(super) program: Earlier,
}

impl Version {
    /// When it was kept, and what had changed: `2026-03-01 09:05: 1 line added`.
    pub(super) fn title(&self) -> String {
        format!("{}: {}", self.moment(), self.change.words())
    }

    /// When it was kept: `2026-03-01 09:05`.
    pub(super) fn moment(&self) -> String {
        let date = Date::new(&JsValue::from_f64(self.at_ms));
        let (year, month, day) = (date.get_full_year(), date.get_month() + 1, date.get_date());
        let (hour, minute) = (date.get_hours(), date.get_minutes());
        format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}")
    }
}

/// The name of the kept versions in the browser's storage.
const VERSIONS: &str = "versions";

/// Deletes the kept versions.
pub(super) fn forget() {
    browser::forget(VERSIONS);
}

/// The kept versions, latest first.
pub(super) fn versions() -> Vec<Version> {
    browser::recall(VERSIONS).and_then(|text| browser::from_json(&text)).unwrap_or_default()
}

/// The last kept version of the program in this tab, at first the one that was opened.
struct Last {
    program: Program,
    /// The number of the program in this tab.
    opened: u64,
    /// When it was kept, if it was.
    at_ms: Option<f64>,
}

/// Keeps a version of the tab's own program after a pause. A lesson's program is stored with the lesson.
#[hook]
pub(super) fn use_history(model: &Model) {
    let (program, opened) = (model.to_keep(), model.opened);
    let last = {
        let program = program.clone();
        use_mut_ref(move || Last { program, opened, at_ms: None })
    };
    let is_own = model.learn.at.is_none() && model.is_edited;
    use_effect_with((model.edit, opened, is_own), move |_| {
        if last.borrow().opened != opened {
            *last.borrow_mut() = Last { program: program.clone(), opened, at_ms: None };
        }
        let since_ms = last.borrow().at_ms.map(|at_ms| browser::wall_ms() - at_ms);
        let pause = is_own.then(|| Timeout::new(wait_ms(since_ms), move || keep(&last, program)));
        move || drop(pause)
    });
}

/// Keeps a version, unless it differs from the last one in whitespace only.
fn keep(last: &RefCell<Last>, program: Program) {
    let mut last = last.borrow_mut();
    let Some(change) = Change::between(&last.program, &program) else { return };
    let at_ms = browser::wall_ms();
    let version = Version { at_ms, change, program: Earlier::of(&program) };
    *last = Last { program, opened: last.opened, at_ms: Some(at_ms) };
    let mut all = versions();
    all.retain(|one| one.program != version.program);
    all.insert(0, version);
    bound(&mut all, |one| one.program.size());
    if let Some(text) = browser::to_json(&all) {
        browser::remember(VERSIONS, &text);
    }
}
