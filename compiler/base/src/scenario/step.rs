//! The steps of a scenario as data.

use crate::protocol::{Options, Phase, ResourceId};
use crate::shapes::host::Alteration;
use serde::{Deserialize, Serialize};

/// One line that does or expects something.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// From 1.
    pub line: u32,
    /// As it was written.
    pub text: String,
    /// The host that it is about; `None` is every host that is there.
    pub host: Option<String>,
    pub what: What,
    /// What helps whoever fails here; the last `hint` above. Empty without one.
    pub hint: String,
}

#[derive(Clone, PartialEq, Debug)]
pub enum What {
    Do(Event),
    /// Units: milliseconds.
    Wait(u64),
    Expect(Expectation),
}

/// Something that happens to the host or the agent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Event {
    /// A new host, without an agent.
    Join {
        host: String,
    },
    /// The host is gone for good.
    Leave,
    /// Nothing happens on the host, and it hears of nobody.
    Pause,
    Resume,
    /// The agent starts; one that still ran is gone without a word.
    Run {
        /// `None`: the main file of its language.
        program: Option<String>,
        flags: Vec<Flag>,
    },
    /// The agent that runs gets another program.
    Deploy {
        program: String,
    },
    /// The agent is asked to end; asked again, it is in more of a hurry each time.
    Stop(StopSignal),
    /// The agent is gone without a word.
    Kill,
    Write {
        path: String,
        text: String,
    },
    /// Another file takes the place of one, as editors and careful programs write: nobody sees half of it.
    Replace {
        path: String,
        text: String,
    },
    Append {
        path: String,
        text: String,
    },
    Remove {
        path: String,
    },
    Rename {
        path: String,
        to: String,
    },
    MakeFolder {
        path: String,
    },
    Mode {
        path: String,
        mode: u32,
    },
    Own {
        path: String,
        user: String,
        group: Option<String>,
    },
    Link {
        path: String,
        to: String,
    },
    /// What each run of a command line comes to from now on.
    Command {
        line: String,
        prints: String,
        status: i32,
        /// Units: milliseconds.
        takes: u64,
    },
    Environment {
        name: String,
        value: String,
    },
    Hostname {
        name: String,
    },
    Load {
        load: f64,
    },
    /// The clock on the wall jumps ahead to this time of the day. Units: seconds since midnight, UTC.
    Clock {
        seconds: u64,
    },
    /// Something happens to a unit of systemd.
    Unit {
        name: String,
        what: UnitEvent,
    },
    /// Somebody removes a package, with its files and all that needs it.
    Uninstall {
        package: String,
    },
    /// Somebody unmounts what is mounted there.
    Unmount {
        path: String,
    },
    /// Somebody changes a thing of the host by hand, as the page lists them.
    Alter {
        subject: String,
        thing: String,
        how: Alteration,
    },
    /// Somebody posts a form to a web server of the host.
    Post {
        url: String,
        form: String,
    },
}

/// How it is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum StopSignal {
    Interrupt,
    Terminate,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum UnitEvent {
    /// Its processes are killed.
    Dies,
    Enabled,
    Disabled,
}

/// A switch of `run`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Flag {
    Noop,
    Once,
    Hostname(String),
    Sema(u32),
    MaxRuntime(u64),
    ConvergerTimeout(i64),
    ConvergedExit,
    NoAutoedges,
    NoAutogroup,
    NoWatch,
    ConvergerStatusFile(String),
}

impl Flag {
    /// The options of an agent that is started with these flags on a host of this name.
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
                // The agent's, not the brain's.
                Flag::ConvergerStatusFile(_) => {}
            }
        }
        options
    }
}

/// A claim, and when it is to hold.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    pub claim: Claim,
    pub when: When,
    /// From then on for so long. Units: milliseconds.
    pub lasts: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// As soon as the host is quiet.
    Quiet,
    Now,
    /// At some moment of the next so many milliseconds.
    Within(u64),
    /// At every moment up to the end.
    Always,
    /// At no moment up to the end.
    Never,
}

/// Something that is so or not.
#[derive(Clone, PartialEq, Debug)]
pub enum Claim {
    /// Something is there, or nothing.
    Path {
        path: String,
        kind: PathKind,
        is_there: bool,
    },
    File {
        path: String,
        has: Has,
    },
    Steps {
        count: Count,
        of: Option<ResourceId>,
    },
    Resource {
        id: ResourceId,
        is_there: bool,
    },
    Field {
        id: ResourceId,
        field: String,
        value: String,
    },
    Phase {
        id: ResourceId,
        phase: Phase,
    },
    Edge {
        from: ResourceId,
        to: ResourceId,
        is_there: bool,
    },
    /// How many lines of what was said contain a text.
    Output {
        text: String,
        count: Count,
    },
    /// A variable of the main file's outermost level.
    Value {
        name: String,
        value: String,
    },
    /// `code` is empty for any.
    Error {
        code: String,
        is_there: bool,
    },
    User {
        name: String,
        is_there: bool,
    },
    Group {
        name: String,
        is_there: bool,
    },
    Account {
        name: String,
        has: AccountHas,
    },
    /// What a browser on the host gets.
    Page {
        url: String,
        has: Has,
    },
    /// A browser on the host gets a page, or none.
    Answer {
        url: String,
        is_there: bool,
    },
    Unit {
        name: String,
        is: UnitIs,
    },
    Package {
        name: String,
        is_there: bool,
    },
    /// Something is mounted at a path, or nothing.
    Mount {
        path: String,
        is_there: bool,
    },
    /// A key of the cluster's store.
    Key {
        key: String,
        value: Option<String>,
    },
    Hostname {
        name: String,
    },
    Ran {
        line: String,
        count: Count,
    },
    Running,
    Ended {
        how: End,
    },
}

/// How an agent is claimed to have ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Somehow,
    /// With any status but 0.
    Failed,
    Status(i32),
}

impl End {
    pub fn holds(self, status: i32) -> bool {
        match self {
            End::Somehow => true,
            End::Failed => status != 0,
            End::Status(wanted) => status == wanted,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathKind {
    Anything,
    File,
    Folder,
    Link,
}

/// What a file is claimed to have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Has {
    Content(String),
    Part(String),
    NoPart(String),
    Mode(u32),
    Owner(String),
    Group(String),
    Lines(Count),
    Target(String),
}

/// What an account is claimed to have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AccountHas {
    Id(u32),
    Shell(String),
    Home(String),
    /// Its primary group, or one of its others.
    Group(String),
}

/// What a unit is claimed to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnitIs {
    Running,
    Stopped,
    Failed,
    Enabled,
    Disabled,
}

/// How many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    pub least: usize,
    pub most: usize,
}

impl Count {
    /// Some, or none.
    pub fn any(is_there: bool) -> Count {
        if is_there { Count { least: 1, most: usize::MAX } } else { Count { least: 0, most: 0 } }
    }

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
