//! Files that come from outside of the page: chosen in the browser's dialog, or dropped on the page.

use super::browser;
use super::store::Dispatch;
use crate::state::{Action, Learning, Opened, opened};
use crate::worker::protocol::Request;
use js_sys::Uint8Array;
use mclive_base::layout;
use wasm_bindgen::prelude::*;
use yew::platform::spawn_local;
use yew::prelude::*;

impl Dispatch {
    /// Opens what a file holds.
    fn open_bytes(&self, name: &str, bytes: Vec<u8>) {
        match opened(bytes) {
            Ok(Opened::Program(text)) => {
                self.send(Action::Opened(layout::of(name).unwrap_or(layout::ALL[0]), text));
            }
            Ok(Opened::Progress(text)) => match browser::read_progress(&text) {
                Some(progress) => self.send(Action::Learn(Learning::Replace(progress))),
                None => self.complain("this file of progress cannot be read"),
            },
            Ok(Opened::Trace(trace)) => self.send(Action::Asked(Request::Replay { trace })),
            Err(why) => self.complain(&why),
        }
    }

    /// Lets a file be chosen.
    pub(super) fn pick_file(&self) {
        let dispatch = self.clone();
        spawn_local(async move {
            if let Some((name, bytes)) = browser::pick_file().await {
                dispatch.open_bytes(&name, bytes);
            }
        });
    }
}

/// Takes files that are dropped anywhere on the page.
#[hook]
pub(super) fn use_drops(dispatch: &Dispatch) {
    let dispatch = dispatch.clone();
    use_effect_with((), move |()| {
        let dropped = Closure::new(move |name: String, bytes: Uint8Array| dispatch.open_bytes(&name, bytes.to_vec()));
        browser::watch_drops(&dropped);
        // The browser calls it as long as the page stands.
        move || drop(dropped)
    });
}
