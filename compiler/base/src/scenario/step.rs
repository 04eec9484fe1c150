//! The steps of a scenario as data.

use crate::protocol::{Options, Phase, ResourceId};
use crate::shapes::host::Alteration;
use serde::{Deserialize, Serialize};

/// One line that does something or expects something.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// Line number, from 1.
    pub line: u32,
    /// The line as written.
    pub text: String,
    /// The host it applies to; `None`: every host.
    pub host: Option<String>,
    /// What it does.
    pub what: What,
    /// Help for the author of a failing program: the last `hint` above, or empty.
    pub hint: String,
}

/// The content of a step.
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// Make something happen.
    Do(Event),
    /// Let time pass. Units: milliseconds.
    Wait(u64),
    /// Check a claim.
    Expect(Expectation),
}

/// An event on the host or its agent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Event {
    /// A new host, without an agent.
    Join {
        /// Name of the new host.
        host: String,
    },
    /// The host is removed for good.
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

/// A switch of `mclive run`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Flag {
    /// `--noop`.
    Noop,
    /// `--once`.
    Once,
    /// `--hostname NAME`.
    Hostname(String),
    /// `--sema N`.
    Sema(u32),
    /// `--max-runtime SECONDS`.
    MaxRuntime(u64),
    /// `--converger-timeout SECONDS`.
    ConvergerTimeout(i64),
    /// `--converged-exit`.
    ConvergedExit,
    /// `--no-autoedges`.
    NoAutoedges,
    /// `--no-autogroup`.
    NoAutogroup,
    /// `--no-watch`.
    NoWatch,
    /// `--converger-status-file PATH`.
    ConvergerStatusFile(String),
}

impl Flag {
    /// The engine options of an agent started with these flags on this host.
    pub fn options(hostname: &str, flags: &[Flag]) -> Options {
        let mut options = Options { hostname: hostname.to_owned(), ..Options::default() };
        for flag in flags {
            match flag {
                Flag::Noop => options.noop = true,
                Flag::Once => options.once = true,
                Flag::Hostname(name) => options.hostname.clone_from(name),
                Flag::Sema(most) => options.sema = *most,
                Flag::MaxRuntime(seconds) => options.max_runtime = *seconds,
                Flag::ConvergerTimeout(seconds) => options.converger_timeout = *seconds,
                Flag::ConvergedExit => options.converged_exit = true,
                Flag::NoAutoedges => options.no_autoedges = true,
                Flag::NoAutogroup => options.no_autogroup = true,
                Flag::NoWatch => options.no_stream_watch = true,
                // For the agent, not the brain.
                Flag::ConvergerStatusFile(_) => {}
            }
        }
        options
    }
}

/// A claim, and when it must hold.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    /// The claim.
    pub claim: Claim,
    /// When it must hold.
    pub when: When,
    /// How long it must keep holding. Units: milliseconds.
    pub lasts: Option<u64>,
}

/// When a claim must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// As soon as the host is quiet.
    Quiet,
    /// Immediately.
    Now,
    /// At some moment within this many milliseconds.
    Within(u64),
    /// At every moment until the end.
    Always,
    /// At no moment until the end.
    Never,
}

