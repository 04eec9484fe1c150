//! [`Action`]: all that can happen to the page.

use super::learn::Learning;
use super::model::{Lost, Notice, Offer, Selection, Theme, View};
use super::program::Program;
use crate::worker::protocol::{Answer, Form, Graph, Request};
use mclive_base::shapes::Place;
use mclive_base::shapes::host::Goal;
use mclive_base::shapes::scenario::Tested;

#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// The text of a file changed in the editor.
    Edited {
        file: String,
        text: String,
    },
    /// The text of a file was changed past the editor, such as by renaming something in all files.
    Written {
        file: String,
        text: String,
    },
    /// Something was done to the program's files.
    Tab(Tab),
    /// Typing paused after this edit.
    Settled(u64),
    /// The page replaces the program: an example, a file.
    Opened(Program),
    /// The address brings a program.
    Linked(Program),
    /// Bring the shown file into its canonical layout.
    Format,
    /// Put the program into a link.
    Share,
    /// Show the links to the program, or close what shows them.
    Offer(Option<Offer>),
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
    /// Give out a graph that is shown, as a file for other programs.
    Print(Graph, Form),
    /// Run what was held, or try again what was lost.
    Run,
    Play(bool),
    /// Play or pause; run what waits for a word.
    TogglePlaying,
    Speed(u32),
    /// Real time that passed. Units: milliseconds.
    Frame(u64),
    /// Let the simulated time run until something is so.
    RunUntil(Goal),
    /// Go to a moment, back or ahead, by the step that it came after.
    GoTo(u64),
    /// To the moment that mattered before the one that is shown.
    StepBack,
    /// The scenario of this number was played: what came of it, and its moments.
    Rehearsed(u64, Result<(Tested, Vec<u8>), Lost>),
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

/// What can be done to the program's files. Positions are those of [`Program::files`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tab {
    Show(String),
    Add(String),
    Rename(usize, String),
    Remove(usize),
    /// Put back the file that was deleted last.
    PutBack,
}
