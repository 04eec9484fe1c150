//! The steps of a scenario as data.

use crate::protocol::{Phase, ResourceId, StopMode};

/// One line that does or expects something.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Step {
    /// From 1.
    pub(crate) line: u32,
    /// As it was written.
    pub(crate) text: String,
    pub(crate) what: What,
    /// What helps whoever fails here; the last `hint` above. Empty without one.
    pub(crate) hint: String,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum What {
    Do(Event),
    /// Units: milliseconds.
    Wait(u64),
    Expect(Expectation),
}

/// Something that happens to the host or the agent.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Event {
    /// The agent starts; one that still ran is gone without a word.
    Run {
        program: String,
        flags: Vec<Flag>,
    },
    /// The agent that runs gets another program.
    Deploy {
        program: String,
    },
    Stop(StopMode),
    /// The agent is gone without a word.
    Kill,
    Write {
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
    /// Somebody posts a form to a web server of the host.
    Post {
        url: String,
        form: String,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnitEvent {
    /// Its processes are killed.
    Dies,
    Enabled,
    Disabled,
}

/// A switch of `run`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Flag {
    Noop,
    Once,
    Hostname(String),
    Sema(u32),
    MaxRuntime(u64),
    ConvergerTimeout(i64),
    ConvergedExit,
    NoAutoedges,
    NoAutogroup,
}

/// A claim, and when it is to hold.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Expectation {
    pub(crate) claim: Claim,
    pub(crate) when: When,
    /// From then on for so long. Units: milliseconds.
    pub(crate) lasts: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum When {
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
pub(crate) enum Claim {
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
    Output {
        text: String,
        is_there: bool,
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
        status: Option<i32>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PathKind {
    Anything,
    File,
    Folder,
    Link,
}

/// What a file is claimed to have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Has {
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
pub(crate) enum AccountHas {
    Id(u32),
    Shell(String),
    Home(String),
    /// Its primary group, or one of its others.
    Group(String),
}

/// What a unit is claimed to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnitIs {
    Running,
    Stopped,
    Failed,
    Enabled,
    Disabled,
}

/// How many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Count {
    pub(crate) least: usize,
    pub(crate) most: usize,
}

impl Count {
    pub(crate) fn holds(self, n: usize) -> bool {
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
