//! What stands behind the `#` of the page's address. It is read when the browser says that it changed, and written when
//! the page shows something else. Between a change and its event the page knows an older address: what it would
//! write then is out of date, and the change wins.

use super::browser::{self, window};
use super::memory::RUNNING;
use std::cell::{Cell, RefCell};
use wasm_bindgen::JsValue;

thread_local! {
    /// What the page read or wrote last.
    static KNOWN: RefCell<String> = const { RefCell::new(String::new()) };
    static IS_LEFT: Cell<bool> = const { Cell::new(false) };
}

/// The fragment, with its `#`; empty without one.
pub(super) fn read() -> String {
    let fragment = fragment();
    KNOWN.set(fragment.clone());
    fragment
}

/// The fragment that the page knows. `None`: there is another one by now, whose event is still to come.
pub(super) fn known() -> Option<String> {
    let fragment = fragment();
    KNOWN.with_borrow(|known| *known == fragment).then_some(fragment)
}

/// Makes the address show this fragment, without a step in the history.
pub(super) fn replace(fragment: &str) {
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(fragment));
    }
    read();
}

/// Makes the address show this fragment, as a step in the history.
pub(super) fn push(fragment: &str) {
    if let Ok(history) = window().history() {
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(fragment));
    }
    read();
}

/// Goes to another page; the way back does not lead here again. What runs here did not hang: the other page, in the same
/// tab, need not open paused for it.
pub(super) fn leave(address: &str) {
    IS_LEFT.set(true);
    browser::forget_in_tab(RUNNING);
    let _ = window().location().replace(address);
}

/// This page has made way for another one, which the browser is about to show.
pub(super) fn is_left() -> bool {
    IS_LEFT.get()
}

fn fragment() -> String {
    window().location().hash().unwrap_or_default()
}
