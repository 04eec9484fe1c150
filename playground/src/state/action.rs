//! [`Action`]: all that can happen to the page.

use super::model::{Lost, Notice, Selection, Theme, View};
use crate::worker::protocol::{Answer, Request};

#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// The editor's text changed.
    Edited(String),
    /// Typing paused after this edit.
    Settled(u64),
    /// The page replaces the text: an example, a link.
    Opened(String),
    /// The address stands for this edit now.
    Shared(u64),
    /// The worker can take requests.
    WorkerReady,
    /// The next request went out.
    Sent(Request),
    Answered(u64, Answer),
    /// The worker is gone; a new one is starting.
    WorkerLost(u64, Lost),
    /// Someone asked for something.
    Asked(Request),
    /// Run what was held, or try again what was lost.
    Run,
    Play(bool),
    Speed(u32),
    /// Real time that passed. Units: milliseconds.
    Frame(u64),
    /// An empty host, and the program on it from its start.
    Restart,
    Show(View),
    Select(Option<Selection>),
    SetTheme(Theme),
    Say(Option<Notice>),
    CloseExplained,
    /// The keyboard help.
    ShowKeys(bool),
}
