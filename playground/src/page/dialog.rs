//! Modal dialogs. The browser returns the focus to where it was only if a dialog is closed before it is removed, so its button
//! closes it, and whatever owns it follows the `close` event.

use web_sys::HtmlDialogElement;
use yew::prelude::*;

/// The element of a dialog, shown as a modal one while it is in the page.
#[hook]
pub(super) fn use_modal(is_open: bool) -> NodeRef {
    let dialog = use_node_ref();
    let shown = dialog.clone();
    use_effect_with(is_open, move |is_open| {
        if let Some(dialog) = shown.cast::<HtmlDialogElement>().filter(|dialog| *is_open && !dialog.open()) {
            let _ = dialog.show_modal();
        }
    });
    dialog
}

/// A callback that closes the dialog.
pub(super) fn close(dialog: &NodeRef) -> Callback<MouseEvent> {
    let dialog = dialog.clone();
    Callback::from(move |_: MouseEvent| {
        if let Some(dialog) = dialog.cast::<HtmlDialogElement>() {
            dialog.close();
        }
    })
}
