//! [`Action`]: everything that can happen to the page.

use super::learn::Learning;
use super::model::Lost;
use super::offer::Offer;
use super::program::Program;
use super::view::{Notice, Section, Selection, Theme, View};
use crate::worker::protocol::{Answer, Form, Graph, Request};
use mclive_base::shapes::host::Goal;
use mclive_base::shapes::scenario::Tested;
use mclive_base::shapes::{Edit, Place};

/// Something that happens to the page.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// The text of a file changed in the editor.
    Edited {
        /// The file.
        file: String,
        /// The new text.
        text: String,
    },
    /// The text of a file was changed outside the editor, for example by renaming in all files.
    Written {
        /// The file.
        file: String,
        /// The new text.
        text: String,
    },
    /// Apply a suggested edit of a problem.
    Fix(Edit),
    /// A change of the program's files.
    Tab(Tab),
    /// Typing paused after this edit.
    Settled(u64),
    /// The page replaces the program: an example, a file.
    Opened(Program),
    /// The address contains a program.
    Linked(Program),
    /// Earlier work of the user: a version of the local history, or a previous program.
    Restored {
        /// The program.
        program: Program,
        /// Its name in the message.
        what: String,
    },
    /// Return to the program that was displayed before.
    GoBack,
    /// The address contains a recorded run.
    LinkedRun(Vec<u8>),
    /// Format the shown file.
    Format,
    /// Create a link to the program.
    Share,
    /// Record the run of the displayed host; for a link, or for a file.
    Record {
        /// For a link.
        for_link: bool,
    },
    /// Show or close the dialog with links.
    Offer(Option<Offer>),
    /// The address now contains this edit.
    Shared(u64),
    /// The worker is ready for requests.
    WorkerReady,
    /// The worker loads a part of the compiler for the current request, or has done so.
    WorkerLoads(bool),
    /// The worker answered the request with this number.
    Answered(u64, Answer),
    /// The worker was lost, and a new one is starting; with the number of the request that caused it.
    WorkerLost(Option<u64>, Lost),
    /// The user requested something.
    Asked(Request),
    /// Export a displayed graph as a file for other programs.
    Print(Graph, Form),
    /// Run a held program, or retry after a loss.
    Run,
    /// Play or pause.
    Play(bool),
    /// Play or pause; run a held program.
    TogglePlaying,
    /// Set the speed of the simulation.
    Speed(u32),
    /// Real time has passed. Units: milliseconds.
    Frame(u64),
    /// Run the simulation until a goal is reached.
    RunUntil(Goal),
    /// Go to a moment, back or ahead, by its step.
    GoTo(u64),
    /// Move the user's action at this step in time. Units: milliseconds.
    Shift(u64, i64),
    /// Undo the user's action at this step.
    TakeBack(u64),
    /// Stop repeating what follows from an action that was moved or undone, and leave it as it was.
    StopRepeating,
    /// Go to the mark before the displayed moment.
    StepBack,
    /// Keep the displayed moment for comparison, or forget the kept one.
    Keep(bool),
    /// Run the program of the kept moment over the events up to the displayed one, for comparison.
    Rerun,
    /// The scenario with this number was played: its result, and its cues.
    Rehearsed(u64, Result<(Tested, Vec<u8>), Lost>),
    /// Restart the program on an empty host.
    Restart,
    /// Show a view.
    Show(View),
    /// Show a section of the host.
    ShowSection(Section),
    /// Show a file of the host.
    ShowFile(String),
    /// Show another simulated host.
    Look(String),
    /// Select a vertex, or none.
    Select(Option<Selection>),
    /// Go to a place in the text.
    Reveal(Place),
    /// Show all vertices of the function graph by the engine's names, or the program's words.
    ShowInFull(bool),
    /// Show everything in large type, or in the usual one.
    ShowLarge(bool),
    /// Set the theme.
    SetTheme(Theme),
    /// Show a message, or close it.
    Say(Option<Notice>),
    /// Close the page of a code.
    CloseExplained,
    /// Show or close the keyboard help.
    ShowKeys(bool),
    /// Something about lessons.
    Learn(Learning),
    /// The greeting of a first visit was closed.
    Greeted,
}

/// A change of the program's files. Positions are those of [`Program::files`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tab {
    /// Show a file.
    Show(String),
    /// Add a file.
    Add(String),
    /// Rename a file.
    Rename(usize, String),
    /// Delete a file.
    Remove(usize),
    /// Restore the file that was deleted last.
    PutBack,
}
