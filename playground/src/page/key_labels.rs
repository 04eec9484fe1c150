//! How the visitor's keyboard labels the keys of shortcuts.

use super::browser;
use crate::keyboard;

thread_local! {
    static IS_MAC: bool = {
        let platform = browser::window().navigator().platform().unwrap_or_default();
        // With an iPad or iPhone, keyboards have the keys of a Mac.
        platform.starts_with("Mac") || platform.starts_with("iP")
    };
}

/// Whether the visitor has the keyboard of a Mac.
pub(super) fn is_mac() -> bool {
    IS_MAC.with(|is_mac| *is_mac)
}

/// The labels of a shortcut on the visitor's keyboard.
pub(super) fn labels(shortcuts: &str) -> String {
    keyboard::labels(shortcuts, is_mac())
}