/// A statement about the host that is true or false.
#[derive(Clone, PartialEq, Debug)]
pub enum Claim {
    /// Something exists at a path, or nothing does.
    Path {
        /// Absolute path.
        path: String,
        /// What kind of thing.
        kind: PathKind,
        /// Whether it is expected to exist.
        is_there: bool,
    },
    /// A file has a property.
    File {
        /// Absolute path.
        path: String,
        /// The property.
        has: Has,
    },
    /// The number of steps so far.
    Steps {
        /// The expected number.
        count: Count,
        /// Counts only steps of this resource.
        of: Option<ResourceId>,
    },
    /// A resource is in the graph.
    Resource {
        /// The resource.
        id: ResourceId,
        /// Whether it is expected to exist.
        is_there: bool,
    },
    /// A field of a resource has a value.
    Field {
        /// The resource.
        id: ResourceId,
        /// Name of the field.
        field: String,
        /// The value, in the language's notation.
        value: String,
    },
    /// A resource is in a phase.
    Phase {
        /// The resource.
        id: ResourceId,
        /// The phase.
        phase: Phase,
    },
    /// An edge is in the graph.
    Edge {
        /// Its start.
        from: ResourceId,
        /// Its end.
        to: ResourceId,
        /// Whether it is expected to exist.
        is_there: bool,
    },
    /// The number of output lines that contain a text.
    Output {
        /// The text.
        text: String,
        /// The expected number.
        count: Count,
    },
    /// A variable of the main file's outermost level.
    Value {
        /// Name of the variable.
        name: String,
        /// The value, in the language's notation.
        value: String,
    },
    /// The function graph calls a core function.
    Function {
        /// Its name with its module, such as `iter.map`.
        name: String,
        /// Whether it is expected to be called.
        is_there: bool,
    },
    /// A diagnostic is in force; an empty `code` matches any.
    Error {
        /// The code, such as `E0301`.
        code: String,
        /// Whether it is expected to exist.
        is_there: bool,
    },
    /// A user exists.
    User {
        /// The user.
        name: String,
        /// Whether it is expected to exist.
        is_there: bool,
    },
    /// A group exists.
    Group {
        /// The group.
        name: String,
        /// Whether it is expected to exist.
        is_there: bool,
    },
    /// An account has a property.
    Account {
        /// The user.
        name: String,
        /// The property.
        has: AccountHas,
    },
    /// The content of a page, as a browser on the host gets it.
    Page {
        /// The URL.
        url: String,
        /// The property.
        has: Has,
    },
    /// Whether a browser on the host gets a page.
    Answer {
        /// The URL.
        url: String,
        /// Whether it is expected to answer.
        is_there: bool,
    },
    /// A unit is in a state.
    Unit {
        /// The unit.
        name: String,
        /// The state.
        is: UnitIs,
    },
    /// A package is installed.
    Package {
        /// The package.
        name: String,
        /// Whether it is expected to exist.
        is_there: bool,
    },
    /// Something is mounted at a path, or nothing is.
    Mount {
        /// The mount point.
        path: String,
        /// Whether it is expected to exist.
        is_there: bool,
    },
    /// A key of the cluster's store.
    Key {
        /// The key.
        key: String,
        /// Its value; `None`: the key does not exist.
        value: Option<String>,
    },
    /// The host has this name.
    Hostname {
        /// The name.
        name: String,
    },
    /// How often a command line was run.
    Ran {
        /// The command line.
        line: String,
        /// The expected number.
        count: Count,
    },
    /// The agent is running.
    Running,
    /// The agent has ended.
    Ended {
        /// How it ended.
        how: End,
    },
}

/// How an agent is expected to have ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// With any status.
    Somehow,
    /// With any status other than 0.
    Failed,
    /// With this status.
    Status(i32),
}

impl End {
    /// Whether an exit status matches.
    pub fn holds(self, status: i32) -> bool {
        match self {
            End::Somehow => true,
            End::Failed => status != 0,
            End::Status(wanted) => status == wanted,
        }
    }
}

/// What is at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathKind {
    /// Anything.
    Anything,
    /// A regular file.
    File,
    /// A directory.
    Folder,
    /// A symbolic link.
    Link,
}

/// A property of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Has {
    /// Exactly this content.
    Content(String),
    /// This text somewhere.
    Part(String),
    /// This text nowhere.
    NoPart(String),
    /// These permission bits.
    Mode(u32),
    /// This owner.
    Owner(String),
    /// This group.
    Group(String),
    /// This many lines.
    Lines(Count),
    /// This target of a symbolic link.
    Target(String),
}

/// A property of an account.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AccountHas {
    /// This user id.
    Id(u32),
    /// This login shell.
    Shell(String),
    /// This home directory.
    Home(String),
    /// Membership in this group, primary or supplementary.
    Group(String),
}

/// A state of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnitIs {
    /// Active.
    Running,
    /// Not active.
    Stopped,
    /// Failed.
    Failed,
    /// Enabled.
    Enabled,
    /// Not enabled.
    Disabled,
}

/// A range of numbers, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    /// The lower end.
    pub least: usize,
    /// The upper end.
    pub most: usize,
}

impl Count {
    /// One or more if `is_there`, otherwise zero.
    pub fn any(is_there: bool) -> Count {
        if is_there { Count { least: 1, most: usize::MAX } } else { Count { least: 0, most: 0 } }
    }

    /// Whether the number is in the range.
    pub fn holds(self, n: usize) -> bool {
        (self.least..=self.most).contains(&n)
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Count { least, most } if least == most => write!(f, "{least}"),
            Count { least, most: usize::MAX } => write!(f, "at least {least}"),
            Count { most, .. } => write!(f, "at most {most}"),
        }
    }
}
