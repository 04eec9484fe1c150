//! The fragment of the page's address. It is read when the browser reports a change, and written when the page shows
//! something else. Between a change and its event the page knows an outdated address: anything it would write then is
//! outdated too, and the change takes precedence.

use super::browser::{self, window};
use super::memory::RUNNING;
use crate::state::share;
use std::cell::{Cell, RefCell};
use wasm_bindgen::JsValue;

thread_local! {
    /// The fragment that the page read or wrote last.
    static KNOWN: RefCell<String> = const { RefCell::new(String::new()) };
    static IS_LEFT: Cell<bool> = const { Cell::new(false) };
}

/// The fragment, with its `#`; empty if there is none.
pub(super) fn read() -> String {
    let fragment = fragment();
    KNOWN.set(fragment.clone());
    fragment
}

/// The fragment that the page knows. `None`: it has changed, and the event is still to come.
pub(super) fn known() -> Option<String> {
    let fragment = fragment();
    KNOWN.with_borrow(|known| *known == fragment).then_some(fragment)
}

/// Whether the page around this frame makes the program read-only.
pub(super) fn is_read_only() -> bool {
    browser::is_embedded() && share::look(&fragment()).read_only
}

/// Sets the fragment without a history entry.
pub(super) fn replace(fragment: &str) {
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(fragment));
    }
    read();
}

/// Sets the fragment with a history entry.
pub(super) fn push(fragment: &str) {
    if let Ok(history) = window().history() {
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(fragment));
    }
    read();
}

/// Goes to another page, which replaces this one in the history. The running program did not hang: the other page, in
/// the same tab, need not open paused because of it.
pub(super) fn leave(address: &str) {
    IS_LEFT.set(true);
    browser::forget_in_tab(RUNNING);
    let _ = window().location().replace(address);
}

/// Whether this page is being left for another one.
pub(super) fn is_left() -> bool {
    IS_LEFT.get()
}

fn fragment() -> String {
    window().location().hash().unwrap_or_default()
}
