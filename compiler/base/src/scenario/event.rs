//! What happens to a host and its agent in a scenario.

use super::flag::Flag;
use crate::shapes::host::Alteration;
use serde::{Deserialize, Serialize};

/// An event on the host or its agent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Event {
    /// A new host, without an agent.
    Join {
        /// Name of the new host.
        host: String,
    },
    /// The host is removed permanently.
    Leave,
    /// The host freezes: nothing runs on it, and it receives nothing.
    Pause,
    /// The host continues after a pause.
    Resume,
    /// The agent starts; a running one is killed first.
    Run {
        /// The program file; `None`: the main file of its language.
        program: Option<String>,
        /// Switches of the agent.
        flags: Vec<Flag>,
    },
    /// The running agent gets another program.
    Deploy {
        /// The program file.
        program: String,
    },
    /// The agent is asked to stop; each further request is more forceful.
    Stop(StopSignal),
    /// The agent is killed without notice.
    Kill,
    /// A file is written in place.
    Write {
        /// Absolute path.
        path: String,
        /// The text.
        text: String,
    },
    /// A file is replaced atomically, as editors and careful programs do.
    Replace {
        /// Absolute path.
        path: String,
        /// The text.
        text: String,
    },
    /// Text is added to the end of a file.
    Append {
        /// Absolute path.
        path: String,
        /// The text.
        text: String,
    },
    /// A file or directory is removed, with everything below.
    Remove {
        /// Absolute path.
        path: String,
    },
    /// A file is renamed.
    Rename {
        /// Absolute path.
        path: String,
        /// The new path.
        to: String,
    },
    /// A directory is made, with those above it.
    MakeFolder {
        /// Absolute path.
        path: String,
    },
    /// The permissions of a file change.
    Mode {
        /// Absolute path.
        path: String,
        /// The twelve permission bits.
        mode: u32,
    },
    /// The owner of a file changes.
    Own {
        /// Absolute path.
        path: String,
        /// The new owner.
        user: String,
        /// The new group; `None` keeps it.
        group: Option<String>,
    },
    /// A symbolic link is made.
    Link {
        /// Absolute path.
        path: String,
        /// Target of the link.
        to: String,
    },
    /// Sets the result of a command line for every later run.
    Command {
        /// The command line.
        line: String,
        /// Its output.
        prints: String,
        /// Its exit status.
        status: i32,
        /// How long it runs. Units: milliseconds.
        takes: u64,
    },
    /// An environment variable of the agent changes.
    Environment {
        /// Name of the variable.
        name: String,
        /// Its value.
        value: String,
    },
    /// The host is renamed.
    Hostname {
        /// The new host name.
        name: String,
    },
    /// The load of the host changes.
    Load {
        /// Load average of one minute.
        load: f64,
    },
    /// The wall clock jumps ahead to this time of day. Units: seconds since midnight, UTC.
    Clock {
        /// Seconds since midnight.
        seconds: u64,
    },
    /// A systemd unit changes.
    Unit {
        /// Name of the unit.
        name: String,
        /// What happens to it.
        what: UnitEvent,
    },
    /// A package is removed, with its files and everything that depends on it.
    Uninstall {
        /// Name of the package.
        package: String,
    },
    /// A file system is unmounted.
    Unmount {
        /// The mount point.
        path: String,
    },
    /// A thing of the host is changed by hand, as on the page.
    Alter {
        /// Its subject in the vocabulary.
        subject: String,
        /// Its name.
        thing: String,
        /// The change.
        how: Alteration,
    },
    /// A form is posted to a web server on the host.
    Post {
        /// The URL.
        url: String,
        /// The form, URL-encoded.
        form: String,
    },
    /// A variable of the program has another value from the next start or deploy on, so that a scenario sees what the
    /// program does with other inputs.
    Given {
        /// The variable, without the dollar, or the function or class.
        name: String,
        /// A number, a bool, a list, a map, a struct, a function or a quoted string as in the program, or a class without
        /// its name; anything else is a string.
        value: String,
    },
    /// The host is cut off from the shared store; it keeps running.
    Disconnect,
    /// The host reaches the shared store again.
    Reconnect,
}

/// The signal that asks the agent to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum StopSignal {
    /// `SIGINT`.
    Interrupt,
    /// `SIGTERM`.
    Terminate,
}

/// What can happen to a systemd unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum UnitEvent {
    /// Its processes are killed.
    Dies,
    /// It is enabled.
    Enabled,
    /// It is disabled.
    Disabled,
}
