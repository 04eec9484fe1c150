//! [`Action`]: all that can happen to the page.

use super::learn::Learning;
use super::model::{Lost, Notice, Selection, Theme, View};
use crate::worker::protocol::{Answer, Request};
use mclive_base::layout::Layout;
use mclive_base::shapes::Place;

#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// The editor's text changed.
    Edited(String),
    /// Typing paused after this edit.
    Settled(u64),
    /// The page replaces the text: an example, a link.
    Opened(&'static Layout, String),
    /// Bring the text into its canonical layout.
    Format,
    /// Put the program into a link.
    Share,
    /// The address stands for this edit now.
    Shared(u64),
    /// The worker can take requests.
    WorkerReady,
    /// The next request went out.
    Sent(Request),
    Answered(u64, Answer),
    /// The worker is gone, and a new one is starting; with the number of the request that it was lost over.
    WorkerLost(Option<u64>, Lost),
    /// Someone asked for something.
    Asked(Request),
    /// Run what was held, or try again what was lost.
    Run,
    Play(bool),
    /// Play or pause; run what waits for a word.
    TogglePlaying,
    Speed(u32),
    /// Real time that passed. Units: milliseconds.
    Frame(u64),
    /// An empty host, and the program on it from its start.
    Restart,
    Show(View),
    /// Look at another one of the simulated hosts.
    Look(String),
    Select(Option<Selection>),
    /// Go to a place in the text.
    Reveal(Place),
    SetTheme(Theme),
    Say(Option<Notice>),
    CloseExplained,
    /// The keyboard help.
    ShowKeys(bool),
    Learn(Learning),
    /// The greeting of a first visit was closed.
    Greeted,
}
